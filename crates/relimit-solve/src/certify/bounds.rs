//! Objective and lower bound of a network: its own dual point first, that of the best network found where it is weak.

use relimit_core::certify::Claim;
use relimit_core::certify::optimum::{CertifyOptions, Floor, certify, certify_loss, value};
use relimit_core::net::Network;

use crate::optimum::{Effort, Objective, optimum};

/// Nodes that the network's own dual point may take before the best network is looked for.
const OWN: u64 = 5000;

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
}

/// Bounds the network's objective from above and that of all networks from below.
pub(super) fn bounds(objective: &Objective, net: &Network, effort: &Effort<'_>) -> Bounds {
    let (claim, x, y) = (&objective.claim, &objective.features, &objective.y);
    if objective.lambda == 0.0 {
        let fitted = certify_loss(claim, x, y, net, effort.gap);
        let reached = if fitted.floor.attained { fitted.floor.value } else { fitted.objective };
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
        };
    }
    let loss = value(claim, x, y, net).loss;
    let options = CertifyOptions {
        gap: effort.gap,
        max_nodes: effort.max_nodes.min(OWN),
        threads: effort.threads,
        stop: effort.stop,
        seed: effort.seed,
    };
    let mut certified = certify(claim, x, y, net, &options).of_given_weights(effort.gap);
    let mut nodes = certified.sup.nodes;
    let balanced = value(claim, x, y, net).balanced;
    let mut best_known = certified.objective.min(balanced);
    if certified.status != Claim::Certified && nodes < effort.max_nodes && !(effort.stop)() {
        let rest = Effort { max_nodes: effort.max_nodes - nodes, ..*effort };
        let found = optimum(objective, vec![], &rest);
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
    }
}
