//! The largest eigenvalue alone, with a proof that no larger one exists.

use super::{Cholesky, Mat, scaled_lower, symmetric_eigenvalues};
use crate::num::mat::{axpy, dot, norm2};

/// Largest eigenvalue of a symmetric positive semidefinite matrix G, such as a Gram matrix.
///
/// A Rayleigh quotient from below (Lanczos with full reorthogonalisation), accepted when the Cholesky factorisation
/// of `(1 + 8 n eps) theta I - G` proves that no eigenvalue lies above; otherwise the largest of all eigenvalues.
/// In either case within `8 n eps` of the truth, in practice within a few units in the last place; scaling G
/// by a power of two scales the result exactly. Panics on NaN or infinite entries; 0 for an empty matrix.
///
/// # Cost
/// n^3 / 3 flops for the proof and usually fewer than 100 products with G.
pub fn largest_eigenvalue(g: &Mat) -> f64 {
    let (scaled, scale) = scaled_lower(g, "largest eigenvalue");
    let n = scaled.rows();
    if n == 0 {
        return 0.0;
    }
    let theta = lanczos(&scaled);
    let bound = theta * (1.0 + 8.0 * n as f64 * f64::EPSILON);
    let shifted = Mat::from_fn(n, n, |i, k| if i == k { bound - scaled[(i, i)] } else { -scaled[(i, k)] });
    if Cholesky::new(&shifted).is_some() { theta / scale } else { symmetric_eigenvalues(&scaled)[n - 1] / scale }
}

/// Most products with G before all eigenvalues are the cheaper way.
const PRODUCTS: usize = 150;

/// The largest Ritz value once it has stopped growing (or after `PRODUCTS` products).
fn lanczos(g: &Mat) -> f64 {
    let n = g.rows();
    let (mut alpha, mut beta): (Vec<f64>, Vec<f64>) = (vec![], vec![]);
    // A fixed start without symmetry, so that it is not orthogonal to the eigenvector sought.
    let mut v: Vec<f64> = (0..n).map(|i| 1.0 + (0.618_033_988_749_894_9 * (i + 1) as f64).fract()).collect();
    let length = norm2(&v);
    scale_by(&mut v, 1.0 / length);
    let mut basis: Vec<Vec<f64>> = vec![v];
    let mut theta = 0.0;
    for step in 1..=PRODUCTS.min(n) {
        let mut w = g.mul_vec(&basis[step - 1]);
        alpha.push(dot(&w, &basis[step - 1]));
        axpy(-alpha[step - 1], &basis[step - 1], &mut w);
        if step > 1 {
            axpy(-beta[step - 2], &basis[step - 2], &mut w);
        }
        for b in &basis {
            let share = dot(&w, b);
            axpy(-share, b, &mut w);
        }
        let length = norm2(&w);
        let invariant = length <= f64::EPSILON * alpha[0].abs();
        if step % CHECK == 0 || step == PRODUCTS.min(n) || invariant {
            let next = largest_ritz(&alpha, &beta, theta);
            if next - theta <= f64::EPSILON * next || invariant {
                return next.max(theta);
            }
            theta = next;
        }
        beta.push(length);
        scale_by(&mut w, 1.0 / length);
        basis.push(w);
    }
    theta
}

fn scale_by(v: &mut [f64], factor: f64) {
    for x in v {
        *x *= factor;
    }
}

/// Products between two looks at the Ritz value.
const CHECK: usize = 8;

