//! Runs of plans, and where their coefficient lies.

use relimit_core::langevin::{End, Options, Particles, Plan, Schedule, Status, Unobserved, run};
use relimit_core::zoo::{Optimum, golden_optima};

/// A problem of the table of reference optima.
pub(crate) fn golden(name: &str) -> Optimum {
    golden_optima().into_iter().find(|o| o.name == name).expect("a name of the table")
}

/// Half-mean loss and penalised biases, as in the table.
pub(crate) fn options(problem: &Optimum, width: usize, beta: Schedule, step: Schedule) -> Options {
    let y = relimit_core::num::Mat::from_vec(problem.y.len(), 1, problem.y.clone());
    Options { width, beta, step, ..Options::new(problem.x.clone(), y, problem.lambda, 1.0, 1.0) }
}

/// Goes on from step `from` to `to`, which must be reached.
pub(crate) fn advance(plan: &Plan, particles: &mut Particles, from: u64, to: u64) {
    let end = run(plan, particles, from..to, 1, &mut Unobserved, &|| false);
    assert_eq!(end, End { status: Status::Completed, step: to });
}

/// One neuron's coefficient `c |u| / N` and unit direction.
pub(crate) fn rays(plan: &Plan, particles: &Particles) -> Vec<(f64, Vec<f64>)> {
    (0..particles.width())
        .map(|j| {
            let theta = particles.neuron(j);
            let length = theta[1..].iter().map(|v| v * v).sum::<f64>().sqrt();
            (plan.scale() * theta[0] * length, theta[1..].iter().map(|v| v / length).collect())
        })
        .collect()
}

/// Angle in degrees between unit vectors, exact for small ones.
pub(crate) fn degrees(u: &[f64], v: &[f64]) -> f64 {
    let apart = u.iter().zip(v).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
    (2.0 * (0.5 * apart).min(1.0).asin()).to_degrees()
}

/// Angle in degrees to the nearest ray of the optimum whose coefficient has the sign of `c`, and which it is.
pub(crate) fn nearest(problem: &Optimum, c: f64, u: &[f64]) -> (f64, usize) {
    let same = problem.rays.iter().enumerate().filter(|(_, r)| r.0 * c > 0.0);
    same.map(|(k, r)| (degrees(u, &r.1), k)).min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f64::INFINITY, usize::MAX))
}
