//! The problem over given rays: coefficients and offset of least objective, directions fixed.

use relimit_core::certify::optimum::Offset;
use relimit_core::num::Mat;
use relimit_core::num::linalg::mul_transposed;
use relimit_core::num::mat::dot;
use relimit_core::num::nnls::Nnls;

use super::{Objective, Ray};

/// Sets the coefficients that minimise the objective over the given rays (their signs stay) and drops rays of
/// coefficient 0; returns the offset.
///
/// A nonnegative quadratic program on the Gram matrix of the features: O(n m^2 + m^3).
pub(super) fn fit(objective: &Objective, rays: &mut Vec<Ray>) -> f64 {
    let (n, m) = (objective.n(), rays.len());
    let offset = objective.offset != Offset::None;
    let columns = m + usize::from(offset);
    if columns == 0 {
        return 0.0;
    }
    let root: Vec<f64> = objective.omega.iter().map(|w| w.sqrt()).collect();
    let mut a = Mat::zeros(columns, n);
    for (j, ray) in rays.iter().enumerate() {
        let side = ray.c.signum();
        let feature = objective.feature(ray);
        for ((out, f), w) in a.row_mut(j).iter_mut().zip(&feature).zip(&root) {
            *out = side * f * w;
        }
    }
    if offset {
        a.row_mut(m).copy_from_slice(&root);
    }
    let target: Vec<f64> = objective.y.iter().zip(&root).map(|(y, w)| y * w).collect();
    let mut h = mul_transposed(&a, &a);
    let mut b: Vec<f64> = (0..columns).map(|j| dot(a.row(j), &target)).collect();
    for j in 0..m {
        b[j] -= objective.lambda * objective.size(&rays[j].u);
    }
    if offset {
        h[(m, m)] += objective.offset_penalty();
    }
    let nonneg: Vec<bool> = (0..columns).map(|j| j < m).collect();
    let mut start: Vec<f64> = rays.iter().map(|t| if t.c.abs() > FRESH { t.c.abs() } else { 0.0 }).collect();
    if offset {
        start.push(0.0);
    }
    let solution = Nnls { h: &h, b: &b, nonneg: &nonneg }.solve(Some(&start));
    for (ray, v) in rays.iter_mut().zip(&solution.v) {
        ray.c = ray.c.signum() * v;
    }
    rays.retain(|t| t.c != 0.0);
    if offset { solution.v[m] } else { 0.0 }
}

/// Coefficient of a proposed ray that carries only its sign.
pub(super) const FRESH: f64 = 1e-300;
