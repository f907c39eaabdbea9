//! How the proved interval narrows: one point for every number of nodes that was tried.

use relimit_core::certify::optimum::{Certified, CertifiedVector};
use serde::{Deserialize, Serialize};

use super::Effort;

/// Nodes of the first point; every further one has twice as many.
pub(super) const FIRST: u64 = 16;

/// The interval that a number of nodes proves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TracePoint {
    /// Nodes of the proofs when the work ends here; a look for missed directions comes before each and is not counted.
    pub nodes: u64,
    /// Seconds of all such work: only the repetitions with fewer nodes do not count. Never falls.
    pub seconds: f64,
    /// Lower bound of the objective over all networks.
    pub lower: f64,
    /// Upper bound of the objective of the network found.
    pub upper: f64,
}

/// What a search proves, as a trace notes it.
pub(super) trait Interval {
    /// Nodes bounded, lower bound, upper bound.
    fn interval(&self) -> (u64, f64, f64);
}

impl Interval for Certified {
    fn interval(&self) -> (u64, f64, f64) {
        (self.sup.nodes, self.lower_bound, self.objective)
    }
}

impl Interval for CertifiedVector {
    fn interval(&self) -> (u64, f64, f64) {
        (self.sup.nodes, self.lower_bound, self.objective)
    }
}

/// A trace under construction.
pub(super) struct Trace<'a> {
    /// The clock of the caller, if a trace is asked for.
    pub(super) clock: Option<&'a (dyn Fn() -> f64 + Sync)>,
    pub(super) points: Vec<TracePoint>,
    start: f64,
    /// Seconds of the last search.
    last: f64,
    /// Seconds of the searches that were repeated with more nodes.
    repeated: f64,
}

impl<'a> Trace<'a> {
    /// Starts the clock, if there is one.
    pub(super) fn start(effort: &Effort<'a>) -> Self {
        let start = effort.clock.map_or(0.0, |now| now());
        Self { clock: effort.clock, points: vec![], start, last: 0.0, repeated: 0.0 }
    }

    /// Runs one search after `before` nodes and notes what it proves.
    pub(super) fn timed<T: Interval>(&mut self, before: u64, search: impl FnOnce() -> T) -> T {
        let Some(now) = self.clock else { return search() };
        let begin = now();
        let found = search();
        let end = now();
        let (own, lower, upper) = found.interval();
        let nodes = before + own;
        // a repetition that was stopped before it got as far as the one before says nothing new
        if self.points.last().is_none_or(|p| p.nodes < nodes) {
            let passed = end - self.start - self.repeated;
            // a repetition can be faster than what it repeats; more nodes are never done earlier than fewer
            let seconds = self.points.last().map_or(passed, |p| passed.max(p.seconds));
            self.points.push(TracePoint { nodes, seconds, lower, upper });
        }
        self.last = end - begin;
        found
    }

    /// The last search is repeated with more nodes: its time does not count.
    pub(super) fn repeat(&mut self) {
        self.repeated += self.last;
    }
}
