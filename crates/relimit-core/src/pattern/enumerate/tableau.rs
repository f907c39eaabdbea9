//! Coordinates of every row in the basis of a node, in doubles, with a proved bound on their error.
//!
//! Column c of the tableau holds, for every row and flag, its coordinate along the basis vector of column c, up to a
//! positive factor of the column and one of the row: neither changes a sign that the search asks for. Two kinds:
//!
//! *Exact.* Numerators over one common denominator `den > 0`, all integers of at most 2^53: a step of fraction-free
//! elimination `(p x - r y) / den` is exact as long as `|p| max|x| + |r| max|y| <= 2^53`, which is checked before it.
//!
//! *Rounded.* Each computed entry lies within `error[c]` of the exact one, and no computed entry exceeds `size[c]`. One
//! step replaces `x` by `x - y x_j / y_j` (columns x, y; row j). Let u = 2^-53, hats be computed values, e and E the errors
//! of columns x and y, X and Y their sizes, `m = |^y_j| - E > 0`, so that `|y_j| >= m`.
//!
//! 1. Ratio: `^r = fl(^x_j fl(1 / ^y_j))` has two roundings, so `|^r - ^x_j / ^y_j| <= 3 u |^r|`. And
//!    `^x_j/^y_j - x_j/y_j = (^x_j (y_j - ^y_j) + ^y_j (^x_j - x_j)) / (^y_j y_j)` is at most `(|^x_j/^y_j| E + e) / m`, with
//!    `|^x_j/^y_j| <= |^r| (1 + 3u)`. Together `R = (|^r| E + e)/m + 3u|^r|` (the factor 1 + 3u is in the slack below).
//! 2. Entry: `|^x - ^y ^r - (x - y r)| <= e + Y R + |^r| E + E R`; the product and the difference are rounded once each:
//!    `u |^y ^r| + u (|^x| + (1+u)|^y ^r|) <= 2u (X + Y |^r|)` with room to spare.
//! 3. The column of the pivot becomes `y / y_j`: by the argument of 1 with `^x_j` replaced by `^y`,
//!    `(q E + E)/m + 3u q` with `q = Y/m`.
//!
//! A 2 x 2 determinant `a_x b_y - b_x a_y` of computed entries with errors e (column a), f (column b) is off by at most
//! `|b_y| e + |a_x| f + |b_x| e + |a_y| f + 2 e f` for the entries and `u (|a_x b_y| + |b_x a_y|)` for the products and once
//! more for their difference, which is below `3u` times that sum.
//!
//! Slack: a bound is itself evaluated with fewer than 40 roundings of relative size u and factors up to 1 + 4u, all
//! covered by the factor `1 + 2^-40`; products that underflow lose at most 2^-1074 each, covered by the `1e-290` added.
//! Sizes above 1e100 and ratios above 1e100 are refused, so that nothing overflows and no NaN arises.

use super::kernel::Kernel;
use crate::pattern::basis::{ExactBasis, bits};
use crate::pattern::space::Space;
use dashu_int::IBig;

/// 2^53: integers up to here are doubles.
const WHOLE: f64 = 9_007_199_254_740_992.0;
pub(super) const U: f64 = 0.5 * f64::EPSILON;
pub(super) const SLACK: f64 = 1.0 + 1.0 / 1_099_511_627_776.0;
pub(super) const TINY: f64 = 1e-290;
pub(super) const HUGE: f64 = 1e100;
/// Binary digits of entries that an exact tableau may begin with.
const EXACT: usize = 50;
/// A column whose error exceeds this share of its size is computed anew from integers.
const STALE: f64 = 1e-6;

#[derive(Clone, Debug)]
pub(super) struct Tableau {
    /// Rows of the arrangement, then padding to a multiple of 4, then flags, padded likewise.
    stride: usize,
    first_flag: usize,
    n: usize,
    entries: Vec<f64>,
    error: Vec<f64>,
    size: Vec<f64>,
    den: f64,
    exact: bool,
    /// Column that holds row 0.
    pub(super) chart: usize,
    /// Columns that hold the rows of the set, in the order in which they came in.
    pub(super) set: Vec<usize>,
    /// Columns that hold no row yet.
    pub(super) free: Vec<usize>,
}

