//! What is left of the law as the noise vanishes: the optimum and the network that noise selects.

use relimit_core::data::scale::Affine;
use relimit_core::gibbs::{Contacts, Rule, select};
use relimit_core::num::Mat;
use relimit_core::num::linalg::{gram, symmetric_eigenvalues};

use super::grid::kink;
use crate::answer::{LimitRay, VanishingNoise};
use crate::optimum::{Effort, Objective, contact, optimum};

/// Preactivation, relative to the row, below which a row lies on the kink of a unit ray.
const ON_KINK: f64 = 1e-9;
/// Eigenvalue, relative to the largest, below which rows on a kink count as dependent.
const DEPENDENT: f64 = 1e-12;
/// Independent rows on a kink from which on the law cannot hold the coefficient.
const CONDENSES: usize = 4;

/// The optimum at the weight decay of `objective`; the selection rule where several networks attain it.
pub(super) fn vanishing_noise(objective: &Objective, effort: &Effort<'_>, inputs: &Affine) -> VanishingNoise {
    let found = optimum(objective, vec![], effort);
    let candidate = &found.candidate;
    let touch = contact(objective, candidate, effort);
    let contacts = Contacts {
        rays: touch.rays.iter().map(|t| t.u.clone()).collect(),
        coefficients: touch.rays.iter().map(|t| t.c).collect(),
        signs: touch.rays.iter().map(|t| if t.c.is_sign_positive() { 1.0 } else { -1.0 }).collect(),
        dual: candidate.dual.clone(),
    };
    let selected = if touch.rays.is_empty() { None } else { select(&objective.x, &contacts, ON_KINK) };
    let chosen = selected.as_ref().map_or(&contacts.coefficients, |s| &s.coefficients);
    let d = objective.features.cols();
    let rays: Vec<LimitRay> = touch
        .rays
        .iter()
        .zip(chosen)
        .map(|(t, c)| LimitRay {
            w: t.u[..d].to_vec(),
            b: t.u.get(d).copied().unwrap_or(0.0),
            c: *c,
            kink: kink(&t.u, d, inputs),
            kink_rank: kink_rank(objective, &objective.pattern(t)),
        })
        .collect();
    let rule = match selected.as_ref().map(|s| s.rule) {
        Some(Rule::Unique) => Some("unique"),
        Some(Rule::CubeRoot) => Some("cube root"),
        Some(Rule::Logarithm) => Some("logarithm"),
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

/// Rank of the rows whose sign is 0.
fn kink_rank(objective: &Objective, pattern: &[i8]) -> usize {
    let rows: Vec<usize> = (0..pattern.len()).filter(|i| pattern[*i] == 0).collect();
    if rows.is_empty() {
        return 0;
    }
    let x: Mat = objective.x.select_rows(&rows);
    let values = symmetric_eigenvalues(&gram(&x));
    let largest = values.iter().copied().fold(0.0, f64::max);
    values.iter().filter(|v| **v > DEPENDENT * largest).count()
}
