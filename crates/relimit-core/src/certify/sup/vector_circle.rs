//! Two coordinates, vector weights: the supremum of |Q| by one pass over the circle, also where a whole arc attains it.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use super::circle::{ROUNDING, add, wrapped};
use super::prepare::exponent;
use crate::num::Mat;
use crate::num::mat::norm2;
use crate::num::outward::{add_up, gamma, mul_up};

/// What a pass over the circle found.
pub(super) struct Pass {
    /// Proved upper bound of |Q| on the unit circle.
    pub(super) upper: f64,
    /// More than what rounding may add to it.
    pub(super) rounding: f64,
    /// Unit direction of the largest value, to rounding.
    pub(super) argmax: Vec<f64>,
}

/// What angles may turn `|M u|^2` by, as a share of |M|^2: its slope in the angle is at most 2 s <= |M|^2, and the ends of
/// the arc and the distance to the maximum are off by less than 1e-14 together (see [`ROUNDING`]).
const TURN: f64 = 4e-14;
/// What squares that fall below the range of f64 can hide of |Q|, rows and weights having entries of about 1: each square
/// lost is below 1e-307.
const HIDDEN: f64 = 1e-150;

/// Bounds |Q| over the unit circle: between two neighbouring kinks Q(u) = M u with one k x 2 matrix M = (a, b).
///
/// ```text
/// |M u(phi)|^2 = p + s cos(2 (phi - top)),  p = (|a|^2 + |b|^2) / 2,  (s cos 2 top, s sin 2 top) = ((|a|^2 - |b|^2) / 2, a . b)
/// ```
///
/// Its maximum over an arc is at the turn of `top` or at the end next to it. O(n log n + n k).
///
/// # Source
/// math note on noisy SGD, section 5: on a face |Q|^2 is a quadratic form.
pub(super) fn pass(x: &Mat, r: &Mat) -> Pass {
    let (n, k) = (x.rows(), r.cols());
    // Powers of two are taken out, so that no square overflows.
    let (ex, er) = (exponent(x.as_slice()), exponent(r.as_slice()));
    let x = Mat::from_fn(n, 2, |i, t| libm::ldexp(x[(i, t)], -ex));
    let r = Mat::from_fn(n, k, |i, l| libm::ldexp(r[(i, l)], -er));
    let row = |i: usize| [x[(i, 0)], x[(i, 1)]];
    let mut events: Vec<(f64, usize, f64)> = Vec::with_capacity(2 * n);
    let mut size = 0.0;
    let mut m = vec![[(0.0, 0.0); 2]; k];
    let turn = |m: &mut [[(f64, f64); 2]], i: usize, s: f64| {
        for (g, v) in m.iter_mut().zip(r.row(i)) {
            add(g, s * v, row(i));
        }
    };
    for i in (0..n).filter(|&i| row(i) != [0.0; 2] && norm2(r.row(i)) > 0.0) {
        let [a, b] = row(i);
        let rounded = 1.0 + gamma(k + 8);
        size = add_up(size, mul_up(mul_up(norm2(r.row(i)), rounded), libm::hypot(a, b).next_up()));
        let normal = libm::atan2(b, a);
        let (on, off) = (wrapped(normal - FRAC_PI_2), wrapped(normal + FRAC_PI_2));
        events.push((on, i, 1.0));
        events.push((off, i, -1.0));
        if off <= on {
            turn(&mut m, i, 1.0);
        }
    }
    events.sort_by(|s, t| s.0.total_cmp(&t.0).then(s.1.cmp(&t.1)).then(s.2.total_cmp(&t.2)));
    let mut best = (0.0, vec![1.0, 0.0]);
    let mut upper: f64 = 0.0;
    let mut from = events.last().map_or(0.0, |e| e.0 - TAU);
    for &(to, i, s) in &events {
        let (square, scale, angle) = top(&m, from, to);
        if square > best.0 {
            best = (square, vec![libm::cos(angle), libm::sin(angle)]);
        }
        let lost = mul_up(scale, TURN + 4.0 * gamma(2 * k + 8));
        let bound = add_up(square.max(0.0), lost).sqrt().next_up();
        upper = if bound.is_nan() { f64::INFINITY } else { upper.max(bound) };
        turn(&mut m, i, s);
        from = to;
    }
    if size > 0.0 {
        upper = add_up(add_up(upper, mul_up(ROUNDING, size)), HIDDEN);
    }
    Pass {
        upper: libm::ldexp(upper, ex + er).next_up(),
        rounding: libm::ldexp(4.0 * ROUNDING * size, ex + er),
        argmax: best.1,
    }
}

