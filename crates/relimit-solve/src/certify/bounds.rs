//! Objective and lower bound of a network: its own dual point first, that of the best network found where it is weak.

use relimit_core::certify::Claim;
use relimit_core::certify::optimum::{CertifyOptions, Floor, certify, certify_loss, lower_bound, value};
use relimit_core::net::Network;
use relimit_core::num::Mat;
use relimit_core::num::linalg::{Cholesky, mul_transposed};

use super::STUCK;
use crate::answer::{LevelFact, LevelName};
use crate::optimum::{Effort, ON_KINK, Objective, Ray, optimum};

/// Nodes that the network's own dual point may take before the best network is looked for.
const OWN: u64 = 5000;
/// Ridge of the affine start, as a share of the trace: a start need not be exact, and dependent columns share the slope.
const RIDGE: f64 = 1e-12;

/// What is proved about a network, and the best that is known to be possible.
pub(super) struct Bounds {
    pub(super) objective: f64,
    pub(super) balanced: f64,
    pub(super) loss: f64,
    pub(super) lower: f64,
    pub(super) gap: f64,
    pub(super) status: Claim,
    pub(super) best_known: f64,
    pub(super) nodes: u64,
    /// Without weight decay.
    pub(super) floor: Option<Floor>,
    /// With weight decay: the dual point behind `lower`, and a proved bound of its |q|.
    pub(super) dual: Option<(Vec<f64>, f64)>,
}

/// Bounds the network's objective from above and that of all networks from below.
///
/// Without weight decay every affine level is reached by two neurons, of opposite directions.
pub(super) fn bounds(objective: &Objective, net: &Network, effort: &Effort<'_>, levels: &[LevelFact]) -> Bounds {
    let (claim, x, y) = (&objective.claim, &objective.features, &objective.y);
    if objective.lambda == 0.0 {
        let fitted = certify_loss(claim, x, y, net, effort.gap);
        let reached = if fitted.floor.attained {
            fitted.floor.value
        } else {
            let simple = levels.iter().filter(|l| l.name != LevelName::ActiveSets);
            simple.map(|l| l.loss).fold(f64::INFINITY, f64::min)
        };
        return Bounds {
            objective: fitted.objective,
            balanced: fitted.objective,
            loss: fitted.objective,
            lower: fitted.floor.value,
            gap: fitted.gap,
            status: fitted.status,
            best_known: reached.min(fitted.objective),
            nodes: 0,
            floor: Some(fitted.floor),
            dual: None,
        };
    }
    let loss = value(claim, x, y, net).loss;
    let options =
        CertifyOptions { gap: effort.gap, max_nodes: 1, threads: effort.threads, stop: effort.stop, seed: effort.seed };
    let mut certified = certify(claim, x, y, net, &options).of_given_weights(effort.gap);
    let mut nodes = certified.sup.nodes;
    // what the dual point would prove if local search had met the largest |q|
    let hope = lower_bound(claim, y, &certified.dual, certified.sup.lower);
    if certified.status != Claim::Certified && hope >= (1.0 - STUCK) * certified.objective {
        let options = CertifyOptions { max_nodes: effort.max_nodes.min(OWN), ..options };
        certified = certify(claim, x, y, net, &options).of_given_weights(effort.gap);
        nodes += certified.sup.nodes;
    }
    let balanced = value(claim, x, y, net).balanced;
    let mut best_known = certified.objective.min(balanced);
    if certified.status != Claim::Certified && nodes < effort.max_nodes && !(effort.stop)() {
        let rest = Effort { max_nodes: effort.max_nodes - nodes, ..*effort };
        let found = optimum(objective, affine_pair(objective), &rest);
        nodes += found.nodes;
        best_known = best_known.min(found.certified.objective);
        certified = certified.with_bound_of(&found.certified, effort.gap);
    }
    Bounds {
        objective: certified.objective,
        balanced,
        loss,
        lower: certified.lower_bound,
        gap: certified.gap,
        status: certified.status,
        best_known,
        nodes,
        floor: None,
        dual: Some((certified.dual, certified.sup.upper)),
    }
}

/// The best affine fit as two neurons of opposite directions, for column generation to start from.
fn affine_pair(objective: &Objective) -> Vec<Ray> {
    let (x, n) = (&objective.x, objective.n());
    let mean = objective.lone_offset();
    let target: Vec<f64> = objective.y.iter().map(|y| y - mean).collect();
    let columns = Mat::from_fn(x.cols(), n, |k, i| x[(i, k)]);
    let mut h = mul_transposed(&columns, &columns);
    let trace: f64 = (0..x.cols()).map(|k| h[(k, k)]).sum();
    for k in 0..x.cols() {
        h[(k, k)] += RIDGE * trace;
    }
    let Some(factor) = Cholesky::new(&h) else { return vec![] };
    let slope = factor.solve(&columns.mul_vec(&target));
    let turned: Vec<f64> = slope.iter().map(|v| -v).collect();
    let sides = [Ray::near(objective, &slope, 1.0, ON_KINK), Ray::near(objective, &turned, -1.0, ON_KINK)];
    sides.into_iter().flatten().collect()
}
