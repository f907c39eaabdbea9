//! One problem in several descriptions has one optimum.

use relimit_core::certify::optimum::{Bias, Loss, Objective as Claimed};
use relimit_core::num::Mat;
use relimit_solve::optimum::{Effort, Objective, optimum};

use super::common::Draw;
use super::support::{half_mean, solve};

#[test]
fn order_copies_and_axes_do_not_matter() {
    for seed in 0..8 {
        let mut draw = Draw(900 + seed);
        let (n, d) = (12, 2);
        let x = draw.gaussian(n, d);
        let y: Vec<f64> = (0..n).map(|_| draw.normal()).collect();
        let base = solve(&half_mean(&x, &y, 0.02), 1e-10);
        let value = base.candidate.value;

        let order: Vec<usize> = (0..n).map(|i| (5 * i + 3) % n).collect();
        let moved: Vec<f64> = order.iter().map(|&i| y[i]).collect();
        let permuted = solve(&half_mean(&x.select_rows(&order), &moved, 0.02), 1e-10);
        assert!((permuted.candidate.value - value).abs() < 1e-11, "permuted: {}", permuted.candidate.value - value);

        let twice: Vec<usize> = (0..n).chain(0..4).collect();
        let labels: Vec<f64> = twice.iter().map(|&i| y[i]).collect();
        let weights: Vec<f64> = (0..n + 4).map(|k| if k < 4 || k >= n { 0.5 } else { 1.0 }).collect();
        let claim = Claimed { weights: Some(weights), ..Claimed::half_mean(0.02) };
        let copied = solve(&Objective::new(claim, x.select_rows(&twice), labels), 1e-10);
        assert!((copied.candidate.value - value).abs() < 1e-11, "copied: {}", copied.candidate.value - value);

        let (c, s) = (0.6, 0.8);
        let turned =
            Mat::from_fn(
                n,
                d,
                |i, k| {
                    if k == 0 { c * x[(i, 0)] - s * x[(i, 1)] } else { s * x[(i, 0)] + c * x[(i, 1)] }
                },
            );
        let rotated = solve(&half_mean(&turned, &y, 0.02), 1e-10);
        assert!((rotated.candidate.value - value).abs() < 1e-11, "rotated: {}", rotated.candidate.value - value);
    }
}

#[test]
fn the_named_losses_are_one_problem_in_three_units() {
    let mut draw = Draw(77);
    let x = draw.gaussian(9, 1);
    let y: Vec<f64> = (0..9).map(|_| draw.normal()).collect();
    let value = |loss: Loss, lambda: f64| {
        let claim = Claimed { loss, bias: Bias::Penalised, ..Claimed::half_mean(lambda) };
        solve(&Objective::new(claim, x.clone(), y.clone()), 1e-10).candidate.value
    };
    let half_mean = value(Loss::HalfMean, 0.03);
    assert!((value(Loss::HalfSum, 0.27) - 9.0 * half_mean).abs() < 1e-11);
    assert!((value(Loss::Mean, 0.06) - 2.0 * half_mean).abs() < 1e-11);
}

#[test]
fn a_warm_start_changes_nothing() {
    let mut draw = Draw(5);
    let x = draw.gaussian(20, 3);
    let y: Vec<f64> = (0..20).map(|_| draw.normal()).collect();
    let first = half_mean(&x, &y, 0.05);
    let second = first.with_lambda(0.02);
    let effort = Effort::default();
    let warm = optimum(&second, optimum(&first, vec![], &effort).candidate.rays, &effort);
    let cold = optimum(&second, vec![], &effort);
    assert!((warm.candidate.value - cold.candidate.value).abs() < 1e-10 * cold.candidate.value);
}
