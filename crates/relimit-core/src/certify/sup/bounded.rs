//! Least squares with bounds in few dimensions: the shortest vector `c + sum_i share_i coef_i x_i`.

use super::rows::{Rows, axpy, dot, norm};

/// At its lower bound, 0.
pub(super) const LOWER: u8 = 0;
/// At its upper bound, 1.
pub(super) const UPPER: u8 = 1;
/// Between its bounds.
pub(super) const FREE: u8 = 2;
/// Takes no part.
pub(super) const ABSENT: u8 = 3;

/// Violations below this share of `|v|` do not count: the gradient's own rounding is a few hundred times smaller.
const TOLERANCE: f64 = 1e-13;

/// A column closer to the span of the free ones than this share of its length is dependent on them.
const DEPENDENT: f64 = 1e-12;

/// The problem `min |c + sum_i share_i coef_i x_i|`, share_i in [0, 1], or >= 0 where `open`, and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Shares {
    pub(super) coef: Vec<f64>,
    pub(super) open: Vec<bool>,
    pub(super) state: Vec<u8>,
    pub(super) share: Vec<f64>,
}

impl Shares {
    /// No row takes part.
    pub(super) fn new(n: usize) -> Self {
        Self { coef: vec![0.0; n], open: vec![false; n], state: vec![ABSENT; n], share: vec![0.0; n] }
    }

    /// Adds `sum_i share_i coef_i x_i` to `v`, shares kept within their bounds, and the sizes of the terms to `size`.
    ///
    /// The products are rounded before they are multipliers: those of the terms are floats, taken as exact.
    pub(super) fn add<const D: usize>(&self, rows: &Rows<D>, v: &mut [f64; D], size: &mut f64) {
        for i in 0..rows.n() {
            if self.state[i] != UPPER && self.state[i] != FREE {
                continue;
            }
            let share = if self.open[i] { self.share[i].max(0.0) } else { self.share[i].clamp(0.0, 1.0) };
            let a = share * self.coef[i];
            if a != 0.0 {
                axpy(a, &rows.x[i], v);
                *size += a.abs() * rows.length[i];
            }
        }
    }
}

/// What would be allocated for each call otherwise.
#[derive(Clone, Debug)]
pub(super) struct Work {
    z: Vec<f64>,
    factor: Vec<f64>,
}

impl Work {
    pub(super) fn new(padded: usize) -> Self {
        Self { z: vec![0.0; padded], factor: vec![0.0; padded] }
    }
}

/// The sign by which `x_i . v > 0` means that moving the row's share off its bound shortens v; 0 where it is at none.
fn direction(s: &Shares, i: usize) -> f64 {
    match s.state[i] {
        LOWER => -s.coef[i].signum(),
        UPPER => s.coef[i].signum(),
        _ => 0.0,
    }
}

/// The free columns in order, and the orthogonal factorisation of them.
struct Free<const D: usize> {
    rows: [usize; D],
    len: usize,
    q: [[f64; D]; D],
    /// `upper[j][l]`, l <= j: column j in the basis.
    upper: [[f64; D]; D],
    /// Columns that are factored.
    factored: usize,
}

impl<const D: usize> Free<D> {
    fn push(&mut self, i: usize) {
        self.rows[self.len] = i;
        self.len += 1;
    }

    fn remove(&mut self, j: usize) -> usize {
        let i = self.rows[j];
        self.rows.copy_within(j + 1..self.len, j);
        self.len -= 1;
        self.factored = self.factored.min(j);
        i
    }

    /// Factors the columns that are not yet; the position of a dependent one, if there is any.
    fn factor(&mut self, rows: &Rows<D>, coef: &[f64]) -> Option<usize> {
        while self.factored < self.len {
            let j = self.factored;
            let i = self.rows[j];
            let mut a = rows.x[i];
            a = a.map(|v| v * coef[i]);
            let before = norm(&a);
            self.upper[j] = [0.0; D];
            for _ in 0..2 {
                for l in 0..j {
                    let p = dot(&self.q[l], &a);
                    axpy(-p, &self.q[l], &mut a);
                    self.upper[j][l] += p;
                }
            }
            let after = norm(&a);
            if after <= DEPENDENT * before {
                return Some(j);
            }
            self.upper[j][j] = after;
            self.q[j] = a.map(|v| v / after);
            self.factored += 1;
        }
        None
    }
}

