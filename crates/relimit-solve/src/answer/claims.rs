//! Claims about the end state, each with how sure it is: minimum norm, gap, certificates, hypotheses.

use relimit_core::certify::Claim;
use relimit_core::theory::Verdict;
use serde::{Deserialize, Serialize};

use super::finite;

/// The minimum-norm network that fits the data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MinNorm {
    /// How sure the norm is.
    pub status: Claim,
    /// Norm of the best network found.
    pub norm: Option<f64>,
    /// No fitting network has a smaller norm.
    pub lower: Option<f64>,
    /// Some fitting network has at most this norm.
    pub upper: Option<f64>,
    /// Why it is not certified, or what makes the data infeasible.
    pub reason: Option<String>,
    /// Search nodes used.
    pub nodes: Option<u64>,
    /// Multipliers, m lists of n.
    #[serde(with = "finite::optional_table")]
    pub multipliers: Option<Vec<Vec<f64>>>,
    /// Rows on which neurons of both signs are active in the best network found.
    pub mixed_patterns: Option<Vec<usize>>,
}

/// Distance of the limit to the minimum-norm network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Gap {
    /// `|w - w*|`.
    pub absolute: Option<f64>,
    /// `|w - w*| / |w*|`.
    pub relative: Option<f64>,
    /// Upper bound on the gap that needs no solver: `sqrt(sum nu_i |z_i|)`.
    pub bound: Option<f64>,
    /// Leading order: `|y_rejected| / (C sqrt(tau))`.
    pub predicted: Option<f64>,
    /// `|v' S v - absolute^2|` relative to `absolute^2`: the identity against the direct difference.
    pub identity_error: Option<f64>,
}

/// The one-step certificate: masks equal the label signs from step 1 on when `left < right`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OneStep {
    /// `max_i sum_k |G_ik - tau [i = k]| / tau`.
    pub rho: Option<f64>,
    /// Interference side of the inequality.
    pub left: Option<f64>,
    /// Smallest absolute label.
    pub right: Option<f64>,
    /// Whether it holds; `null` when it does not apply.
    pub holds: Option<bool>,
    /// Why it does not hold or apply.
    pub why_not: Option<String>,
}

/// Certificates of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Certificates {
    /// One-step stabilisation.
    pub one_step: OneStep,
}

/// Whether the high-dimensional theory speaks about these data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hypotheses {
    /// Verdict.
    pub verdict: Verdict,
    /// The reason with its numbers, in a sentence.
    pub why: String,
}