/// A sign, or the bound was too wide.
pub(super) type Filtered = Option<i8>;

fn filtered(v: f64, bound: f64) -> Filtered {
    if v > bound {
        Some(1)
    } else if v < -bound {
        Some(-1)
    } else if bound == 0.0 && v == 0.0 {
        Some(0)
    } else {
        None
    }
}

impl Tableau {
    /// A tableau of the right shape without content.
    pub(super) fn blank(space: &Space) -> Self {
        let first_flag = space.n().next_multiple_of(4);
        let stride = first_flag + space.flags.len().next_multiple_of(4);
        Self {
            stride,
            first_flag,
            n: space.n(),
            entries: vec![0.0; stride * space.rank],
            error: vec![0.0; space.rank],
            size: vec![0.0; space.rank],
            den: 1.0,
            exact: false,
            chart: 0,
            set: vec![],
            free: vec![],
        }
    }

    /// The tableau in which row 0 alone has been exchanged; returns its column.
    ///
    /// Long rows are exchanged in doubles, short ones in integers, which may stay exact.
    pub(super) fn start(&mut self, space: &Space, kernel: Kernel) -> usize {
        if space.longest() > EXACT {
            let mut raw = Self::blank(space);
            let rows: Vec<&[IBig]> = (0..space.n() + space.flags.len()).map(|i| space.row(i, false)).collect();
            raw.round(&rows);
            raw.free = (0..space.rank).collect();
            let c = raw.pivot_column(0);
            raw.chart = c;
            if raw.pivot_rounded(self, 0, c, raw.n, kernel) {
                return c;
            }
        }
        let row = &space.rows()[0];
        let filled = (0..space.rank).filter(|&c| !row[c].is_zero());
        let c = filled.min_by_key(|&c| bits(&row[c])).expect("a row is not 0");
        let mut basis = ExactBasis::new(space.rank);
        basis.pivot(row, c);
        self.chart = c;
        self.free = (0..space.rank).filter(|&x| x != c).collect();
        self.fill(space, &basis, true);
        c
    }

    /// Fills in the coordinates from integers: exactly if they are short, else each rounded once.
    pub(super) fn fill(&mut self, space: &Space, basis: &ExactBasis, allow_exact: bool) {
        let rows = space.rows().iter().chain(&space.flags).map(|row| basis.coordinates(row)).collect::<Vec<_>>();
        let longest = rows.iter().flatten().map(bits).max().unwrap_or(0).max(bits(basis.den()));
        if !allow_exact || longest > EXACT {
            self.round(&rows);
            return;
        }
        (self.exact, self.den) = (true, to_f64(basis.den(), 0));
        self.entries.fill(0.0);
        self.error.fill(0.0);
        for (i, row) in rows.iter().enumerate() {
            let at = self.place(i);
            for (c, v) in row.iter().enumerate() {
                self.entries[c * self.stride + at] = to_f64(v, 0);
            }
        }
        self.measure();
    }

    /// Fills in integers, rounded, in scales of their own: rows by their length, then columns by what is left.
    fn round(&mut self, rows: &[impl AsRef<[IBig]>]) {
        (self.exact, self.den) = (false, 1.0);
        self.entries.fill(0.0);
        let rank = self.rank();
        let mut height = vec![isize::MIN; rank];
        let lengths: Vec<isize> = rows
            .iter()
            .map(|row| {
                let row = row.as_ref();
                let length = row.iter().map(bits).max().unwrap_or(0).cast_signed();
                for (h, v) in height.iter_mut().zip(row).filter(|(_, v)| !v.is_zero()) {
                    *h = (*h).max(bits(v).cast_signed() - length);
                }
                length
            })
            .collect();
        for (i, (row, length)) in rows.iter().zip(&lengths).enumerate() {
            let at = self.place(i);
            for (c, v) in row.as_ref().iter().enumerate().filter(|(_, v)| !v.is_zero()) {
                self.entries[c * self.stride + at] = to_f64(v, -length - height[c]);
            }
        }
        // Entries are truncated to 53 digits or more, and at most 1 in size.
        self.error.fill(2.0 * U * SLACK + TINY);
        self.measure();
    }

    fn measure(&mut self) {
        for c in 0..self.rank() {
            self.size[c] = self.column(c).iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        }
    }

