//! The coordinates a neuron moves in: its n duals when the Gram matrix is kept, its D weights otherwise.

use crate::descent::Problem;
use crate::num::Mat;
use crate::num::linalg::mul_transposed;
use crate::num::mat::{axpy, dot, norm2};

/// Examples summed at a time, in eight partial sums.
const BLOCK: usize = 512;

/// `z_j = B u_j` up to the start: B = G and u = duals when n <= D, B = X and u = weights when n > D.
pub(super) struct Space<'a> {
    problem: &'a Problem,
    row_norm: Vec<f64>,
    /// X', D x n, in weight coordinates: products with it are the passes over the data that every event makes.
    columns: Option<Mat>,
}

/// `X' v` for pulls v on the examples, kept in the form that velocities are read from: v itself in dual coordinates.
#[derive(Clone)]
pub(super) struct Pull {
    v: Vec<f64>,
    /// Bound on the sum of what was added up, in weight coordinates.
    size: f64,
}

impl<'a> Space<'a> {
    pub(super) fn new(problem: &'a Problem) -> Self {
        let b = problem.gram().unwrap_or(problem.x());
        let columns = problem.gram().is_none().then(|| problem.x().transpose());
        Self { problem, row_norm: (0..b.rows()).map(|i| norm2(b.row(i))).collect(), columns }
    }

    /// B, n x p.
    pub(super) fn basis(&self) -> &'a Mat {
        self.problem.gram().unwrap_or(self.problem.x())
    }

    /// Whether the coordinates are duals.
    pub(super) fn dual(&self) -> bool {
        self.columns.is_none()
    }

    /// `|B_i|`.
    pub(super) fn row_norm(&self, i: usize) -> f64 {
        self.row_norm[i]
    }

    /// `B u_j` for the rows of u: m x n from m x p. O(m n p).
    pub(super) fn image(&self, u: &Mat) -> Mat {
        match &self.columns {
            Some(columns) => columns.combine(u),
            None => Mat::from_rows(&(0..u.rows()).map(|j| self.basis().mul_vec(u.row(j))).collect::<Vec<_>>()),
        }
    }

    /// The block `X_rows X_cols'` of the Gram matrix.
    pub(super) fn block(&self, rows: &[usize], cols: &[usize]) -> Mat {
        match self.problem.gram() {
            Some(g) => g.select(rows, cols),
            None => mul_transposed(&self.problem.x().select_rows(rows), &self.problem.x().select_rows(cols)),
        }
    }

    /// `X' v`, a sum over the examples. O(n D) in weight coordinates.
    pub(super) fn pull(&self, v: Vec<f64>) -> Pull {
        match &self.columns {
            Some(columns) => {
                let size = v.iter().zip(&self.row_norm).map(|(a, b)| a.abs() * b).sum();
                let entry = |k: usize| columns.row(k).chunks(BLOCK).zip(v.chunks(BLOCK)).map(|(x, v)| dot(x, v)).sum();
                Pull { v: (0..columns.rows()).map(entry).collect(), size }
            }
            None => Pull { v, size: 0.0 },
        }
    }

    /// Adds pull `s` on example `i`. O(D), O(1) in dual coordinates.
    pub(super) fn add(&self, pull: &mut Pull, i: usize, s: f64) {
        if self.dual() {
            pull.v[i] += s;
        } else {
            axpy(s, self.problem.x().row(i), &mut pull.v);
            pull.size += s.abs() * self.row_norm[i];
        }
    }

    /// The velocity `x_i . X' v` of the preactivation of example `i`. O(p).
    pub(super) fn speed(&self, pull: &Pull, i: usize) -> f64 {
        dot(self.basis().row(i), &pull.v)
    }

    /// A number that the rounding error of `speed` at example `i`, over `|B_i|` and `sum_unit`, stays below.
    pub(super) fn speed_scale(&self, pull: &Pull) -> f64 {
        if self.dual() { norm2(&pull.v) } else { pull.size }
    }

    /// Relative rounding error of a product with a row of B, with room for the few operations around it.
    pub(super) fn unit(&self) -> f64 {
        (2 * self.basis().cols() + 64) as f64 * f64::EPSILON
    }

    /// The same for a sum over the examples on top.
    pub(super) fn sum_unit(&self) -> f64 {
        let terms = if self.dual() { 0 } else { self.problem.n().min(BLOCK / 8 + self.problem.n() / BLOCK) };
        (2 * (self.basis().cols() + terms) + 64) as f64 * f64::EPSILON
    }
}

impl Pull {
    /// `X' v`, D numbers, in weight coordinates.
    pub(super) fn weights(&self) -> &[f64] {
        &self.v
    }
}
