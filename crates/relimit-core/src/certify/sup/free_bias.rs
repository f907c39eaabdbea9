//! The supremum where the bias is not penalised: one search in the weights alone for each row that may carry the kink.

use super::{End, Sup, SupOptions, sup_with_slack};
use crate::num::Mat;
use crate::num::exact::sum_is_zero;
use crate::num::mat::norm2;
use crate::num::outward::{add_up, mul_up, sub_down};

/// Bounds `sup over |w| <= 1, b of sum_i r_i relu(x_i . w + b)` from both sides; infinite unless the r_i sum to exactly 0.
///
/// For fixed w the sum is piecewise linear in b, constant outside the kinks b = -x_j . w, and its slope falls only at
/// kinks with r_j < 0; hence
///
/// ```text
/// sup over w, b = max over r_j < 0 of sup over |w| <= 1 of sum_i r_i relu((x_i - x_j) . w)        (or 0)
/// ```
///
/// # Shapes
/// `x` n x d, `r` n; directions have d + 1 entries (w, b), |w| = 1.
///
/// # Cost
/// One search for each row with r_j < 0; targets that rise are handed on.
pub fn sup_free_bias(x: &Mat, r: &[f64], options: &SupOptions<'_>) -> Sup {
    assert_eq!(x.rows(), r.len(), "{} rows and {} weights", x.rows(), r.len());
    let (n, d) = (x.rows(), x.cols());
    let mut out =
        Sup { upper: 0.0, lower: 0.0, argmax: vec![0.0; d + 1], incumbents: vec![], nodes: 0, end: End::Proved };
    if !sum_is_zero(r) {
        return Sup { upper: f64::INFINITY, end: End::Stuck, ..out };
    }
    let starts: Vec<Vec<f64>> = options.starts.iter().map(|u| u[..d].to_vec()).collect();
    let mut target = options.target;
    for j in (0..n).filter(|&j| r[j] < 0.0) {
        if (0..j).any(|k| r[k] < 0.0 && x.row(k) == x.row(j)) {
            continue;
        }
        let rows = Mat::from_fn(n, d, |i, k| x[(i, k)] - x[(j, k)]);
        // Each difference is off by half a unit in the last place at most.
        let slack = (0..n).fold(0.0, |s, i| add_up(s, mul_up(r[i].abs(), mul_up(f64::EPSILON, norm2(rows.row(i))))));
        let part = SupOptions {
            target,
            max_nodes: options.max_nodes.saturating_sub(out.nodes).max(1),
            // The rows share their local maxima: a few random directions each are enough.
            random_starts: options.random_starts.min(8),
            starts: &starts,
            ..*options
        };
        let found = sup_with_slack(&rows, r, slack, &part);
        let with_bias = |w: &[f64]| {
            let b = -crate::num::mat::dot(w, x.row(j));
            w.iter().copied().chain([b]).collect::<Vec<f64>>()
        };
        out.nodes += found.nodes;
        out.upper = out.upper.max(found.upper);
        if found.lower > out.lower {
            // What the rounding of the differences may have added is taken off.
            out.lower = sub_down(found.lower, slack).max(0.0);
            out.argmax = with_bias(&found.argmax);
        }
        out.incumbents.extend(found.incumbents.iter().map(|w| with_bias(w)));
        out.end = out.end.worse(found.end);
        if out.end == End::Exceeded {
            // The rows that are left were not looked at.
            out.upper = f64::INFINITY;
            return out;
        }
        if options.rise.is_some() {
            target = target.max(found.upper);
        }
    }
    out.upper = out.upper.max(out.lower);
    out
}
