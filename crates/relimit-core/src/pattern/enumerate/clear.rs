//! A line on which doubles decide every sign: its cells straight from the tableau of the node above.
//!
//! With row j in column c of that tableau, row i of the line is `a_i + b_i t` with `a = x_0 - r_0 y`, `b = x_1 - r_1 y` (columns
//! y = c, x_0 = chart, x_1 the one that stays free). It vanishes at `t_i = -a_i / b_i`, and at the vertex of row y it has the
//! sign of `b_i (t_y - t_i)`. So one comparison of intervals for each row and vertex suffices:
//!
//! 1. Let e, g bound the errors of a, b, and `g <= 2^-20 |b|`. Then `|a/b - a*/b*| <= (|a/b| g + e) / (|b| - g)` and
//!    `1 / (|b| - g) <= (1 + 2^-19) / |b|`. The computed `t = fl(-a fl(1/b))` is off by two roundings, below `3 u |t|`. So
//!    `radius = (1 + 2^-18) (|t| g + e) |1/b| + 3 u |t|` and the tiny summand hold for the exact vertex, roundings included.
//! 2. Intervals in single precision hold those in double precision: their half width is `(1 + 2^-20) radius + 2^-21 |t|` and
//!    1e-30, while rounding their ends to 24 digits moves them by less than `(|t| + width) 2^-23` or 2^-149. An end that
//!    overflows is infinite on the right side; a NaN compares as open.
//! 3. Rows whose single intervals overlap are compared in double precision. What stays open ends the attempt.
//!
//! The multipliers, with x the last flag and h the column of a row s of the set, are `h_x b_y - b_x h_y`, and that of row 0
//! has the sign of `b_x b_y (t_y - t_x)`: their agreement is the sign of s, and row y itself is the opposite of its sign at
//! the vertex of the flag.
#![allow(clippy::inline_always, reason = "the bodies must be compiled into their AVX2 copy to use AVX2")]
#![allow(unsafe_code, reason = "the call to the AVX2 copy, guarded by run-time detection")]

use super::block::{Block, OWN};
use super::compare::{GROUP, Intervals, Vertex, multipliers, sides};
use super::kernel::Kernel;
use super::line::{Closed, put_closed};
use super::tableau::{HUGE, SLACK, TINY, Tableau, U};
use crate::pattern::cell::put;

/// The line of a set that grows by one row, as seen from the node above.
pub(super) struct Below<'a> {
    /// The tableau of the node above, with two free columns.
    pub(super) table: &'a Tableau,
    /// Number of rows.
    pub(super) n: usize,
    /// The set above, largest row first, and its closed rows.
    pub(super) set: &'a [u32],
    pub(super) closed: &'a [Closed],
    /// Bits of row 0, the set, the closed rows and the padding.
    pub(super) settled: &'a [u64],
    /// The row that the set grows by, and the free column that it takes.
    pub(super) row: u32,
    pub(super) column: usize,
}

/// Lists that such lines reuse.
#[derive(Clone, Debug, Default)]
pub(super) struct Clear {
    slope: Vec<f64>,
    vertex: Vec<f64>,
    radius: Vec<f64>,
    intervals: Vec<Intervals>,
    /// Bits of rows of positive slope.
    rising: Vec<u64>,
    /// Bits of `settled` and of the row that the set grows by.
    skip: Vec<u64>,
    /// Bits of rows left of the vertex of the last flag.
    left: Vec<u64>,
    /// For each row of the set above and the new one, in words for candidates: the bits of its sign.
    signs: Vec<u64>,
}

/// Bounds for the error and the size of the entries of a column of the line; infinite where they leave the range in which
/// nothing overflows.
#[derive(Clone, Copy)]
struct Bounded {
    error: f64,
    size: f64,
}

impl From<(f64, f64)> for Bounded {
    #[inline(always)]
    fn from((error, size): (f64, f64)) -> Self {
        if error <= HUGE && size <= HUGE { Self { error, size } } else { Self { error: f64::INFINITY, size } }
    }
}

impl Bounded {
    /// A bound for the error of `h_x b_y - b_x h_y` over all rows y, for this column h.
    #[inline(always)]
    fn determinants(self, slope: Self, hx: f64, bx: f64) -> f64 {
        let (hx, bx) = (hx.abs(), bx.abs());
        let propagated =
            (bx + slope.size) * self.error + (self.size + hx) * slope.error + 2.0 * self.error * slope.error;
        SLACK * (propagated + 3.0 * U * (self.size * bx + slope.size * hx)) + TINY
    }
}

