//! The law of one neuron with two inputs by plain sums over the circle: moments, and what N neurons add to them.
//!
//! ```text
//! c = s q / lambda + g / sqrt(beta lambda),   s^2 = 2 lambda E / (beta (lambda^2 - q^2)),   E exponential,   u = s v
//! ```

use relimit_core::gibbs::{Law, Model, Solve, solve};
use relimit_core::num::Mat;
use relimit_core::num::linalg::Cholesky;

/// Points of the circle.
const POINTS: usize = 400_000;

/// The law of a model that has one.
pub(crate) fn law(model: &Model) -> Law {
    match solve(model, None, &|| false) {
        Solve::Law(law) => *law,
        Solve::Stopped(why) => panic!("{why:?}"),
    }
}

/// Directions by their angle in (-pi, pi), with the share of neurons in each and q there.
pub(crate) fn circle(law: &Law) -> Vec<(f64, f64, f64)> {
    let (x, lambda) = (&law.model.x, law.model.lambda);
    let mut points: Vec<(f64, f64, f64)> = (0..POINTS)
        .map(|k| {
            let angle = std::f64::consts::TAU * ((k as f64 + 0.5) / POINTS as f64 - 0.5);
            let v = [angle.cos(), angle.sin()];
            let q: f64 = (0..x.rows()).map(|i| law.dual[(i, 0)] * seen(x.row(i), &v)).sum();
            (angle, 1.0 / (lambda * lambda - q * q), q)
        })
        .collect();
    let total: f64 = points.iter().map(|p| p.1).sum();
    for p in &mut points {
        p.1 /= total;
    }
    points
}

fn seen(x: &[f64], v: &[f64]) -> f64 {
    x.iter().zip(v).map(|(a, b)| a * b).sum::<f64>().max(0.0)
}

/// What the mean output of N neurons differs by from that of the law, times N, to leading order.
///
/// ```text
/// -(1/(2 beta omega)) K^-1 [K3 : K^-1],   K = 1/omega + beta cov(phi),   K3 = beta^2 cumulants3(phi),   phi_i = c relu(u . x_i)
/// ```
///
/// The partition function of N neurons is `int exp(-N beta Phi(r)) dr` along the imaginary axes through the dual point
/// (Hubbard, Stratonovich); K and K3 are derivatives of the dual Phi, and the third one moves the mean.
pub(crate) fn finite_width(law: &Law) -> Vec<f64> {
    let (x, m) = (&law.model.x, &law.model);
    let n = x.rows();
    let (mut first, mut second) = (vec![0.0; n], Mat::zeros(n, n));
    let mut third = vec![0.0; n * n * n];
    for (angle, share, q) in circle(law) {
        // E (s c)^p for p = 1, 2, 3, with E s^2 = 2 t, E s^4 = 8 t^2, E s^6 = 48 t^3
        let t = m.lambda / (m.beta * (m.lambda * m.lambda - q * q));
        let (a, variance) = (q / m.lambda, 1.0 / (m.beta * m.lambda));
        let one = a * 2.0 * t;
        let two = a * a * 8.0 * t * t + variance * 2.0 * t;
        let three = a * a * a * 48.0 * t * t * t + 3.0 * a * variance * 8.0 * t * t;
        let phi: Vec<f64> = (0..n).map(|i| seen(x.row(i), &[angle.cos(), angle.sin()])).collect();
        for i in 0..n {
            first[i] += share * one * phi[i];
            for j in 0..n {
                second[(i, j)] += share * two * phi[i] * phi[j];
                for k in 0..n {
                    third[(i * n + j) * n + k] += share * three * phi[i] * phi[j] * phi[k];
                }
            }
        }
    }
    let covariance = |i: usize, j: usize| second[(i, j)] - first[i] * first[j];
    let cumulant = |i: usize, j: usize, k: usize| {
        let mixed = first[i] * second[(j, k)] + first[j] * second[(i, k)] + first[k] * second[(i, j)];
        third[(i * n + j) * n + k] - mixed + 2.0 * first[i] * first[j] * first[k]
    };
    let unit = |i: usize, j: usize| if i == j { 1.0 / m.omega } else { 0.0 };
    let curvature = Mat::from_fn(n, n, |i, j| unit(i, j) + m.beta * covariance(i, j));
    let factor = Cholesky::new(&curvature).expect("a positive definite curvature");
    let columns: Vec<Vec<f64>> =
        (0..n).map(|j| factor.solve(&(0..n).map(|i| f64::from(u8::from(i == j))).collect::<Vec<f64>>())).collect();
    let pushed: Vec<f64> = (0..n)
        .map(|c| (0..n * n).map(|ab| cumulant(ab / n, ab % n, c) * columns[ab / n][ab % n]).sum::<f64>())
        .collect();
    factor.solve(&pushed).iter().map(|v| -0.5 * m.beta / m.omega * v).collect()
}