    #[inline]
    pub(super) fn rank(&self) -> usize {
        self.size.len()
    }

    /// Whether signs of single entries are exact.
    pub(super) fn is_exact(&self) -> bool {
        self.exact
    }

    /// The entries of the rows and, from [`Self::place`] of the first on, of the flags.
    #[inline]
    pub(super) fn column(&self, c: usize) -> &[f64] {
        &self.entries[c * self.stride..(c + 1) * self.stride]
    }

    /// The entries of the rows of the arrangement, padded to a multiple of 4.
    pub(super) fn rows(&self, c: usize) -> &[f64] {
        &self.entries[c * self.stride..c * self.stride + self.first_flag]
    }

    /// Entry of row i, or of flag i - n.
    pub(super) fn entry(&self, i: usize, c: usize) -> f64 {
        self.entries[c * self.stride + self.place(i)]
    }

    /// The error of every entry of a column.
    #[inline]
    pub(super) fn error(&self, c: usize) -> f64 {
        self.error[c]
    }

    /// The sign of one entry.
    pub(super) fn entry_sign(&self, i: usize, c: usize) -> Filtered {
        filtered(self.entry(i, c), self.error[c])
    }

    /// The sign of `t_xc t_yf - t_xf t_yc` for rows x, y and columns c, f.
    pub(super) fn determinant(&self, x: usize, y: usize, c: usize, f: usize) -> Filtered {
        let (xc, xf, yc, yf) = (self.entry(x, c), self.entry(x, f), self.entry(y, c), self.entry(y, f));
        let (p, q) = (xc * yf, xf * yc);
        let terms = p.abs() + q.abs();
        if self.exact && terms <= WHOLE {
            return filtered(p - q, 0.0);
        }
        let (e, g) = (self.error[c], self.error[f]);
        let propagated = (yf.abs() + xf.abs()) * e + (xc.abs() + yc.abs()) * g + 2.0 * e * g;
        filtered(p - q, SLACK * (propagated + 3.0 * U * terms) + TINY)
    }

    /// A bound for the determinants of row y with every row of the arrangement.
    pub(super) fn determinant_bound(&self, y: usize, c: usize, f: usize) -> f64 {
        let (yc, yf) = (self.entry(y, c).abs(), self.entry(y, f).abs());
        let terms = self.size[c] * yf + self.size[f] * yc;
        if self.exact && terms <= WHOLE {
            return 0.0;
        }
        let (e, g) = (self.error[c], self.error[f]);
        SLACK * ((yf + self.size[f]) * e + (self.size[c] + yc) * g + 2.0 * e * g + 3.0 * U * terms) + TINY
    }

    /// Where the rows (and the flag i = n + k, at the end of the lists) vanish on the line of columns c + f t, and how far off
    /// that may be: `t = -t_c / t_f`, with an infinite radius where the slope is lost in its error.
    ///
    /// For computed a, b with errors e, g the quotient is off by at most `(|t| g + e) / (|b| - g)`, and its rounding and that
    /// of the bound by `2 u |t|` and the slack.
    pub(super) fn vertices(&self, c: usize, f: usize, t: &mut Vec<f64>, radius: &mut Vec<f64>, kernel: Kernel) {
        t.resize(self.stride, 0.0);
        radius.resize(self.stride, 0.0);
        kernel.vertices(t, radius, self.column(c), self.column(f), self.error[c], self.error[f]);
    }

    /// Place of row i, or of flag i - n, in the lists of [`Self::vertices`].
    #[inline]
    pub(super) fn place(&self, i: usize) -> usize {
        if i < self.n { i } else { i - self.n + self.first_flag }
    }

    /// The free column where row i is largest.
    #[inline]
    pub(super) fn pivot_column(&self, i: usize) -> usize {
        let mut best = self.free[0];
        for &c in &self.free[1..] {
            if self.entry(i, c).abs() > self.entry(i, best).abs() {
                best = c;
            }
        }
        best
    }

    /// The tableau after row i takes column c, exactly if it fits, else rounded; false if the pivot or the result is
    /// lost in its error. Columns of the set are kept for rows below `keep` (and flags) alone once rounded.
    pub(super) fn pivot(&self, to: &mut Self, i: usize, c: usize, keep: usize, kernel: Kernel) -> bool {
        if self.pivot_exact(to, i, c, kernel) {
            return true;
        }
        self.pivot_rounded(to, i, c, keep, kernel)
    }

