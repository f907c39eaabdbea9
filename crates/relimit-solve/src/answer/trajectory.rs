//! Preactivations along a run, as figures need them.

use relimit_core::num::Mat;
use serde::{Deserialize, Serialize};

use super::{EventFact, finite};

/// What the instants of a trajectory count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Clock {
    /// Steps of gradient descent.
    Step,
    /// Gradient-flow time of the named loss.
    Time,
}

/// Preactivations of every (neuron, example) pair at chosen instants, and all mask changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trajectory {
    /// Steps or time.
    pub clock: Clock,
    /// Instants, increasing; the first is the start.
    #[serde(with = "finite::list")]
    pub at: Vec<f64>,
    /// One m x n matrix an instant.
    pub z: Vec<Mat>,
    /// Row of the file of each example, n.
    pub rows: Vec<usize>,
    /// Label of each example, n.
    pub labels: Vec<f64>,
    /// Output weight of each neuron, m.
    pub c: Vec<f64>,
    /// Mask changes in order; all of them, figures thin them.
    pub events: Vec<EventFact>,
}

impl Trajectory {
    /// Number of neurons.
    pub fn neurons(&self) -> usize {
        self.c.len()
    }

    /// Number of examples.
    pub fn examples(&self) -> usize {
        self.rows.len()
    }

    /// Panics unless instants, matrices, rows, labels and output weights fit together.
    pub fn check(&self) {
        assert_eq!(self.at.len(), self.z.len(), "{} instants and {} matrices", self.at.len(), self.z.len());
        assert_eq!(self.rows.len(), self.labels.len(), "{} rows and {} labels", self.rows.len(), self.labels.len());
        for z in &self.z {
            let (m, n) = (self.neurons(), self.examples());
            assert_eq!((z.rows(), z.cols()), (m, n), "{}x{} preactivations for {m}x{n} pairs", z.rows(), z.cols());
        }
    }
}
