//! The coordinates a neuron moves in: its n duals when the Gram matrix is kept, its D weights otherwise.

use crate::descent::Problem;
use crate::num::Mat;
use crate::num::linalg::mul_transposed;
use crate::num::mat::{dot, norm2};

/// `z_j = B u_j` up to the start: B = G and u = duals when n <= D, B = X and u = weights when n > D.
pub(super) struct Space<'a> {
    problem: &'a Problem,
    row_norm: Vec<f64>,
}

impl<'a> Space<'a> {
    pub(super) fn new(problem: &'a Problem) -> Self {
        let b = problem.gram().unwrap_or(problem.x());
        Self { problem, row_norm: (0..b.rows()).map(|i| norm2(b.row(i))).collect() }
    }

    /// B, n x p.
    pub(super) fn basis(&self) -> &'a Mat {
        self.problem.gram().unwrap_or(self.problem.x())
    }

    /// Whether the coordinates are duals.
    pub(super) fn dual(&self) -> bool {
        self.problem.gram().is_some()
    }

    /// `|B_i|`.
    pub(super) fn row_norm(&self, i: usize) -> f64 {
        self.row_norm[i]
    }

    /// The block `X_rows X_cols'` of the Gram matrix.
    pub(super) fn block(&self, rows: &[usize], cols: &[usize]) -> Mat {
        match self.problem.gram() {
            Some(g) => g.select(rows, cols),
            None => mul_transposed(&self.problem.x().select_rows(rows), &self.problem.x().select_rows(cols)),
        }
    }

    /// `x_i . X' v` for the given examples. O((n + |rows|) p).
    pub(super) fn pull(&self, v: &[f64], rows: &[usize]) -> Vec<f64> {
        if let Some(g) = self.problem.gram() {
            return rows.iter().map(|&i| dot(g.row(i), v)).collect();
        }
        let w = self.problem.x().tmul_vec(v);
        rows.iter().map(|&i| dot(self.problem.x().row(i), &w)).collect()
    }

    /// A number that the rounding error of `pull` at example `i` stays below, divided by `unit`.
    pub(super) fn pull_scale(&self, v: &[f64], i: usize) -> f64 {
        match self.problem.gram() {
            Some(_) => self.row_norm[i] * norm2(v),
            None => self.row_norm[i] * v.iter().zip(&self.row_norm).map(|(a, b)| a.abs() * b).sum::<f64>(),
        }
    }

    /// Relative rounding error of a product with B, with room for the few operations around it.
    pub(super) fn unit(&self) -> f64 {
        (2 * self.problem.n().max(self.basis().cols()) + 64) as f64 * f64::EPSILON
    }
}