    /// Whether the tableau is exact and stays so when row i takes column c.
    #[inline]
    pub(super) fn stays_exact(&self, i: usize, c: usize) -> bool {
        let (p, y_size) = (self.entry(i, c).abs(), self.size[c]);
        let fits = |x: usize| self.size[x] * p + y_size * self.entry(i, x).abs() <= WHOLE;
        self.exact && p > 0.0 && (0..self.size.len()).all(|x| x == c || fits(x))
    }

    fn pivot_exact(&self, to: &mut Self, i: usize, c: usize, kernel: Kernel) -> bool {
        if !self.stays_exact(i, c) {
            return false;
        }
        let p = self.entry(i, c);
        let positive = p.abs();
        for x in 0..self.size.len() {
            let z = &mut to.entries[x * self.stride..(x + 1) * self.stride];
            if x == c {
                to.size[x] = kernel.scale(z, self.column(c), p.signum());
            } else {
                let r = self.entry(i, x) * p.signum();
                to.size[x] = kernel.eliminate(z, self.column(x), self.column(c), positive, r, self.den);
            }
            to.error[x] = 0.0;
        }
        (to.den, to.exact) = (positive, true);
        self.hand_over(to, c);
        true
    }

    /// The rounded step, also from an exact tableau.
    pub(super) fn pivot_rounded(&self, to: &mut Self, i: usize, c: usize, keep: usize, kernel: Kernel) -> bool {
        let (y, y_error) = (self.column(c), self.error[c]);
        let at = self.place(i);
        let p = y[at];
        let least = p.abs() - y_error;
        if !(least > 0.0) {
            return false;
        }
        let inverse = 1.0 / p;
        let keep = keep.next_multiple_of(4).min(self.first_flag);
        for x in 0..self.size.len() {
            // Only the chart and the free columns are scanned over all rows.
            let whole = x == self.chart || (x != c && self.free.contains(&x));
            let parts = if whole { [(0, self.stride), (0, 0)] } else { [(0, keep), (self.first_flag, self.stride)] };
            let z = &mut to.entries[x * self.stride..(x + 1) * self.stride];
            if x == c {
                for (from, end) in parts {
                    kernel.scale(&mut z[from..end], &y[from..end], inverse);
                }
                (to.error[x], to.size[x]) = self.scaled(c, least);
                z[at] = 1.0;
            } else {
                let r = self.column(x)[at] * inverse;
                let mut top = 0.0f64;
                for (from, end) in parts {
                    top = top.max(kernel.subtract(&mut z[from..end], &self.column(x)[from..end], &y[from..end], r));
                }
                z[at] = 0.0;
                to.error[x] = self.eliminated(x, c, r, least).0;
                to.size[x] = top;
                if !(r.abs() <= HUGE) || (whole && to.error[x] > STALE * top) {
                    return false;
                }
            }
            if !(to.size[x] <= HUGE && to.error[x] <= HUGE) {
                return false;
            }
        }
        (to.den, to.exact) = (1.0, false);
        self.hand_over(to, c);
        true
    }

    /// Bounds for the error and the size of column x after a rounded step that takes r times column c from it, where the
    /// pivot is at least `least` in size. The bound of the size is that of the exact difference of computed entries.
    #[inline]
    pub(super) fn eliminated(&self, x: usize, c: usize, r: f64, least: f64) -> (f64, f64) {
        let (x_error, x_size, y_error, y_size) = (self.error[x], self.size[x], self.error[c], self.size[c]);
        let size = r.abs();
        let ratio = (size * y_error + x_error) / least + 3.0 * U * size;
        let reach = x_size + y_size * size;
        let error = x_error + y_size * ratio + size * y_error + y_error * ratio + 2.0 * U * reach;
        (SLACK * error + TINY, SLACK * reach)
    }

    /// Bounds for the error and the size of column c after a rounded step in which it is divided by the pivot.
    #[inline]
    pub(super) fn scaled(&self, c: usize, least: f64) -> (f64, f64) {
        let (error, q) = (self.error[c], self.size[c] / least);
        (SLACK * ((q * error + error) / least + 3.0 * U * q) + TINY, SLACK * q)
    }

