//! A proved quadratic inequality and the ellipsoid of directions that it leaves.

use super::rows::{Moved, Rows, TINY, axpy, dot, norm};

/// `q(u) <= u'Mu + g.u + excess` on a node, with bounds of the rounding of its sums.
pub(super) struct Majorised<const D: usize> {
    /// M, symmetric.
    pub(super) matrix: [[f64; D]; D],
    /// The part of g that the multipliers do not enter.
    pub(super) constant: [f64; D],
    /// g.
    pub(super) gradient: [f64; D],
    /// The constant term, a sum of numbers that are rounded up.
    pub(super) excess: f64,
    matrix_size: f64,
    constant_size: f64,
    gradient_size: f64,
}

impl<const D: usize> Majorised<D> {
    /// `base . u`, the sum of the sizes of its terms given.
    pub(super) fn new(base: [f64; D], size: f64) -> Self {
        Self {
            matrix: [[0.0; D]; D],
            constant: base,
            gradient: base,
            excess: 0.0,
            matrix_size: 0.0,
            constant_size: size,
            gradient_size: size,
        }
    }

    /// Adds `a (x.u)^2 + b x.u + c`; a, b, c are exact as given.
    pub(super) fn add(&mut self, x: &[f64; D], length: f64, a: f64, b: f64, c: f64) {
        for p in 0..D {
            let w = a * x[p];
            for q in 0..D {
                self.matrix[p][q] += w * x[q];
            }
        }
        axpy(b, x, &mut self.constant);
        self.matrix_size += a * length * length;
        self.constant_size += b.abs() * length;
        self.excess += c;
    }

    /// Puts the linear part of the multipliers in.
    pub(super) fn with_linear(&mut self, sum: &[f64; D], size: f64) {
        self.gradient = self.constant;
        axpy(1.0, sum, &mut self.gradient);
        self.gradient_size = self.constant_size + size;
    }
}

/// `q(u) <= bound - |L'(u - centre)|^2` on the node, |u| <= 1.
pub(super) struct Ellipsoid<const D: usize> {
    pub(super) bound: f64,
    pub(super) centre: [f64; D],
    factor: [[f64; D]; D],
    /// What the backward error of a triangular solve moves a coordinate by.
    solve_error: f64,
}

impl<const D: usize> Ellipsoid<D> {
    /// Proves the inequality of the module for one sigma; `None` when `sigma I - M` is not positive definite in floats.
    ///
    /// ```text
    /// LL' <= S' = sigma' I - M,   sigma' = sigma + delta,  delta covers the rounding of M and of the factorisation
    /// q(u) <= sigma' + h'S'h + |g - 2S'h| + e - (u - h)'S'(u - h)
    /// ```
    ///
    /// # Source
    /// Backward error of Cholesky: Higham, Accuracy and Stability of Numerical Algorithms, theorem 10.3.
    pub(super) fn prove(rows: &Rows<D>, m: &Majorised<D>, sigma: f64) -> Option<Self> {
        let g = rows.g;
        let mut s = [[0.0; D]; D];
        for p in 0..D {
            for q in 0..D {
                s[p][q] = -m.matrix[p][q];
            }
            s[p][p] += sigma;
        }
        let factor = cholesky(&s)?;
        let trace: f64 = (0..D).map(|k| s[k][k]).sum();
        let size = D as f64 * sigma.abs() + m.matrix_size;
        let matrix_error = 2.0 * g * m.matrix_size;
        let delta = 2.0 * (matrix_error + g * trace.max(0.0) + g * sigma.abs());
        let half = m.gradient.map(|v| 0.5 * v);
        let centre = backward(&factor, &forward(&factor, &half));
        let mut sh = [0.0; D];
        for k in 0..D {
            sh[k] = dot(&s[k], &centre);
        }
        let curved = dot(&centre, &sh);
        let mut rest = m.gradient;
        axpy(-2.0, &sh, &mut rest);
        let (length, rest) = (norm(&centre), norm(&rest));
        let error = 2.0 * (g * size + delta + matrix_error) * (length * length + 2.0 * length)
            + 2.0 * g * m.gradient_size
            + 2.0 * g * (sigma.abs() + curved.abs() + rest + m.excess);
        let bound = sigma + delta + curved + rest + m.excess + error + rows.slack + TINY;
        let bound = (bound + 4.0 * f64::EPSILON * bound.abs()).next_up();
        let solve_error = 4.0 * g * (trace.max(0.0) * (1.0 + 4.0 * g)).sqrt() * (1.0 + length);
        bound.is_finite().then_some(Self { bound, centre, factor, solve_error })
    }

    /// `|x.u - x.centre| <= |L^-1 x| reach` wherever q(u) >= target.
    pub(super) fn reach(&self, target: f64) -> f64 {
        let radius = (self.bound - target).next_up().max(0.0);
        radius.sqrt() * (1.0 + 4.0 * f64::EPSILON) + self.solve_error + TINY
    }

    /// `L^-1 v`.
    pub(super) fn forward(&self, v: &[f64; D]) -> [f64; D] {
        forward(&self.factor, v)
    }

    /// `L^-1 x_i` of every row, and their squared lengths.
    pub(super) fn transform(&self, rows: &Rows<D>, out: &mut Moved<D>) {
        rows.solve_lower(&self.factor, out);
    }
}

/// L of `A = L L'`, or `None` when a pivot is not positive.
fn cholesky<const D: usize>(a: &[[f64; D]; D]) -> Option<[[f64; D]; D]> {
    let mut l = [[0.0; D]; D];
    for j in 0..D {
        let mut d = a[j][j];
        for k in 0..j {
            d -= l[j][k] * l[j][k];
        }
        if !(d > 0.0) {
            return None;
        }
        let d = d.sqrt();
        l[j][j] = d;
        for i in j + 1..D {
            let mut s = a[i][j];
            for k in 0..j {
                s -= l[i][k] * l[j][k];
            }
            l[i][j] = s / d;
        }
    }
    Some(l)
}

/// `L^-1 b`.
fn forward<const D: usize>(l: &[[f64; D]; D], b: &[f64; D]) -> [f64; D] {
    let mut y = *b;
    for i in 0..D {
        for k in 0..i {
            y[i] -= l[i][k] * y[k];
        }
        y[i] /= l[i][i];
    }
    y
}

/// `L'^-1 b`.
fn backward<const D: usize>(l: &[[f64; D]; D], b: &[f64; D]) -> [f64; D] {
    let mut y = *b;
    for i in (0..D).rev() {
        for k in i + 1..D {
            y[i] -= l[k][i] * y[k];
        }
        y[i] /= l[i][i];
    }
    y
}
