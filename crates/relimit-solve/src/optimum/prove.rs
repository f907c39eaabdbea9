//! From candidate to optimum: sign trees look for a direction that local search missed, and bound the gap if there is none.

use relimit_core::certify::Claim;
use relimit_core::certify::optimum::{BothSigns, Certified, CertifyOptions, certify_or_exceed};
use relimit_core::certify::sup::End;
use relimit_core::net::Network;

use super::columns::{Candidate, generate};
use super::largest::CERTIFIED;
use super::price::Pricer;
use super::restricted::FRESH;
use super::rounding::{ON_KINK, fell};
use super::trace::{FIRST, Trace, TracePoint};
use super::{Objective, Ray};

/// How much work may be done, and what counts as certified.
#[derive(Clone, Copy)]
pub struct Effort<'a> {
    /// Relative gap that counts as certified.
    pub gap: f64,
    /// Nodes that the sign trees may bound in all.
    pub max_nodes: u64,
    /// Threads; the answer does not depend on them.
    pub threads: usize,
    /// Seed of random directions.
    pub seed: u64,
    /// Random directions that local search starts from, of each sign.
    pub starts: usize,
    /// Polled; true ends the work with what was reached.
    pub stop: &'a (dyn Fn() -> bool + Sync),
    /// Seconds since some moment; `Some` asks for the bound over the nodes ([`Optimum::trace`]), at twice the work.
    pub clock: Option<&'a (dyn Fn() -> f64 + Sync)>,
}

impl Default for Effort<'_> {
    fn default() -> Self {
        Self { gap: CERTIFIED, max_nodes: 100_000, threads: 1, seed: 0, starts: 60, stop: &|| false, clock: None }
    }
}

/// The best network found and what is proved about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Optimum {
    /// The network.
    pub candidate: Candidate,
    /// What `core::certify` proves about it.
    pub certified: Certified,
    /// Nodes bounded in all.
    pub nodes: u64,
    /// Times that a sign tree found a direction that local search had missed.
    pub returns: u32,
    /// Whether the work was cut short by `stop`.
    pub stopped: bool,
    /// The interval over the nodes; empty unless a clock asks for it.
    pub trace: Vec<TracePoint>,
}

/// Times that a tree may hand back directions.
const RETURNS: u32 = 200;
/// A direction that local search missed ends a proof within one part in so many of the nodes that are left.
const BACK_SHARE: u64 = 4;

/// The global minimum of the objective from `warm` rays (any, or none), with a proved gap.
///
/// Column generation proposes, the sign tree disposes: a direction of larger gain that it meets becomes a column, and
/// the search goes on until the gap is proved or the work is spent.
pub fn optimum(objective: &Objective, warm: Vec<Ray>, effort: &Effort<'_>) -> Optimum {
    let pricer = Pricer::new(objective, effort.seed);
    let mut candidate = generate(objective, &pricer, warm, effort.starts, effort.stop);
    let (mut nodes, mut returns) = (0, 0);
    let mut trace = Trace::start(effort);
    let mut so_far: Option<Certified> = None;
    // nodes of the proofs about networks that were given up
    let mut proved = 0;
    let mut patient = false;
    loop {
        let network = objective.network(&candidate.rays, candidate.offset);
        let left = effort.max_nodes.saturating_sub(nodes).max(1);
        let back = if patient || returns >= RETURNS { 0 } else { left.div_ceil(BACK_SHARE) };
        let found = proof(objective, &network, effort, (left, back), proved, &mut trace);
        nodes += found.sup.nodes;
        let met = found.sup.clone();
        let certified = match &so_far {
            Some(before) => found.with_bound_of(before, effort.gap),
            None => found,
        };
        let stopped = (effort.stop)();
        let open = certified.status != Claim::Certified && nodes < effort.max_nodes && !stopped;
        if open
            && returns < RETURNS
            && let Some(better) = resume(objective, &pricer, &candidate, &met, effort)
        {
            (returns, patient, candidate) = (returns + 1, false, better);
        } else if open && met.end == End::Exceeded && !patient {
            // nothing comes of that direction: the whole proof
            patient = true;
        } else {
            return Optimum { candidate, certified, nodes, returns, stopped, trace: trace.points };
        }
        proved += met.nodes;
        so_far = Some(certified);
    }
}

/// Of two proofs about one network the one with the larger lower bound, the second where both say the same.
fn narrower(a: Certified, b: Certified) -> Certified {
    if b.lower_bound >= a.lower_bound { b } else { a }
}

/// The gap of a network by at most `left` nodes, the first `back` of which end at a direction of larger gain; `before` were
/// bounded for networks that were given up.
///
/// For a trace the search is repeated with twice the nodes until it ends: the last one is the search without a trace, and
/// its nodes alone count. When the work is stopped, the narrowest interval reached is the answer.
fn proof(
    objective: &Objective,
    network: &Network,
    effort: &Effort<'_>,
    (left, back): (u64, u64),
    before: u64,
    trace: &mut Trace<'_>,
) -> Certified {
    let mut best: Option<Certified> = None;
    let mut most = if trace.clock.is_some() { FIRST.min(left) } else { left };
    loop {
        let options = CertifyOptions {
            gap: effort.gap,
            max_nodes: most,
            threads: effort.threads,
            stop: effort.stop,
            seed: effort.seed,
        };
        let search = || certify_or_exceed(&objective.claim, &objective.features, &objective.y, network, &options, back);
        let found = trace.timed(before, search);
        let ended = most >= left || found.sup.end != End::Nodes || (effort.stop)();
        let so_far = match best {
            Some(before) => narrower(before, found),
            None => found,
        };
        if ended {
            return so_far;
        }
        best = Some(so_far);
        most = most.saturating_mul(2).min(left);
        trace.repeat();
    }
}

/// Column generation with the directions that a tree met; `None` when they improve nothing.
fn resume(
    objective: &Objective,
    pricer: &Pricer,
    candidate: &Candidate,
    met: &BothSigns,
    effort: &Effort<'_>,
) -> Option<Candidate> {
    let mut rays = candidate.rays.clone();
    let touches = met.incumbents.iter().chain(&met.best);
    rays.extend(
        touches.filter_map(|t| Ray::near(objective, &t.u, t.sign, ON_KINK)).map(|t| Ray { c: t.c * FRESH, ..t }),
    );
    let next = generate(objective, pricer, rays, effort.starts, effort.stop);
    fell(candidate.value, next.value).then_some(next)
}
