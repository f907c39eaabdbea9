//! Which directions an objective penalises to 1, and the exact test of a linear bound on all of them.

use std::cmp::Ordering;

use crate::certify::optimum::Bias;
use crate::num::Mat;
use crate::num::exact::{Dyadic, dot};

/// The rows and the directions u that are looked at.
///
/// ```text
/// bias none:       |w| <= 1,                         N(v) = |v|
/// bias penalised:  |(w, b)| <= 1, rows (x_i, 1),     N(v) = |v|
/// bias free:       |w| <= 1, |b| <= reach, rows (x_i - centre, 1),   N(v) = |v_w| + reach |v_b|
/// ```
///
/// With a free bias and a dual of sum 0, q does not depend on b outside `|b| <= max_i |x_i - centre|`.
pub(super) struct Geometry<'a> {
    columns: Mat,
    bias: Bias,
    frame: Option<&'a Frame>,
}

/// Origin and reach of a free bias.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Frame {
    /// The point that inputs are measured from, d.
    pub centre: Vec<f64>,
    /// No input is further away.
    pub reach: f64,
}

impl<'a> Geometry<'a> {
    /// Rows `x`, n x d, without a column of ones; `frame` for a free bias alone.
    pub(super) fn new(x: &Mat, bias: Bias, frame: Option<&'a Frame>) -> Self {
        Self { columns: x.transpose(), bias, frame }
    }

    /// Whether every row is within reach of the centre (true without a frame).
    pub(super) fn reaches(&self) -> bool {
        let Some(frame) = self.frame else { return self.bias != Bias::Free };
        let n = self.columns.cols();
        let mut share = vec![0.0; n];
        let reach = Dyadic::new(frame.reach);
        self.bias == Bias::Free
            && frame.reach >= 0.0
            && (0..n).all(|i| {
                share[i] = 1.0;
                let square = self.square(&share);
                share[i] = 0.0;
                reach.mul(&reach).sub(&square).sign() != Ordering::Less
            })
    }

    /// `|sum_i share_i (x_i - centre)|^2`.
    fn square(&self, share: &[f64]) -> Dyadic {
        let total = self.frame.map(|_| total(share));
        let entry = |k: usize| {
            let v = dot(share, self.columns.row(k));
            match (self.frame, &total) {
                (Some(frame), Some(total)) => v.sub(&total.mul(&Dyadic::new(frame.centre[k]))),
                _ => v,
            }
        };
        (0..self.columns.rows()).map(entry).fold(Dyadic::zero(), |s, v| s.add(&v.mul(&v)))
    }

    /// Whether `N(sum_i share_i x_i) <= room`, squared so that no root is taken. O(n D) products.
    pub(super) fn within(&self, share: &[f64], room: &Dyadic) -> bool {
        let mut square = self.square(share);
        let mut room = room.clone();
        match (self.bias, self.frame) {
            (Bias::Penalised, _) => {
                let b = total(share);
                square = square.add(&b.mul(&b));
            }
            (Bias::Free, Some(frame)) => room = room.sub(&total(share).abs().mul(&Dyadic::new(frame.reach))),
            _ => {}
        }
        room.sign() != Ordering::Less && room.mul(&room).sub(&square).sign() != Ordering::Less
    }
}

fn total(share: &[f64]) -> Dyadic {
    share.iter().fold(Dyadic::zero(), |s, v| s.add(&Dyadic::new(*v)))
}
