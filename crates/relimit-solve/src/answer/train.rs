//! The answer of `relimit train`.

use serde::{Deserialize, Serialize};

use super::{DataFacts, FurtherTarget, PerTarget, PointGroup, ReaderSettings, TrainCells, TrainGroup, TrainRays};

/// A finite network after noisy gradient descent of both layers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainAnswer {
    /// [`TrainAnswer::SCHEMA`].
    pub schema: String,
    /// `train`.
    pub command: String,
    /// Every effective setting.
    pub settings: TrainSettings,
    /// What was read.
    pub data: DataFacts,
    /// How the run ended.
    pub status: TrainStatus,
    /// Why it diverged and what to do, or how small the gradient is, in a sentence.
    pub why: Option<String>,
    /// Steps done.
    pub steps: u64,
    /// Weight decay.
    pub lambda: f64,
    /// Weight decay from which on the optimum has no neuron, where it was needed.
    pub lambda_max: Option<f64>,
    /// Inverse temperature at the last step; `null` without noise.
    pub beta: Option<f64>,
    /// Named loss.
    pub loss: Option<f64>,
    /// Named loss + (lambda/2) of what is decayed.
    pub objective: Option<f64>,
    /// Outputs for the rows of the scaled data, n.
    pub outputs: Vec<PerTarget>,
    /// Targets after the first; `null` for one target.
    #[serde(default)]
    pub further_targets: Option<Vec<FurtherTarget>>,
    /// Mean of `|theta|^2` over neurons.
    pub second_moment: Option<f64>,
    /// `beta E theta . grad Psi / P`: 1 in the mean under the stationary law.
    pub virial: Option<f64>,
    /// Groups of directions within the angle that carry at least 1 % of the coefficient each.
    pub effective_width: Option<usize>,
    /// Share of the coefficient in these groups.
    pub covered: Option<f64>,
    /// Hash of the bits of the final parameters, 16 hexadecimal digits.
    pub fingerprint: String,
    /// These groups at the end, largest first; empty for several outputs.
    #[serde(default)]
    pub groups: Vec<TrainGroup>,
    /// The run beside the optimum; `null` where that was not asked for or is not comparable, and in a run
    /// that was cut.
    pub rays: Option<TrainRays>,
    /// Where the coefficient is, by cells of inputs; several targets.
    #[serde(default)]
    pub cells: Option<TrainCells>,
    /// The run on a geometric grid of steps.
    pub record: Vec<TrainPoint>,
    /// End levels over several starts.
    pub census: Option<Census>,
}

impl TrainAnswer {
    /// Name and version of the JSON layout.
    pub const SCHEMA: &'static str = "relimit/train/1";
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TrainStatus {
    /// All steps are done.
    Completed,
    /// The gradient is within the tolerance.
    Converged,
    /// A number left its range.
    Diverged,
    /// The wall-clock budget ended the run.
    Budget,
    /// Ctrl-C ended the run.
    Interrupted,
}

/// The state after some steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainPoint {
    /// Steps done.
    pub step: u64,
    /// Named loss.
    pub loss: f64,
    /// Named loss + (lambda/2) of what is decayed.
    pub objective: f64,
    /// Mean of `|theta|^2` over neurons.
    pub second_moment: f64,
    /// `beta E theta . grad Psi / P`.
    pub virial: Option<f64>,
    /// Groups of directions.
    pub effective_width: Option<usize>,
    /// Share of the coefficient in them.
    pub covered: Option<f64>,
    /// Share in groups whose centre is within 10 degrees of a ray of the optimum of their sign; `null` without rays.
    pub on_rays: Option<f64>,
    /// The groups.
    #[serde(default)]
    pub groups: Vec<PointGroup>,
    /// With two inputs of a neuron (the bias included): degrees and signed coefficient of the arcs of 5 degrees of the
    /// circle of directions that hold at least 0.2 % of it, positive ones first.
    #[serde(default)]
    pub arcs: Vec<[f64; 2]>,
}