impl Clear {
    /// Puts the cells of the line into an empty block, that of the set first, then by rows; false, and a block of no use, if
    /// a sign is open.
    pub(super) fn line(&mut self, below: &Below, kernel: Kernel, block: &mut Block) -> bool {
        #[cfg(target_arch = "x86_64")]
        if kernel.is_wide() {
            #[target_feature(enable = "avx2,bmi1,bmi2")]
            fn wide(clear: &mut Clear, below: &Below, block: &mut Block) -> bool {
                if below.settled.len() == 1 {
                    clear.line_body::<true, true>(below, block)
                } else {
                    clear.line_body::<true, false>(below, block)
                }
            }
            // SAFETY: the processor has these features.
            return unsafe { wide(self, below, block) };
        }
        let _ = kernel;
        self.line_body::<false, false>(below, block)
    }

    /// `WIDE`: where AVX2 may be used. `ONE`: at most 64 rows.
    #[inline(always)]
    fn line_body<const WIDE: bool, const ONE: bool>(&mut self, below: &Below, block: &mut Block) -> bool {
        let Below { table, n, set, closed, settled, row, column } = *below;
        let (words, j) = (if ONE { 1 } else { settled.len() }, row as usize);
        let y = table.column(column);
        let (chart, free) = (table.chart, if table.free[0] == column { table.free[1] } else { table.free[0] });
        let least = y[j].abs() - table.error(column);
        if !(least > 0.0) {
            return false;
        }
        let inverse = 1.0 / y[j];
        let bounds = |c: usize, r: f64| Bounded::from(table.eliminated(c, column, r, least));
        let (x0, x1) = (table.column(chart), table.column(free));
        let (r0, r1) = (x0[j] * inverse, x1[j] * inverse);
        let (a, b) = (bounds(chart, r0), bounds(free, r1));
        self.skip.clear();
        self.skip.extend_from_slice(settled);
        put(&mut self.skip, j, true);
        self.place_rows([x0, x1, y], [r0, r1], [a.error, b.error], n);

        // The last flag and the one before.
        let flag = table.place(n + table.rank() - 2);
        let before = flag - 1;
        let (ax, bx) = (x0[flag] - r0 * y[flag], x1[flag] - r1 * y[flag]);
        let (ap, bp) = (x0[before] - r0 * y[before], x1[before] - r1 * y[before]);
        let own = Vertex::new(ax, bx, a.error, b.error);
        let Some(first) = determinant(ap, bp, ax, bx, a.error, b.error) else { return false };
        self.left.resize(words, 0);
        for w in 0..words {
            let Some(left) = self.left_of::<WIDE>(w, own, self.skip[w]) else { return false };
            self.left[w] = left;
        }
        block.open(j);
        let mut cells = block.cells();
        let own_signs = cells.next(OWN, words);
        for w in 0..words {
            own_signs[w] = !(self.rising[w] ^ self.left[w]) & !self.skip[w];
        }
        own_signs[0] |= 1;

        // Signs of the set: at the vertex of the flag by the flag before, at those of the candidates by the flag.
        let turned = if bx > 0.0 { 0 } else { u64::MAX };
        let candidates = j.next_multiple_of(4);
        let per = if ONE { 1 } else { candidates.div_ceil(64) };
        self.signs.resize((set.len() + 1) * per, 0);
        for q in 0..=set.len() {
            // The new row takes over the column that was free; the others lose r times that column.
            let (c, s, scale, r, h) = if q < set.len() {
                let c = table.set[q];
                let r = table.column(c)[j] * inverse;
                (c, set[q] as usize, 1.0, r, bounds(c, r))
            } else {
                (column, j, inverse, 0.0, Bounded::from(table.scaled(column, least)))
            };
            let x = table.column(c);
            let (hx, hp) = (scale * x[flag] - r * y[flag], scale * x[before] - r * y[before]);
            let Some(multiplier) = determinant(hp, bp, hx, bx, h.error, b.error) else { return false };
            own_signs[s / 64] |= u64::from(multiplier == first) << (s % 64);
            let bound = h.determinants(b, hx, bx);
            for w in 0..per {
                let (from, end) = (64 * w, candidates.min(64 * w + 64));
                let of = [&x[from..end], &y[from..end], &self.slope[from..end]];
                let (plus, open) = multipliers::<WIDE>(of, (scale, r), (hx, bx), bound);
                let asked = if j >= 64 * w + 64 { u64::MAX } else { (1 << (j - 64 * w)) - 1 } & !self.skip[w];
                if open & asked != 0 {
                    return false;
                }
                let first = self.rising[w] ^ turned ^ self.left[w];
                self.signs[q * per + w] = !(plus ^ first);
            }
        }
        put_closed(closed, own_signs);

        for word in 0..per {
            let end = j.min(64 * word + 64);
            let mut candidates = !self.skip[word] & if end % 64 == 0 { u64::MAX } else { (1 << (end % 64)) - 1 };
            let own = self.rising[word] ^ self.left[word];
            while candidates != 0 {
                let shift = candidates.trailing_zeros();
                candidates &= candidates - 1;
                let v = 64 * word + shift as usize;
                let at = Vertex { t: self.vertex[v], radius: self.radius[v] };
                let signs = cells.next(v as u32, words);
                for w in 0..words {
                    let skip = self.skip[w] | u64::from(w == word) << shift;
                    let Some(left) = self.left_of::<WIDE>(w, at, skip) else { return false };
                    signs[w] = !(self.rising[w] ^ left) & !skip;
                }
                signs[0] |= 1;
                signs[word] |= own & 1 << shift;
                for (q, &s) in set.iter().enumerate() {
                    signs[s as usize / 64] |= (self.signs[q * per + word] >> shift & 1) << (s % 64);
                }
                signs[j / 64] |= (self.signs[set.len() * per + word] >> shift & 1) << (j % 64);
                if !closed.is_empty() {
                    put_closed(closed, signs);
                }
            }
        }
        let found = cells.done();
        block.close(found);
        true
    }