/// The largest `|M u|^2` over an arc of angles, `|M|^2`, and the angle.
fn top(m: &[[(f64, f64); 2]], from: f64, to: f64) -> (f64, f64, f64) {
    let (mut aa, mut bb, mut ab) = (0.0, 0.0, 0.0);
    for g in m {
        let (a, b) = (g[0].0 + g[0].1, g[1].0 + g[1].1);
        aa += a * a;
        bb += b * b;
        ab += a * b;
    }
    let (mean, half) = (0.5 * (aa + bb), 0.5 * (aa - bb));
    let swing = libm::hypot(half, ab);
    let middle = 0.5 * (from + to);
    let mut away = 0.5 * libm::atan2(ab, half) - middle;
    // The form has the period pi.
    while away > FRAC_PI_2 {
        away -= PI;
    }
    while away < -FRAC_PI_2 {
        away += PI;
    }
    let reach = 0.5 * (to - from);
    let distance = (away.abs() - reach).max(0.0);
    (mean + swing * libm::cos(2.0 * distance), aa + bb, middle + away.clamp(-reach, reach))
}

#[cfg(test)]
mod tests {
    use super::super::{SupOptions, sup, sup_vector};
    use crate::num::Mat;
    use crate::num::test_random::Random;

    /// Against a fine grid of directions, which never reaches beyond the bound and comes close to it.
    #[test]
    fn a_dense_grid_stays_below_and_comes_close() {
        let mut random = Random(91);
        for (n, k) in [(1, 2), (2, 3), (5, 2), (9, 4)] {
            let x = Mat::from_fn(n, 2, |_, t| if t == 1 { 1.0 } else { 4.0 * random.unit() - 2.0 });
            let r = Mat::from_fn(n, k, |_, _| random.unit() - 0.5);
            let found = sup_vector(&x, &r, &SupOptions::to_accuracy(1e-12));
            let value = |a: f64| {
                let q = (0..k).map(|l| {
                    (0..n).map(|i| r[(i, l)] * (x[(i, 0)] * a.cos() + x[(i, 1)] * a.sin()).max(0.0)).sum::<f64>()
                });
                q.map(|v| v * v).sum::<f64>().sqrt()
            };
            let grid = (0..100_000).map(|t| f64::from(t) * std::f64::consts::TAU / 100_000.0);
            let best = grid.map(value).fold(0.0, f64::max);
            assert!(best <= found.upper && found.upper - best < 1e-3 * found.upper, "{n} {k}: {best} {found:?}");
            assert!(found.upper - found.lower <= 1e-12 * found.upper, "{n} {k}: {found:?}");
        }
    }

    /// Rows and weights at the ends of the range of f64: the supremum follows in proportion.
    #[test]
    fn extreme_scales_change_nothing() {
        let mut random = Random(17);
        let x = Mat::from_fn(6, 2, |_, _| random.unit() - 0.5);
        let r = Mat::from_fn(6, 2, |_, _| random.unit() - 0.5);
        let plain = sup_vector(&x, &r, &SupOptions::to_accuracy(1e-12)).upper;
        for e in [-500, 500] {
            let power = |m: &Mat, e: i32| Mat::from_fn(6, 2, |i, t| libm::ldexp(m[(i, t)], e));
            let found = sup_vector(&power(&x, e), &power(&r, e), &SupOptions::to_accuracy(1e-12)).upper;
            assert!((libm::ldexp(found, -2 * e) - plain).abs() < 1e-14 * plain, "{e}: {found}");
        }
    }

    /// One output: the two scalar suprema, whose pass shares no formula with this one.
    #[test]
    fn one_output_is_the_scalar_supremum() {
        let mut random = Random(5);
        for n in [1, 4, 30] {
            let x = Mat::from_fn(n, 2, |_, _| random.unit() - 0.5);
            let r = Mat::from_fn(n, 1, |_, _| random.unit() - 0.5);
            let both = [1.0, -1.0].map(|s| {
                let r: Vec<f64> = r.as_slice().iter().map(|v| s * v).collect();
                sup(&x, &r, &SupOptions::to_accuracy(1e-12)).upper
            });
            let found = sup_vector(&x, &r, &SupOptions::to_accuracy(1e-12)).upper;
            assert!((found - both[0].max(both[1])).abs() < 1e-12 * found, "n {n}: {found} {both:?}");
        }
    }
}
