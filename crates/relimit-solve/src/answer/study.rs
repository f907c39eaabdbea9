//! The answer of `relimit study`: everything that the engines say about one data set.

use relimit_core::certify::OneStep;
use relimit_core::net::Network;
use relimit_core::num::Mat;
use relimit_core::theory::Finding;
use serde::{Deserialize, Serialize};

use super::{FurtherTarget, GibbsAnswer, LimitAnswer, OptimumAnswer, PatternsAnswer, ReaderSettings, Trajectory};

/// Patterns, limits, optima and laws of one data set, with what was chosen and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StudyAnswer {
    /// [`StudyAnswer::SCHEMA`].
    pub schema: String,
    /// `study`.
    pub command: String,
    /// Every effective setting.
    pub settings: StudySettings,
    /// What was chosen without being asked, each with its reason.
    pub choices: Vec<Choice>,
    /// What was read.
    pub data: StudyData,
    /// How far each section came, in order.
    pub sections: Vec<SectionFact>,
    /// Activation patterns.
    pub patterns: Option<PatternsAnswer>,
    /// Limit of gradient descent.
    pub limit: Option<Followed>,
    /// Limit of gradient flow.
    pub flow: Option<Followed>,
    /// Global optima along decreasing lambda.
    pub optimum: Vec<Fitted>,
    /// Stationary laws.
    pub law: Option<GibbsAnswer>,
    /// The theorem ledger.
    pub ledger: Vec<Finding>,
}

impl StudyAnswer {
    /// Name and version of the JSON layout.
    pub const SCHEMA: &'static str = "relimit/study/1";
}

/// Effective settings of `study`; keys are the flags with `_` for `-`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StudySettings {
    /// Where the data came from and what was done to them.
    #[serde(flatten)]
    pub reader: ReaderSettings,
    /// `none` or `penalised`.
    pub bias: String,
    /// Weight decays of the optima, as asked for.
    pub lambda: Vec<String>,
    /// Inverse temperatures, `null` where they follow from the optimum.
    pub beta: Option<Vec<f64>>,
    /// Output weights of the network that descent trains.
    pub signs: String,
    /// Seed of whatever is random.
    pub seed: u64,
    /// Time budget in seconds.
    pub budget: f64,
}

/// A setting that was chosen without being asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// The flag that overrides it, as `--scale`.
    pub flag: String,
    /// The value chosen.
    pub value: String,
    /// Why, with its numbers.
    pub reason: String,
}

/// What was read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StudyData {
    /// Short name: the file name without its folder, or the generator.
    pub name: String,
    /// Examples.
    pub n: usize,
    /// Features.
    pub d: usize,
    /// Feature names.
    pub features: Vec<String>,
    /// Label name.
    pub target: String,
    /// Row of the file of each example, n.
    pub rows: Vec<usize>,
    /// Features as read, n lists of d, for one or two features: what the pictures show.
    pub points: Option<Vec<Vec<f64>>>,
    /// Labels as read, n.
    pub labels: Vec<f64>,
    /// Targets after the first with their labels as read; `null` for one target.
    #[serde(default)]
    pub further_targets: Option<Vec<FurtherTarget>>,
    /// What was dropped, converted or noticed while reading, one sentence each.
    pub notices: Vec<String>,
}

/// The sections of a study, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Section {
    /// Activation patterns.
    Patterns,
    /// Limit of gradient descent.
    Limit,
    /// Limit of gradient flow.
    Flow,
    /// Global optima.
    Optimum,
    /// Stationary laws.
    Law,
}

impl Section {
    /// All of them, in order.
    pub const ALL: [Self; 5] = [Self::Patterns, Self::Limit, Self::Flow, Self::Optimum, Self::Law];

    /// The word in JSON and file names.
    pub fn name(self) -> &'static str {
        match self {
            Self::Patterns => "patterns",
            Self::Limit => "limit",
            Self::Flow => "flow",
            Self::Optimum => "optimum",
            Self::Law => "law",
        }
    }
}

/// How far a section came.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SectionFact {
    /// Which.
    pub section: Section,
    /// How far.
    pub status: SectionStatus,
    /// Why it is partial or skipped, in a sentence.
    pub why: Option<String>,
}

/// How far a section came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SectionStatus {
    /// To its end.
    Done,
    /// Cut by its share of the budget or Ctrl-C; what was reached is there.
    Partial,
    /// Not there.
    Skipped,
}

impl SectionStatus {
    /// The word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Partial => "partial",
            Self::Skipped => "skipped",
        }
    }
}

/// A run to its limit, and its preactivations for a picture where they are few enough.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Followed {
    /// The answer of `limit`.
    pub answer: LimitAnswer,
    /// Preactivations along the run.
    pub trajectory: Option<Trajectory>,
    /// What the theorem ledger asks of the run besides.
    pub state: RunState,
}

/// Where a run began, and what is proved of its first step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunState {
    /// Output weights, m.
    pub c: Vec<f64>,
    /// Preactivations of the start, m x n.
    pub start: Mat,
    /// Half-sum step; none for the flow.
    pub step: Option<f64>,
    /// The one-step certificate.
    pub one_step: OneStep,
    /// Distance of the weights reached to the start, where it is known.
    pub distance: Option<f64>,
}

/// An optimum and its network for raw inputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fitted {
    /// The answer of `optimum`.
    pub answer: OptimumAnswer,
    /// The network.
    pub network: Network,
}

/// What one section found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// Activation patterns.
    Patterns(Box<PatternsAnswer>),
    /// Limit of gradient descent.
    Limit(Box<Followed>),
    /// Limit of gradient flow.
    Flow(Box<Followed>),
    /// Global optima.
    Optimum(Vec<Fitted>),
    /// Stationary laws.
    Law(Box<GibbsAnswer>),
}
