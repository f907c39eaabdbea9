//! Fixed designs: data sets that a theorem or a worked example is about.

use crate::num::Mat;

/// Three rows with `X X'` = 17 on the diagonal and 1 elsewhere, labels (1, 2, -1).
pub fn golden() -> (Mat, Vec<f64>) {
    let x = Mat::from_rows(&[[4.0, 0.0, 0.0, 1.0], [0.0, 4.0, 0.0, 1.0], [0.0, 0.0, 4.0, 1.0]]);
    (x, vec![1.0, 2.0, -1.0])
}

/// The rows (3,-1,0), (4,2,0), (0,gamma,gamma) and the labels alpha (16,18,0).
///
/// Source: Vardi and Shamir, "Implicit regularization in ReLU networks with the square loss", COLT 2021, theorem 3.
pub fn vardi_shamir(gamma: f64, alpha: f64) -> (Mat, Vec<f64>) {
    let x = Mat::from_rows(&[[3.0, -1.0, 0.0], [4.0, 2.0, 0.0], [0.0, gamma, gamma]]);
    (x, vec![16.0 * alpha, 18.0 * alpha, 0.0])
}
