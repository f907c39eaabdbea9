//! The law without a data term: a Gaussian whose variance is known exactly, the size of the step included.

use relimit_core::langevin::{Bias, Options, Plan, Precision, Schedule, Start, Unobserved, run, start};
use relimit_core::num::Mat;

/// `theta <- (1 - eta lambda) theta + sqrt(2 eta / beta) g` has variance `1 / (beta lambda (1 - eta lambda / 2))`: half of it
/// would be the law exp(-2 beta Psi).
#[test]
fn without_data_the_weights_are_normal_with_the_variance_of_the_chain() {
    let (lambda, beta, eta, width) = (0.5, 8.0, 0.2, 40_000);
    for precision in [Precision::F32, Precision::F64] {
        let plan = Plan::new(Options {
            width,
            bias: Bias::None,
            start: Start::Normal { scale: 1e-3 },
            step: Schedule::Constant(eta),
            precision,
            ..Options::new(Mat::zeros(1, 1), Mat::zeros(1, 1), lambda, beta, eta)
        })
        .expect("a plan");
        let mut particles = start(&plan);
        run(&plan, &mut particles, 0..200, 2, &mut Unobserved, &|| false);
        let variance = 1.0 / (beta * lambda * (1.0 - eta * lambda / 2.0));
        let z: Vec<f64> = particles.values().map(|v| v / variance.sqrt()).collect();
        let (c, w): (Vec<f64>, Vec<f64>) = z.chunks(3).map(|t| (t[0], t[1])).unzip();
        assert!(z.chunks(3).all(|t| t[2] == 0.0), "there is no bias");
        let count = width as f64;
        let within = |name: &str, mean: f64, exact: f64, square: f64| {
            let sigmas = (mean - exact) / (square / count).sqrt();
            assert!(sigmas.abs() < 5.0, "{precision:?} {name}: {mean}, {sigmas} standard errors from {exact}");
        };
        for part in [&c, &w] {
            let mean = |p: i32| part.iter().map(|v| v.powi(p)).sum::<f64>() / count;
            // var(z^p) = E z^2p - (E z^p)^2
            within("mean", mean(1), 0.0, 1.0);
            within("variance", mean(2), 1.0, 2.0);
            within("skewness", mean(3), 0.0, 15.0);
            within("kurtosis", mean(4), 3.0, 96.0);
        }
        let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() / count;
        within("c and w", product(&c, &w), 0.0, 1.0);
        for lag in [1, 8, 16, 32] {
            within("neurons apart", product(&c[..width - lag], &c[lag..]), 0.0, 1.0);
        }
    }
}
