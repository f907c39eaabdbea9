//! One line of the arrangement: the cells of a set of r - 2 rows and of that set with one row more.
//!
//! On the line row i is `a_i + b_i t`; row j vanishes at `t = -a_j / b_j`, where row i has the sign of
//! `(a_i b_j - b_i a_j) / b_j`. The line also meets the last flag, at the vertex of the set itself. With few candidates each
//! vertex is scanned, with many the line is swept: see [`super::sweep`].

use super::block::{Block, OWN};
use super::exact::ExactStack;
use super::kernel::Kernel;
use super::tableau::Tableau;
use crate::pattern::cell::{bit, put};
use crate::pattern::space::{Space, generic};

/// A row in the span of row 0 and the set, which is not in the set: it vanishes at all vertices below.
#[derive(Clone, Copy, Debug)]
pub(super) struct Closed {
    pub(super) row: u32,
    /// The least member of the set in its support.
    pub(super) least: u32,
    /// Whether its coefficient there is positive.
    pub(super) same: bool,
}

/// Gives closed rows the sign of the least member of their support, or its opposite.
pub(super) fn put_closed(closed: &[Closed], signs: &mut [u64]) {
    for c in closed {
        let positive = bit(signs, c.least as usize) == c.same;
        put(signs, c.row as usize, positive);
    }
}

/// Lists and bit sets that lines reuse.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    pub(super) open: Vec<u64>,
    pub(super) tight: Vec<u32>,
    pub(super) slope: Vec<i8>,
    pub(super) keys: Vec<u64>,
    pub(super) order: Vec<u32>,
    pub(super) running: Vec<u64>,
    /// Where rows vanish on the line, and the error of that.
    pub(super) vertex: Vec<f64>,
    pub(super) radius: Vec<f64>,
    pub(super) multipliers: Multipliers,
}

/// Signs of `t_xc b_y - b_x t_yc` for the last flag x, rows y below the least of the set and columns c: the chart, then
/// the set. Packed bits of a column follow those of the one before.
#[derive(Clone, Debug, Default)]
pub(super) struct Multipliers {
    words: usize,
    positive: Vec<u64>,
    /// Bit y is 1 where one of the signs of row y is not known.
    open: Vec<u64>,
    /// The sign of `b_x`; 0 if it is not known, and all bits of `open` are 1 then.
    slope: i8,
}

/// Everything that a line needs to know.
pub(super) struct Line<'a> {
    pub(super) space: &'a Space,
    pub(super) table: &'a Tableau,
    pub(super) exact: &'a mut ExactStack,
    /// The set, largest first.
    pub(super) set: &'a [u32],
    pub(super) closed: &'a [Closed],
    /// Bits of row 0, the set, the closed rows and the padding.
    pub(super) settled: &'a [u64],
    pub(super) kernel: Kernel,
    pub(super) chart: usize,
    pub(super) free: usize,
}

