//! What a run ends with: a status, the state reached, and what was done to get there.

use serde::{Deserialize, Serialize};

use crate::num::Mat;
use crate::problem::Weights;

/// How a run ended. Never an error: the state reached is always there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// The limit, in closed form or within `Limit::radius`.
    Converged,
    /// The residual passed 1e12 times its start on masks whose step is too large (observed, not certified).
    Diverged,
    /// The state recurs with a period.
    Cycle,
    /// None of the above could be decided.
    Undecided,
    /// The step, event or time budget ended.
    Budget,
    /// Interrupted by the caller.
    Interrupted,
}

/// What happened to a (neuron, example) pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Move {
    /// Silent to active.
    On,
    /// Active to silent.
    Off,
    /// Starts to slide along preactivation 0 (flow only).
    Slide,
}

/// One change of a mask.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Index of the first iterate that carries the new mask (descent), or the flow time.
    pub at: f64,
    /// Neuron, from 0.
    pub neuron: u32,
    /// Example, from 0.
    pub example: u32,
    /// The change.
    pub to: Move,
}

/// Why a run ended as it did; `message` says it in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// No mask can change any more; the limit is the closed form.
    ClosedForm,
    /// Some pairs keep crossing 0 with vanishing amplitude; the limit lies within the stated radius.
    Ties,
    /// No neuron is active on any example: nothing moves.
    AllSilent,
    /// The residual grew without bound.
    Growth,
    /// The state recurs.
    Recurrence,
    /// A growing mode whose content is below its rounding bound.
    GrowingModeUnresolved,
    /// A sign could not be told from 0.
    SignUnresolved,
    /// The state does not determine its continuation (flow): a residual crosses 0 while its pair is held at 0 by a
    /// push that cannot be told from 0, or several decisions at 0 are consistent.
    NonUnique,
    /// A number left the range of f64.
    NotFinite,
    /// Steps, events or time ran out.
    OutOfBudget,
    /// The caller asked to stop.
    Stopped,
}

/// The growing direction of a diverging run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Divergence {
    /// Step times the largest eigenvalue of M on the final masks (above 2).
    pub step_times_eigenvalue: f64,
    /// The largest step that is stable on the final masks, `2 / mu_max`.
    pub stable_below: f64,
    /// Examples that carry the growing eigenvector, largest weight first.
    pub examples: Vec<usize>,
}

/// Work done, by cause: what benchmarks and tests count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// Mask changes.
    pub events: u64,
    /// Plain steps.
    pub steps: u64,
    /// Leaps over steps without a change.
    pub leaps: u64,
    /// Eigendecompositions.
    pub eigens: u64,
    /// Attempts to close the run by a certificate.
    pub closings: u64,
}

/// The end of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// How it ended.
    pub status: Status,
    /// Why.
    pub reason: Reason,
    /// Duals, m x n: `w_j = X' alpha_j + offset_j`.
    pub alpha: Mat,
    /// Preactivations, m x n; exactly 0 on ties.
    pub z: Mat,
    /// Weights, m x D; formed when first looked at.
    pub w: Weights,
    /// Pairs (neuron, example) whose mask never settles although the state converges.
    pub ties: Vec<(usize, usize)>,
    /// Certified bound on the distance of the weights to the true limit, all neurons together (0: closed form).
    pub radius: f64,
    /// Steps taken, leaps included (descent), or flow time, up to the last event or the end of the search.
    pub last: f64,
    /// Step or time of the last event (0 if none).
    pub last_event: f64,
    /// Set when `status` is `Diverged`.
    pub divergence: Option<Divergence>,
    /// Work counts.
    pub work: Work,
}