/// Minimises `|c + sum_i share_i coef_i x_i|` with share_i in [0, 1], or >= 0 where `open`; returns the vector reached.
///
/// Starts from `state` and `share`, and leaves there what it reached: always feasible, hence a valid bound however early
/// it stops. It stops when no multiplier is violated, when the vector is no longer than `enough`, or when rounding
/// leaves no progress.
///
/// # Cost
/// O(n D + D^2) a pivot.
pub(super) fn shortest<const D: usize>(
    rows: &Rows<D>,
    shares: &mut Shares,
    c: &[f64; D],
    enough: f64,
    work: &mut Work,
) -> [f64; D] {
    let n = rows.n();
    let s = shares;
    let Work { z, factor } = work;
    let mut base = *c;
    let mut free = Free { rows: [0; D], len: 0, q: [[0.0; D]; D], upper: [[0.0; D]; D], factored: 0 };
    for i in 0..n {
        match s.state[i] {
            UPPER => axpy(s.coef[i], &rows.x[i], &mut base),
            FREE if free.len < D => free.push(i),
            FREE => {
                s.state[i] = LOWER;
                s.share[i] = 0.0;
            }
            _ => {}
        }
        factor[i] = direction(s, i) * rows.inverse[i];
    }
    factor[n..].fill(0.0);
    let (mut pivots, mut stalls, mut last) = (0, 0, f64::INFINITY);
    let limit = 100 + 20 * D + n;
    loop {
        let v = solve(rows, s, &mut base, &mut free, factor, &mut pivots);
        let length = norm(&v);
        if length <= enough || pivots > limit {
            return v;
        }
        if length >= last * (1.0 - 1e-14) {
            stalls += 1;
            if stalls > D + 3 {
                return v;
            }
        } else {
            stalls = 0;
            last = length;
        }
        if free.len >= D {
            return v;
        }
        // After several steps without progress the first violated row is taken: no cycles.
        let found = if stalls > 3 {
            rows.products(&v, z);
            (0..n).find(|&i| factor[i] * z[i] > TOLERANCE * length)
        } else {
            rows.steepest(&v, factor, TOLERANCE * length)
        };
        let Some(at) = found else { return v };
        if s.state[at] == UPPER {
            axpy(-s.coef[at], &rows.x[at], &mut base);
            s.share[at] = 1.0;
        } else {
            s.share[at] = 0.0;
        }
        s.state[at] = FREE;
        factor[at] = 0.0;
        free.push(at);
        pivots += 1;
    }
}

/// Least squares over the free columns, stepping back to the bounds; returns the residual vector.
fn solve<const D: usize>(
    rows: &Rows<D>,
    s: &mut Shares,
    base: &mut [f64; D],
    free: &mut Free<D>,
    factor: &mut [f64],
    pivots: &mut usize,
) -> [f64; D] {
    loop {
        if let Some(j) = free.factor(rows, &s.coef) {
            let i = free.remove(j);
            to_bound(rows, s, base, i, !s.open[i] && s.share[i] > 0.5);
            factor[i] = direction(s, i) * rows.inverse[i];
            continue;
        }
        let k = free.len;
        let (mut v, mut y) = (*base, [0.0; D]);
        for j in 0..k {
            let p = dot(&free.q[j], &v);
            y[j] = -p;
            axpy(-p, &free.q[j], &mut v);
        }
        let mut target = [0.0; D];
        for j in (0..k).rev() {
            let mut t = y[j];
            for l in j + 1..k {
                t -= free.upper[l][j] * target[l];
            }
            target[j] = t / free.upper[j][j];
        }
        let (mut step, mut block) = (1.0, usize::MAX);
        for j in 0..k {
            let i = free.rows[j];
            let (old, new) = (s.share[i], target[j]);
            let most = if new < 0.0 {
                if old <= 0.0 { 0.0 } else { old / (old - new) }
            } else if !s.open[i] && new > 1.0 {
                if old >= 1.0 { 0.0 } else { (1.0 - old) / (new - old) }
            } else {
                continue;
            };
            if most < step || block == usize::MAX {
                step = most.min(step);
                block = j;
            }
        }
        if block == usize::MAX {
            for j in 0..k {
                s.share[free.rows[j]] = target[j];
            }
            return v;
        }
        for j in 0..k {
            let i = free.rows[j];
            s.share[i] += step * (target[j] - s.share[i]);
        }
        let upper = target[block] > 0.0;
        let i = free.remove(block);
        to_bound(rows, s, base, i, upper);
        factor[i] = direction(s, i) * rows.inverse[i];
        *pivots += 1;
    }
}

/// Puts a row that has left the free set at one of its bounds.
fn to_bound<const D: usize>(rows: &Rows<D>, s: &mut Shares, base: &mut [f64; D], i: usize, upper: bool) {
    if upper {
        s.state[i] = UPPER;
        s.share[i] = 1.0;
        axpy(s.coef[i], &rows.x[i], base);
    } else {
        s.state[i] = LOWER;
        s.share[i] = 0.0;
    }
}
