//! The answer of `relimit collapse`.

use relimit_core::certify::Claim;
use relimit_core::collapse::{Counted, Kind, Patterns, Pieces};
use relimit_core::net::InputBox;
use serde::{Deserialize, Serialize};

use super::Ended;

/// How narrow an equal network can be, which neurons can go, and how far the narrow network is from the given one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CollapseAnswer {
    /// [`CollapseAnswer::SCHEMA`].
    pub schema: String,
    /// `collapse`.
    pub command: String,
    /// Every effective setting.
    pub settings: CollapseSettings,
    /// What was read.
    pub network: NetworkFacts,
    /// Neurons of the given network.
    pub width: usize,
    /// Neurons of the narrow network.
    pub effective_width: usize,
    /// What is known about the narrowest equal network.
    pub narrowest: Narrowest,
    /// Where the two networks are compared: `everywhere`, on a `box`, or on the `rows` of the data.
    pub on: String,
    /// The box, where there is one.
    pub r#box: Option<InputBox>,
    /// Standing of `max_difference`: `certified`, or `undecided` where a number leaves double precision.
    pub status: Claim,
    /// `finished`, or `interrupted`: the difference is proved as ever, but narrower networks may have been missed.
    pub ended: Ended,
    /// Whether the two are the same function there, proved in exact arithmetic.
    pub identical: bool,
    /// Bound of the difference of any output: on the box or the rows; everywhere, for inputs within [-1, 1].
    pub max_difference: Option<f64>,
    /// Everywhere: the difference is at most `constant + slope max_k |x_k|`.
    pub difference: Option<Growth>,
    /// Each neuron of the given network.
    pub neurons: Vec<NeuronRole>,
    /// Groups of neurons that were merged within the tolerance.
    pub merged: Vec<Vec<usize>>,
    /// Distinct ternary patterns of the narrow network's neurons on the data.
    pub patterns: Option<usize>,
    /// More about them.
    pub pattern_facts: Option<Patterns>,
    /// Regions of all of input space in which the same neurons of the narrow network are active.
    pub regions: Counted,
    /// `2P - 1` for the data, P the number of activation patterns that a neuron with bias can have on them.
    pub ray_bound: Option<Counted>,
    /// The broken line, for one input and one output.
    pub line: Option<Pieces>,
    /// What was noticed while reading, one sentence each.
    pub notices: Vec<String>,
}

impl CollapseAnswer {
    /// Name and version of the JSON layout.
    pub const SCHEMA: &'static str = "relimit/collapse/1";
}

/// Effective settings of `collapse`; keys are the flags.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CollapseSettings {
    /// Network file as given.
    pub net: String,
    /// Data file as given.
    pub data: Option<String>,
    /// `--columns` as given.
    pub columns: Option<String>,
    /// `--drop` as given.
    pub drop: Option<String>,
    /// `--rows` as given.
    pub rows: Option<String>,
    /// `error` or `drop`.
    pub missing: String,
    /// `everywhere`, `data` (its range), `rows` (of the data), or `--box` as given.
    pub r#box: String,
    /// `--tolerance`.
    pub tolerance: f64,
}

/// The network that was read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NetworkFacts {
    /// File name without its folder.
    pub name: String,
    /// Inputs.
    pub inputs: usize,
    /// Outputs.
    pub outputs: usize,
}

/// Bounds of the narrowest width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Narrowest {
    /// Hyperplanes on which the function bends.
    pub kinks: usize,
    /// Distinct rays whose output weights do not cancel.
    pub rays: usize,
    /// No equal network is narrower.
    pub lower: usize,
    /// The one found.
    pub upper: usize,
    /// Whether the two agree.
    pub exact: bool,
}

/// `constant + slope max_k |x_k|`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Growth {
    /// At x = 0.
    pub constant: f64,
    /// For each unit of the largest input.
    pub slope: f64,
}

/// One neuron of the given network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NeuronRole {
    /// Its number, from 0.
    pub neuron: usize,
    /// What it is, and of which neuron it is a duplicate or an opposite.
    #[serde(flatten)]
    pub kind: Kind,
}
