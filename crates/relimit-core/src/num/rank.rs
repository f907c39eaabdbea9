//! Rank decisions: when a Gram matrix counts as nonsingular, and which rows span the others.

use super::Mat;
use super::linalg::{Cholesky, Tridiagonal};
use super::mat::{axpy, dot, norm2};
use super::row_basis::{DEPENDENT, RowBasis};

/// The Cholesky factor of a Gram matrix that is nonsingular to working precision, `None` otherwise.
///
/// ```text
/// nonsingular:  mu_min > n eps mu_max        (mu: eigenvalues, eps = 2^-52)
/// ```
///
/// Row sums decide it in O(n^2) for nearly orthogonal rows, a second factorisation for most others, eigenvalues in about
/// 4/3 n^3 for the rest; the factor is n^3 / 3. A matrix with an infinite or NaN entry counts as singular.
pub fn nonsingular(gram: &Mat) -> Option<Cholesky> {
    let n = gram.rows();
    assert_eq!(n, gram.cols(), "Gram matrix of {n}x{}", gram.cols());
    if n == 0 || !gram.max_abs().is_finite() {
        return None;
    }
    let floor = n as f64 * f64::EPSILON;
    let rows = (0..n).map(|i| (gram[(i, i)], gram.row(i).iter().map(|v| v.abs()).sum::<f64>()));
    let (low, high) =
        rows.fold((f64::INFINITY, 0.0f64), |(low, high), (g, sum)| (low.min(2.0 * g - sum), high.max(sum)));
    if low <= floor * high && !clearly_nonsingular(gram, high) {
        let reduced = Tridiagonal::of(gram);
        if reduced.value(0) <= floor * reduced.largest() {
            return None;
        }
    }
    Cholesky::new(gram)
}

/// Whether a Cholesky factorisation proves `mu_min > n eps high`; `high` is at least the largest eigenvalue.
///
/// That of `G - s I` succeeds only if `G - s I + E` is positive semidefinite for some `|E| <= n (n + 1) (eps / 2) mu_max`
/// (rounding of the factorisation and of the diagonal), so `s = n (n + 3) eps high` is enough. n^3 / 3 flops.
pub fn clearly_nonsingular(gram: &Mat, high: f64) -> bool {
    let n = gram.rows() as f64;
    let shift = n * (n + 3.0) * f64::EPSILON * high;
    let mut shifted = gram.clone();
    for i in 0..gram.rows() {
        shifted[(i, i)] -= shift;
    }
    Cholesky::new(&shifted).is_some()
}

/// Rows of X (n x D) that span all the others, and their basis: the row farthest from the span of those taken, relative
/// to its length, comes next (the first one on a tie). O(rank n D) time, one copy of X.
pub fn spanning_rows(x: &Mat) -> (Vec<usize>, RowBasis) {
    let mut rest = x.clone();
    let lengths: Vec<f64> = (0..x.rows()).map(|i| norm2(x.row(i))).collect();
    let mut share: Vec<f64> = lengths.iter().map(|v| if *v > 0.0 { 1.0 } else { 0.0 }).collect();
    let mut basis = RowBasis::new(x.cols());
    let mut taken = vec![];
    while taken.len() < x.cols() {
        let mut best: Option<usize> = None;
        for (i, s) in share.iter().enumerate() {
            if *s > 0.0 && best.is_none_or(|b| *s > share[b]) {
                best = Some(i);
            }
        }
        let Some(p) = best else { break };
        share[p] = 0.0;
        if !basis.push(x.row(p)) {
            continue;
        }
        taken.push(p);
        let q = basis.last();
        for (i, s) in share.iter_mut().enumerate().filter(|(_, s)| **s > 0.0) {
            let t = dot(q, rest.row(i));
            axpy(-t, q, rest.row_mut(i));
            let left = norm2(rest.row(i)) / lengths[i];
            *s = if left > DEPENDENT { left } else { 0.0 };
        }
    }
    (taken, basis)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::linalg::gram;

    #[test]
    fn a_factorisation_never_proves_what_eigenvalues_deny() {
        // eigenvalues 1 + (n - 1) t and 1 - t; the proof may decline, and does not where there is room
        for t in [0.5, 0.999, 1.0 - 1e-10, 1.0 - 1e-14, 1.0 - 4e-16, 1.0] {
            let g = Mat::from_fn(6, 6, |i, k| if i == k { 1.0 } else { t });
            let high = 1.0 + 5.0 * t;
            let proved = clearly_nonsingular(&g, high);
            assert!(!proved || 1.0 - t > 6.0 * f64::EPSILON * high, "t = {t}");
            assert!(proved || 1.0 - t < 1e-12, "t = {t}");
        }
    }

    #[test]
    fn nonsingular_follows_the_rule_of_eigenvalues() {
        // Eigenvalues 1 + (n - 1) t and 1 - t: row sums cannot tell for t > 1 / (n - 1), eigenvalues can.
        let near = |t: f64| Mat::from_fn(4, 4, |i, k| if i == k { 1.0 } else { t });
        for (t, expected) in [(0.1, true), (0.9, true), (1.0 - 1e-14, true), (1.0 - 2e-16, false), (1.0, false)] {
            assert_eq!(nonsingular(&near(t)).is_some(), expected, "t = {t}");
        }
        assert!(nonsingular(&Mat::zeros(3, 3)).is_none());
        assert!(nonsingular(&Mat::from_rows(&[[f64::INFINITY]])).is_none());
        let x = nonsingular(&near(0.5)).unwrap().solve(&[2.5; 4]);
        assert!(x.iter().all(|v| (v - 1.0).abs() < 1e-14));
    }

    #[test]
    fn spanning_rows_span() {
        // Rank 3: rows are combinations of three, one is zero, two are proportional at scales 1e6 apart.
        let base = Mat::from_fn(3, 5, |i, k| ((3 * i + 7 * k + i * k) % 11) as f64 - 5.0);
        let mix =
            [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [2e6, 0.0, 0.0], [1.0, 1.0, 0.0], [0.5, -1.0, 1e-3], [0.0, 3.0, 2.0]];
        let x = Mat::from_fn(6, 5, |i, k| (0..3).map(|l| mix[i][l] * base[(l, k)]).sum());
        let (rows, basis) = spanning_rows(&x);
        assert_eq!((rows.len(), basis.len(), rows[0]), (3, 3, 0));
        for i in 0..6 {
            let (_, rest) = basis.project(x.row(i));
            assert!(norm2(&rest) <= 1e-12 * norm2(x.row(i)));
        }
        assert_eq!(spanning_rows(&gram(&base)).0.len(), 3);
    }
}
