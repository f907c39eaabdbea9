//! The answer of `relimit limit`.

use relimit_core::descent::Status;
use serde::{Deserialize, Serialize};

use super::{Certificates, DataFacts, EventFacts, Gap, Hypotheses, LimitFacts, MinNorm, Settings};

/// Where training ends, how far that is from the minimum norm, and whether the theory applies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LimitAnswer {
    /// [`LimitAnswer::SCHEMA`].
    pub schema: String,
    /// `limit`.
    pub command: String,
    /// Every effective setting.
    pub settings: Settings,
    /// What was read.
    pub data: DataFacts,
    /// The end state.
    pub limit: LimitFacts,
    /// Mask changes.
    pub events: EventFacts,
    /// The minimum-norm network.
    pub min_norm: MinNorm,
    /// Distance between the two.
    pub gap: Gap,
    /// Certificates of the run.
    pub certificates: Certificates,
    /// Whether the theory applies.
    pub hypotheses: Hypotheses,
    /// Shares of end states over random starts (`--starts K`), largest first.
    pub starts: Option<Vec<StartShare>>,
    /// Distance to the plain reference (`--compare-steps K`).
    pub compare_steps: Option<CompareSteps>,
}

impl LimitAnswer {
    /// Name and version of the JSON layout.
    pub const SCHEMA: &'static str = "relimit/limit/1";
}

/// One end state that random starts reach, and how often.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StartShare {
    /// How these runs ended.
    pub status: Status,
    /// Their loss, in the scaling of the answer.
    pub loss: Option<f64>,
    /// How many ended here.
    pub count: u64,
    /// Share of all starts.
    pub share: f64,
    /// Lower end of the 95 % interval of the share.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// The exact engine against K plain steps.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompareSteps {
    /// Plain steps taken.
    pub steps: u64,
    /// Distance of the weights after them, relative to their norm.
    pub distance: Option<f64>,
}
