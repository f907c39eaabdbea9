//! Which of several optimal networks vanishing noise selects: coefficients on every direction of contact.

use relimit_core::certify::optimum::Offset;
use relimit_core::data::scale::Affine;
use relimit_core::gibbs::{Contacts, Rule, Selected, select};
use relimit_core::num::Mat;
use relimit_core::num::linalg::{gram, symmetric_eigenvalues};

use super::columns::Candidate;
use super::{Contact, Objective};
use crate::answer::{LimitRay, SelectedFact};

/// Preactivation, as a share of the row, below which a row lies on the kink of a unit ray: polished directions meet their
/// kinks to rounding, 1e-15, and directions that local search found to about 1e-10.
const ON_KINK: f64 = 1e-9;

/// Eigenvalue, relative to the largest, below which rows on a kink count as dependent: rounding of a Gram matrix leaves
/// 1e-15 of it times a few rows.
const DEPENDENT: f64 = 1e-12;

/// The coefficients that noise selects on the directions of contact; `None` where no rule is known.
pub fn selected(objective: &Objective, candidate: &Candidate, touch: &Contact) -> Option<Selected> {
    if touch.rays.is_empty() || objective.free_bias() || objective.offset != Offset::None {
        return None;
    }
    let contacts = Contacts {
        rays: touch.rays.iter().map(|t| t.u.clone()).collect(),
        coefficients: touch.rays.iter().map(|t| t.c).collect(),
        signs: touch.rays.iter().map(|t| if t.c.is_sign_positive() { 1.0 } else { -1.0 }).collect(),
        dual: candidate.dual.clone(),
    };
    select(&objective.x, &contacts, ON_KINK)
}

/// The name of a rule.
pub fn rule_name(rule: Rule) -> &'static str {
    match rule {
        Rule::Unique => "unique",
        Rule::CubeRoot => "cube root",
        Rule::Logarithm => "logarithm",
    }
}

/// Directions of contact with coefficients in their order; `inputs` led to the features of the objective.
pub fn limit_rays(objective: &Objective, touch: &Contact, coefficients: &[f64], inputs: &Affine) -> Vec<LimitRay> {
    let d = objective.features.cols();
    let ray = |(t, c): (&super::Ray, &f64)| LimitRay {
        w: t.u[..d].to_vec(),
        b: t.u.get(d).copied().unwrap_or(0.0),
        c: *c,
        kink: kink(&t.u, d, inputs),
        kink_rank: kink_rank(objective, &objective.pattern(t)),
    };
    touch.rays.iter().zip(coefficients).map(ray).collect()
}

/// The selection as the answer states it, where the optimum is not unique.
pub(super) fn fact(
    objective: &Objective,
    candidate: &Candidate,
    touch: &Contact,
    inputs: &Affine,
) -> Option<SelectedFact> {
    if touch.unique() {
        return None;
    }
    let found = selected(objective, candidate, touch)?;
    let rays = limit_rays(objective, touch, &found.coefficients, inputs);
    Some(SelectedFact { rule: rule_name(found.rule).into(), rays })
}

/// Where `w x + b` changes sign, in the units of the file: one feature and a bias.
pub(crate) fn kink(u: &[f64], d: usize, inputs: &Affine) -> Option<f64> {
    let at = -u.get(d)? / u[0];
    (d == 1 && at.is_finite()).then(|| at * inputs.factor[0] + inputs.shift[0])
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
