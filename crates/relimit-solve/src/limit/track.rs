//! Preactivations on a grid of steps or times, for figures.

use relimit_core::descent::{Event, Limit, Observer};
use relimit_core::num::Mat;

use super::Job;
use crate::answer::{Clock, EventFact, Trajectory, instants};

/// Points of a figure.
const POINTS: usize = 600;

/// Events kept for a figure, which thins them further.
const EVENTS: usize = 200_000;

/// Passes a `dyn Observer` on where a sized one is wanted.
pub(super) struct Forward<'a>(pub(super) &'a mut dyn Observer);

impl Observer for Forward<'_> {
    fn event(&mut self, event: &Event) {
        self.0.event(event);
    }
    fn next_sample(&self) -> f64 {
        self.0.next_sample()
    }
    fn sample(&mut self, at: f64, z: &Mat) {
        self.0.sample(at, z);
    }
}

/// Where to look: steps up to a while after the last event; the same on a logarithmic scale of times.
pub(super) fn grid(job: &Job<'_>, limit: &Limit) -> Vec<f64> {
    let end = (3.0 * limit.last_event).max(limit.last).max(40.0 / job.question.plan.signs.weights().len() as f64);
    if let Some(eta) = job.resolved.eta {
        // long enough for a mode of the size of tau to settle
        let settle = 12.0 / (eta * job.spectrum.tau).max(f64::MIN_POSITIVE);
        let last = end.max(settle).min(1e9) as u64;
        return instants(last, POINTS).into_iter().map(|k| k as f64).collect();
    }
    let last = (3.0 * limit.last_event).max(30.0 / job.spectrum.tau.max(f64::MIN_POSITIVE));
    let first = 0.02 / job.spectrum.mu_max.max(f64::MIN_POSITIVE);
    let ratio = (last / first).max(2.0);
    let power = |k: usize| first * ratio.powf(k as f64 / (POINTS - 2) as f64);
    std::iter::once(0.0).chain((0..POINTS - 1).map(power)).collect()
}

/// Collects samples and events.
pub(super) struct Track {
    grid: Vec<f64>,
    at: Vec<f64>,
    z: Vec<Mat>,
    events: Vec<Event>,
}

impl Track {
    pub(super) fn new(grid: Vec<f64>) -> Self {
        Self { grid, at: vec![], z: vec![], events: vec![] }
    }

    /// The trajectory in rows and in the units of the named loss.
    pub(super) fn into_trajectory(mut self, job: &Job<'_>, end: Limit) -> Trajectory {
        if end.last.is_finite() && self.at.last().is_none_or(|last| end.last > *last) {
            self.at.push(end.last);
            self.z.push(end.z);
        }
        let data = &job.question.scaled.dataset;
        let fact = |e: &Event| {
            let mut fact = EventFact::new(e, &data.rows);
            fact.at = job.resolved.instant(fact.at);
            fact
        };
        Trajectory {
            clock: if job.resolved.eta.is_some() { Clock::Step } else { Clock::Time },
            at: self.at.iter().map(|t| job.resolved.instant(*t)).collect(),
            z: self.z,
            rows: data.rows.clone(),
            labels: data.y.clone(),
            c: job.problem.c().to_vec(),
            events: self.events.iter().map(fact).collect(),
        }
    }
}

impl Observer for Track {
    fn event(&mut self, event: &Event) {
        if self.events.len() < EVENTS {
            self.events.push(*event);
        }
    }
    fn next_sample(&self) -> f64 {
        self.grid.get(self.at.len()).copied().unwrap_or(f64::INFINITY)
    }
    fn sample(&mut self, at: f64, z: &Mat) {
        self.at.push(at);
        self.z.push(z.clone());
    }
}
