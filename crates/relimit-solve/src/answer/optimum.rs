//! The answer of `relimit optimum`.

use relimit_core::certify::Claim;
use relimit_core::num::mat::norm2;
use serde::{Deserialize, Serialize};

use super::{DataFacts, LimitRay, ReaderSettings};
use crate::optimum::TracePoint;

/// The global minimum of the regularised loss, how sure it is, and the network that attains it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OptimumAnswer {
    /// [`OptimumAnswer::SCHEMA`].
    pub schema: String,
    /// `optimum`.
    pub command: String,
    /// Every effective setting.
    pub settings: OptimumSettings,
    /// What was read.
    pub data: DataFacts,
    /// How sure the objective is.
    pub status: Claim,
    /// How the work ended.
    pub ended: Ended,
    /// Upper bound of the objective of the network found, in the named loss.
    pub objective: f64,
    /// Lower bound of the objective over all networks of all widths.
    pub dual: f64,
    /// `objective - dual`.
    pub gap: f64,
    /// The gap as a share of the objective.
    pub gap_relative: f64,
    /// Named loss of the network.
    pub loss: f64,
    /// `sum_j |c_j|` for unit directions.
    pub norm: f64,
    /// Weight decay.
    pub lambda: f64,
    /// Weight decay from which on the optimum has no neuron.
    pub lambda_max: f64,
    /// Proved: lambda_max is at most this.
    pub lambda_max_upper: Option<f64>,
    /// How sure lambda_max is.
    pub lambda_max_status: Claim,
    /// Neurons of the optimum.
    pub width: usize,
    /// No optimum whose neurons have distinct patterns needs more: 2(P - 1), P from the data where it is known.
    pub width_bound: Option<u64>,
    /// Whether `width_bound` counts the patterns of these data exactly, or bounds them by n and D alone.
    pub width_bound_exact: bool,
    /// The neurons, largest |c| first, on the scaled data: |(w, b)| = 1, or |w| = 1 with a free bias.
    pub neurons: Vec<NeuronFact>,
    /// Output bias.
    pub offset: PerTarget,
    /// Outputs for the rows of the scaled data, n.
    pub outputs: Vec<PerTarget>,
    /// Names of the targets after the first, and their labels on the scaled data (several targets).
    #[serde(default)]
    pub further_targets: Option<Vec<FurtherTarget>>,
    /// Cells of the network: what its neurons add up to (several targets).
    #[serde(default)]
    pub cells: Option<Vec<CellFact>>,
    /// Why `kinks` and a count of rays are absent (several targets).
    #[serde(default)]
    pub kinks_why: Option<String>,
    /// Places of the kinks in the units of the file, increasing (one feature).
    pub kinks: Option<Vec<f64>>,
    /// Slopes around each kink in the units of the file (one feature).
    pub slopes: Option<Vec<KinkFact>>,
    /// What an exact fit needs (one feature, equal inputs with equal labels), in the units of the file.
    pub exact_fit: Option<ExactFitFact>,
    /// Whether no other network attains the optimum; `null` where this is not known.
    pub unique: Option<bool>,
    /// Why, in a sentence.
    pub unique_why: Option<String>,
    /// The network that vanishing noise selects where several attain the optimum and a rule is known.
    #[serde(default)]
    pub selected: Option<SelectedFact>,
    /// Directions of contact, |q| = lambda.
    pub contact: Option<usize>,
    /// Nodes bounded by the sign trees.
    pub nodes: u64,
    /// Directions that local search had missed and a sign tree found.
    pub returns: u32,
    /// The path of decreasing lambda.
    pub path: Option<Vec<PathPoint>>,
    /// How the interval of the objective narrowed, if asked for.
    pub trace: Option<Vec<TracePoint>>,
}

impl OptimumAnswer {
    /// Name and version of the JSON layout.
    pub const SCHEMA: &'static str = "relimit/optimum/1";
}

/// How the work ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ended {
    /// By itself.
    Finished,
    /// The limit of nodes.
    Nodes,
    /// The wall-clock budget.
    Budget,
    /// Ctrl-C.
    Interrupted,
}

/// A neuron `c relu(w . x + b)`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NeuronFact {
    /// Input weights, d.
    pub w: Vec<f64>,
    /// Bias.
    pub b: f64,
    /// Coefficient; one for each target.
    pub c: PerTarget,
    /// Sign of w . x + b for every row, n: 1, 0 or -1.
    pub pattern: Vec<i8>,
}

/// A number for one target, a list for several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PerTarget {
    /// One target.
    One(f64),
    /// Several, in the order of the flags.
    Several(Vec<f64>),
}

impl PerTarget {
    /// The number, or the length of the list.
    pub fn size(&self) -> f64 {
        match self {
            Self::One(v) => *v,
            Self::Several(all) => norm2(all),
        }
    }
}

/// A target after the first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FurtherTarget {
    /// Name.
    pub name: String,
    /// Label of each example on the scaled data, n.
    pub labels: Vec<f64>,
}

/// Neurons of one closed cell of inputs: on it they are one linear map, and its rank is what is determined.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellFact {
    /// Positions in `neurons`.
    pub neurons: Vec<usize>,
    /// Rank of the map `sum_j c_j u_j'`.
    pub rank: usize,
    /// Its singular values, decreasing.
    pub singular_values: Vec<f64>,
    /// Sign for every row, n: 1, -1, or 0 where all its neurons have 0.
    pub pattern: Vec<i8>,
}

/// One of several optimal networks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SelectedFact {
    /// What selects: `cube root` or `logarithm`.
    pub rule: String,
    /// Every direction of contact with its coefficient, on the scaled data.
    pub rays: Vec<LimitRay>,
}

/// A kink and the slopes around it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct KinkFact {
    /// Where.
    pub at: f64,
    /// Slope to the left.
    pub left: f64,
    /// Slope to the right.
    pub right: f64,
}

/// What an exact fit needs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExactFitFact {
    /// Fewest kinks among the exact fits of least total slope change.
    pub fewest_kinks: usize,
    /// Least total slope change.
    pub slope_change: f64,
}

/// One lambda of the path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PathPoint {
    /// Weight decay.
    pub lambda: f64,
    /// Objective.
    pub objective: f64,
    /// Absolute gap.
    pub gap: f64,
    /// How sure it is.
    pub status: Claim,
    /// Named loss of the network.
    pub loss: f64,
    /// `sum_j |c_j|`.
    pub norm: f64,
    /// Neurons.
    pub width: usize,
    /// Sum of the ranks of the cells (several targets).
    #[serde(default)]
    pub rank: Option<usize>,
    /// Patterns (with the sign of c) that were not there at the lambda before.
    pub entered: usize,
    /// Patterns that were there at the lambda before.
    pub left: usize,
    /// Places of the kinks, in the units of the file (one feature).
    pub kinks: Option<Vec<f64>>,
}

/// Effective settings of `optimum`; keys are the flags with `_` for `-`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OptimumSettings {
    /// Where the data came from and what was done to them.
    #[serde(flatten)]
    pub reader: ReaderSettings,
    /// Name of the column of sample weights.
    #[serde(default)]
    pub weight: Option<String>,
    /// `none`, `penalised` or `free`.
    pub bias: String,
    /// `none`, `penalised` or `free`.
    pub offset: String,
    /// `half-sum`, `half-mean` or `mean`.
    pub loss: String,
    /// Weight decay as asked for: a number or a share of lambda_max.
    pub lambda: String,
    /// Whether the path was asked for.
    pub path: bool,
    /// Whether the trace was asked for.
    #[serde(default)]
    pub trace: bool,
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
