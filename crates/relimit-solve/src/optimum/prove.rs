//! From candidate to optimum: sign trees look for a direction that local search missed, and bound the gap if there is none.

use relimit_core::certify::Claim;
use relimit_core::certify::sup::{End, Sup, SupOptions, sup};

use super::columns::{Candidate, generate};
use super::price::Pricer;
use super::restricted::FRESH;
use super::{Objective, Ray};

/// How much work may be done.
#[derive(Clone, Copy)]
pub struct OptimumOptions<'a> {
    /// Relative gap that counts as certified.
    pub gap: f64,
    /// Nodes that the sign trees may bound.
    pub max_nodes: u64,
    /// Threads; the answer does not depend on them.
    pub threads: usize,
    /// Seed of random directions.
    pub seed: u64,
    /// Random directions that local search starts from, of each sign.
    pub starts: usize,
    /// Polled; true ends the work with what was reached.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

impl Default for OptimumOptions<'_> {
    fn default() -> Self {
        Self { gap: 1e-8, max_nodes: 100_000, threads: 1, seed: 0, starts: 60, stop: &|| false }
    }
}

/// The best network found and what is proved about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Optimum {
    /// The network.
    pub candidate: Candidate,
    /// Proved: |q| <= sup on unit directions at the dual point.
    pub sup: f64,
    /// Nodes bounded.
    pub nodes: u64,
    /// Times that a sign tree found a direction that local search had missed.
    pub returns: u32,
    /// Whether the work was cut short by `stop`.
    pub stopped: bool,
}

/// Times that a tree may hand back directions.
const RETURNS: u32 = 200;

/// The global minimum of the objective, with a proved bound on the gain of every other direction.
pub fn optimum(objective: &Objective, warm: Vec<Ray>, options: &OptimumOptions<'_>) -> Optimum {
    let pricer = Pricer::new(objective, options.seed);
    let mut candidate = generate(objective, &pricer, warm, options.starts, options.stop);
    let mut nodes = 0;
    let mut returns = 0;
    loop {
        let proof = prove(objective, &candidate, options, options.max_nodes.saturating_sub(nodes));
        nodes += proof.nodes;
        let stopped = (options.stop)();
        if proof.missed.is_empty() || returns >= RETURNS || stopped {
            return Optimum { candidate, sup: proof.upper, nodes, returns, stopped };
        }
        returns += 1;
        let before = candidate.value;
        let mut rays = candidate.rays.clone();
        rays.extend(proof.missed);
        let next = generate(objective, &pricer, rays, options.starts, options.stop);
        if next.value < before {
            candidate = next;
        } else {
            return Optimum { candidate, sup: proof.upper, nodes, returns, stopped };
        }
    }
}

struct Proof {
    upper: f64,
    missed: Vec<Ray>,
    nodes: u64,
}

/// Both trees at the dual point of a candidate.
fn prove(objective: &Objective, candidate: &Candidate, options: &OptimumOptions<'_>, max_nodes: u64) -> Proof {
    let mut proof = Proof { upper: 0.0, missed: vec![], nodes: 0 };
    for sign in [1.0, -1.0] {
        let signed: Vec<f64> = candidate.dual.iter().map(|v| sign * v).collect();
        let own: Vec<Vec<f64>> =
            candidate.rays.iter().filter(|t| t.c * sign > 0.0).map(|t| t.u.clone()).collect();
        let found: Sup = sup(
            &objective.x,
            &signed,
            &SupOptions {
                target: objective.lambda * (1.0 + 0.25 * options.gap),
                rise: None,
                max_nodes: max_nodes.saturating_sub(proof.nodes).max(1),
                threads: options.threads,
                stop: options.stop,
                seed: options.seed,
                random_starts: options.starts,
                starts: &own,
            },
        );
        proof.nodes += found.nodes;
        proof.upper = proof.upper.max(found.upper);
        if found.end == End::Exceeded || found.lower > objective.lambda * (1.0 + 0.25 * options.gap) {
            let rays = found.incumbents.iter().filter_map(|u| Ray::near(objective, u, sign, 1e-10));
            proof.missed.extend(rays.map(|t| Ray { c: sign * FRESH, ..t }));
        }
    }
    proof
}

impl Optimum {
    /// Placeholder word.
    pub fn claim(&self) -> Claim {
        Claim::Undecided
    }
}
