//! Two coordinates: the supremum by one pass over the circle, for any number of rows.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use super::prepare::Prepared;
use crate::num::eft::{two_product, two_sum};
use crate::num::outward::{add_up, mul_up};

/// What a pass over the circle found, in the scaled units of the prepared rows.
pub(super) struct Pass {
    /// Proved upper bound.
    pub(super) upper: f64,
    /// Unit directions of local maxima with their values as computed, largest first.
    pub(super) peaks: Vec<(f64, [f64; 2])>,
}

/// Bound, as a share of sum |r_i| |x_i|, of all that angles and sums round.
///
/// An event angle is off by less than 2e-15 (atan2, a quarter turn, the wrap), so that a mask is wrong only where
/// |x_i . u| <= 2e-15 |x_i|; the angle of g and its distance to an arc are off by less than 4e-15; g itself is a
/// compensated sum. Together they stay below 1e-14.
pub(super) const ROUNDING: f64 = 1.5e-14;

/// Bounds q over the unit circle: between two neighbouring kinks q(u) = g . u with one vector g.
///
/// ```text
/// max over an arc of g . u = |g| cos(distance of the angle of g to the arc)
/// ```
///
/// O(n log n).
pub(super) fn pass(p: &Prepared) -> Pass {
    assert_eq!(p.dim, 2, "a pass over the circle in {} coordinates", p.dim);
    let n = p.r.len();
    let row = |i: usize| [p.rows[2 * i], p.rows[2 * i + 1]];
    let mut events: Vec<(f64, usize, f64)> = Vec::with_capacity(2 * n);
    let mut size = 0.0;
    let mut g = [(0.0, 0.0); 2];
    for i in 0..n {
        let [a, b] = row(i);
        size = add_up(size, mul_up(p.r[i].abs(), libm::hypot(a, b).next_up()));
        let normal = libm::atan2(b, a);
        let (on, off) = (wrapped(normal - FRAC_PI_2), wrapped(normal + FRAC_PI_2));
        events.push((on, i, 1.0));
        events.push((off, i, -1.0));
        if off <= on {
            add(&mut g, p.r[i], row(i));
        }
    }
    events.sort_by(|s, t| s.0.total_cmp(&t.0).then(s.1.cmp(&t.1)).then(s.2.total_cmp(&t.2)));
    let mut arcs: Vec<(f64, [f64; 2])> = Vec::with_capacity(events.len());
    let mut from = events.last().map_or(0.0, |e| e.0 - TAU);
    for &(to, i, s) in &events {
        arcs.push(top([g[0].0 + g[0].1, g[1].0 + g[1].1], from, to));
        add(&mut g, s * p.r[i], row(i));
        from = to;
    }
    let best = arcs.iter().map(|a| a.0).fold(0.0, f64::max);
    let upper = add_up(add_up(best, mul_up(ROUNDING, size)), p.slack);
    let count = arcs.len();
    let mut peaks: Vec<(f64, [f64; 2])> = (0..count)
        .filter(|&k| arcs[k].0 >= arcs[(k + 1) % count].0 && arcs[k].0 >= arcs[(k + count - 1) % count].0)
        .map(|k| arcs[k])
        .filter(|a| a.0 > 0.0)
        .collect();
    peaks.sort_by(|a, b| b.0.total_cmp(&a.0));
    peaks.dedup_by(|a, b| a.1 == b.1);
    Pass { upper, peaks }
}

/// `g <- g + s x`, with the rounding carried along.
pub(super) fn add(g: &mut [(f64, f64); 2], s: f64, x: [f64; 2]) {
    for (g, x) in g.iter_mut().zip(x) {
        let (product, low) = two_product(s, x);
        let (sum, rest) = two_sum(g.0, product);
        *g = (sum, g.1 + rest + low);
    }
}

/// The largest value of g . u over an arc of angles, and where.
fn top(g: [f64; 2], from: f64, to: f64) -> (f64, [f64; 2]) {
    let length = libm::hypot(g[0], g[1]);
    let half = 0.5 * (to - from);
    let mut away = libm::atan2(g[1], g[0]) - 0.5 * (from + to);
    while away > PI {
        away -= TAU;
    }
    while away < -PI {
        away += TAU;
    }
    let distance = (away.abs() - half).max(0.0);
    if distance == 0.0 {
        let unit = if length > 0.0 { [g[0] / length, g[1] / length] } else { [1.0, 0.0] };
        return (length, unit);
    }
    let end = if away > 0.0 { to } else { from };
    (length * libm::cos(distance), [libm::cos(end), libm::sin(end)])
}

/// The angle in [0, 2 pi].
pub(super) fn wrapped(angle: f64) -> f64 {
    if angle < 0.0 { angle + TAU } else { angle }
}

#[cfg(test)]
mod tests {
    use super::super::{End, SupOptions, sup};
    use crate::num::Mat;
    use crate::num::test_random::Random;

    /// Against every kink and a fine grid of directions, which never reach beyond the bound and come close to it.
    #[test]
    fn a_dense_grid_stays_below_and_comes_close() {
        let mut random = Random(77);
        for n in [1, 2, 3, 8, 60] {
            let x = Mat::from_fn(n, 2, |_, k| if k == 1 { 1.0 } else { 4.0 * random.unit() - 2.0 });
            let r: Vec<f64> = (0..n).map(|_| random.unit() - 0.5).collect();
            let found = sup(&x, &r, &SupOptions::to_accuracy(1e-12));
            let q = |u: [f64; 2]| (0..n).map(|i| r[i] * (x[(i, 0)] * u[0] + x[(i, 1)] * u[1]).max(0.0)).sum::<f64>();
            let grid = (0..200_000).map(|k| f64::from(k) * std::f64::consts::TAU / 200_000.0);
            let best = grid.map(|t| q([t.cos(), t.sin()])).fold(0.0, f64::max);
            assert!(best <= found.upper && found.upper - best < 1e-3 * found.upper + 1e-12, "n {n}: {best} {found:?}");
            assert!(found.upper - found.lower <= 1e-11 * found.upper.max(1.0), "n {n}: {found:?}");
            assert!(n < 3 || found.end == End::Proved || found.upper < 1e-12, "n {n}: {found:?}");
        }
    }

    /// Twelve equal rays of weight 1: q is largest midway between two of them.
    #[test]
    fn a_regular_star_is_known() {
        let turn = |k: usize| k as f64 * std::f64::consts::TAU / 12.0;
        let x = Mat::from_fn(12, 2, |i, k| if k == 0 { turn(i).cos() } else { turn(i).sin() });
        let found = sup(&x, &[1.0; 12], &SupOptions::to_accuracy(1e-12));
        // active between two rays: six rows, |g| = 1/sin(15 degrees)
        let expected = 1.0 / (std::f64::consts::PI / 12.0).sin();
        assert!((found.upper - expected).abs() < 1e-12 && (found.lower - expected).abs() < 1e-12, "{found:?}");
        let below = sup(&x, &[1.0; 12], &SupOptions::below(expected * (1.0 - 1e-9)));
        assert!(below.end == End::Exceeded && below.upper >= expected && !below.incumbents.is_empty());
    }
}
