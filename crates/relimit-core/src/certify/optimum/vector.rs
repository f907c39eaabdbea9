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
    assert_eq!(net.outputs(), y.cols(), "a network of {} outputs for {} columns of labels", net.outputs(), y.cols());
    let (n, k, d) = (y.rows(), y.cols(), x.cols());
    let mut dual = Mat::zeros(n, k);
    let mut balanced = 0.0;
    for l in 0..k {
        let one = Network::scalar(net.w.clone(), net.b.clone(), net.c.row(l).to_vec(), net.offset[l]);
        let column: Vec<f64> = (0..n).map(|i| y[(i, l)]).collect();
        let v = value(objective, x, &column, &one);
        balanced = add_up(balanced, v.loss);
        if objective.offset == Offset::Penalised {
            balanced = add_up(balanced, mul_up(0.5 * objective.lambda, mul_up(net.offset[l], net.offset[l])));
        }
        for (i, r) in dual_point(objective, &v.residual).into_iter().enumerate() {
            dual[(i, l)] = r;
        }
    }
    let c = net.c.transpose();
    let h = 1.0 + gamma(d + k + 16);
    for j in 0..net.width() {
        let w = norm2(net.w.row(j));
        let u = if objective.bias == Bias::Free { w } else { w.hypot(net.b[j]) };
        let cost = mul_up(mul_up(norm2(c.row(j)), u), h);
        balanced = add_up(balanced, mul_up(objective.lambda, cost));
    }
    let sup = sup_outputs(objective, x, &dual, &search(objective, options, &[]));
    let lower_bound = lower_bound_vector(objective, y, &dual, sup.upper);
    let (gap, gap_relative, status) = judge(balanced, lower_bound, options.gap);
    CertifiedVector { objective: balanced, lower_bound, gap, gap_relative, status, dual, sup }
}

impl CertifiedVector {
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
    }
}
