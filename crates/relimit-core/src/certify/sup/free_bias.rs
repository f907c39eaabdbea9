//! The supremum where the bias is not penalised: one search in the weights alone for each row that may carry the kink.

use super::wide::at_most;
use super::{BothSigns, End, SupOptions, Touch, sup_signs};
use crate::num::Mat;
use crate::num::exact::sum_is_zero;
use crate::num::mat::{dot, norm2};
use crate::num::outward::{add_up, mul_up, sub_down};

/// Bounds `sup over |w| <= 1, b of |sum_i r_i relu(x_i . w + b)|` from both sides; infinite unless the r_i sum to exactly 0.
///
/// For fixed w the sum is piecewise linear in b, constant outside the kinks b = -x_j . w, and its slope falls only at
/// kinks with r_j < 0; hence, for q and in the same way for -q,
///
/// ```text
/// sup over w, b of q = max over r_j < 0 of sup over |w| <= 1 of sum_i r_i relu((x_i - x_j) . w)        (or 0)
/// ```
///
/// # Shapes
/// `x` n x d, `r` n; directions have d + 1 entries (w, b), |w| = 1.
///
/// # Cost
/// One search for each row with r_j != 0, in two passes: local search and the bound of the whole ball for each, which raises
/// the target, then those that it left open, an equal share of the nodes left for each. Each start climbs at the row where
/// its direction is best. A row that `stop` leaves out is bounded in O(n d).
pub fn sup_free_bias(x: &Mat, r: &[f64], options: &SupOptions<'_>) -> BothSigns {
    assert_eq!(x.rows(), r.len(), "{} rows and {} weights", x.rows(), r.len());
    let (n, d) = (x.rows(), x.cols());
    let mut out = BothSigns { upper: 0.0, lower: 0.0, best: None, incumbents: vec![], nodes: 0, end: End::Proved };
    if !sum_is_zero(r) {
        return BothSigns { upper: f64::INFINITY, end: End::Stuck, ..out };
    }
    let own = homes(x, r, options.starts);
    let same = |k: usize, j: usize| r[k] * r[j] > 0.0 && x.row(k) == x.row(j);
    let mut open: Vec<usize> = (0..n).filter(|&j| r[j] != 0.0 && !(0..j).any(|k| same(k, j))).collect();
    let mut target = options.target;
    for pass in 0..2 {
        let mut left = Vec::new();
        for (done, &j) in open.iter().enumerate() {
            let rows = Mat::from_fn(n, d, |i, k| x[(i, k)] - x[(j, k)]);
            // Each difference is off by half a unit in the last place at most.
            let slack =
                (0..n).fold(0.0, |s, i| add_up(s, mul_up(r[i].abs(), mul_up(f64::EPSILON, norm2(rows.row(i))))));
            let sign = if r[j] < 0.0 { 1.0 } else { -1.0 };
            if (options.stop)() {
                out.upper = out.upper.max(at_most(&rows, r, sign, slack));
                out.end = End::Stopped;
                continue;
            }
            // What the first pass climbed to is known.
            let first = pass == 0;
            let starts: Vec<Vec<f64>> = own.iter().filter(|t| first && same(t.0, j)).map(|t| t.1.clone()).collect();
            let share = options.max_nodes.saturating_sub(out.nodes) / (open.len() - done) as u64;
            let part = SupOptions {
                target,
                max_nodes: if first { 1 } else { share.max(1) },
                // The rows share their local maxima: a few random directions each are enough.
                random_starts: if first { options.random_starts.min(8) } else { 0 },
                starts: &starts,
                ..*options
            };
            let found = sup_signs(&rows, r, &[sign], slack, &part);
            let with_bias = |t: &Touch| {
                let b = -dot(&t.u, x.row(j));
                Touch { sign: t.sign, u: t.u.iter().copied().chain([b]).collect() }
            };
            out.nodes += found.nodes;
            // What the rounding of the differences may have added is taken off.
            let lower = sub_down(found.lower, slack);
            if lower > out.lower {
                out.lower = lower;
                out.best = found.best.as_ref().map(with_bias);
            }
            out.incumbents.extend(found.incumbents.iter().map(with_bias));
            if found.end == End::Exceeded {
                // The rows that are left were not looked at.
                return BothSigns { upper: f64::INFINITY, end: End::Exceeded, ..out };
            }
            if found.end == End::Nodes && first {
                left.push(j);
            } else {
                out.upper = out.upper.max(found.upper);
                out.end = out.end.worse(found.end);
            }
            if options.rise.is_some() {
                target = target.max(if found.end == End::Proved { found.upper } else { found.lower });
            }
        }
        open = left;
    }
    out.upper = out.upper.max(out.lower);
    out
}

/// The row at whose kink each start's q is largest, and that where -q is, with the start's weights.
///
/// ```text
/// q at the kink of row j = sum over z_i > z_j of r_i (z_i - z_j),   z = x w
/// ```
fn homes(x: &Mat, r: &[f64], starts: &[Vec<f64>]) -> Vec<(usize, Vec<f64>)> {
    let (n, d) = (x.rows(), x.cols());
    let mut out = vec![];
    for start in starts {
        let w = &start[..d];
        let z = x.mul_vec(w);
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|a, b| z[*b].total_cmp(&z[*a]));
        let (mut sum, mut moment) = (0.0, 0.0);
        let mut best: [Option<(f64, usize)>; 2] = [None, None];
        for j in order {
            let value = (moment - z[j] * sum) * -r[j].signum();
            let side = &mut best[usize::from(r[j] > 0.0)];
            if r[j] != 0.0 && side.is_none_or(|b| value > b.0) {
                *side = Some((value, j));
            }
            sum += r[j];
            moment += r[j] * z[j];
        }
        out.extend(best.into_iter().flatten().map(|(_, j)| (j, w.to_vec())));
    }
    out
}
