//! A two-layer ReLU network with scalar output.

use serde::{Deserialize, Serialize};

use super::relu;
use crate::num::Mat;
use crate::num::mat::dot;

/// `f(x) = sum_j c_j relu(w_j . x + b_j) + offset`, for raw inputs (any scaling is folded in).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Network {
    /// Input weights, m x d, one row a neuron.
    pub w: Mat,
    /// Hidden biases, m.
    pub b: Vec<f64>,
    /// Output weights, m.
    pub c: Vec<f64>,
    /// Output bias.
    pub offset: f64,
}

impl Network {
    /// Number of neurons.
    pub fn width(&self) -> usize {
        self.w.rows()
    }

    /// Number of inputs.
    pub fn inputs(&self) -> usize {
        self.w.cols()
    }

    /// Outputs for the rows of `x` (n x d). O(n m d).
    pub fn forward(&self, x: &Mat) -> Vec<f64> {
        assert_eq!(x.cols(), self.inputs(), "network of {} inputs on {} columns", self.inputs(), x.cols());
        (0..x.rows())
            .map(|i| {
                let hidden = |j: usize| self.c[j] * relu(dot(self.w.row(j), x.row(i)) + self.b[j]);
                self.offset + (0..self.width()).map(hidden).sum::<f64>()
            })
            .collect()
    }
}
