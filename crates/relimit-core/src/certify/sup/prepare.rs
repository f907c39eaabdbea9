//! From the caller's rows to those of the search: powers of two taken out, rows without weight dropped, proportional rows merged.

use super::rows::TINY;
use crate::num::Mat;
use crate::num::mat::{dot, max_abs, norm2};
use crate::num::outward::{add_up, gamma, mul_up};

/// `q(u)` of the caller is `2^exponent (q'(u) + at most slack)`, with q' over these rows.
#[derive(Clone, Debug)]
pub(super) struct Prepared {
    /// Rows, m x dim, row-major.
    pub(super) rows: Vec<f64>,
    /// Their weights, m.
    pub(super) r: Vec<f64>,
    /// Number of coordinates.
    pub(super) dim: usize,
    /// Bound of the difference, in the scaled units.
    pub(super) slack: f64,
    /// Power of two taken out of q.
    pub(super) exponent: i32,
}

impl Prepared {
    /// O(n D + n log n), and O(D) for each pair of rows whose directions agree in the sum of their coordinates.
    pub(super) fn new(x: &Mat, r: &[f64]) -> Self {
        assert_eq!(x.rows(), r.len(), "{} rows and {} weights", x.rows(), r.len());
        let dim = x.cols();
        let (ex, er) = (exponent(x.as_slice()), exponent(r));
        let scaled = |v: f64, e: i32| libm::ldexp(v, -e);
        let mut rows: Vec<Vec<f64>> = Vec::new();
        let mut weights: Vec<f64> = Vec::new();
        for (i, &w) in r.iter().enumerate() {
            let row: Vec<f64> = x.row(i).iter().map(|v| scaled(*v, ex)).collect();
            let w = scaled(w, er);
            if w != 0.0 && max_abs(&row) > 0.0 {
                rows.push(row);
                weights.push(w);
            }
        }
        // Scaling rounds only what falls below the normal range, 2^-1022 of the largest entry.
        let mut slack = TINY * (1.0 + r.len() as f64) * (1.0 + dim as f64);
        slack = add_up(slack, merge(&mut rows, &mut weights));
        Self { rows: rows.concat(), r: weights, dim, slack, exponent: ex + er }
    }

    /// Allows for a difference in the caller's units.
    pub(super) fn add_slack(&mut self, slack: f64) {
        if slack > 0.0 {
            self.slack = add_up(self.slack, self.scale(slack).next_up());
        }
    }

    /// A value of the caller in the scaled units.
    pub(super) fn scale(&self, v: f64) -> f64 {
        libm::ldexp(v, -self.exponent)
    }

    /// A value of the search in the caller's units.
    pub(super) fn unscale(&self, v: f64) -> f64 {
        libm::ldexp(v, self.exponent)
    }
}

/// e with `max |v_i|` in [2^e, 2^(e+1)); 0 for nothing.
pub(super) fn exponent(v: &[f64]) -> i32 {
    let largest = max_abs(v);
    assert!(largest.is_finite(), "rows and weights must be finite");
    if largest == 0.0 { 0 } else { libm::ilogb(largest) }
}

/// Replaces rows that are positive multiples of one another, to rounding, by one with the summed weight; returns what q may change by.
///
/// ```text
/// |r_i relu(x_i . u) - r_i t relu(x_k . u)| <= |r_i| |x_i - t x_k|     on |u| <= 1
/// ```
fn merge(rows: &mut Vec<Vec<f64>>, weights: &mut Vec<f64>) -> f64 {
    const SAME: f64 = 1e-15;
    let dim = rows.first().map_or(0, Vec::len);
    let g = gamma(2 * dim + 16);
    let length: Vec<f64> = rows.iter().map(|a| norm2(a)).collect();
    let key: Vec<f64> = rows.iter().zip(&length).map(|(a, l)| a.iter().sum::<f64>() / l).collect();
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by(|a, b| key[*a].total_cmp(&key[*b]).then(a.cmp(b)));
    let mut gone = vec![false; rows.len()];
    let mut slack = 0.0;
    let window = 8.0 * (1.0 + dim as f64) * f64::EPSILON;
    for (p, &k) in order.iter().enumerate() {
        if gone[k] {
            continue;
        }
        for &i in order[p + 1..].iter().take_while(|&&i| key[i] - key[k] <= window) {
            if gone[i] {
                continue;
            }
            let t = dot(&rows[i], &rows[k]) / (length[k] * length[k]);
            let difference: Vec<f64> = rows[i].iter().zip(&rows[k]).map(|(a, b)| a - t * b).collect();
            let distance = norm2(&difference);
            if t > 0.0 && distance <= SAME * length[i] {
                let w = weights[i].abs();
                // The distance and the rounding of it, and of the new weight.
                let error = mul_up(mul_up(w, 1.0 + g), distance + g * length[i]);
                let rounding = mul_up(4.0 * f64::EPSILON, (w * t + weights[k].abs()) * length[k]);
                slack = add_up(slack, add_up(error, rounding));
                weights[k] += weights[i] * t;
                gone[i] = true;
            }
        }
    }
    let keep: Vec<usize> = (0..rows.len()).filter(|&i| !gone[i] && weights[i] != 0.0).collect();
    let kept: Vec<Vec<f64>> = keep.iter().map(|&i| std::mem::take(&mut rows[i])).collect();
    *weights = keep.iter().map(|&i| weights[i]).collect();
    *rows = kept;
    slack
}
