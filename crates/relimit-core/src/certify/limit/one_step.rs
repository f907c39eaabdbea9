//! The one-step inequality in exact arithmetic, every division multiplied out.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::certify::equality::Malformed;
use crate::num::Mat;
use crate::num::exact::{Dyadic, dot};

/// From step 1 on the masks are the signs of the labels: see [`crate::certify::one_step`] for the inequality.
///
/// ```text
/// g = step c^2 tau = 1/C,   R = max |y| + m eps,   eps = max |c| z
/// rho tau >= sum_l |x_i.x_l - tau delta_il| for every i,   rho < 1,   g < 1,   two neurons: eps g <= (1 - g) R
/// left g (1 - rho) >= rho R + (1 - g) eps (1 - rho)  (two neurons: rho R + eps (1 - rho)),   left < right <= min |y|
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OneStepPart {
    /// Preactivations of the start, m x n, all positive.
    pub start: Vec<Vec<f64>>,
    /// Step of the half-sum loss.
    pub step: f64,
    /// Scale that the Gram matrix is compared with.
    pub tau: f64,
    /// Claim: at most this interference.
    pub rho: f64,
    /// Claim: at most this left side.
    pub left: f64,
    /// Claim: at least this right side, above the left one.
    pub right: f64,
    /// Claim: residuals of own rows shrink by this factor or better every step.
    pub contraction: f64,
}

/// Why the part proves nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum OneStepFault {
    /// Weights of different size.
    #[error("two output weights are not c and -c")]
    Weights,
    /// A preactivation that is not positive.
    #[error("a preactivation of the start is not positive")]
    Start,
    /// Step or scale out of range.
    #[error("step and tau are not positive with step c^2 tau below 1")]
    Step,
    /// The rows interfere more.
    #[error("the rows interfere by more than rho, or rho is not in [0, 1)")]
    Rho,
    /// Two neurons and a step constant close to 1.
    #[error("the start is too large for the step constant")]
    StartForStep,
    /// The left side is larger.
    #[error("the left side is above the one claimed")]
    Left,
    /// The smallest label is smaller.
    #[error("the right side claimed is above the smallest label")]
    Right,
    /// The inequality fails.
    #[error("the left side is not below the right one")]
    Inequality,
    /// Residuals shrink more slowly.
    #[error("the contraction claimed is below 1 - (1 - rho) step c^2 tau")]
    Contraction,
}

/// Exact quantities of the inequality.
pub(super) struct Sizes {
    /// `max_i sum_l |Delta_il|`.
    pub(super) interference: Dyadic,
    /// `step c^2 tau`.
    pub(super) g: Dyadic,
    pub(super) eps: Dyadic,
    pub(super) radius: Dyadic,
    pub(super) smallest: f64,
}

fn one() -> Dyadic {
    Dyadic::new(1.0)
}

fn at_most(a: &Dyadic, b: &Dyadic) -> bool {
    a.sub(b).sign() != Ordering::Greater
}

impl OneStepPart {
    pub(super) fn shapes(&self, n: usize, m: usize) -> Result<(), Malformed> {
        let single = [self.step, self.tau, self.rho, self.left, self.right, self.contraction];
        let finite = self.start.iter().flatten().chain(&single).all(|v| v.is_finite());
        if self.start.len() == m && self.start.iter().all(|z| z.len() == n) && finite {
            return Ok(());
        }
        let what = "needs finite numbers, and a preactivation for each neuron and row".into();
        Err(Malformed { part: "one_step", what })
    }

    pub(super) fn sizes(&self, x: &Mat, y: &[f64], c: &[f64]) -> Sizes {
        let n = x.rows();
        let tau = Dyadic::new(self.tau);
        let mut interference = Dyadic::zero();
        for i in 0..n {
            let entry = |l: usize| {
                let product = dot(x.row(i), x.row(l));
                if l == i { product.sub(&tau).abs() } else { product.abs() }
            };
            interference = interference.max((0..n).map(entry).fold(Dyadic::zero(), |s, v| s.add(&v)));
        }
        let size = Dyadic::new(c[0].abs());
        let largest = self.start.iter().flatten().fold(0.0f64, |a, z| a.max(*z));
        let eps = size.mul(&Dyadic::new(largest));
        let most = y.iter().fold(0.0f64, |a, v| a.max(v.abs()));
        Sizes {
            interference,
            g: Dyadic::new(self.step).mul(&size).mul(&size).mul(&tau),
            radius: Dyadic::new(most).add(&eps.mul(&Dyadic::new(c.len() as f64))),
            eps,
            smallest: y.iter().fold(f64::INFINITY, |a, v| a.min(v.abs())),
        }
    }

    /// `left g (1 - rho)` at least, and `g (1 - rho)`.
    pub(super) fn left_side(&self, at: &Sizes, neurons: usize) -> (Dyadic, Dyadic) {
        let rho = Dyadic::new(self.rho);
        let room = one().sub(&rho);
        let from_start = if neurons == 1 { one().sub(&at.g).mul(&at.eps) } else { at.eps.clone() };
        (rho.mul(&at.radius).add(&from_start.mul(&room)), at.g.mul(&room))
    }

    pub(super) fn verify(&self, x: &Mat, y: &[f64], c: &[f64]) -> Result<(), OneStepFault> {
        let need = |holds: bool, fault: OneStepFault| if holds { Ok(()) } else { Err(fault) };
        need(c.len() == 1 || c[0] == -c[1], OneStepFault::Weights)?;
        need(self.start.iter().flatten().all(|z| *z > 0.0), OneStepFault::Start)?;
        let at = self.sizes(x, y, c);
        let slow = at.g.sub(&one()).sign() == Ordering::Less;
        need(self.step > 0.0 && self.tau > 0.0 && slow, OneStepFault::Step)?;
        let claimed = Dyadic::new(self.rho).mul(&Dyadic::new(self.tau));
        need((0.0..1.0).contains(&self.rho) && at_most(&at.interference, &claimed), OneStepFault::Rho)?;
        let contracts = at_most(&at.eps.mul(&at.g), &one().sub(&at.g).mul(&at.radius));
        need(c.len() == 1 || contracts, OneStepFault::StartForStep)?;
        let (left, room) = self.left_side(&at, c.len());
        need(at_most(&left, &Dyadic::new(self.left).mul(&room)), OneStepFault::Left)?;
        need(self.right <= at.smallest, OneStepFault::Right)?;
        need(self.left < self.right, OneStepFault::Inequality)?;
        need(at_most(&one().sub(&room), &Dyadic::new(self.contraction)), OneStepFault::Contraction)
    }
}
