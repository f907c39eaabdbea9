//! What was read, and its effective dimensions.

use relimit_core::data::Dataset;
use serde::{Deserialize, Serialize};

/// An estimate with an interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Estimate.
    pub value: Option<f64>,
    /// Lower end.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
}

/// The data after selection, scaling and bias, and the scales of their Gram matrix G.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DataFacts {
    /// Short name: the file name without its folder, or the generator.
    pub name: String,
    /// Examples.
    pub n: usize,
    /// Features, without bias.
    pub d: usize,
    /// Inputs of a neuron: d, plus 1 with a bias.
    pub dim: usize,
    /// Rank of X, bias column included.
    pub rank: Option<usize>,
    /// `tr(G)/n`, unless given.
    pub tau: Option<f64>,
    /// `tr(G)^2 / tr(G^2)` of the sample: at most n.
    pub d2: Option<f64>,
    /// `tr(G) / mu_max(G)` of the sample: at most n.
    pub d_inf: Option<f64>,
    /// `tau^2 / mean over i != k of (x_i . x_k)^2`, with a jackknife interval.
    pub d2_population: Option<Interval>,
    /// Exact `(sum lambda)^2 / sum lambda^2` of the generator's covariance (generated data alone).
    pub d2_exact: Option<f64>,
    /// Row of the file of each example, n: column i of `limit.alpha` belongs to `rows[i]`.
    pub rows: Vec<usize>,
    /// Label of each example, n, after target scaling.
    pub labels: Vec<f64>,
    /// What was dropped, converted or noticed while reading, one sentence each.
    pub notices: Vec<String>,
}

impl DataFacts {
    /// What was read, without the scales of the Gram matrix.
    pub(crate) fn plain(name: &str, data: &Dataset, dim: usize, notices: &[String]) -> Self {
        Self {
            name: name.to_owned(),
            n: data.n(),
            d: data.d(),
            dim,
            rank: None,
            tau: None,
            d2: None,
            d_inf: None,
            d2_population: None,
            d2_exact: None,
            rows: data.rows.clone(),
            labels: data.y.clone(),
            notices: notices.to_vec(),
        }
    }
}
