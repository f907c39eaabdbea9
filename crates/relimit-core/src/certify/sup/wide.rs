//! More coordinates than the tree has storage for: one bound of the whole ball, and a plain ascent.

use super::prepare::Prepared;
use super::rows::TINY;
use super::{BothSigns, End, SupOptions, Touch, value_down};
use crate::num::Mat;
use crate::num::mat::{axpy, dot, norm2};
use crate::num::outward::{add_up, gamma};

/// Steps of the ascent.
const STEPS: usize = 100;

/// Chords of slope 1/2 for every row: the bound, rounded up, and the sum in it.
///
/// ```text
/// q(u) <= |1/2 sum_i r_i x_i| + 1/2 sum_{r_i > 0} r_i |x_i|
/// ```
fn whole_ball(p: &Prepared, sign: f64) -> (f64, Vec<f64>) {
    let g = gamma(p.r.len() + p.dim + 64);
    let mut v = vec![0.0; p.dim];
    let (mut chords, mut size) = (0.0, 0.0);
    for (row, w) in p.rows.chunks_exact(p.dim).zip(&p.r) {
        let (length, w) = (norm2(row), sign * w);
        axpy(0.5 * w, row, &mut v);
        size += 0.5 * w.abs() * length;
        chords += 0.5 * w.max(0.0) * length;
    }
    (add_up((norm2(&v) + chords + 4.0 * g * size + p.slack) * (1.0 + 2.0 * g), TINY), v)
}

/// An upper bound of `sign q` on the unit ball that one pass over the rows gives; `slack` as in [`super::sup_signs`].
pub(super) fn at_most(x: &Mat, r: &[f64], sign: f64, slack: f64) -> f64 {
    let mut p = Prepared::new(x, r);
    p.add_slack(slack);
    let bound = if p.r.is_empty() { p.slack } else { whole_ball(&p, sign).0 };
    p.unscale(bound).next_up()
}

/// The bound of [`whole_ball`] for the larger sign, and plain ascents.
pub(super) fn sup_wide(x: &Mat, r: &[f64], signs: &[f64], p: &Prepared, options: &SupOptions<'_>) -> BothSigns {
    let mut upper = 0.0f64;
    let mut best: (f64, Option<Touch>) = (0.0, None);
    for &sign in signs {
        let (bound, v) = whole_ball(p, sign);
        upper = upper.max(bound);
        for start in options.starts.iter().chain([&v]) {
            let (value, u) = climb(p, sign, start);
            if value > best.0 {
                best = (value, Some(Touch { sign, u }));
            }
        }
    }
    let upper = p.unscale(upper).next_up();
    let above = best.0 > p.scale(options.target);
    BothSigns {
        upper,
        lower: best.1.as_ref().map_or(0.0, |t| value_down(x, r, t)),
        incumbents: best.1.iter().filter(|_| above).cloned().collect(),
        best: best.1,
        nodes: signs.len() as u64,
        end: if upper <= options.target { End::Proved } else { End::Dimension },
    }
}

/// See [`super::local_maxima`]: from the starts given alone.
pub(super) fn maxima_wide(p: &Prepared, options: &SupOptions<'_>) -> Vec<Vec<f64>> {
    let mut found: Vec<(f64, Vec<f64>)> = options.starts.iter().map(|u| climb(p, 1.0, u)).collect();
    found.retain(|t| t.0 > p.scale(options.target));
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found.truncate(super::INCUMBENTS);
    found.into_iter().map(|t| t.1).collect()
}

/// See [`super::ascend`].
pub(super) fn ascend_wide(p: &Prepared, start: &[f64]) -> (f64, Vec<f64>) {
    let (value, u) = climb(p, 1.0, start);
    (p.unscale(value), u)
}

/// Steps to the direction of the gradient, as long as q rises.
fn climb(p: &Prepared, sign: f64, start: &[f64]) -> (f64, Vec<f64>) {
    let unit = |v: &[f64]| {
        let n = norm2(v);
        if n > 0.0 { v.iter().map(|a| a / n).collect() } else { v.to_vec() }
    };
    let mut u: Vec<f64> = unit(start);
    let mut value = f64::NEG_INFINITY;
    for _ in 0..STEPS {
        let mut gradient = vec![0.0; p.dim];
        for (row, w) in p.rows.chunks_exact(p.dim).zip(&p.r) {
            if dot(row, &u) > 0.0 {
                axpy(sign * w, row, &mut gradient);
            }
        }
        // q is linear on the cell: its value is the product with the gradient.
        let here = dot(&gradient, &u);
        if !(here > value) {
            break;
        }
        value = here;
        let next = unit(&gradient);
        let q: f64 = p.rows.chunks_exact(p.dim).zip(&p.r).map(|(row, w)| sign * w * dot(row, &next).max(0.0)).sum();
        if !(q > value) {
            break;
        }
        u = next;
    }
    (value.max(0.0), u)
}
