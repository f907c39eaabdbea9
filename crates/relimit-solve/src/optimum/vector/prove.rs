//! From labels of several columns to a network and its certificate: column generation, then the proof.

use relimit_core::certify::Claim;
use relimit_core::certify::optimum::{CertifiedVector, CertifyOptions, certify_vector};
use relimit_core::certify::sup::End;

use super::super::rounding::{ON_KINK, fell};
use super::super::trace::{FIRST, Trace, TracePoint};
use super::super::{Effort, Ray};
use super::cells::merge;
use super::objective::{VectorNet, VectorObjective, VectorRay};
use super::polish::polish;
use super::price::VectorPricer;
use super::restricted::fit;
use super::thin::thin;

/// The best network of several outputs found, and what is proved about it.
#[derive(Clone, Debug, PartialEq)]
pub struct VectorOptimum {
    /// The network.
    pub net: VectorNet,
    /// What `core::certify` proves about it.
    pub certified: CertifiedVector,
    /// Nodes bounded in all.
    pub nodes: u64,
    /// Times that a proof found a direction that local search had missed.
    pub returns: u32,
    /// Whether the work was cut short by `stop`.
    pub stopped: bool,
    /// The interval over the nodes; empty unless a clock asks for it.
    pub trace: Vec<TracePoint>,
}

/// Rounds of pricing.
const ROUNDS: u64 = 200;
/// Thinning may cost this share: the rounding of the neurons that it recombines.
const COST: f64 = 1e-14;
/// Rounds without a visible fall of the objective before it is left.
const PATIENCE: u32 = 3;
/// Newton steps of one polish.
const STEPS: usize = 30;
/// Times that a proof may hand back a direction.
const RETURNS: u32 = 50;
/// Nodes of the first attempt at a proof.
const QUICK: u64 = 2000;

/// Minimises the objective, starting from neurons `warm` (any, or none), with a proved gap.
///
/// # Source
/// math note on noisy SGD, section 5: fully corrective column generation.
pub fn vector_optimum(objective: &VectorObjective, warm: Vec<VectorRay>, effort: &Effort<'_>) -> VectorOptimum {
    let pricer = VectorPricer::new(objective, effort.seed);
    let mut net = generate(objective, &pricer, VectorNet { rays: warm, ..objective.constant() }, effort);
    let (mut nodes, mut returns) = (0, 0);
    let mut most = QUICK;
    let mut trace = Trace::start(effort);
    // nodes of the proofs about networks that were given up
    let mut proved = 0;
    let mut so_far: Option<CertifiedVector> = None;
    loop {
        let left = most.min(effort.max_nodes.saturating_sub(nodes)).max(1);
        let found = proof(objective, &net, effort, left, proved, &mut trace);
        let met = found.sup.clone();
        nodes += met.nodes;
        // bounds of networks that were given up hold for all
        let certified = match &so_far {
            Some(before) => found.with_bound_of(before, effort.gap),
            None => found,
        };
        let stopped = (effort.stop)();
        let open = certified.status != Claim::Certified && nodes < effort.max_nodes && !stopped;
        if open && returns < RETURNS && met.lower > objective.one.lambda {
            let ray = Ray::near(&objective.one, &met.argmax, 1.0, ON_KINK);
            let missed = ray.map(|t| VectorRay { ray: Ray { c: 0.0, ..t }, output: met.output.clone() });
            let mut richer = net.clone();
            richer.rays.extend(missed);
            let next = generate(objective, &pricer, richer, effort);
            if objective.value(&next) < objective.value(&net) {
                (net, returns, proved) = (next, returns + 1, nodes);
                so_far = Some(certified);
                continue;
            }
        }
        if open && most < effort.max_nodes {
            // the first attempt is made again with more nodes
            most = effort.max_nodes;
            so_far = Some(certified);
            trace.repeat();
            continue;
        }
        return VectorOptimum { net, certified, nodes, returns, stopped, trace: trace.points };
    }
}

/// The gap of a network by at most `left` nodes; `before` were bounded for networks that were given up.
///
/// For a trace the search is repeated with twice the nodes until it ends: the last one is the search without a trace, and
/// its nodes alone count.
fn proof(
    objective: &VectorObjective,
    net: &VectorNet,
    effort: &Effort<'_>,
    left: u64,
    before: u64,
    trace: &mut Trace<'_>,
) -> CertifiedVector {
    let (claim, network) = (&objective.one.claim, objective.network(net));
    let mut most = if trace.clock.is_some() { FIRST.min(left) } else { left };
    let mut widest: Option<CertifiedVector> = None;
    loop {
        let options = CertifyOptions {
            gap: effort.gap,
            max_nodes: most,
            threads: effort.threads,
            stop: effort.stop,
            seed: effort.seed,
        };
        let search = || certify_vector(claim, &objective.one.features, &objective.y, &network, &options);
        let found = trace.timed(before, search);
        let ended = most >= left || found.sup.end != End::Nodes || (effort.stop)();
        let best = match widest.take() {
            Some(earlier) if earlier.lower_bound > found.lower_bound => earlier,
            _ => found,
        };
        if ended {
            return best;
        }
        widest = Some(best);
        most = most.saturating_mul(2).min(left);
        trace.repeat();
    }
}

/// Minimises over neurons that pricing finds until none improves.
fn generate(objective: &VectorObjective, pricer: &VectorPricer, start: VectorNet, effort: &Effort<'_>) -> VectorNet {
    let mut net = start;
    settle(objective, &mut net);
    let mut best = (objective.value(&net), net.clone());
    let mut stalled = 0;
    for round in 1..=ROUNDS {
        if (effort.stop)() {
            break;
        }
        let r = objective.dual(&net);
        let thorough = round == 1 || stalled > 0;
        let starts = if thorough { effort.starts } else { effort.starts / 5 + 2 };
        let mut found = pricer.find(objective, &r, &net.rays, starts, round).0;
        if found.is_empty() && !thorough && !pricer.complete() {
            found = pricer.find(objective, &r, &net.rays, effort.starts, round + ROUNDS).0;
        }
        if found.is_empty() {
            break;
        }
        net.rays.extend(found);
        settle(objective, &mut net);
        let value = objective.value(&net);
        stalled = if fell(best.0, value) { 0 } else { stalled + 1 };
        if value <= best.0 {
            best = (value, net.clone());
        }
        if stalled >= PATIENCE {
            break;
        }
    }
    let mut thinner = best.1.clone();
    thin(objective, &mut thinner);
    if thinner.rays.len() < best.1.rays.len() {
        settle(objective, &mut thinner);
        if objective.value(&thinner) <= best.0 * (1.0 + COST) {
            return thinner;
        }
    }
    best.1
}

/// Best coefficients, merged and polished, until nothing merges any more.
fn settle(objective: &VectorObjective, net: &mut VectorNet) {
    fit(objective, net);
    for _ in 0..6 {
        let merged = merge(objective, net);
        polish(objective, net, STEPS);
        fit(objective, net);
        if !merged {
            break;
        }
    }
}
