//! Every effective setting of a run, named as its flag.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::ReaderSettings;

/// Effective settings of `limit`, defaults filled in; keys are the flags with `_` for `-`.
///
/// The same run is had again by giving each of them on the command line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Where the data came from and what was done to them.
    #[serde(flatten)]
    pub reader: ReaderSettings,
    /// `none`, `penalised` or `free`.
    pub bias: String,
    /// `half-sum`, `half-mean` or `mean`.
    pub loss: String,
    /// `descent` or `flow`.
    pub dynamics: String,
    /// One `+` or `-` a neuron.
    pub signs: String,
    /// `orthant:EPS`, `disjoint:DELTA`, `gaussian:SCALE`, `zero` or the file name.
    pub start: String,
    /// relu'(0): 0 or 1.
    pub relu_at_zero: u8,
    /// ETA: the literal step for the named loss (`null` for flow).
    pub step: Option<f64>,
    /// C: the same step as 1/(C tau) for the half-sum loss (`null` for flow).
    pub step_constant: Option<f64>,
    /// Steps below this one are stable while every neuron is active on every example: 2/mu_max for the named loss.
    pub stable_step: Option<f64>,
    /// Random seed, where one is used.
    pub seed: Option<u64>,
    /// Number of random starts (`--starts K`).
    pub starts: Option<u64>,
    /// Relative gap below which a claim is `certified`.
    pub gap: f64,
    /// Search nodes that the minimum-norm problem may use.
    pub max_nodes: Option<u64>,
    /// Largest step number or event count that the run may reach.
    pub max_steps: Option<u64>,
    /// Time budget in seconds.
    pub budget: Option<f64>,
    /// Threads used.
    pub threads: Option<u64>,
    /// Steps of the plain reference (`--compare-steps K`).
    pub compare_steps: Option<u64>,
    /// For each setting above that deserves it, where its value comes from: `default`, `flag`, or a rule in words
    /// ("default: 1/mu_max of sum_j c_j^2 G").
    pub sources: BTreeMap<String, String>,
}
