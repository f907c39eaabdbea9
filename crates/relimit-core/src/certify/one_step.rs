//! The one-step certificate: after the first step of descent every mask equals the sign pattern of the labels, for ever.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::num::Mat;
use crate::num::mat::max_abs;
use crate::num::outward::{add_up, div_down, div_up, gamma, mul_down, mul_up, sub_down, sub_up};
use crate::problem::{Initial, Problem};

/// The certificate, every number a bound in the safe direction (`rho`, `left`, `contraction` from above).
///
/// With `holds`, exact descent from the given preactivations has, from step 1 on, each neuron active exactly on the
/// examples whose label has its sign, and `max_i |r_i|` shrinks by `contraction` or better every step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OneStep {
    /// The scale tau that Delta = G - tau I is measured against.
    pub tau: f64,
    /// Step constant `C = 1/(eta c^2 tau)` (for unequal output weights with the largest).
    pub step_constant: f64,
    /// `max_i sum_l |Delta_il| / tau`; `None` without a Gram matrix (n > D).
    pub rho: Option<f64>,
    /// Largest start preactivation `eps = max |c_j| z_ji`; `None` when the start is not in the positive orthant.
    pub eps: Option<f64>,
    /// `R = y_max + m eps`, which bounds every residual.
    pub radius: Option<f64>,
    /// `rho C R / (1 - rho) + (C - 1) eps` for one neuron, `... + C eps` for two.
    pub left: Option<f64>,
    /// `y_min`, the smallest absolute label.
    pub right: f64,
    /// Whether `left < right` is proved.
    pub holds: bool,
    /// `q = 1 - (1 - rho)/C`.
    pub contraction: Option<f64>,
    /// Why there is no left side, if there is none.
    pub obstacle: Option<Obstacle>,
}

/// Why the one-step certificate does not apply.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Error)]
#[serde(rename_all = "snake_case")]
pub enum Obstacle {
    /// n > D: the rows are dependent, hence rho >= 1 for every tau.
    #[error("more examples ({n}) than inputs ({dim}): the rows are dependent, so rho is at least 1")]
    MoreExamplesThanInputs {
        /// Number of examples.
        n: usize,
        /// Number of inputs, bias included.
        dim: usize,
    },
    /// The numbers are out of range, or there is no example.
    #[error("no examples, or rows whose squared length is 0 or out of range")]
    NoScale,
    /// Not one neuron, nor two of opposite sign with equal absolute weight.
    #[error("{neurons} neurons; it covers one neuron, or two with output weights c and -c")]
    Neurons {
        /// Number of neurons.
        neurons: usize,
    },
    /// Some example is not active for some neuron at the start.
    #[error(
        "the start has preactivation {z:e} at neuron {neuron}, example {example} (counted from 0); all must be positive"
    )]
    Start {
        /// Neuron, from 0.
        neuron: usize,
        /// Example, from 0.
        example: usize,
        /// Its preactivation.
        z: f64,
    },
    /// C <= 1.
    #[error("step constant C = {step_constant} must exceed 1: the step is too large")]
    StepConstant {
        /// C.
        step_constant: f64,
    },
    /// rho >= 1: the rows are too correlated or too unequal in length.
    #[error("rho = {rho} is not below 1: the rows are too correlated, or too unequal in length")]
    Correlation {
        /// rho.
        rho: f64,
    },
    /// Two neurons, and eps > (C - 1) R: the first step does not contract the residual.
    #[error("the start {eps:e} is too large for a step constant so close to 1 (eps > (C - 1) R)")]
    StartForStep {
        /// eps.
        eps: f64,
    },
}

impl OneStep {
    /// Steps after which every own residual is below `delta`: `1 + ln(R/delta) / -ln q`, rounded up; `None` unless it holds.
    pub fn steps_to(&self, delta: f64) -> Option<f64> {
        assert!(delta > 0.0, "accuracy {delta}");
        let (radius, q) = (self.radius?, self.contraction?);
        let steps = 1.0 + (libm::log(radius / delta) / -libm::log(q)).max(0.0);
        // libm's logarithms are within one unit in the last place; the factor covers them.
        self.holds.then(|| (steps * (1.0 + 8.0 * f64::EPSILON)).ceil())
    }
}

