//! Outputs and gradient of a state in plain f64: what the kernels are judged by, and when descent has converged.

use super::particles::Particles;
use super::plan::{Bias, Layers, Offset, Plan};
use super::start::start;
use crate::num::Mat;
use crate::num::mat::dot;

/// Outputs on the rows of `x` (n x d): n x k. O(n N (d + k)).
pub fn outputs(plan: &Plan, particles: &Particles, x: &Mat) -> Mat {
    let (d, k) = (particles.inputs(), particles.outputs());
    assert_eq!(x.cols(), d, "network of {d} inputs on {} columns", x.cols());
    let mut f = Mat::zeros(x.rows(), k);
    for j in 0..particles.width() {
        let theta = entering(plan, particles, j);
        for i in 0..x.rows() {
            let (h, _) = plan.options().activation.unit(dot(&theta[k..k + d], x.row(i)) + theta[k + d]);
            for (f, c) in f.row_mut(i).iter_mut().zip(&theta) {
                *f += c * h;
            }
        }
    }
    for i in 0..x.rows() {
        for (f, offset) in f.row_mut(i).iter_mut().zip(particles.offset()) {
            *f = plan.scale() * *f + offset;
        }
    }
    f
}

/// The numbers of a neuron as they enter the network.
fn entering(plan: &Plan, particles: &Particles, j: usize) -> Vec<f64> {
    let mut theta = particles.neuron(j);
    let last = theta.len() - 1;
    theta[..last].iter_mut().for_each(|v| *v = plan.options().activation.weight(*v).0);
    theta
}

/// The drift of a state: `grad Psi` of every neuron on all examples, 0 for what does not move.
#[derive(Clone, Debug, PartialEq)]
pub struct Gradient {
    /// N x (k + d + 1).
    pub neurons: Mat,
    /// Of the offset, k.
    pub offset: Vec<f64>,
    /// Root mean square over neurons of `|grad Psi|`, the offset added to the mean square.
    pub size: f64,
}

/// The gradient of a state. O(n N (d + k)).
pub fn gradient(plan: &Plan, particles: &Particles) -> Gradient {
    let o = plan.options();
    let (n, d, k) = plan.shape();
    let f = outputs(plan, particles, &o.x);
    let omega = plan.omega();
    let r = Mat::from_fn(n, k, |i, out| omega * (o.y[(i, out)] - f[(i, out)]));
    let mut neurons = Mat::zeros(particles.width(), k + d + 1);
    for j in 0..particles.width() {
        let (raw, theta) = (particles.neuron(j), entering(plan, particles, j));
        let g = neurons.row_mut(j);
        for i in 0..n {
            let x = o.x.row(i);
            let (h, slope) = o.activation.unit(dot(&theta[k..k + d], x) + theta[k + d]);
            let push = dot(r.row(i), &theta[..k]) * slope;
            for out in 0..k {
                g[out] -= r[(i, out)] * h;
            }
            for (g, v) in g[k..].iter_mut().zip(x.iter().chain([&1.0])) {
                *g -= push * v;
            }
        }
        for p in 0..=k + d {
            if p < k + d {
                g[p] *= o.activation.weight(raw[p]).1;
            }
            let fixed = (p < k && o.layers == Layers::Inner) || (p == k + d && o.bias == Bias::None);
            let decays = p < k + d || o.bias == Bias::Penalised;
            g[p] = if fixed { 0.0 } else { g[p] + if decays { o.lambda * raw[p] } else { 0.0 } };
        }
    }
    let offset: Vec<f64> = (0..k)
        .map(|out| {
            let push: f64 = (0..n).map(|i| r[(i, out)]).sum();
            match o.offset {
                Offset::None => 0.0,
                Offset::Free => -push,
                Offset::Penalised => o.lambda * particles.offset()[out] - push,
            }
        })
        .collect();
    let square = dot(neurons.as_slice(), neurons.as_slice()) / particles.width() as f64 + dot(&offset, &offset);
    Gradient { neurons, offset, size: square.sqrt() }
}

/// A step that is stable at the start of a plan.
///
/// ```text
/// 1 / (lambda + omega scale sum_i sum_j (relu(z_ij)^2 + |c_j|^2 relu'(z_ij)^2 |x~_i|^2))
/// ```
///
/// The sum is the trace of the tangent kernel, which bounds its largest eigenvalue. O(n N (d + k)).
pub fn stable_step(plan: &Plan) -> f64 {
    let o = plan.options();
    let (n, d, k) = plan.shape();
    let particles = start(plan);
    let bias = f64::from(u8::from(plan.has_bias()));
    let mut trace = 0.0;
    for j in 0..particles.width() {
        let theta = entering(plan, &particles, j);
        let c = dot(&theta[..k], &theta[..k]);
        for i in 0..n {
            let x = o.x.row(i);
            let (h, slope) = o.activation.unit(dot(&theta[k..k + d], x) + theta[k + d]);
            let outer = if o.layers == Layers::Both { h * h } else { 0.0 };
            trace += outer + c * slope * slope * (dot(x, x) + bias);
        }
    }
    let offset = if o.offset == Offset::None { 0.0 } else { n as f64 };
    1.0 / (o.lambda + plan.omega() * (plan.scale() * trace + offset))
}