    fn hand_over(&self, to: &mut Self, c: usize) {
        to.chart = self.chart;
        to.set.clone_from(&self.set);
        to.free.clear();
        to.free.extend(self.free.iter().filter(|&&x| x != c));
    }
}

/// `v 2^shift`, truncated to 53 or more digits; entries below the range of doubles become 0.
fn to_f64(v: &IBig, shift: isize) -> f64 {
    let drop = bits(v).saturating_sub(62);
    let head = if drop == 0 { i64::try_from(v) } else { i64::try_from(v >> drop) };
    let exponent = drop.cast_signed() + shift;
    if exponent < -1000 {
        return 0.0;
    }
    assert!(exponent <= 1000, "an entry of {} binary digits is not scaled", bits(v));
    head.unwrap_or(0) as f64 * f64::from_bits(((exponent + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::test_random::Random;
    use crate::pattern::Arrangement;

    /// Every entry of a rounded tableau against integers, over chains of random pivots: the error never exceeds its bound.
    #[test]
    fn rounded_entries_stay_within_their_bounds() {
        let mut random = Random(7);
        let mut seen = 0;
        for trial in 0..60 {
            let (n, dim) = (9, 3 + trial % 4);
            let nearly = |k: usize, i: usize| [0, 1 << 33, 1 << 34][(i * k) % 3];
            let rows: Vec<i64> = (0..n * dim)
                .map(|k| nearly(k % dim, k / dim) * [0, 1][trial % 2] + (random.word() >> 40).cast_signed() - (1 << 23))
                .collect();
            let a = Arrangement::from_integers(n, dim, &rows);
            let space = Space::new(&a, trial as u64);
            let mut basis = ExactBasis::new(space.rank);
            let mut table = Tableau::blank(&space);
            table.free = (0..space.rank).collect();
            table.fill(&space, &basis, false);
            // The scale of column and row of the tableau at the start.
            let start = table.clone();
            let mut pivots: Vec<(usize, usize)> = vec![];
            for i in 0..space.rank - 1 {
                let c = table.pivot_column(i);
                let mut next = Tableau::blank(&space);
                if !table.pivot_rounded(&mut next, i, c, n, Kernel::detect()) {
                    break;
                }
                if i == 0 {
                    next.chart = c;
                }
                basis.pivot(&space.rows()[i], c);
                pivots.push((i, c));
                table = next;
                for c in 0..space.rank {
                    for row in 0..n {
                        let exact = exact_entry(&space, &basis, &start, &pivots, row, c);
                        let off = (table.entry(row, c) - exact).abs();
                        assert!(off <= table.error[c] + 4.0 * U * exact.abs(), "trial {trial}: {off}");
                        assert!(table.entry(row, c).abs() <= table.size[c]);
                        seen += 1;
                    }
                }
            }
        }
        assert!(seen > 3000, "{seen} entries");
    }

    /// The exact entry in the scales of the starting tableau, rounded: a row vector in scaled rows and columns.
    fn exact_entry(
        space: &Space,
        basis: &ExactBasis,
        start: &Tableau,
        pivots: &[(usize, usize)],
        row: usize,
        c: usize,
    ) -> f64 {
        // Row scale of i: its largest length; a column that holds row j has the scale of that row.
        let row_scale = |i: usize| space.rows()[i].iter().map(bits).max().unwrap().cast_signed();
        let column_scale = |c: usize| {
            let i = (0..space.n()).find(|&i| !space.rows()[i][c].is_zero()).unwrap();
            let ratio = to_f64(&space.rows()[i][c], -row_scale(i)) / start.entry(i, c);
            ratio.log2().round() as isize
        };
        let held = pivots.iter().find(|p| p.1 == c).map(|p| p.0);
        let numerator = basis.coordinate(&space.rows()[row], c);
        let ratio = |shift: isize| {
            let extra = 200usize;
            let quotient = (&numerator << extra) / basis.den();
            to_f64(&quotient, shift - extra.cast_signed())
        };
        match held {
            Some(j) => ratio(row_scale(j) - row_scale(row)),
            None => ratio(-row_scale(row) - column_scale(c)),
        }
    }
}
