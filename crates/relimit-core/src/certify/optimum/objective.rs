//! Which regularised loss is meant: scaling, sample weights, weight decay, treatment of the biases.

use serde::{Deserialize, Serialize};

use crate::num::Mat;
use crate::num::outward::{add_down, add_up, div_down, div_up, mul_down, mul_up};

/// The scaling of the squared loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Loss {
    /// `1/2 sum_i s_i e_i^2`.
    HalfSum,
    /// `1/(2 S) sum_i s_i e_i^2`, S = sum_i s_i (n without sample weights).
    HalfMean,
    /// `1/S sum_i s_i e_i^2`.
    Mean,
}

/// How the hidden biases enter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Bias {
    /// Penalised like the weights: a column of ones in the data.
    Penalised,
    /// Not penalised.
    Free,
    /// No hidden biases.
    None,
}

/// How the output offset enters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Offset {
    /// No offset.
    None,
    /// With the penalty `(lambda / 2) o^2`.
    Penalised,
    /// Not penalised.
    Free,
}

/// A regularised loss: `named loss + (lambda / 2) |theta|^2`, theta what is penalised.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Objective {
    /// Weight decay, >= 0; at 0 there is a [`super::floor`], and no dual.
    pub lambda: f64,
    /// Scaling of the loss.
    pub loss: Loss,
    /// Hidden biases.
    pub bias: Bias,
    /// Output offset.
    pub offset: Offset,
    /// Sample weights s_i >= 0, n; `None` for all 1.
    pub weights: Option<Vec<f64>>,
}

/// Bounds of a number that is not an f64.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Between {
    pub(super) lo: f64,
    pub(super) hi: f64,
}

impl Objective {
    /// Half-mean loss, penalised biases, no offset, no sample weights: the convention of the notes.
    pub fn half_mean(lambda: f64) -> Self {
        Self { lambda, loss: Loss::HalfMean, bias: Bias::Penalised, offset: Offset::None, weights: None }
    }

    /// The factors omega_i of `(omega_i / 2) e_i^2`, rounded to nearest; n entries.
    pub fn factors(&self, n: usize) -> Vec<f64> {
        self.factor_bounds(n).iter().map(|b| 0.5 * (b.lo + b.hi)).collect()
    }

    /// Whether the sum of the dual point must vanish: an unpenalised constant is within reach.
    pub fn balanced(&self) -> bool {
        self.bias == Bias::Free || self.offset == Offset::Free
    }

    /// The rows that u multiplies: `x` (n x d), with a column of ones where the bias is penalised.
    pub fn rows(&self, x: &Mat) -> Mat {
        match self.bias {
            Bias::Penalised => Mat::from_fn(x.rows(), x.cols() + 1, |i, k| if k < x.cols() { x[(i, k)] } else { 1.0 }),
            Bias::Free | Bias::None => x.clone(),
        }
    }

    /// Panics on what no objective is made of.
    pub(super) fn check(&self, n: usize) {
        assert!(self.lambda >= 0.0 && self.lambda.is_finite(), "weight decay {} must not be negative", self.lambda);
        if let Some(s) = &self.weights {
            assert_eq!(s.len(), n, "{} sample weights for {n} rows", s.len());
            assert!(s.iter().all(|v| *v >= 0.0 && v.is_finite()), "sample weights must be nonnegative");
        }
    }

    /// Bounds of the factors, which are rational.
    pub(super) fn factor_bounds(&self, n: usize) -> Vec<Between> {
        self.check(n);
        let s = |i: usize| self.weights.as_ref().map_or(1.0, |s| s[i]);
        let total = (0..n).fold(Between { lo: 0.0, hi: 0.0 }, |t, i| match &self.weights {
            // A count is exact.
            None => Between { lo: t.lo + 1.0, hi: t.hi + 1.0 },
            Some(_) => Between { lo: add_down(t.lo, s(i)), hi: add_up(t.hi, s(i)) },
        });
        let scale = match self.loss {
            Loss::HalfSum => return (0..n).map(|i| Between { lo: s(i), hi: s(i) }).collect(),
            Loss::HalfMean => 1.0,
            Loss::Mean => 2.0,
        };
        let part = |v: f64| {
            if v == 0.0 {
                return Between { lo: 0.0, hi: 0.0 };
            }
            Between { lo: div_down(mul_down(scale, v), total.hi).max(0.0), hi: div_up(mul_up(scale, v), total.lo) }
        };
        (0..n).map(|i| part(s(i))).collect()
    }
}
