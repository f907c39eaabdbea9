//! How fast residuals decay once the masks are settled.

use super::dynamics::Dynamics;
use super::modes::{coupling, weight_hessian};
use super::{Initial, Problem};
use crate::net::mask;
use crate::num::Mat;
use crate::num::linalg::symmetric_eigenvalues;

/// Smallest (not null) and largest eigenvalue of `M = sum_j c_j^2 D_j G D_j` on the masks of `z` (m x n); `None` when
/// nothing is active. Descent contracts by `max(|1 - eta mu_min|, |1 - eta mu_max|)` a step, the flow at rate mu_min.
///
/// # Cost
/// 4/3 n^3, or 4/3 (m D)^3 when n > D.
pub fn settled_spectrum(problem: &Problem, z: &Mat) -> Option<(f64, f64)> {
    let (m, n) = (problem.m(), problem.n());
    let here = Initial { alpha: Mat::zeros(m, n), z: z.clone(), offset: Mat::zeros(m, problem.dim()) };
    let dynamics = Dynamics::new(problem, &here, 1.0);
    let mut on = vec![false; m * dynamics.ld];
    for j in 0..m {
        for i in 0..n {
            on[j * dynamics.ld + i] = mask(z[(j, i)], problem.at_zero());
        }
    }
    let rows: Vec<usize> = (0..n).filter(|&i| (0..m).any(|j| on[j * dynamics.ld + i])).collect();
    let matrix = if dynamics.in_duals() { coupling(&dynamics, &on, &rows) } else { weight_hessian(&dynamics, &on) };
    let mu = symmetric_eigenvalues(&matrix);
    let top = *mu.last()?;
    let first = mu.iter().find(|v| **v > 16.0 * matrix.rows() as f64 * f64::EPSILON * top)?;
    Some((*first, top))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orthogonal_rows_decay_at_their_squared_lengths() {
        let x = Mat::from_rows(&[[2.0, 0.0, 0.0, 0.0], [0.0, 3.0, 0.0, 0.0], [0.0, 0.0, 5.0, 0.0]]);
        let p = Problem::new(x, vec![1.0; 3], vec![0.5], false);
        let mu = settled_spectrum(&p, &Mat::from_rows(&[[1.0, 1.0, -1.0]])).unwrap();
        assert!((mu.0 - 1.0).abs() < 1e-14 && (mu.1 - 2.25).abs() < 1e-14, "{mu:?}");
        assert_eq!(settled_spectrum(&p, &Mat::from_rows(&[[-1.0, 0.0, -1.0]])), None);
        // more examples than inputs: the same numbers from the weights
        let tall = Mat::from_rows(&[[2.0, 0.0], [0.0, 3.0], [0.0, 0.0]]);
        let p = Problem::new(tall, vec![1.0; 3], vec![0.5], false);
        let mu = settled_spectrum(&p, &Mat::from_rows(&[[1.0, 1.0, 0.0]])).unwrap();
        assert!((mu.0 - 1.0).abs() < 1e-14 && (mu.1 - 2.25).abs() < 1e-14, "{mu:?}");
    }
}