impl Line<'_> {
    /// Candidates for one row more: those below the least of the set.
    pub(super) fn candidates(&self) -> usize {
        self.set.last().map_or(self.space.n(), |&s| s as usize)
    }

    /// The last flag, as a row index.
    pub(super) fn last_flag(&self) -> usize {
        self.space.n() + self.space.rank - 2
    }

    /// The sign of `b_i`.
    pub(super) fn slope(&mut self, i: usize) -> i8 {
        match self.table.entry_sign(i, self.free) {
            Some(s) if s != 0 || i < self.space.n() => s,
            _ => self.exact.entry_sign(self.space, i, self.free),
        }
    }

    /// The sign of `t_xc b_y - b_x t_yc`.
    pub(super) fn determinant(&mut self, x: usize, y: usize, c: usize) -> i8 {
        match self.table.determinant(x, y, c, self.free) {
            Some(s) if s != 0 || x.max(y) < self.space.n() => s,
            _ => self.exact.determinant(self.space, x, y, c, self.free),
        }
    }

    /// Fills in the multipliers of the line; what the filter leaves open is asked when it is needed.
    pub(super) fn list_multipliers(&self, to: &mut Multipliers, scratch: &mut Vec<u64>) {
        let rows = self.candidates().next_multiple_of(4);
        let words = rows.div_ceil(64);
        let columns = 1 + self.set.len();
        to.words = words;
        to.positive.resize(words * columns, 0);
        to.open.clear();
        to.open.resize(words, 0);
        scratch.resize(words, 0);
        let (x, f) = (self.last_flag(), self.free);
        let column = |k: usize| if k == 0 { self.chart } else { self.table.set[k - 1] };
        to.slope = self.table.entry_sign(x, f).unwrap_or(0);
        if to.slope == 0 {
            to.open.fill(u64::MAX);
            return;
        }
        for (k, plus) in to.positive.chunks_exact_mut(words).enumerate() {
            let c = column(k);
            let ab = (&self.table.rows(f)[..rows], &self.table.rows(c)[..rows]);
            let pr = (self.table.entry(x, c), self.table.entry(x, f));
            self.kernel.scan(ab, pr, self.table.determinant_bound(x, c, f), plus, scratch);
            to.open.iter_mut().zip(&*scratch).for_each(|(all, open)| *all |= open);
        }
    }

    /// Signs of the set, of the row y at whose vertex we are (or the last flag), and of the closed rows.
    pub(super) fn put_multipliers(&mut self, y: usize, known: &Multipliers, signs: &mut [u64]) {
        let own = y >= self.space.n();
        if !own && self.put_known_multipliers(y, known, signs) {
            return;
        }
        put(signs, 0, true);
        // The flag whose multipliers give the signs: the last one, or at its own vertex the one before.
        let x = if own { self.last_flag().wrapping_sub(1) } else { self.last_flag() };
        if !(own && self.set.is_empty()) {
            let first = generic(self.determinant(x, y, self.chart));
            if !own {
                let slope = generic(self.slope(x));
                put(signs, y, slope == first);
            }
            for q in 0..self.set.len() {
                let multiplier = generic(self.determinant(x, y, self.table.set[q]));
                put(signs, self.set[q] as usize, multiplier == first);
            }
        }
        put_closed(self.closed, signs);
    }

    /// The same from the list of the line; false if a sign is open there.
    fn put_known_multipliers(&self, y: usize, known: &Multipliers, signs: &mut [u64]) -> bool {
        let (word, shift) = (y / 64, y % 64);
        let at = |list: &[u64], k: usize| list[k * known.words + word] >> shift & 1 == 1;
        if bit(&known.open, y) {
            return false;
        }
        let first = at(&known.positive, 0);
        put(signs, 0, true);
        put(signs, y, (known.slope > 0) == first);
        for (q, &s) in self.set.iter().enumerate() {
            put(signs, s as usize, at(&known.positive, q + 1) == first);
        }
        put_closed(self.closed, signs);
        true
    }

    /// Every vertex by itself: O(n) for each.
    pub(super) fn scan(&mut self, scratch: &mut Scratch, block: &mut Block) {
        let n = self.space.n();
        let candidates = self.candidates();
        self.list_multipliers(&mut scratch.multipliers, &mut scratch.open);
        scratch.open.resize(self.space.words(), 0);
        for y in std::iter::once(self.last_flag()).chain(1..candidates) {
            if y < n && bit(self.settled, y) {
                continue;
            }
            let slope = self.slope(y);
            if slope == 0 {
                continue;
            }
            let (a, b) = (self.table.rows(self.chart), self.table.rows(self.free));
            let factor = f64::from(slope);
            let (p, r) = (self.table.entry(y, self.free) * factor, self.table.entry(y, self.chart) * factor);
            let bound = self.table.determinant_bound(y, self.chart, self.free);
            let signs = block.push(if y < n { y as u32 } else { OWN });
            self.kernel.scan((a, b), (p, r), bound, signs, &mut scratch.open);
            if self.settle_open(y, slope, bound == 0.0, scratch, signs) {
                self.put_multipliers(y, &scratch.multipliers, signs);
                self.put_tight(y, slope, &scratch.tight, signs);
            } else {
                block.pop();
            }
        }
    }

    /// Decides the rows that the scan left open; false if a row before y vanishes with it, so that no set ends there.
    fn settle_open(&mut self, y: usize, slope: i8, whole: bool, scratch: &mut Scratch, signs: &mut [u64]) -> bool {
        let n = self.space.n();
        scratch.tight.clear();
        for w in 0..scratch.open.len() {
            let mut open = scratch.open[w] & !self.settled[w];
            if y < n && y / 64 == w {
                open &= !(1 << (y % 64));
            }
            while open != 0 {
                let i = 64 * w + open.trailing_zeros() as usize;
                open &= open - 1;
                let s = if whole && y < n { 0 } else { self.determinant(i, y, self.chart) * slope };
                if s != 0 {
                    put(signs, i, s > 0);
                } else if i < y {
                    generic(i8::from(y < n));
                    return false;
                } else {
                    scratch.tight.push(i as u32);
                }
            }
        }
        true
    }

    /// Rows that vanish with row y: the sign of y times that of the quotient of their slopes.
    pub(super) fn put_tight(&mut self, y: usize, slope: i8, tight: &[u32], signs: &mut [u64]) {
        for &i in tight {
            let same = self.slope(i as usize) == slope;
            let positive = bit(signs, y) == same;
            put(signs, i as usize, positive);
        }
    }
}
