//! A two-layer ReLU network with one or several outputs.

use serde::{Deserialize, Serialize};

use super::relu;
use crate::num::Mat;
use crate::num::mat::dot;

/// `f_o(x) = sum_j c_oj relu(w_j . x + b_j) + offset_o`, for raw inputs (any scaling is folded in).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Network {
    /// Input weights, m x d, one row a neuron.
    pub w: Mat,
    /// Hidden biases, m.
    pub b: Vec<f64>,
    /// Output weights, one row an output, one column a neuron.
    pub c: Mat,
    /// Output biases, one an output.
    pub offset: Vec<f64>,
}

impl Network {
    /// A network from its parts. Panics with the shapes unless `w` is m x d, `b` has m entries, `c` is outputs x m and
    /// `offset` has one entry an output.
    pub fn new(w: Mat, b: Vec<f64>, c: Mat, offset: Vec<f64>) -> Self {
        assert_eq!(b.len(), w.rows(), "{} hidden biases for {} neurons", b.len(), w.rows());
        assert_eq!(c.cols(), w.rows(), "output weights {}x{} for {} neurons", c.rows(), c.cols(), w.rows());
        assert_eq!(offset.len(), c.rows(), "{} output biases for {} outputs", offset.len(), c.rows());
        Self { w, b, c, offset }
    }

    /// A network with one output: `c` has m entries. Panics as [`Network::new`].
    pub fn scalar(w: Mat, b: Vec<f64>, c: Vec<f64>, offset: f64) -> Self {
        let c = Mat::from_vec(1, c.len(), c);
        Self::new(w, b, c, vec![offset])
    }

    /// Number of neurons.
    pub fn width(&self) -> usize {
        self.w.rows()
    }

    /// Number of inputs.
    pub fn inputs(&self) -> usize {
        self.w.cols()
    }

    /// Number of outputs.
    pub fn outputs(&self) -> usize {
        self.c.rows()
    }

    /// Preactivation `w_j . x + b_j` of neuron `j` at the point `x`.
    pub fn preactivation(&self, j: usize, x: &[f64]) -> f64 {
        dot(self.w.row(j), x) + self.b[j]
    }

    /// Outputs for the rows of `x` (n x d): n x outputs. O(n m (d + outputs)).
    pub fn forward(&self, x: &Mat) -> Mat {
        assert_eq!(x.cols(), self.inputs(), "network of {} inputs on {} columns", self.inputs(), x.cols());
        let mut out = Mat::zeros(x.rows(), self.outputs());
        let mut hidden = vec![0.0; self.width()];
        for i in 0..x.rows() {
            for (j, h) in hidden.iter_mut().enumerate() {
                *h = relu(self.preactivation(j, x.row(i)));
            }
            for (o, f) in out.row_mut(i).iter_mut().enumerate() {
                *f = self.offset[o] + self.c.row(o).iter().zip(&hidden).map(|(c, h)| c * h).sum::<f64>();
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_outputs_share_the_hidden_layer() {
        // By hand at (1, 2): z = (0.5, -3), hidden (0.5, 0).
        let w = Mat::from_rows(&[[1.0, 0.0], [1.0, -2.0]]);
        let c = Mat::from_rows(&[[2.0, 1.0], [-4.0, 3.0]]);
        let net = Network::new(w, vec![-0.5, 0.0], c, vec![0.25, 1.0]);
        assert_eq!((net.inputs(), net.width(), net.outputs()), (2, 2, 2));
        let f = net.forward(&Mat::from_rows(&[[1.0, 2.0], [0.0, -1.0]]));
        // At (0, -1): z = (-0.5, 2), hidden (0, 2).
        assert_eq!(f, Mat::from_rows(&[[1.25, -1.0], [2.25, 7.0]]));
    }

    #[test]
    #[should_panic(expected = "2 output biases for 1 outputs")]
    fn shapes_are_checked() {
        let _ = Network::new(Mat::zeros(3, 1), vec![0.0; 3], Mat::zeros(1, 3), vec![0.0; 2]);
    }
}
