//! What is left of the law as the noise vanishes: the optimum and the network that noise selects.

use relimit_core::data::scale::Affine;

use crate::answer::VanishingNoise;
use crate::optimum::{Effort, Objective, contact, limit_rays, optimum, rule_name, selected};

/// Independent rows on a kink from which on the law cannot hold the coefficient.
const CONDENSES: usize = 4;

/// The optimum at the weight decay of `objective`; the selection rule where several networks attain it.
pub(super) fn vanishing_noise(objective: &Objective, effort: &Effort<'_>, inputs: &Affine) -> VanishingNoise {
    let found = optimum(objective, vec![], effort);
    let candidate = &found.candidate;
    let touch = contact(objective, candidate, effort);
    let selected = selected(objective, candidate, &touch);
    let own: Vec<f64> = touch.rays.iter().map(|t| t.c).collect();
    let rays = limit_rays(objective, &touch, selected.as_ref().map_or(&own, |s| &s.coefficients), inputs);
    let rule = match selected.as_ref().map(|s| s.rule) {
        Some(rule) => Some(rule_name(rule)),
        None if touch.unique() => Some("unique"),
        None => None,
    };
    VanishingNoise {
        objective: found.certified.objective,
        status: found.certified.status,
        outputs: objective.outputs(&candidate.rays, candidate.offset),
        unique: touch.unique(),
        rule: rule.map(Into::into),
        condensation: rays.iter().any(|t| t.kink_rank >= CONDENSES && t.c != 0.0),
        rays,
    }
}
