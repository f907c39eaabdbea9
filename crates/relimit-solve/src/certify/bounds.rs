//! Objective and lower bound of a network: its own dual point first, that of the best network found where it is weak.

use relimit_core::certify::Claim;
use relimit_core::certify::optimum::{
    CertifyOptions, Floor, Offset, certify, certify_loss, certify_vector, lower_bound, value_vector,
};
use relimit_core::net::Network;
use relimit_core::num::Mat;
use relimit_core::num::linalg::{Cholesky, mul_transposed};
use relimit_core::num::mat::dot;

use super::STUCK;
use crate::answer::{LevelFact, LevelName};
use crate::optimum::{Effort, ON_KINK, Objective, Ray, VectorNet, VectorObjective, VectorRay, optimum, vector_optimum};

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
    /// With weight decay and one output: the dual point behind `lower`, and a proved bound of its |q|.
    pub(super) dual: Option<(Vec<f64>, f64)>,
}

/// Bounds the network's objective from above and that of all networks from below.
///
/// Without weight decay every affine level is reached by two neurons an output, of opposite directions.
pub(super) fn bounds(objective: &VectorObjective, net: &Network, effort: &Effort<'_>, levels: &[LevelFact]) -> Bounds {
    let (one, y) = (&objective.one, &objective.y);
    let (claim, x) = (&one.claim, &one.features);
    if one.lambda == 0.0 {
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
    let own = value_vector(claim, x, y, net);
    let pairs = affine_pairs(objective);
    let affine = value_vector(claim, x, y, &objective.network(&pairs)).balanced;
    let proof = if objective.outputs() == 1 {
        of_one(one, net, effort, &pairs)
    } else {
        of_several(objective, net, effort, pairs)
    };
    Bounds {
        objective: own.as_given,
        balanced: own.balanced,
        loss: own.loss,
        lower: proof.lower,
        gap: proof.gap,
        status: proof.status,
        best_known: proof.best_known.min(own.as_given).min(own.balanced).min(affine),
        nodes: proof.nodes,
        floor: None,
        dual: proof.dual,
    }
}

/// What is proved about all networks, with weight decay.
struct Proof {
    lower: f64,
    gap: f64,
    status: Claim,
    /// The objective of the best network that was looked for; infinite when none was.
    best_known: f64,
    nodes: u64,
    dual: Option<(Vec<f64>, f64)>,
}

/// One output: the sign trees.
fn of_one(objective: &Objective, net: &Network, effort: &Effort<'_>, pair: &VectorNet) -> Proof {
    let (claim, x, y) = (&objective.claim, &objective.features, &objective.y);
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
    let mut best_known = f64::INFINITY;
    if certified.status != Claim::Certified && nodes < effort.max_nodes && !(effort.stop)() {
        let rest = Effort { max_nodes: effort.max_nodes - nodes, ..*effort };
        let warm = pair.rays.iter().map(|t| Ray { c: t.ray.c * t.output[0], ..t.ray.clone() }).collect();
        let found = optimum(objective, warm, &rest);
        nodes += found.nodes;
        best_known = found.certified.objective;
        certified = certified.with_bound_of(&found.certified, effort.gap);
    }
    let (lower, gap, status) = (certified.lower_bound, certified.gap, certified.status);
    Proof { lower, gap, status, best_known, nodes, dual: Some((certified.dual, certified.sup.upper)) }
}

/// Several outputs: the supremum of |Q| over cones of output directions.
fn of_several(objective: &VectorObjective, net: &Network, effort: &Effort<'_>, pairs: VectorNet) -> Proof {
    let (claim, x, y) = (&objective.one.claim, &objective.one.features, &objective.y);
    let options = CertifyOptions {
        gap: effort.gap,
        max_nodes: effort.max_nodes.min(OWN),
        threads: effort.threads,
        stop: effort.stop,
        seed: effort.seed,
    };
    let mut certified = certify_vector(claim, x, y, net, &options).of_given_weights(effort.gap);
    let mut nodes = certified.sup.nodes;
    let mut best_known = f64::INFINITY;
    if certified.status != Claim::Certified && nodes < effort.max_nodes && !(effort.stop)() {
        let rest = Effort { max_nodes: effort.max_nodes - nodes, ..*effort };
        let found = vector_optimum(objective, pairs.rays, &rest);
        nodes += found.nodes;
        best_known = found.certified.objective;
        certified = certified.with_bound_of(&found.certified, effort.gap);
    }
    let (lower, gap, status) = (certified.lower_bound, certified.gap, certified.status);
    Proof { lower, gap, status, best_known, nodes, dual: None }
}

/// The best affine fit as two neurons of opposite directions an output, with output biases: a network that is always to be
/// had, and where column generation starts.
fn affine_pairs(objective: &VectorObjective) -> VectorNet {
    let one = &objective.one;
    let (x, omega, y) = (&one.x, &one.omega, &objective.y);
    let (n, dim, k) = (x.rows(), x.cols(), y.cols());
    let weight: f64 = omega.iter().sum();
    let centred = one.offset != Offset::None && weight > 0.0;
    let mean = |v: &dyn Fn(usize) -> f64| {
        if centred { (0..n).map(|i| omega[i] * v(i)).sum::<f64>() / weight } else { 0.0 }
    };
    let middle: Vec<f64> = (0..dim).map(|t| mean(&|i| x[(i, t)])).collect();
    let columns = Mat::from_fn(dim, n, |t, i| omega[i].sqrt() * (x[(i, t)] - middle[t]));
    let mut h = mul_transposed(&columns, &columns);
    let trace: f64 = (0..dim).map(|t| h[(t, t)]).sum();
    for t in 0..dim {
        h[(t, t)] += RIDGE * trace;
    }
    let Some(factor) = Cholesky::new(&h) else { return objective.constant() };
    let mut net = VectorNet { rays: vec![], offset: vec![0.0; k] };
    for l in 0..k {
        let level = mean(&|i| y[(i, l)]);
        let target: Vec<f64> = (0..n).map(|i| omega[i].sqrt() * (y[(i, l)] - level)).collect();
        let slope = factor.solve(&columns.mul_vec(&target));
        net.offset[l] = level - dot(&slope, &middle);
        for sign in [1.0, -1.0] {
            let u: Vec<f64> = slope.iter().map(|v| sign * v).collect();
            let ray = Ray::near(one, &u, 1.0, ON_KINK).map(|t| Ray { c: one.size(&slope), ..t });
            let output = (0..k).map(|t| if t == l { sign } else { 0.0 }).collect();
            net.rays.extend(ray.map(|ray| VectorRay { ray, output }));
        }
    }
    net
}