/// End levels over several starts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Census {
    /// Starts that were run.
    pub starts: u64,
    /// Levels, lowest objective first; objectives within 1e-3 of the largest are one level.
    pub levels: Vec<Level>,
    /// Runs that diverged.
    pub diverged: u64,
    /// Runs that had an end: those in the levels.
    pub ended: u64,
    /// Proved lower bound of the objective over all networks of any width; `null` for the smooth unit.
    pub lower_bound: Option<f64>,
    /// Neurons that are silent on every row at the start.
    pub dead_start: DeadStart,
}

/// Dead neurons at the start: the chance and the count.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeadStart {
    /// Chance that a neuron is dead, in closed form; `null` above three inputs.
    pub neuron: Option<f64>,
    /// Chance that all are: its N-th power.
    pub network: Option<f64>,
    /// Share of dead neurons over the starts of the runs that ended.
    pub counted: Option<f64>,
    /// Such runs that started with all neurons dead.
    pub networks: u64,
}

/// A property of the active sets at the end of a run. A neuron is alive when it is active on some row and has an output
/// weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trait {
    /// No neuron is alive: f is the offset on every row.
    NoneAlive,
    /// Some row is seen by no neuron.
    UnseenRow,
    /// Every living neuron, if any, is active on all rows: kinks are outside the data, and f is affine on them.
    NoKink,
    /// All living neurons are active on the same rows.
    OneActiveSet,
    /// One neuron is alive.
    OneAlive,
    /// Several living neurons whose output weights have one sign.
    OneSign,
}

impl Trait {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::NoneAlive, Self::UnseenRow, Self::NoKink, Self::OneActiveSet, Self::OneAlive, Self::OneSign];
}

/// How many runs have a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraitFact {
    /// Which.
    pub name: Trait,
    /// Runs of this level.
    pub runs: u64,
    /// Runs of the lowest level.
    pub lowest: u64,
}

/// One level.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Level {
    /// Mean objective.
    pub objective: f64,
    /// Mean named loss.
    pub loss: f64,
    /// Distance of the mean objective to the lower bound: at most so far from the best possible.
    pub gap: Option<f64>,
    /// Runs that ended here.
    pub runs: u64,
    /// Their share of all.
    pub share: f64,
    /// 95 % interval of the share (Wilson).
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// Median number of neurons that are active on some row.
    pub alive: usize,
    /// Mean number of neurons that were dead at the start.
    pub dead_at_start: f64,
    /// Properties that at least half of the runs have.
    pub traits: Vec<TraitFact>,
    /// Seed of one of them: `--seed`, to look at it alone.
    pub seed: u64,
}

/// Effective settings of `train`; keys are the flags with `_` for `-`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrainSettings {
    /// Where the data came from and what was done to them.
    #[serde(flatten)]
    pub reader: ReaderSettings,
    /// `none`, `penalised` or `free`.
    pub bias: String,
    /// `none`, `penalised` or `free`.
    pub offset: String,
    /// `half-sum`, `half-mean` or `mean`.
    pub loss: String,
    /// Neurons.
    pub width: usize,
    /// `mean-field` or `standard`.
    pub scaling: String,
    /// `relu` or `smooth:CAP,SHARPNESS`.
    pub unit: String,
    /// `both` or `inner`.
    pub layers: String,
    /// Weight decay as asked for.
    pub lambda: String,
    /// Inverse temperature at step 0; `null` without noise.
    pub beta: Option<f64>,
    /// Inverse temperature at the last step, if it changes.
    pub anneal: Option<f64>,
    /// Step.
    pub step: f64,
    /// Step number at which half of it is left.
    pub halve_at: Option<u64>,
    /// Steps.
    pub steps: u64,
    /// `full`, `K` or `K:shuffled`.
    pub batch: String,
    /// Start.
    pub start: String,
    /// Starts of the census.
    pub starts: Option<u64>,
    /// Whether the optimum's rays are looked for whatever the size of the data.
    #[serde(default)]
    pub rays: bool,
    /// `f64` or `f32`.
    pub precision: String,
    /// Gradient that counts as converged.
    pub tolerance: f64,
    /// Seed.
    pub seed: u64,
    /// Time budget in seconds.
    pub budget: Option<f64>,
}
