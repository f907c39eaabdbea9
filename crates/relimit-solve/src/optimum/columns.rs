//! Column generation: price directions at the dual point, solve over those kept, merge, polish, again.

use relimit_core::num::mat::{dot, norm2};

use super::merge::{loose_pattern, merge};
use super::newton::polish;
use super::price::Pricer;
use super::restricted::{FRESH, fit};
use super::{Objective, Ray, rounding};

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
/// Objectives that differ by less than this share are the same to rounding: outputs that a hundred neurons add up to are off
/// by some units in the last place of their largest part.
const FLAT: f64 = 64.0 * f64::EPSILON;
/// Cosine of the angle (1.4e-3) below which a direction looks like another to the fit, whose pivots round by 1e-12: a new column
/// differs from the old one in a part of the square of the angle.
const CLOSE: f64 = 1.0 - 1e-6;
/// Newton steps of one polish.
const STEPS: usize = 15;
/// Those that sharpen the network where the objective is flat.
const SHARPEN: usize = 2;

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
    let mut offset = settle(objective, &mut rays, stop);
    let mut best: Option<(f64, Vec<Ray>, f64)> = None;
    // gain above the penalty that the best one leaves, where pricing sees all of it
    let mut left = f64::INFINITY;
    let mut stalled = 0;
    let mut rounds = 0;
    while rounds < ROUNDS && !stop() {
        rounds += 1;
        let mut value = objective.value(&rays, offset);
        let fell = best.as_ref().is_none_or(|b| rounding::fell(b.0, value));
        if !fell && pricer.complete() {
            // coefficients come from products of features, which round more than the residuals that Newton's steps see
            polish(objective, &mut rays, &mut offset, SHARPEN, stop);
            value = objective.value(&rays, offset);
        }
        let r = objective.dual(&rays, offset);
        let thorough = rounds == 1 || !fell;
        let (mut found, top) = pricer.find(objective, &r, &rays, if thorough { first } else { first / 5 + 2 }, rounds);
        if found.is_empty() && !pricer.complete() && (!thorough || last > first) {
            found = pricer.find(objective, &r, &rays, last, rounds + ROUNDS).0;
        }
        // an error of s in the dual shows as s^2 in the objective: where this is flat, the gain that is left decides
        let excess = if pricer.complete() { (top - objective.lambda).max(0.0) } else { 0.0 };
        let lies = |limit: f64| best.as_ref().is_none_or(|b| value <= b.0 + limit * b.0.abs());
        let sharper = pricer.complete() && lies(FLAT) && excess < left;
        stalled = if fell || (sharper && excess < 0.5 * left) { 0 } else { stalled + 1 };
        if sharper || lies(if pricer.complete() { -FLAT } else { 0.0 }) {
            best = Some((value, rays.clone(), offset));
            left = excess;
        }
        if found.is_empty() || stalled >= PATIENCE {
            break;
        }
        if !fell && pricer.complete() {
            relocate(objective, &mut rays, &mut found);
        }
        rays.extend(found.into_iter().map(|t| Ray { c: t.c.signum() * FRESH, ..t }));
        offset = settle(objective, &mut rays, stop);
    }
    let (value, rays, offset) = best.unwrap_or_else(|| (objective.value(&rays, offset), rays, offset));
    let dual = objective.dual(&rays, offset);
    Candidate { rays, offset, value, dual, rounds }
}

/// Moves rays to the maxima `found` close by in their closed cells; the others are left in `found`.
///
/// A ray on the kink of an example stays there under Newton's steps. Where the maximum is inside the cell by an angle of s, the
/// gain is s^2 larger: too little for a column of its own that looks like the ray.
fn relocate(objective: &Objective, rays: &mut [Ray], found: &mut Vec<Ray>) {
    let mut patterns: Vec<Vec<i8>> = rays.iter().map(|t| loose_pattern(objective, t)).collect();
    found.retain(|to| {
        let pattern = loose_pattern(objective, to);
        let near = |t: &Ray| t.c * to.c > 0.0 && dot(&t.u, &to.u) > CLOSE * norm2(&t.u) * norm2(&to.u);
        let home = |k: &usize| near(&rays[*k]) && patterns[*k].iter().zip(&pattern).all(|(a, b)| a * b >= 0);
        let Some(k) = (0..rays.len()).find(home) else { return true };
        rays[k] = Ray { c: rays[k].c, ..to.clone() };
        patterns[k] = pattern;
        false
    });
}

/// Best coefficients, merged and polished, until nothing merges any more; returns the offset.
pub(super) fn settle(objective: &Objective, rays: &mut Vec<Ray>, stop: &(dyn Fn() -> bool + Sync)) -> f64 {
    let mut offset = fit(objective, rays);
    for _ in 0..6 {
        let merged = merge(objective, rays);
        polish(objective, rays, &mut offset, STEPS, stop);
        offset = fit(objective, rays);
        if merged == 0 {
            break;
        }
    }
    offset
}
