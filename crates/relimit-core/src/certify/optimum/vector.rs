//! Certifies a network of several outputs: the group version of the objective, its lower bound, and the gap.

use serde::{Deserialize, Serialize};

use super::bound::lower_bound_vector;
use super::certify::{CertifyOptions, judge, search};
use super::dual::{dual_point, sup_outputs};
use super::objective::{Bias, Objective, Offset};
use super::value::value;
use crate::certify::Claim;
use crate::certify::sup::SupVector;
use crate::net::Network;
use crate::num::Mat;
use crate::num::mat::norm2;
use crate::num::outward::{add_up, gamma, mul_up};

/// What is proved about a network of k outputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CertifiedVector {
    /// Upper bound of the network's objective, every neuron balanced: `|c_j| = |u_j|`.
    pub objective: f64,
    /// Upper bound of its objective with the weights as given.
    pub as_given: f64,
    /// Lower bound of the objective over all networks of all widths.
    pub lower_bound: f64,
    /// `objective - lower_bound`, rounded up.
    pub gap: f64,
    /// The gap as a share of the objective (0 for an objective of 0).
    pub gap_relative: f64,
    /// `certified` when the gap is small enough, `bound` when the interval says something, else `undecided`.
    pub status: Claim,
    /// The dual point, n x k.
    pub dual: Mat,
    /// What is known of its |Q|: the supremum is lambda at an optimum.
    pub sup: SupVector,
}

/// Bounds the gap between a network and the global minimum of
/// `sum_i (omega_i / 2) |f(x_i) - y_i|^2 + lambda sum_j |c_j| |u_j| (+ (lambda / 2) |o|^2)`, by the dual point of its residuals.
///
/// # Shapes
/// `x` n x d, `y` n x k.
///
/// # Panics
/// On shapes that do not match.
///
/// # Cost
/// See [`crate::certify::sup::sup_vector`] and, for a free bias, [`crate::certify::sup::sup_vector_free_bias`].
///
/// # Source
/// math note on noisy SGD, section 5.
pub fn certify_vector(
    objective: &Objective,
    x: &Mat,
    y: &Mat,
    net: &Network,
    options: &CertifyOptions<'_>,
) -> CertifiedVector {
    let v = value_vector(objective, x, y, net);
    let (n, k) = (y.rows(), y.cols());
    let mut dual = Mat::zeros(n, k);
    for l in 0..k {
        let residual: Vec<f64> = (0..n).map(|i| v.residual[(i, l)]).collect();
        for (i, r) in dual_point(objective, &residual).into_iter().enumerate() {
            dual[(i, l)] = r;
        }
    }
    let sup = sup_outputs(objective, x, &dual, &search(objective, options, &[]));
    let lower_bound = lower_bound_vector(objective, y, &dual, sup.upper);
    let (gap, gap_relative, status) = judge(v.balanced, lower_bound, options.gap);
    CertifiedVector { objective: v.balanced, as_given: v.as_given, lower_bound, gap, gap_relative, status, dual, sup }
}

/// Upper bounds of the objective of a network of k outputs, and its residuals.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueVector {
    /// With the penalty `lambda sum_j |c_j| |u_j|`, c_j in R^k.
    pub balanced: f64,
    /// With the penalty `(lambda / 2) sum_j (|c_j|^2 + |u_j|^2)` of the weights as given.
    pub as_given: f64,
    /// The loss alone.
    pub loss: f64,
    /// `y_i - f(x_i)`, as computed, n x k.
    pub residual: Mat,
}

