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

    /// The same run with fewer instants (at most about `numbers` preactivations) and at most `events` mask changes, both
    /// evenly spread, ends included: what a picture of ordinary size can show.
    pub fn thinned(self, numbers: usize, events: usize) -> Self {
        let pairs = (self.neurons() * self.examples()).max(1);
        let instants = spread(self.at.len(), (numbers / pairs).max(2));
        Self {
            at: instants.iter().map(|k| self.at[*k]).collect(),
            z: instants.iter().map(|k| self.z[*k].clone()).collect(),
            events: spread(self.events.len(), events.max(2)).iter().map(|k| self.events[*k]).collect(),
            ..self
        }
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

/// `most` indices of `0..len`, evenly spread, ends included.
pub fn spread(len: usize, most: usize) -> Vec<usize> {
    if len <= most { (0..len).collect() } else { (0..most).map(|k| k * (len - 1) / (most - 1).max(1)).collect() }
}

/// Steps at which to look at a run of `last` steps: all of them when there are at most `most`, else 0 and whole
/// numbers that grow geometrically up to `last` (at most `most` in all), as a logarithmic axis shows them.
pub fn instants(last: u64, most: usize) -> Vec<u64> {
    assert!(most >= 2, "at least the start and the end, not {most}");
    if last < most as u64 {
        return (0..=last).collect();
    }
    let points = most - 1;
    let power = |k: usize| (last as f64).powf(k as f64 / (points - 1).max(1) as f64).round() as u64;
    let mut out: Vec<u64> = std::iter::once(0).chain((0..points - 1).map(power)).chain([last]).collect();
    out.dedup();
    out
}

#[cfg(test)]
mod tests {
    use super::instants;

    #[test]
    fn instants_are_increasing_with_both_ends() {
        assert_eq!(instants(3, 10), [0, 1, 2, 3]);
        assert_eq!(instants(0, 2), [0]);
        assert_eq!(instants(1000, 5), [0, 1, 10, 100, 1000]);
        for (last, most) in [(10, 2), (10, 3), (1_000_000, 600), (u64::from(u32::MAX), 50)] {
            let got = instants(last, most);
            assert!(got.len() <= most && got[0] == 0 && got[got.len() - 1] == last, "{got:?}");
            assert!(got.windows(2).all(|w| w[0] < w[1]), "{got:?}");
        }
    }
}