/// Largest eigenvalue of the symmetric tridiagonal matrix with diagonal `alpha` and off-diagonal `beta`, at least
/// `low`, by bisection on the signs of the pivots of `x I - T`.
fn largest_ritz(alpha: &[f64], beta: &[f64], low: f64) -> f64 {
    let side = |i: usize| beta.get(i).copied().unwrap_or(0.0);
    let radius = |i: usize| side(i) + if i == 0 { 0.0 } else { side(i - 1) };
    let mut high = (0..alpha.len()).map(|i| alpha[i] + radius(i)).fold(low, f64::max);
    let mut low = low;
    loop {
        let x = low + (high - low) / 2.0;
        if x <= low || x >= high {
            return low;
        }
        let mut pivot = f64::INFINITY;
        let above = alpha.iter().enumerate().all(|(i, a)| {
            let left = if i == 0 { 0.0 } else { side(i - 1) };
            pivot = x - a - left * (left / pivot);
            pivot > 0.0
        });
        if above { high = x } else { low = x }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::linalg::{eigen::tests::sample, gram, symmetric_eigen};
    use crate::num::test_random::Random;

    #[test]
    fn agrees_with_all_eigenvalues() {
        let mut random = Random(31);
        for case in 0..400 {
            let g = sample(&mut random, case);
            let all = symmetric_eigen(&g);
            // The Rayleigh quotient of an eigenvector is accurate to the square of its error.
            let q = all.vectors.row(g.rows() - 1);
            let quotient = dot(&g.mul_vec(q), q) / dot(q, q);
            let theta = largest_eigenvalue(&g);
            assert!((theta / quotient - 1.0).abs() <= 8.0 * f64::EPSILON, "case {case}: {theta} for {quotient}");
        }
    }

    #[test]
    fn closed_forms() {
        for n in [1, 2, 3, 20, 64, 129, 300] {
            // Tridiagonal (-1, 2, -1): 4 sin^2(pi n / (2 n + 2)), with a relative gap of 10 / n^2.
            let m = Mat::from_fn(n, n, |i, k| match i.abs_diff(k) {
                0 => 2.0,
                1 => -1.0,
                _ => 0.0,
            });
            let exact = 4.0 * (std::f64::consts::PI * n as f64 / (2 * n + 2) as f64).sin().powi(2);
            assert!((largest_eigenvalue(&m) / exact - 1.0).abs() <= 20.0 * f64::EPSILON, "order {n}");
            // Multiples of the identity, rank one, and a block that the start hardly sees.
            let multiple = largest_eigenvalue(&Mat::from_fn(n, n, |i, k| if i == k { 3.0 } else { 0.0 }));
            assert!((multiple / 3.0 - 1.0).abs() <= 20.0 * f64::EPSILON, "{multiple}");
            let ones = largest_eigenvalue(&Mat::from_fn(n, n, |_, _| 0.1));
            assert!((ones / (0.1 * n as f64) - 1.0).abs() <= 20.0 * f64::EPSILON);
        }
        assert_eq!(largest_eigenvalue(&Mat::zeros(50, 50)), 0.0);
        assert_eq!(largest_eigenvalue(&Mat::zeros(3, 3)), 0.0);
        assert_eq!(largest_eigenvalue(&Mat::zeros(0, 0)), 0.0);
    }

    /// The start is orthogonal to the only eigenvector that counts: Lanczos is blind, the proof is not.
    #[test]
    fn an_eigenvector_that_the_start_misses_is_found() {
        let n = 60;
        let v: Vec<f64> = (0..n).map(|i| 1.0 + (0.618_033_988_749_894_9 * (i + 1) as f64).fract()).collect();
        let mut u = vec![0.0; n];
        (u[0], u[1]) = (v[1], -v[0]);
        let length = norm2(&u);
        scale_by(&mut u, 1.0 / length);
        let g = Mat::from_fn(n, n, |i, k| u[i] * u[k] * 4.0 + if i == k { 1.0 } else { 0.0 });
        assert!(lanczos(&g) < 5.0 - 1e-9, "the case has lost its point");
        assert!((largest_eigenvalue(&g) / 5.0 - 1.0).abs() <= 50.0 * f64::EPSILON);
    }

    #[test]
    fn powers_of_two_scale_exactly() {
        let x = Random(32).matrix(90, 200);
        let plain = largest_eigenvalue(&gram(&x));
        for power in [-200, -1, 3, 200] {
            let factor = 2f64.powi(power);
            let scaled = gram(&Mat::from_fn(90, 200, |i, k| x[(i, k)] * factor));
            assert_eq!(largest_eigenvalue(&scaled), plain * factor * factor);
        }
    }

    #[test]
    #[should_panic(expected = "largest eigenvalue of a 1x1 matrix with NaN")]
    fn nan_is_misuse() {
        largest_eigenvalue(&Mat::from_rows(&[[f64::NAN]]));
    }
}