/// Bounds the objective of a network of k outputs from above: losses summed over the outputs, penalties of whole neurons.
///
/// # Shapes
/// `x` n x d, `y` n x k.
///
/// # Panics
/// As [`value`].
///
/// # Cost
/// O(n m (d + k)), the preactivations once for each output.
pub fn value_vector(objective: &Objective, x: &Mat, y: &Mat, net: &Network) -> ValueVector {
    assert_eq!(net.outputs(), y.cols(), "a network of {} outputs for {} columns of labels", net.outputs(), y.cols());
    let (n, k, d) = (y.rows(), y.cols(), x.cols());
    let mut residual = Mat::zeros(n, k);
    let (mut loss, mut offsets) = (0.0, 0.0);
    for l in 0..k {
        let one = Network::scalar(net.w.clone(), net.b.clone(), net.c.row(l).to_vec(), net.offset[l]);
        let column: Vec<f64> = (0..n).map(|i| y[(i, l)]).collect();
        let v = value(objective, x, &column, &one);
        loss = add_up(loss, v.loss);
        if objective.offset == Offset::Penalised {
            offsets = add_up(offsets, mul_up(0.5 * objective.lambda, mul_up(net.offset[l], net.offset[l])));
        }
        for (i, e) in v.residual.into_iter().enumerate() {
            residual[(i, l)] = e;
        }
    }
    let c = net.c.transpose();
    let h = 1.0 + gamma(d + k + 16);
    let (mut product, mut squares) = (0.0, 0.0);
    for j in 0..net.width() {
        let w = norm2(net.w.row(j));
        let u = mul_up(if objective.bias == Bias::Free { w } else { w.hypot(net.b[j]) }, h);
        let c = mul_up(norm2(c.row(j)), h);
        product = add_up(product, mul_up(c, u));
        squares = add_up(squares, add_up(mul_up(c, c), mul_up(u, u)));
    }
    let rest = add_up(loss, offsets);
    ValueVector {
        balanced: add_up(rest, mul_up(objective.lambda, product)),
        as_given: add_up(rest, mul_up(0.5 * objective.lambda, squares)),
        loss,
        residual,
    }
}

impl CertifiedVector {
    /// The claim about the weights as given, unbalanced neurons paying their own penalty.
    #[must_use]
    pub fn of_given_weights(self, gap: f64) -> Self {
        let (difference, gap_relative, status) = judge(self.as_given, self.lower_bound, gap);
        Self { objective: self.as_given, gap: difference, gap_relative, status, ..self }
    }

    /// The claim with the lower bound of another network of the same objective and data, where that is better.
    #[must_use]
    pub fn with_bound_of(self, other: &Self, gap: f64) -> Self {
        if other.lower_bound <= self.lower_bound {
            return self;
        }
        let (difference, gap_relative, status) = judge(self.objective, other.lower_bound, gap);
        let (dual, sup) = (other.dual.clone(), other.sup.clone());
        Self { lower_bound: other.lower_bound, gap: difference, gap_relative, status, dual, sup, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reference case V1: a whole arc attains sup |Q| = lambda = .1, the minimum is .325. Two neurons with c along u at the
    /// angles t and pi - t attain it, `1.5 (2 cos^2 t, 2 sin^2 t) = (.82635..., 2.17365...)` by hand.
    #[test]
    fn an_arc_of_contact_is_certified() {
        let label = [0.613_175_911_166_534_9, 2.273_648_177_666_93];
        let x = Mat::from_rows(&[[0.5], [-0.5]]);
        let y = Mat::from_rows(&[[label[0], label[1]], [-label[0], label[1]]]);
        let (a, b) = ((label[0] - 0.2).sqrt(), ((label[1] - 0.1) / 2.0).sqrt());
        let net =
            Network::new(Mat::from_rows(&[[a], [-a]]), vec![b, b], Mat::from_rows(&[[a, -a], [b, b]]), vec![0.0, 0.0]);
        let found = certify_vector(&Objective::half_mean(0.1), &x, &y, &net, &CertifyOptions::default());
        assert!((found.objective - 0.325).abs() < 1e-10 && found.gap < 1e-10, "{found:?}");
        assert!((found.sup.upper - 0.1).abs() < 1e-10 && found.status == Claim::Certified, "{found:?}");
        // c twice as long and u half as long: the same function pays lambda (4 + 1/4) / 2 for each |c||u|, not lambda
        let norm = 2.0 * (a * a + b * b);
        let uneven = Network::new(
            Mat::from_rows(&[[0.5 * a], [-0.5 * a]]),
            vec![0.5 * b; 2],
            Mat::from_rows(&[[2.0 * a, -2.0 * a], [2.0 * b, 2.0 * b]]),
            vec![0.0, 0.0],
        );
        let given = certify_vector(&Objective::half_mean(0.1), &x, &y, &uneven, &CertifyOptions::default());
        let given = given.of_given_weights(1e-8);
        assert!((given.objective - 0.325 - 0.1 * 1.125 * norm).abs() < 1e-10, "{given:?}");
        assert_eq!(given.status, Claim::Bound);
    }
}