    /// Slopes and vertices of the rows.
    #[inline(always)]
    fn place_rows(&mut self, columns: [&[f64]; 3], [r0, r1]: [f64; 2], [e, g]: [f64; 2], n: usize) {
        let rows = n.next_multiple_of(4);
        self.slope.resize(rows, 0.0);
        self.vertex.resize(rows, 0.0);
        self.radius.resize(rows, 0.0);
        self.intervals.resize(n.div_ceil(GROUP), Intervals::NONE);
        self.rising.clear();
        self.rising.resize(n.div_ceil(64), 0);
        let [x0, x1, y] = columns.map(|x| &x[..rows]);
        for q in 0..rows / 4 {
            let at = 4 * q..4 * q + 4;
            let (x0, x1, y) = (&x0[at.clone()], &x1[at.clone()], &y[at.clone()]);
            let (mut b, mut t, mut radius, mut low, mut high) =
                ([0.0; 4], [0.0; 4], [0.0; 4], [0.0f32; 4], [0.0f32; 4]);
            let mut rising = 0u64;
            for k in 0..4 {
                b[k] = x1[k] - r1 * y[k];
                let v = Vertex::new(x0[k] - r0 * y[k], b[k], e, g);
                (t[k], radius[k]) = (v.t, v.radius);
                (low[k], high[k]) = v.interval();
            }
            for k in 0..4 {
                rising |= u64::from(b[k] > 0.0) << k;
            }
            self.slope[at.clone()].copy_from_slice(&b);
            self.vertex[at.clone()].copy_from_slice(&t);
            self.radius[at].copy_from_slice(&radius);
            let (group, place) = (&mut self.intervals[q / 8], Intervals::place(q));
            group.low[place..place + 4].copy_from_slice(&low);
            group.high[place..place + 4].copy_from_slice(&high);
            self.rising[q / 16] |= rising << (4 * (q % 16));
        }
    }

    /// Bits of the rows of word w that vanish left of a vertex; `None` if one outside `skip` is open.
    #[inline(always)]
    fn left_of<const WIDE: bool>(&self, w: usize, at: Vertex, skip: u64) -> Option<u64> {
        let of = at.interval();
        let (mut left, mut open) = sides::<WIDE>(&self.intervals[2 * w], of);
        if let Some(upper) = self.intervals.get(2 * w + 1) {
            let (l, o) = sides::<WIDE>(upper, of);
            left |= l << GROUP;
            open |= o << GROUP;
        }
        open &= !skip;
        while open != 0 {
            let i = open.trailing_zeros() as usize;
            open &= open - 1;
            let apart = self.vertex[64 * w + i] - at.t;
            // The difference and the sum are rounded once each, which the slack covers.
            if !(apart.abs() > SLACK * (self.radius[64 * w + i] + at.radius)) {
                return None;
            }
            left = left & !(1 << i) | u64::from(apart < 0.0) << i;
        }
        Some(left)
    }
}

/// Whether `p b_x - b_p x > 0`, for entries of two columns with errors e and g; `None` if that is open.
#[inline(always)]
fn determinant(p: f64, bp: f64, x: f64, bx: f64, e: f64, g: f64) -> Option<bool> {
    let (u, v) = (p * bx, bp * x);
    let propagated = (bx.abs() + bp.abs()) * e + (p.abs() + x.abs()) * g + 2.0 * e * g;
    let bound = SLACK * (propagated + 3.0 * U * (u.abs() + v.abs())) + TINY;
    let value = u - v;
    (value.abs() > bound).then_some(value > 0.0)
}
