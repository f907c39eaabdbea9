//! A finite network at the temperature of a law: particles that start at draws from it and take steps.

use std::sync::Arc;

use relimit_core::gibbs::{Law, sample};
use relimit_core::langevin::{
    Bias, Loss, Options, Particles, Plan, Status, Unobserved, clusters, measure, outputs, run, stable_step,
};
use relimit_core::num::Mat;

use crate::answer::MeasuredPoint;

/// Steps that are taken.
const STEPS: u64 = 1000;
/// Part of the stable step that is taken.
const CAUTION: f64 = 0.5;

/// What the particles start from and how they move.
pub(super) struct Run<'a> {
    pub(super) features: &'a Arc<Mat>,
    pub(super) loss: Loss,
    pub(super) bias: Bias,
    pub(super) count: usize,
    pub(super) seed: u64,
    /// Radians within which directions count as one.
    pub(super) angle: f64,
}

/// `count` draws from the law after 1000 noisy steps of half the stable size; `None` when stopped or diverged. One output.
pub(super) fn measured(law: &Law, ask: &Run<'_>, stop: &dyn Fn() -> bool) -> Option<MeasuredPoint> {
    let model = &law.model;
    let options = |step: f64| Options {
        width: ask.count,
        loss: ask.loss,
        bias: ask.bias,
        seed: ask.seed,
        ..Options::new(Arc::clone(ask.features), model.y.clone(), model.lambda, model.beta, step)
    };
    let step = CAUTION * stable_step(&Plan::new(options(1.0)).ok()?);
    let plan = Plan::new(options(step)).ok()?;
    let d = ask.features.cols();
    let draws = sample(law, ask.count, ask.seed);
    let theta = draws.iter().flat_map(|t| {
        let bias = t.u.get(d).copied().unwrap_or(0.0);
        t.c.iter().chain(&t.u[..d]).copied().chain([bias]).collect::<Vec<f64>>()
    });
    let mut particles = Particles::from_values(&plan, theta, &[0.0]);
    let end = run(&plan, &mut particles, 0..STEPS, 1, &mut Unobserved, stop);
    if end.status != Status::Completed {
        return None;
    }
    let groups = clusters(&plan, &particles, ask.angle);
    Some(MeasuredPoint {
        steps: STEPS,
        step,
        outputs: outputs(&plan, &particles, ask.features).into_vec(),
        objective: measure(&plan, &particles, STEPS).objective,
        effective_width: groups.groups.len(),
        covered: groups.covered,
    })
}
