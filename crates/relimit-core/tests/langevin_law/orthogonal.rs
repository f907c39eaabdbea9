//! Orthogonal rows, both layers from a small balanced start: the minimum of the norm, unless a neuron is missing.

use relimit_core::langevin::{Bias, Loss, Options, Plan, Scaling, Schedule, Start, start};
use relimit_core::num::Mat;

use crate::common::advance;

/// Axis-aligned unit rows, the first half with positive labels: no rounding wakes a neuron on another row.
fn problem(n: usize) -> (Mat, Vec<f64>) {
    let x = Mat::from_fn(n, 2 * n, |i, j| if i == j { 1.0 } else { 0.0 });
    let y = (0..n).map(|i| (0.6 + 0.3 * (i % 3) as f64) * if i < n / 2 { 1.0 } else { -1.0 }).collect();
    (x, y)
}

fn plan(n: usize, width: usize, scale: f64, seed: u64) -> Plan {
    let (x, y) = problem(n);
    let rows = y.len();
    let o = Options::new(x, Mat::from_vec(rows, 1, y), 0.0, f64::INFINITY, 0.01);
    let start = Start::Balanced { scale };
    let (bias, loss, scaling) = (Bias::None, Loss::HalfSum, Scaling::Standard);
    Plan::new(Options { width, bias, loss, scaling, start, seed, step: Schedule::Constant(0.01), ..o }).expect("a plan")
}

/// Half the squared norm of all weights at the end of a run that fits.
fn norm(plan: &Plan, scale: f64) -> f64 {
    let o = plan.options();
    let mut particles = start(plan);
    // A neuron grows like exp(t |y on its rows|), so the steps are linear in log(1/scale).
    let steps = (100.0 * (60.0 - 1.5 * scale.ln())) as u64;
    advance(plan, &mut particles, 0, steps);
    let f = relimit_core::langevin::outputs(plan, &particles, &o.x);
    let missed = f.as_slice().iter().zip(o.y.as_slice()).map(|(f, y)| (f - y).abs()).fold(0.0, f64::max);
    assert!(missed < 1e-6, "scale {scale:e}: not fitted, {missed:e}");
    0.5 * particles.values().map(|v| v * v).sum::<f64>()
}

/// Least half squared norm: `sqrt(sum_pos y_i^2)` and the same for negative labels, on unit rows.
fn least(y: &[f64]) -> f64 {
    let of = |sign: f64| y.iter().filter(|y| sign * **y > 0.0).map(|y| y * y).sum::<f64>().sqrt();
    of(1.0) + of(-1.0)
}

/// Where a start of scale eps -> 0 ends, from saddle to saddle, and how many neurons of each sign grow.
///
/// Neuron j has size `eps^a_j`, at first a_j = 1, and grows at the rate `sqrt(sum y_i^2)` over the rows of its sign that it is
/// active on and that are not fitted: a_j falls by rate times time / log(1/eps). The first to reach 0 fits these rows.
/// Rows that it is silent on stay so, because other rows do not move its preactivation there.
fn saddle_to_saddle(plan: &Plan) -> (f64, [usize; 2]) {
    let (o, particles) = (plan.options(), start(plan));
    let mut total = 0.0;
    let grown = [1.0, -1.0].map(|sign| {
        let mut open: Vec<usize> = (0..o.x.rows()).filter(|i| sign * o.y[(*i, 0)] > 0.0).collect();
        let neurons: Vec<usize> = (0..particles.width()).filter(|j| sign * particles.get(*j, 0) > 0.0).collect();
        let mut exponents = vec![1.0; neurons.len()];
        let mut grown = 0;
        while !open.is_empty() {
            let sees = |j: usize, i: &usize| particles.get(j, 1 + i) > 0.0;
            let rate =
                |j: &usize| open.iter().filter(|i| sees(*j, i)).map(|i| o.y[(*i, 0)].powi(2)).sum::<f64>().sqrt();
            let rates: Vec<f64> = neurons.iter().map(rate).collect();
            let times = exponents.iter().zip(&rates).map(|(a, g)| if *g > 0.0 { a / g } else { f64::INFINITY });
            let (first, time) = times.enumerate().min_by(|a, b| a.1.total_cmp(&b.1)).expect("a neuron of the sign");
            if time.is_infinite() {
                return usize::MAX;
            }
            exponents.iter_mut().zip(&rates).for_each(|(a, g)| *a -= g * time);
            total += rates[first];
            grown += 1;
            open.retain(|i| !sees(neurons[first], i));
        }
        grown
    });
    (total, grown)
}

/// With a neuron of each sign active on all rows of its label the ratio to the least norm falls to 1 with the scale. The notes
/// list 1.084 to 1.098 at 1e-1, 1.027 to 1.037 at 1e-3, 1.006 to 1.011 at 1e-6, 1.0004 to 1.0009 at 1e-12 for three
/// seeds and other labels.
#[test]
fn small_balanced_starts_reach_the_least_norm() {
    let excess =
        [(1e-1, 0.12), (1e-3, 0.045), (1e-6, 0.013), (1e-9, 0.005), (1e-12, 1.5e-3), (1e-24, 5e-5), (1e-48, 1e-7)];
    for seed in 0..3 {
        let mut before = f64::INFINITY;
        for (scale, most) in excess {
            let plan = plan(6, 200, scale, seed);
            assert_eq!(saddle_to_saddle(&plan).1, [1, 1], "seed {seed}: a neuron for each sign");
            let found = norm(&plan, scale) / least(plan.options().y.as_slice()) - 1.0;
            assert!(found > 0.0 && found < most && found < 0.5 * before, "seed {seed}, scale {scale:e}: {found:e}");
            before = found;
        }
    }
}

/// Narrow networks that lack such a neuron of one sign keep a larger norm at every scale, and end where two neurons of
/// that sign share its rows. (Where more have to grow, near ties decide at scales that no double reaches.)
#[test]
fn a_missing_neuron_costs_norm_at_every_scale() {
    let mut tried = 0;
    for seed in 0..28 {
        let small = plan(8, 12, 1e-48, seed);
        let (end, grown) = saddle_to_saddle(&small);
        if ![[1, 2], [2, 1]].contains(&grown) {
            continue;
        }
        tried += 1;
        let best = least(small.options().y.as_slice());
        let found = norm(&small, 1e-48);
        assert!((found - end).abs() < 2e-4, "seed {seed}: {found} for {end}");
        for scale in [1e-1, 1e-3, 1e-6, 1e-12] {
            let found = norm(&plan(8, 12, scale, seed), scale);
            assert!(found > 1.05 * best, "seed {seed}, scale {scale:e}: {found} for {best}");
        }
    }
    assert!(tried >= 5, "{tried} starts with a missing neuron");
}
