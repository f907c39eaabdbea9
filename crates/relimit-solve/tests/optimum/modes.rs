//! Treatments of the biases: problems whose optimum is known without a solver.

use relimit_core::certify::Claim;
use relimit_core::certify::optimum::{Bias, Objective as Claimed, Offset};
use relimit_core::num::Mat;
use relimit_solve::optimum::{Effort, Objective, lambda_max};

use super::common::Draw;
use super::support::solve;

fn with(x: &Mat, y: &[f64], lambda: f64, bias: Bias, offset: Offset) -> Objective {
    Objective::new(Claimed { bias, offset, ..Claimed::half_mean(lambda) }, x.clone(), y.to_vec())
}

/// One input without bias is two independent soft thresholds, one a side: f = a relu(x) + b relu(-x).
#[test]
fn without_bias_one_input_is_two_soft_thresholds() {
    let (x, y) = ([1.0, 2.0, -1.0, -3.0], [2.0, -0.5, 1.0, 1.5]);
    let lambda = 0.1;
    let side = |s: f64| {
        let (mut square, mut along, mut rest) = (0.0, 0.0, 0.0);
        for (x, y) in x.iter().zip(&y).filter(|(x, _)| **x * s > 0.0) {
            square += x * x / 4.0;
            along += (x * s) * y / 4.0;
            rest += y * y / 8.0;
        }
        let a = f64::signum(along) * (f64::abs(along) - lambda).max(0.0) / square;
        rest - a * along + 0.5 * a * a * square + lambda * a.abs()
    };
    let problem = with(&Mat::from_vec(4, 1, x.to_vec()), &y, lambda, Bias::None, Offset::None);
    let found = solve(&problem, 1e-10);
    assert!((found.candidate.value - side(1.0) - side(-1.0)).abs() < 1e-12, "{}", found.candidate.value);
    assert_eq!(found.certified.status, Claim::Certified);
}

/// A label that is a constant costs nothing with a free offset, and its offset is that constant.
#[test]
fn a_free_offset_takes_the_mean() {
    let x = Draw(3).gaussian(7, 2);
    let y = vec![2.5; 7];
    for (bias, offset) in [(Bias::Penalised, Offset::Free), (Bias::None, Offset::Free), (Bias::Free, Offset::None)] {
        let found = solve(&with(&x, &y, 0.1, bias, offset), 1e-8);
        assert!(found.candidate.value < 1e-28 && (found.candidate.offset - 2.5).abs() < 1e-14);
    }
    // (1/2)(o - y)^2 + (lambda/2) o^2 without neurons: o = y/(1 + lambda), as long as no neuron pays
    let found = solve(&with(&x, &y, 10.0, Bias::None, Offset::Penalised), 1e-8);
    assert!((found.candidate.offset - 2.5 / 11.0).abs() < 1e-14 && found.candidate.rays.is_empty());
    assert_eq!(found.certified.status, Claim::Certified);
}

/// With free biases one input costs its total slope change: three points of a tent, by hand.
///
/// f is linear between the data with a single kink at 0 or a pair of outer neurons: the penalty is
/// max(|change of slope|, |sum of the outer slopes|), so a tent of heights (0, h, 0) costs 2 h on [-1, 1].
#[test]
fn with_free_biases_a_tent_costs_its_slope_change() {
    let x = Mat::from_vec(3, 1, vec![-1.0, 0.0, 1.0]);
    let y = [0.0, 1.0, 0.0];
    // residuals (-a, 1 - h - a, -a) with the best constant: loss (1/6)(2/3)(1 - h)^2, penalty 2 lambda h
    let lambda = 0.02;
    let h = 1.0 - 9.0 * lambda;
    let expected = (1.0 - h) * (1.0 - h) / 9.0 + 2.0 * lambda * h;
    let problem = with(&x, &y, lambda, Bias::Free, Offset::None);
    let found = solve(&problem, 1e-9);
    assert!((found.candidate.value - expected).abs() < 1e-12, "{} for {expected}", found.candidate.value);
    assert_eq!(found.certified.status, Claim::Certified, "{:?}", found.certified.gap);
    // f = constant is optimal from (1/9)(2/2) = 1/9 on
    assert!((lambda_max(&problem, &Effort::default()).value - 1.0 / 9.0).abs() < 1e-12);
}

/// lambda_max of every treatment: no neuron just above, some just below. A penalised offset moves with lambda itself.
#[test]
fn the_network_vanishes_at_lambda_max_whatever_is_penalised() {
    let mut draw = Draw(61);
    let x = draw.gaussian(9, 2);
    let y: Vec<f64> = (0..9).map(|_| 1.0 + draw.normal()).collect();
    for bias in [Bias::None, Bias::Penalised, Bias::Free] {
        for offset in [Offset::None, Offset::Penalised, Offset::Free] {
            let problem = with(&x, &y, 1.0, bias, offset);
            let largest = lambda_max(&problem, &Effort::default()).value;
            let above = solve(&problem.with_lambda(1.001 * largest), 1e-8);
            let below = solve(&problem.with_lambda(0.999 * largest), 1e-8);
            assert!(above.candidate.rays.is_empty(), "{bias:?} {offset:?}: {:?}", above.candidate.rays);
            assert!(!below.candidate.rays.is_empty(), "{bias:?} {offset:?}");
            for found in [above, below] {
                assert_eq!(found.certified.status, Claim::Certified, "{bias:?} {offset:?}");
            }
        }
    }
}

/// Inputs of 0 without bias reach no neuron: lambda_max is 0 and the optimum is what the labels cost.
#[test]
fn rows_of_zeros_without_bias_have_no_neuron() {
    let problem = with(&Mat::zeros(3, 2), &[1.0, -1.0, 2.0], 0.1, Bias::None, Offset::None);
    assert_eq!(lambda_max(&problem, &Effort::default()).value, 0.0);
    let found = solve(&problem, 1e-8);
    assert!(found.candidate.rays.is_empty() && found.certified.status == Claim::Certified);
    assert!((found.candidate.value - 1.0).abs() < 1e-15);
}

/// Every treatment certifies on random sets, and fewer penalties never cost more.
#[test]
fn fewer_penalties_never_cost_more() {
    for seed in 0..6 {
        let mut draw = Draw(400 + seed);
        let d = 1 + seed as usize % 2;
        let x = draw.gaussian(8, d);
        let y: Vec<f64> = (0..8).map(|_| 0.5 + draw.normal()).collect();
        let value = |bias: Bias, offset: Offset| {
            let found = solve(&with(&x, &y, 0.03, bias, offset), 1e-8);
            assert_eq!(
                found.certified.status,
                Claim::Certified,
                "seed {seed} {bias:?} {offset:?}: {:e}",
                found.certified.gap_relative
            );
            found.candidate.value
        };
        for bias in [Bias::None, Bias::Penalised] {
            let [none, penalised, free] = [Offset::None, Offset::Penalised, Offset::Free].map(|o| value(bias, o));
            assert!(free <= penalised * (1.0 + 1e-9) && penalised <= none * (1.0 + 1e-9), "seed {seed} {bias:?}");
        }
        let with_bias = value(Bias::Penalised, Offset::None);
        assert!(with_bias <= value(Bias::None, Offset::None) * (1.0 + 1e-9), "seed {seed}");
        assert!(value(Bias::Free, Offset::None) <= value(Bias::Penalised, Offset::Free) * (1.0 + 1e-9), "seed {seed}");
    }
}
