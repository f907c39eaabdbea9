//! Dual points from residuals, and the supremum of |q| over both signs and every treatment of the bias.

use super::objective::{Bias, Objective};
use crate::certify::sup::{BothSigns, SupOptions, SupVector, sup_abs, sup_free_bias, sup_vector, sup_vector_free_bias};
use crate::num::Mat;
use crate::num::balance::balance;

/// The dual point of residuals `e_i = y_i - f(x_i)`: `r_i = omega_i e_i`, brought to sum exactly 0 where the objective asks for it.
pub fn dual_point(objective: &Objective, residual: &[f64]) -> Vec<f64> {
    let mut r: Vec<f64> = objective.factors(residual.len()).iter().zip(residual).map(|(w, e)| w * e).collect();
    if objective.balanced() {
        let weights = objective.weights.as_deref();
        let taken: Vec<usize> = (0..r.len()).filter(|&i| weights.is_none_or(|s| s[i] > 0.0)).collect();
        balance(&mut r, &taken);
    }
    r
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
/// On shapes that do not match.
pub fn sup_outputs(objective: &Objective, x: &Mat, r: &Mat, options: &SupOptions<'_>) -> SupVector {
    if objective.bias == Bias::Free {
        sup_vector_free_bias(x, r, options)
    } else {
        sup_vector(&objective.rows(x), r, options)
    }
}
