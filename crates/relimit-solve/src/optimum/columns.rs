//! Column generation: price directions at the dual point, solve over those kept, merge, polish, again.

use super::merge::merge;
use super::newton::polish;
use super::price::Pricer;
use super::restricted::{FRESH, fit};
use super::{Objective, Ray};

/// A network that no direction known improves: nothing is claimed about others.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Neurons with nonzero coefficients; no two of one sign are conformal.
    pub rays: Vec<Ray>,
    /// Output bias.
    pub offset: f64,
    /// The objective.
    pub value: f64,
    /// The dual point `omega_i (y_i - f_i - o)`, n.
    pub dual: Vec<f64>,
    /// Rounds of pricing.
    pub rounds: u64,
}

/// Rounds of pricing.
const ROUNDS: u64 = 400;
/// Rounds without a fall of the objective before it is left.
const PATIENCE: u32 = 3;
/// Newton steps of one polish.
const STEPS: usize = 15;

/// Minimises over rays that pricing finds, from `warm` rays, until none improves.
pub(super) fn generate(
    objective: &Objective,
    pricer: &Pricer,
    warm: Vec<Ray>,
    starts: usize,
    stop: &(dyn Fn() -> bool + Sync),
) -> Candidate {
    // the last look is the more thorough the more places there are for a maximum to hide
    let places = objective.n() * (objective.dim() - 1).max(1);
    let first = starts.min(places);
    let last = (starts * objective.dim().saturating_sub(2).clamp(1, 4)).min(places);
    let mut rays = warm;
    let mut offset = settle(objective, &mut rays);
    let mut best: Option<(f64, Vec<Ray>, f64)> = None;
    let mut stalled = 0;
    let mut rounds = 0;
    while rounds < ROUNDS && !stop() {
        rounds += 1;
        let value = objective.value(&rays, offset);
        let fell = best.as_ref().is_none_or(|b| value < b.0 - 1e-15 * b.0.abs());
        stalled = if fell { 0 } else { stalled + 1 };
        if best.as_ref().is_none_or(|b| value <= b.0) {
            best = Some((value, rays.clone(), offset));
        }
        let r = objective.dual(&rays, offset);
        let thorough = rounds == 1 || stalled > 0;
        let (mut found, _) = pricer.find(objective, &r, &rays, if thorough { first } else { first / 5 + 2 }, rounds);
        if found.is_empty() && !pricer.complete() && (!thorough || last > first) {
            found = pricer.find(objective, &r, &rays, last, rounds + ROUNDS).0;
        }
        if found.is_empty() || stalled >= PATIENCE {
            break;
        }
        rays.extend(found.into_iter().map(|t| Ray { c: t.c.signum() * FRESH, ..t }));
        offset = settle(objective, &mut rays);
    }
    let (value, rays, offset) = best.unwrap_or_else(|| (objective.value(&rays, offset), rays, offset));
    let dual = objective.dual(&rays, offset);
    Candidate { rays, offset, value, dual, rounds }
}

/// Best coefficients, merged and polished, until nothing merges any more; returns the offset.
pub(super) fn settle(objective: &Objective, rays: &mut Vec<Ray>) -> f64 {
    let mut offset = fit(objective, rays);
    for _ in 0..6 {
        let merged = merge(objective, rays);
        polish(objective, rays, &mut offset, STEPS);
        offset = fit(objective, rays);
        if merged == 0 {
            break;
        }
    }
    offset
}
