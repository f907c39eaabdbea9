//! The answer of `relimit certify`.

use relimit_core::certify::Claim;
use relimit_core::collapse::Kind;
use serde::{Deserialize, Serialize};

use super::{DataFacts, Ended, NetworkFacts, ReaderSettings};

/// How far a given network is from the best possible, and what blocks it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CertifyAnswer {
    /// [`CertifyAnswer::SCHEMA`].
    pub schema: String,
    /// `certify`.
    pub command: String,
    /// Every effective setting.
    pub settings: CertifySettings,
    /// The data.
    pub data: DataFacts,
    /// The network.
    pub network: NetworkFacts,
    /// Its neurons.
    pub width: usize,
    /// The verdict in words.
    pub verdict: String,
    /// The verdict in one word.
    pub judgement: Judgement,
    /// Standing of the gap.
    pub status: Claim,
    /// How the work ended.
    pub ended: Ended,
    /// Upper bound of the network's objective, its weights as given.
    pub objective: f64,
    /// The same once every neuron is balanced: the function's own objective.
    pub objective_balanced: f64,
    /// Its named loss.
    pub loss: f64,
    /// Lower bound of the objective over all networks of all widths.
    pub lower_bound: f64,
    /// `objective - lower_bound`.
    pub gap: f64,
    /// The gap as a share: of the objective; without weight decay of the loss of the best constant.
    pub gap_relative: Option<f64>,
    /// The smallest objective known to be attained (or, without weight decay, approached), this network's included.
    pub best_known: f64,
    /// Weight decay.
    pub lambda: f64,
    /// How far descent is from standing still.
    pub stationarity: StationaryFact,
    /// Neurons that are active on no row.
    pub dead_neurons: Vec<usize>,
    /// Neurons that are active on every row.
    pub always_on_neurons: Vec<usize>,
    /// Neurons with a kind of their own (duplicates, opposites, constants, without output weight), on all inputs.
    pub neurons: Vec<CertifyNeuron>,
    /// Rows of the file that no neuron sees.
    pub dead_examples: Vec<usize>,
    /// The level that the network stands at, where it has a name.
    pub level: Option<LevelName>,
    /// Whether it stands there by its kind of function alone: weight decay shrinks it to another loss.
    pub level_shrunk: bool,
    /// Levels of these data, in the named loss without penalty.
    pub levels: Vec<LevelFact>,
    /// Without weight decay: what no network can fit, and the width that can fit the rest.
    pub floor: Option<FloorFact>,
    /// What the library's decay means here, one sentence each.
    pub translation: Vec<String>,
    /// Nodes bounded by the sign trees.
    pub nodes: u64,
}

impl CertifyAnswer {
    /// Name and version of the JSON layout.
    pub const SCHEMA: &'static str = "relimit/certify/1";
}

/// The verdict in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Judgement {
    /// Descent still moves it: the residual is above 1e-6 of its scale.
    StoppedEarly,
    /// Stationary, and a better network is known by more than 1 %.
    Stuck,
    /// Stationary, and neither is proved: the bound leaves more than 1 %, and no better network is known.
    Open,
    /// Stationary, and proved to be within 1 % of the best possible.
    Best,
}

/// How far descent is from standing still.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StationaryFact {
    /// Norm of the shortest element of the subdifferential, all parameters together.
    pub residual: f64,
    /// Its scale: the same sums without cancellation.
    pub scale: f64,
    /// `residual / scale`.
    pub relative: f64,
    /// Pairs of neuron and row on a kink.
    pub kinks: usize,
    /// Whether descent can still move the network: `relative` above 1e-6.
    pub moves: bool,
}

/// A neuron that is not plain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CertifyNeuron {
    /// Its number, from 0.
    pub neuron: usize,
    /// What it is.
    #[serde(flatten)]
    pub kind: Kind,
}

/// What a level is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LevelName {
    /// Output 0 everywhere: half the mean square of the labels, or as the loss is scaled.
    Zero,
    /// The best constant: the variance of the labels.
    Constant,
    /// The best affine fit (linear, where there is no bias).
    Affine,
    /// The best fit that the rows on which each neuron is active allow.
    ActiveSets,
}

impl LevelName {
    /// The level in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Zero => "output 0",
            Self::Constant => "a constant output",
            Self::Affine => "the best affine fit",
            Self::ActiveSets => "the best fit with the neurons' active rows as they are",
        }
    }
}

/// A level of the data.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LevelFact {
    /// Its name.
    pub name: LevelName,
    /// Its loss, in the named scaling.
    pub loss: f64,
}

/// What no network can fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FloorFact {
    /// Lower bound of the loss of every network.
    pub loss: f64,
    /// Groups of rows of the file with equal inputs and different labels.
    pub conflicts: Vec<Vec<usize>>,
    /// Fewest kinks of a function that reaches the floor with the least change of slope (one feature).
    pub kinks: Option<usize>,
    /// A width that certainly reaches it.
    pub width: Option<usize>,
}

/// Effective settings of `certify`; keys are the flags with `_` for `-`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CertifySettings {
    /// Network file as given.
    pub net: String,
    /// Where the data came from and what was done to them.
    #[serde(flatten)]
    pub reader: ReaderSettings,
    /// `raw` or `scaled`: the numbers that the network takes and gives.
    pub takes: String,
    /// `none`, `penalised` or `free`.
    pub bias: String,
    /// `none`, `penalised` or `free`.
    pub offset: String,
    /// `half-sum`, `half-mean` or `mean`.
    pub loss: String,
    /// Weight decay as asked for: a number or a share of lambda_max; the library's number with a convention.
    pub lambda: String,
    /// `pytorch`, `sklearn` or `keras`.
    pub convention: Option<String>,
    /// Rows of a batch as given.
    pub batch: Option<String>,
    /// Relative gap below which a claim is `certified`.
    pub gap: f64,
    /// Nodes that the sign trees may bound.
    pub max_nodes: u64,
    /// Seed of local search.
    pub seed: u64,
    /// Threads used.
    pub threads: u64,
    /// Time budget in seconds.
    pub budget: Option<f64>,
}
