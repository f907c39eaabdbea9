//! Dual points from residuals, and the supremum of |q| over both signs and every treatment of the bias.

use super::objective::{Bias, Objective};
use crate::certify::sup::{BothSigns, SupOptions, SupVector, sup_abs, sup_free_bias, sup_vector};
use crate::num::Mat;
use crate::num::mat::max_abs;

/// The dual point of residuals `e_i = y_i - f(x_i)`: `r_i = omega_i e_i`, brought to sum exactly 0 where the objective asks for it.
pub fn dual_point(objective: &Objective, residual: &[f64]) -> Vec<f64> {
    let mut r: Vec<f64> = objective.factors(residual.len()).iter().zip(residual).map(|(w, e)| w * e).collect();
    if objective.balanced() {
        balance(&mut r, objective.weights.as_deref());
    }
    r
}

/// Subtracts the mean over the rows of positive weight on a grid of a power of two, coarse enough that every sum is exact.
fn balance(r: &mut [f64], weights: Option<&[f64]>) {
    let taken: Vec<usize> = (0..r.len()).filter(|&i| weights.is_none_or(|s| s[i] > 0.0)).collect();
    let largest = max_abs(r);
    if taken.is_empty() || largest == 0.0 {
        return;
    }
    let mean = taken.iter().map(|&i| r[i]).sum::<f64>() / taken.len() as f64;
    // 2 n max|r| <= 2^52 grid steps.
    let bits = 2 + libm::ilogb(largest) + libm::ilogb(taken.len() as f64) + 2;
    let step = bits - 52;
    let mut sum = 0.0;
    for &i in &taken {
        let k = libm::rint(libm::ldexp(r[i] - mean, -step));
        sum += k;
        r[i] = k;
    }
    // What rounding left over goes one step at a time to the first rows, a part of 2^-50 of the largest each.
    let count = taken.len() as f64;
    let each = (sum / count).trunc();
    let mut rest = sum - each * count;
    for &i in &taken {
        r[i] -= each;
        if rest != 0.0 {
            r[i] -= rest.signum();
            rest -= rest.signum();
        }
        r[i] = libm::ldexp(r[i], step);
    }
}

/// Bounds `sup |q|`, `q(u) = sum_i r_i relu(x_i . w + b)`, over the directions that the objective penalises to 1.
///
/// # Shapes
/// `x` n x d (without a column of ones), `r` n; directions have d entries without bias, else d + 1.
pub fn sup_both(objective: &Objective, x: &Mat, r: &[f64], options: &SupOptions<'_>) -> BothSigns {
    if objective.bias == Bias::Free { sup_free_bias(x, r, options) } else { sup_abs(&objective.rows(x), r, options) }
}

/// Bounds `sup |Q|`, `Q(u) = sum_i relu(x_i . w + b) r_i` in R^k, over the directions that the objective penalises to 1.
///
/// # Shapes
/// `x` n x d (without a column of ones), `r` n x k.
///
/// # Panics
/// On shapes that do not match, and on a free bias, whose supremum is known for one output only.
pub fn sup_outputs(objective: &Objective, x: &Mat, r: &Mat, options: &SupOptions<'_>) -> SupVector {
    assert!(objective.bias != Bias::Free, "a free bias with vector labels");
    sup_vector(&objective.rows(x), r, options)
}