/// The one-step certificate for half-sum descent with step `eta` from `start`; `tau` defaults to `tr G / n`.
///
/// ```text
/// Delta = G - tau I,   rho = max_i sum_l |Delta_il| / tau,   C = 1/(eta c^2 tau),   R = y_max + m eps
/// m = 1:  rho C R/(1 - rho) + (C - 1) eps < y_min        m = 2, weights c and -c:  rho C R/(1 - rho) + C eps < y_min
/// ```
///
/// Weights c other than +-1 are the case of weight +-1 with preactivations |c| z and step eta c^2; one neuron of
/// negative weight is the mirror image y -> -y. All arithmetic is rounded outward, and each f64 entry of G stands for
/// its interval `|g_il - x_i.x_l| <= gamma_D sqrt(g_ii g_ll)/(1 - gamma_D)` (any order of summation), so `holds` is a
/// proof for the exact rows, from preactivations equal to `start.z`. O(n^2).
///
/// Source: derived (step 1 fixes every sign, own examples stay active since r' <= (1 - 1/C) r + rho R/C < y, opposite
/// ones drift by at most rho R q/(1 - rho)); sufficient, not necessary.
pub fn one_step(problem: &Problem, start: &Initial, eta: f64, tau: Option<f64>) -> OneStep {
    let (n, m, dim) = (problem.n(), problem.m(), problem.dim());
    assert_eq!((start.z.rows(), start.z.cols()), (m, n), "start {}x{} for {m}x{n}", start.z.rows(), start.z.cols());
    assert!(eta > 0.0, "step {eta}");
    let c = max_abs(problem.c());
    let mean = |g: &Mat| (0..n).map(|i| g[(i, i)]).sum::<f64>() / n as f64;
    let lengths = |x: &Mat| x.as_slice().iter().map(|v| v * v).sum::<f64>() / n as f64;
    let tau = tau.unwrap_or_else(|| problem.gram().map_or_else(|| lengths(problem.x()), mean));
    let effective = (mul_down(mul_down(eta, c), c), mul_up(mul_up(eta, c), c));
    // C from below and from above.
    let constant = (div_down(1.0, mul_up(effective.1, tau)), div_up(1.0, mul_down(effective.0, tau)));
    let y_min = problem.y().iter().fold(f64::INFINITY, |a: f64, y| a.min(y.abs()));
    let right = if n == 0 { 0.0 } else { y_min };
    let mut out = OneStep {
        tau,
        step_constant: 1.0 / (eta * c * c * tau),
        rho: None,
        eps: None,
        radius: None,
        left: None,
        right,
        holds: false,
        contraction: None,
        obstacle: None,
    };
    let mut assess = || -> Result<(), Obstacle> {
        if n == 0 || !(tau > 0.0 && tau.is_finite() && out.step_constant.is_finite()) {
            return Err(Obstacle::NoScale);
        }
        let g = problem.gram().ok_or(Obstacle::MoreExamplesThanInputs { n, dim })?;
        let rho = correlation(g, tau, dim);
        out.rho = Some(rho);
        if !covered(problem.c()) {
            return Err(Obstacle::Neurons { neurons: m });
        }
        let eps = largest_start(problem.c(), &start.z)?;
        out.eps = Some(eps);
        let radius = add_up(max_abs(problem.y()), mul_up(m as f64, eps));
        out.radius = Some(radius);
        if constant.0 <= 1.0 {
            return Err(Obstacle::StepConstant { step_constant: out.step_constant });
        }
        if rho >= 1.0 || rho.is_nan() {
            return Err(Obstacle::Correlation { rho });
        }
        if m == 2 && eps > mul_down(sub_down(constant.0, 1.0), radius) {
            return Err(Obstacle::StartForStep { eps });
        }
        let room = sub_down(1.0, rho);
        let interaction = div_up(mul_up(mul_up(rho, constant.1), radius), room);
        let from_start = if m == 1 { mul_up(sub_up(constant.1, 1.0), eps) } else { mul_up(constant.1, eps) };
        let left = add_up(interaction, from_start);
        out.left = Some(left);
        out.contraction = Some(sub_up(1.0, div_down(room, constant.1)));
        out.holds = left < right;
        Ok(())
    };
    let assessed = assess();
    out.obstacle = assessed.err();
    out
}

/// Upper bound of `max_i sum_l |x_i.x_l - tau delta_il| / tau` over all matrices within the rounding of `g`.
fn correlation(g: &Mat, tau: f64, dim: usize) -> f64 {
    let n = g.rows();
    let unit = gamma(dim);
    // |x_i|^2 <= (g_ii + underflow)/(1 - gamma); each product may underflow by half the smallest subnormal.
    let underflow = mul_up(dim as f64, f64::from_bits(1));
    let relative = div_up(unit, sub_down(1.0, unit));
    let length: Vec<f64> = (0..n).map(|i| add_up(g[(i, i)], underflow).sqrt().next_up()).collect();
    // A plain sum of n terms >= 0 falls short of the true one by at most 2 gamma_n of itself.
    let from_plain = |sum: f64| add_up(sum, mul_up(mul_up(2.0, gamma(n)), sum));
    let all_lengths = from_plain(length.iter().sum());
    let mut worst: f64 = 0.0;
    for i in 0..n {
        let row = g.row(i);
        let others = from_plain(row[..i].iter().chain(&row[i + 1..]).map(|v| v.abs()).sum());
        let own = sub_up(row[i], tau).max(sub_up(tau, row[i]));
        let rounding = add_up(mul_up(mul_up(relative, length[i]), all_lengths), mul_up(n as f64, underflow));
        let sum = add_up(add_up(own, others), rounding);
        worst = if sum.is_nan() { f64::INFINITY } else { worst.max(sum) };
    }
    div_up(worst, tau)
}

fn covered(c: &[f64]) -> bool {
    c.len() == 1 || (c.len() == 2 && c[0] == -c[1])
}

/// Upper bound of `max |c_j| z_ji`, or the first preactivation that is not positive.
fn largest_start(c: &[f64], z: &Mat) -> Result<f64, Obstacle> {
    let mut eps: f64 = 0.0;
    for neuron in 0..z.rows() {
        for (example, &v) in z.row(neuron).iter().enumerate() {
            if v.is_nan() || v <= 0.0 {
                return Err(Obstacle::Start { neuron, example, z: v });
            }
            // Exact for unit weights, so that R = y_max + eps has the textbook value.
            eps = eps.max(if c[neuron].abs() == 1.0 { v } else { mul_up(c[neuron].abs(), v) });
        }
    }
    Ok(eps)
}

#[cfg(test)]
#[path = "one_step_tests.rs"]
mod tests;
