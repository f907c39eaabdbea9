//! The record of a run: what the core measures, and where the coefficient is at each of these steps.

use relimit_core::langevin::{ANGLE, Grid, Observer, Particles, Plan, Recorder, clusters, histogram};
use relimit_core::num::mat::norm2;

use super::ask::point;
use crate::answer::{PointGroup, TrainPoint};

/// Arcs of the circle of directions: 5 degrees each.
pub(super) const ARCS: usize = 72;
/// Share of the coefficient from which on an arc is listed.
const LISTED: f64 = 2e-3;

/// Measures the state on a grid of steps, with its groups of directions (one output).
pub(super) struct Watch {
    inner: Recorder,
    pub(super) record: Vec<TrainPoint>,
}

impl Watch {
    pub(super) fn new(grid: Grid, from: u64, last: u64) -> Self {
        Self { inner: Recorder::new(grid, from, last), record: vec![] }
    }
}

impl Observer for Watch {
    fn next_sample(&self) -> u64 {
        self.inner.next_sample()
    }

    fn sample(&mut self, step: u64, plan: &Plan, particles: &Particles) {
        self.inner.sample(step, plan, particles);
        for measured in self.inner.record.drain(..) {
            let (groups, arcs) = (groups(plan, particles), arcs(plan, particles));
            self.record.push(TrainPoint { groups, arcs, ..point(&measured) });
        }
    }
}

/// `scale sum |c| |u|` over the neurons; one output.
pub(super) fn whole(plan: &Plan, particles: &Particles) -> f64 {
    (0..particles.width()).map(|j| weight(plan, particles, j).0.abs()).sum()
}

/// Coefficient of a neuron, and its input weights with the bias where there is one.
pub(super) fn weight(plan: &Plan, particles: &Particles, j: usize) -> (f64, Vec<f64>) {
    let inputs = particles.inputs() + usize::from(plan.has_bias());
    let u: Vec<f64> = (0..inputs).map(|p| particles.get(j, 1 + p)).collect();
    (plan.scale() * particles.get(j, 0) * norm2(&u), u)
}

fn groups(plan: &Plan, particles: &Particles) -> Vec<PointGroup> {
    if particles.outputs() != 1 {
        return vec![];
    }
    let all = whole(plan, particles);
    let found = clusters(plan, particles, ANGLE).groups.into_iter();
    found.map(|g| PointGroup { share: g.coefficient.abs() / all, direction: g.direction, c: g.coefficient }).collect()
}

/// Degrees and signed coefficient of the arcs that hold some of it; empty unless there are two inputs and one output.
fn arcs(plan: &Plan, particles: &Particles) -> Vec<[f64; 2]> {
    let Some(found) = histogram(plan, particles, ARCS) else { return vec![] };
    let all: f64 = found.positive.iter().chain(&found.negative).sum();
    let middle = |k: usize| 360.0 * (k as f64 + 0.5) / ARCS as f64 - 180.0;
    let side = |sign: f64, list: &[f64]| -> Vec<[f64; 2]> {
        let kept = list.iter().enumerate().filter(|(_, c)| **c >= LISTED * all && **c > 0.0);
        kept.map(|(k, c)| [middle(k), sign * c]).collect()
    };
    [side(1.0, &found.positive), side(-1.0, &found.negative)].concat()
}
