//! Where the run ended, and what happened to examples and neurons on the way.

use relimit_core::descent::{Event, Move, Reason, Status};
use serde::{Deserialize, Serialize};

use super::finite;

/// The end state of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LimitFacts {
    /// How the run ended.
    pub status: Status,
    /// Why.
    pub reason: Reason,
    /// The reason in a sentence about these data.
    pub message: String,
    /// Loss of the end state, in the scaling of `loss_scaling`.
    pub loss: Option<f64>,
    /// `half-sum`, `half-mean` or `mean`.
    pub loss_scaling: String,
    /// Rows whose residual is 0 in the limit.
    pub fitted: Vec<usize>,
    /// Rows that some neuron still sees although they are not fitted: their residuals balance each other.
    pub balanced: Vec<usize>,
    /// (neuron, row) pairs that are silent in the limit, with the confirmed reason or `undecided`.
    pub silent: Vec<SilentPair>,
    /// Neurons that are silent on every row.
    pub dead: Vec<DeadNeuron>,
    /// Pairs whose mask never settles although the state converges.
    pub ties: Vec<TiePair>,
    /// Duals, m lists of n (`null` where the run has none): `w_j = X' alpha_j` + the part outside the row space.
    #[serde(with = "finite::optional_table")]
    pub alpha: Option<Vec<Vec<f64>>>,
    /// Preactivations z, m lists of n.
    #[serde(with = "finite::table")]
    pub preactivations: Vec<Vec<f64>>,
    /// Masks, m lists of n, 0 or 1.
    pub masks: Vec<Vec<u8>>,
    /// Euclidean norm of all weights together.
    pub norm: Option<f64>,
    /// Norm of the part of the start outside the row space of X, which never moves.
    pub offset_norm: Option<f64>,
    /// Certified bound on the distance of the weights to the true limit (0: closed form).
    pub radius: Option<f64>,
    /// The factor by which residuals shrink per step (or the rate per unit of time) at the end.
    pub contraction: Option<f64>,
    /// Set when the run diverged.
    pub divergence: Option<DivergenceFacts>,
    /// Where gradient flow comes to rest from the state reached, when descent itself does not.
    pub stationary: Option<Stationary>,
}

/// The stationary state next to a run that keeps crossing 0 with a fixed step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stationary {
    /// Its loss, in the scaling of the answer.
    pub loss: Option<f64>,
    /// Distance of the weights reached to it.
    pub distance: Option<f64>,
    /// Pairs whose preactivation is 0 there, held by opposite pulls.
    pub held: Vec<TiePair>,
}

/// Why an example is silent for a neuron; each but `undecided` is confirmed by a run with one thing changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SilentReason {
    /// Silent at the start and never reached.
    DeadStart,
    /// A step threw its preactivation below 0; a smaller step would not.
    SilencedByStep,
    /// Its label is smaller than the pull of the other examples.
    LabelBelowInterference,
    /// Label and neuron have opposite signs: silent by right.
    OppositeSign,
    /// No neuron has the sign of its label.
    NoNeuronOfSign,
    /// Its mask never settles, with vanishing amplitude.
    Tie,
    /// No run confirmed a reason: the budget ended first, or none of the changes tried fits the row.
    Undecided,
}

/// A (neuron, row) pair that is silent in the limit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SilentPair {
    /// Row of the file.
    pub row: usize,
    /// Neuron, from 0; `null` when it holds for every neuron.
    pub neuron: Option<usize>,
    /// Step or time from which it is silent for good; 0 when it never was active.
    pub since: Option<f64>,
    /// Why.
    pub reason: SilentReason,
    /// What the run with one thing changed showed, in a sentence.
    pub evidence: Option<String>,
}

/// A neuron that is silent on every row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeadNeuron {
    /// Neuron, from 0.
    pub neuron: usize,
    /// Step or time from which it is silent on every row.
    pub since: Option<f64>,
    /// Why.
    pub reason: SilentReason,
    /// What shows it, in a sentence.
    pub evidence: Option<String>,
}

/// A pair whose mask never settles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TiePair {
    /// Neuron, from 0.
    pub neuron: usize,
    /// Row of the file.
    pub row: usize,
}

/// The growing direction of a run that diverged, in rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DivergenceFacts {
    /// Step times the largest eigenvalue on the final masks (above 2).
    pub step_times_eigenvalue: Option<f64>,
    /// The largest stable step on the final masks, for the named loss.
    pub stable_below: Option<f64>,
    /// Rows that carry the growing direction, largest weight first.
    pub rows: Vec<usize>,
}

/// One change of a mask.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventFact {
    /// Index of the first iterate with the new mask, or the flow time.
    pub at: f64,
    /// Neuron, from 0.
    pub neuron: usize,
    /// Row of the file.
    pub row: usize,
    /// `on`, `off` or `slide`.
    pub to: Move,
}

impl EventFact {
    /// The event with its example named by the row of the file.
    pub fn new(event: &Event, rows: &[usize]) -> Self {
        Self { at: event.at, neuron: event.neuron as usize, row: rows[event.example as usize], to: event.to }
    }
}

/// How many mask changes there were, and the first of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventFacts {
    /// All of them.
    pub count: u64,
    /// Step of the last one (0 if none; `null` for flow).
    pub last_step: Option<u64>,
    /// Time of the last one (0 if none; `null` for descent).
    pub last_time: Option<f64>,
    /// The first of them, in order.
    pub shown: Vec<EventFact>,
    /// Whether `shown` leaves some out.
    pub truncated: bool,
}

impl LimitFacts {
    /// Whether neuron `j` is silent on every row.
    pub fn is_dead(&self, j: usize) -> bool {
        self.dead.iter().any(|d| d.neuron == j)
    }
}
