//! Certifies a network: its objective, a lower bound over all networks, and the gap between both.

use serde::{Deserialize, Serialize};

use super::bound::lower_bound;
use super::dual::{dual_point, sup_both};
use super::objective::Objective;
use super::value::value;
use crate::certify::Claim;
use crate::certify::sup::{BothSigns, SupOptions};
use crate::net::Network;
use crate::num::Mat;
use crate::num::outward::sub_up;

/// What is certified, and the work that may go into it.
#[derive(Clone, Copy)]
pub struct CertifyOptions<'a> {
    /// `certified` means a gap of at most this share of the objective.
    pub gap: f64,
    /// Nodes that may be bounded, both signs together.
    pub max_nodes: u64,
    /// Threads; the answer does not depend on them.
    pub threads: usize,
    /// Polled; true ends the search.
    pub stop: &'a (dyn Fn() -> bool + Sync),
    /// Seed of the local search.
    pub seed: u64,
}

impl Default for CertifyOptions<'_> {
    /// A relative gap of 1e-8 is what the product calls certified; a million nodes is minutes at most on ordinary data.
    fn default() -> Self {
        Self { gap: 1e-8, max_nodes: 1_000_000, threads: 1, stop: &|| false, seed: 0 }
    }
}

/// What is proved about a network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Certified {
    /// Upper bound of the network's objective, every neuron balanced.
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
    /// The dual point, n.
    pub dual: Vec<f64>,
    /// What is known of its q: the supremum is lambda at an optimum.
    pub sup: BothSigns,
}

/// Bounds the gap between a network and the global minimum, by the dual point of its residuals.
///
/// # Shapes
/// `x` n x d, `y` n.
///
/// # Panics
/// As [`value`].
///
/// # Cost
/// Decided by the nodes that the supremum of q takes; see [`crate::certify::sup`].
pub fn certify(objective: &Objective, x: &Mat, y: &[f64], net: &Network, options: &CertifyOptions<'_>) -> Certified {
    let v = value(objective, x, y, net);
    let r = dual_point(objective, &v.residual);
    certify_dual(objective, x, y, (v.balanced, v.as_given), r, &neurons(objective, net), options)
}

/// [`certify`] for a network that column generation may still improve: a direction of gain above the penalty, met within
/// `back` nodes, ends the search (`sup.end` is then [`End::Exceeded`](crate::certify::sup::End), and the bound weak but true).
///
/// Local search starts from the neurons alone: the caller has tried random directions.
pub fn certify_or_exceed(
    objective: &Objective,
    x: &Mat,
    y: &[f64],
    net: &Network,
    options: &CertifyOptions<'_>,
    back: u64,
) -> Certified {
    let v = value(objective, x, y, net);
    let r = dual_point(objective, &v.residual);
    let starts = neurons(objective, net);
    let search = SupOptions { back, random_starts: 0, ..search(objective, options, &starts) };
    with_search(objective, x, y, (v.balanced, v.as_given), r, &search, options.gap)
}

/// The directions of a network's neurons.
fn neurons(objective: &Objective, net: &Network) -> Vec<Vec<f64>> {
    let bias = objective.bias != super::Bias::None;
    (0..net.width()).map(|j| net.w.row(j).iter().copied().chain(bias.then_some(net.b[j])).collect()).collect()
}

/// Bounds the gap between an objective (balanced, as given) that some network attains and the global minimum, by any dual point.
///
/// `starts` are directions where |q| may be large: the neurons.
pub fn certify_dual(
    objective: &Objective,
    x: &Mat,
    y: &[f64],
    attained: (f64, f64),
    dual: Vec<f64>,
    starts: &[Vec<f64>],
    options: &CertifyOptions<'_>,
) -> Certified {
    with_search(objective, x, y, attained, dual, &search(objective, options, starts), options.gap)
}

fn with_search(
    objective: &Objective,
    x: &Mat,
    y: &[f64],
    (balanced, as_given): (f64, f64),
    dual: Vec<f64>,
    search: &SupOptions<'_>,
    gap: f64,
) -> Certified {
    let sup = sup_both(objective, x, &dual, search);
    let lower_bound = lower_bound(objective, y, &dual, sup.upper);
    let (gap, gap_relative, status) = judge(balanced, lower_bound, gap);
    Certified { objective: balanced, as_given, lower_bound, gap, gap_relative, status, dual, sup }
}

/// The search that bounds the supremum closely enough for the gap asked for.
pub(super) fn search<'a>(
    objective: &Objective,
    options: &CertifyOptions<'a>,
    starts: &'a [Vec<f64>],
) -> SupOptions<'a> {
    assert!(objective.lambda > 0.0, "a dual at weight decay {}", objective.lambda);
    // The bound falls by at most this share when sup |q| exceeds lambda by it; a part of the gap asked for.
    let share = (0.2 * options.gap).max(1e-12);
    SupOptions {
        target: objective.lambda * (1.0 + share),
        rise: Some(share),
        back: 0,
        max_nodes: options.max_nodes,
        threads: options.threads,
        stop: options.stop,
        seed: options.seed,
        random_starts: 40,
        starts,
    }
}

/// Gap, relative gap and standing of an upper and a lower bound.
pub(super) fn judge(upper: f64, lower_bound: f64, gap: f64) -> (f64, f64, Claim) {
    let difference = sub_up(upper, lower_bound).max(0.0);
    let relative = if upper > 0.0 { difference / upper } else { 0.0 };
    let status = if relative <= gap {
        Claim::Certified
    } else if lower_bound > 0.0 {
        Claim::Bound
    } else {
        Claim::Undecided
    };
    (difference, relative, status)
}

impl Certified {
    /// The claim about the weights as given, unbalanced neurons paying their own penalty.
    #[must_use]
    pub fn of_given_weights(self, gap: f64) -> Self {
        let (difference, gap_relative, status) = judge(self.as_given, self.lower_bound, gap);
        Self { objective: self.as_given, gap: difference, gap_relative, status, ..self }
    }

    /// The claim with the lower bound of another network or dual point of the same objective and data, where that is better.
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
