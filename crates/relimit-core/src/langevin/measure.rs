//! What is measured of a state: loss, objective, second moment, virial, effective width, histogram of directions.

use super::activation::Activation;
use super::clusters::clusters;
use super::gradient::outputs;
use super::particles::Particles;
use super::plan::{Bias, Layers, Offset, Plan};
use crate::num::mat::norm2;

/// Angle within which directions count as one, 3 degrees.
pub const ANGLE: f64 = 3.0 * std::f64::consts::PI / 180.0;

/// The figures of a state.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Steps done.
    pub step: u64,
    /// Named loss on all examples.
    pub loss: f64,
    /// Named loss + (lambda/2) times what is decayed.
    pub objective: f64,
    /// Mean of `|theta|^2` over neurons, all parameters.
    pub second_moment: f64,
    /// `beta sum_j theta_j . grad Psi_j / (N P)` for the P moving numbers of a neuron: 1 in the mean under the stationary
    /// law, more where the step biases it. `None` for the smooth unit, or without noise.
    pub virial: Option<f64>,
    /// Groups of directions with 1% of the coefficient at least, see [`clusters`]; `None` for several outputs.
    pub effective_width: Option<usize>,
    /// Share of the coefficient in them.
    pub covered: Option<f64>,
}

/// Measures a state after `step` steps. O(n N (d + k)), and the clusters.
pub fn measure(plan: &Plan, particles: &Particles, step: u64) -> Measured {
    let o = plan.options();
    let (n, d, k) = plan.shape();
    let f = outputs(plan, particles, &o.x);
    let omega = plan.omega();
    let (mut square, mut work) = (0.0, 0.0);
    for i in 0..n {
        for out in 0..k {
            let r = o.y[(i, out)] - f[(i, out)];
            square += r * r;
            work += omega * r * (f[(i, out)] - particles.offset()[out]);
        }
    }
    let loss = omega / 2.0 * square;
    let (mut all, mut decayed) = (0.0, 0.0);
    for j in 0..particles.width() {
        for p in 0..=k + d {
            let v = particles.get(j, p);
            all += v * v;
            let fixed = p < k && o.layers == Layers::Inner;
            if !fixed && (p < k + d || o.bias == Bias::Penalised) {
                decayed += v * v;
            }
        }
    }
    let count = particles.width() as f64;
    let mut objective = loss + 0.5 * o.lambda * plan.scale() * decayed;
    if o.offset == Offset::Penalised {
        objective += 0.5 * o.lambda * particles.offset().iter().map(|v| v * v).sum::<f64>();
    }
    let beta = o.beta.at(step.saturating_sub(1));
    let homogeneous = matches!(o.activation, Activation::Relu) && beta.is_finite();
    // theta . grad Psi by Euler's identity; `work / scale` is the sum over neurons of sum_i r_i c relu.
    let degree = if o.layers == Layers::Both { 2.0 } else { 1.0 };
    let virial = homogeneous
        .then(|| beta * (o.lambda * decayed - degree * work / plan.scale()) / (count * plan.moving() as f64));
    let groups = (k == 1).then(|| clusters(plan, particles, ANGLE));
    Measured {
        step,
        loss,
        objective,
        second_moment: all / count,
        virial,
        effective_width: groups.as_ref().map(|g| g.groups.len()),
        covered: groups.as_ref().map(|g| g.covered),
    }
}

/// Directions of neurons on the circle, for two inputs (one feature and a bias, or two features).
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    /// Share of neurons in each of the equal arcs from angle -pi on.
    pub mass: Vec<f64>,
    /// Coefficient `scale c |u|` with c > 0 in each arc.
    pub positive: Vec<f64>,
    /// The same for c < 0, as a positive number.
    pub negative: Vec<f64>,
}

/// The histogram of directions `u = (u_1, u_2)` by the angle of `atan2(u_2, u_1)`; `None` unless there are two inputs
/// and one output.
pub fn histogram(plan: &Plan, particles: &Particles, arcs: usize) -> Option<Histogram> {
    let (_, d, k) = plan.shape();
    if arcs == 0 || k != 1 || d + usize::from(plan.has_bias()) != 2 {
        return None;
    }
    let mut out = Histogram { mass: vec![0.0; arcs], positive: vec![0.0; arcs], negative: vec![0.0; arcs] };
    for j in 0..particles.width() {
        let u = [particles.get(j, 1), particles.get(j, 2)];
        let turn = 0.5 + libm::atan2(u[1], u[0]) / std::f64::consts::TAU;
        let arc = ((turn * arcs as f64) as usize).min(arcs - 1);
        let coefficient = plan.scale() * particles.get(j, 0) * norm2(&u);
        out.mass[arc] += 1.0 / particles.width() as f64;
        let side = if coefficient > 0.0 { &mut out.positive } else { &mut out.negative };
        side[arc] += coefficient.abs();
    }
    Some(out)
}
