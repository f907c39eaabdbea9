//! Problems with known answers: data, expected values, and where the values come from.
//!
//! Tests of every engine draw on these; `source` names the publication or the derivation behind each value.

pub mod arrangements;
mod golden;
mod optima;
mod orthogonal;
mod threshold;
mod vardi_shamir;

pub use golden::{Golden, golden_one, golden_two};
pub use optima::{Optimum, golden_optima, two_symmetric_points};
pub use orthogonal::{Frozen, single_orthogonal, single_orthogonal_case};
pub use threshold::{TwoRows, certified_correlation, two_rows, two_rows_threshold};
pub use vardi_shamir::{VARDI_SHAMIR_TABLE, VardiShamir, VardiShamirRow, vardi_shamir};

use crate::descent::Problem;
use crate::num::Mat;

/// A problem with its start and step.
#[derive(Clone, Debug)]
pub struct Case {
    /// Features, n x d.
    pub x: Mat,
    /// Labels, n.
    pub y: Vec<f64>,
    /// Output weights, m.
    pub c: Vec<f64>,
    /// relu'(0) as a bool.
    pub at_zero: bool,
    /// Preactivations of the start, m x n; the start lies in the row space of X.
    pub start: Mat,
    /// Half-sum step eta; `None` for gradient flow.
    pub step: Option<f64>,
    /// Where the expected values come from.
    pub source: &'static str,
}

impl Case {
    /// The problem without start and step.
    pub fn problem(&self) -> Problem {
        Problem::new(self.x.clone(), self.y.clone(), self.c.clone(), self.at_zero)
    }
}

/// Plain descent on the weights, the slow reference of the tests here: `w <- w + eta c_j X' D_j r`, m x d.
#[cfg(test)]
pub(crate) fn plain_descent(p: &Problem, w: &mut Mat, eta: f64, steps: usize) {
    use crate::net::mask;
    for _ in 0..steps {
        let z = Mat::from_rows(&(0..p.m()).map(|j| p.x().mul_vec(w.row(j))).collect::<Vec<_>>());
        let r = p.residual(&z);
        for j in 0..p.m() {
            for i in 0..p.n() {
                if mask(z[(j, i)], p.at_zero()) {
                    crate::num::mat::axpy(eta * p.c()[j] * r[i], p.x().row(i), w.row_mut(j));
                }
            }
        }
    }
}
