//! What a run tells its caller while it goes.

use super::measure::{Measured, measure};
use super::particles::Particles;
use super::plan::Plan;

/// Watches a run, on the calling thread. All hooks do nothing unless overridden.
pub trait Observer {
    /// Outputs (examples x k) after step `step` on the examples of the next step: all of them with a full batch.
    fn outputs(&mut self, _step: u64, _f: &[f64]) {}

    /// The next step after which `sample` is wanted; one that is past means at once.
    fn next_sample(&self) -> u64 {
        u64::MAX
    }

    /// The state after `step` steps. Must raise `next_sample` above `step`.
    fn sample(&mut self, _step: u64, _plan: &Plan, _particles: &Particles) {}
}

/// Watches nothing.
pub struct Unobserved;

impl Observer for Unobserved {}

/// Steps in geometric progression: 0, 1, 2, ... while they are dense, then `per_decade` a decade.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Points a decade.
    pub per_decade: u32,
}

impl Grid {
    /// The first step of the grid after `step`: the least round(10^(q / per_decade)) above it.
    pub fn after(self, step: u64) -> u64 {
        if step == 0 {
            return 1;
        }
        let per = f64::from(self.per_decade.max(1));
        let point = |q: f64| libm::round(libm::pow(10.0, q / per)) as u64;
        let mut q = libm::floor(libm::log10(step as f64) * per) - 1.0;
        while point(q) <= step {
            q += 1.0;
        }
        point(q)
    }
}

/// Measures the state on a grid, and after the last step.
#[derive(Clone, Debug)]
pub struct Recorder {
    grid: Grid,
    last: u64,
    next: u64,
    /// What was measured, in order of steps.
    pub record: Vec<Measured>,
}

impl Recorder {
    /// Measures from step `from` on, at the steps of the grid and at `last`.
    pub fn new(grid: Grid, from: u64, last: u64) -> Self {
        Self { grid, last, next: from, record: Vec::new() }
    }
}

impl Observer for Recorder {
    fn next_sample(&self) -> u64 {
        self.next
    }

    fn sample(&mut self, step: u64, plan: &Plan, particles: &Particles) {
        self.record.push(measure(plan, particles, step));
        let next = self.grid.after(step);
        self.next = if step < self.last { next.min(self.last) } else { next };
    }
}
