//! The lower bound on the regularised loss that any dual point gives, once the supremum of its q is bounded.

use super::objective::{Between, Objective, Offset};
use crate::num::Mat;
use crate::num::eft::dot_minus;
use crate::num::exact::sum_is_zero;
use crate::num::outward::{add_down, add_up, div_down, div_up, gamma, mul_down, mul_up, sub_down};

/// A lower bound of the objective over all networks of all widths, from any vector r and `Q >= sup |q|`.
///
/// ```text
/// bound(t) = t r.y - (t^2 / 2) B,   B = sum_i r_i^2 / omega_i (+ R^2 / lambda for a penalised offset, R = sum_i r_i)
/// t = r.y / B, clipped to [-lambda / Q, lambda / Q]
/// ```
///
/// With a free bias or a free offset only vectors of sum 0 (exactly) bound anything: others give 0, the trivial bound.
/// `sup_upper` bounds |q| over |u| <= 1, or over |w| <= 1 with any b where the bias is free; infinity gives 0.
///
/// # Shapes
/// `y` and `r` n.
///
/// # Source
/// math note on certificates, section 4.
pub fn lower_bound(objective: &Objective, y: &[f64], r: &[f64], sup_upper: f64) -> f64 {
    assert_eq!(y.len(), r.len(), "{} labels and {} dual entries", y.len(), r.len());
    let omega = objective.factor_bounds(y.len());
    if objective.balanced() && !sum_is_zero(r) {
        return 0.0;
    }
    let (fit, error, curvature) = terms(objective, y, r, &omega);
    best(objective, sub_down(fit.abs(), error), curvature, sup_upper)
}

/// [`lower_bound`] for vector labels: `r . y` and B are summed over the outputs, `sup_upper` bounds |Q|.
///
/// # Shapes
/// `y` and `r` n x k.
///
/// # Source
/// math note on noisy SGD, section 5.
pub fn lower_bound_vector(objective: &Objective, y: &Mat, r: &Mat, sup_upper: f64) -> f64 {
    let shapes = ((y.rows(), y.cols()), (r.rows(), r.cols()));
    assert_eq!(shapes.0, shapes.1, "labels {:?} and dual {:?}", shapes.0, shapes.1);
    let omega = objective.factor_bounds(y.rows());
    let (y, r) = (y.transpose(), r.transpose());
    let (mut fit, mut curvature) = (0.0, 0.0);
    for l in 0..y.rows() {
        if objective.balanced() && !sum_is_zero(r.row(l)) {
            return 0.0;
        }
        let (product, error, part) = terms(objective, y.row(l), r.row(l), &omega);
        fit = add_down(fit, sub_down(product, error));
        curvature = add_up(curvature, part);
    }
    best(objective, fit, curvature, sup_upper)
}

/// `r . y`, a bound of its rounding, and B rounded up, of one output.
fn terms(objective: &Objective, y: &[f64], r: &[f64], omega: &[Between]) -> (f64, f64, f64) {
    let k = y.len();
    // Twice the working precision, then rounded: the error is one rounding and gamma_k^2 of the sum of sizes.
    let size: f64 = r.iter().zip(y).map(|(a, b)| (a * b).abs()).sum();
    let fit = dot_minus(r, y, 0.0);
    let error = add_up(fit.abs() * f64::EPSILON, 4.0 * gamma(k + 2) * gamma(k + 2) * size + f64::MIN_POSITIVE);
    let mut curvature = 0.0;
    for (v, w) in r.iter().zip(omega) {
        if *v != 0.0 {
            // A row of factor 0 has no place in the dual: its division by 0 makes the bound trivial.
            curvature = add_up(curvature, div_up(mul_up(*v, *v), w.lo));
        }
    }
    if objective.offset == Offset::Penalised {
        let ones = vec![1.0; k];
        let total = r.iter().map(|v| v.abs()).sum::<f64>();
        let sum = dot_minus(r, &ones, 0.0).abs();
        let sum = add_up(sum, sum * f64::EPSILON + 4.0 * gamma(k + 2) * gamma(k + 2) * total + f64::MIN_POSITIVE);
        curvature = add_up(curvature, div_up(mul_up(sum, sum), objective.lambda));
    }
    (fit, error, curvature)
}

/// The largest bound(t), rounded down; 0 where nothing is bounded.
fn best(objective: &Objective, fit: f64, curvature: f64, sup_upper: f64) -> f64 {
    if !(fit > 0.0) || !(curvature > 0.0) || !curvature.is_finite() || !(sup_upper < f64::INFINITY) {
        return 0.0;
    }
    let mut t = fit / curvature;
    if sup_upper > 0.0 {
        t = t.min(div_down(objective.lambda, sup_upper));
    }
    // Any t within the cap is valid; both terms of the bound are rounded against us.
    let bound = sub_down(mul_down(t, fit), mul_up(mul_up(0.5 * t, t), curvature));
    if bound > 0.0 { bound } else { 0.0 }
}
