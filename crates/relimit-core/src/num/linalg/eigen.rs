//! Symmetric eigendecomposition whose quality is measured every time and repaired when it is poor.

use faer::Side;
use faer::linalg::solvers::SelfAdjointEigen;

use super::{Mat, gram, jacobi, mul_transposed, scaled_lower, view};
use crate::num::mat::norm2;

/// Eigenvalues (ascending) and orthonormal eigenvectors of a symmetric matrix M, with their measured quality.
///
/// With Q the matrix whose columns are the eigenvectors and L = diag(values).
pub struct Eigen {
    /// Eigenvalues, ascending.
    pub values: Vec<f64>,
    /// Row l is the eigenvector of `values[l]`.
    pub vectors: Mat,
    /// Frobenius norm of `M Q - Q L`, as measured.
    pub residual: f64,
    /// Frobenius norm of `Q' Q - I`, as measured.
    pub orthogonality: f64,
    /// Frobenius norm of M, what `residual` is to be compared with.
    pub scale: f64,
}

impl Eigen {
    /// An upper bound of the Frobenius norm of `M Q - Q L`: the measured one and the rounding of its measurement.
    pub fn residual_bound(&self) -> f64 {
        self.residual + self.gamma() * self.scale
    }

    /// An upper bound of the Frobenius norm of `Q' Q - I`: the measured one and the rounding of its measurement.
    pub fn orthogonality_bound(&self) -> f64 {
        self.orthogonality + self.gamma()
    }

    /// `gamma_(n+4) * 2 sqrt(n)`: a product of n terms, a few operations more, and |Q|_F <= 2 sqrt(n), doubled for the sum of both parts.
    fn gamma(&self) -> f64 {
        let n = self.values.len() as f64;
        2.0 * (n + 4.0) * f64::EPSILON * n.sqrt()
    }

    /// The better part of a decomposition: both defects below `8 n eps`.
    fn is_accurate(&self) -> bool {
        let tolerance = 8.0 * self.values.len() as f64 * f64::EPSILON;
        self.residual <= tolerance * self.scale && self.orthogonality <= tolerance
    }

    /// Measures eigenpairs of the full symmetric matrix `m`. 3 n^3 flops.
    fn measured(m: &Mat, values: Vec<f64>, vectors: Mat) -> Self {
        let n = values.len();
        let mut residual = mul_transposed(&vectors, m);
        for l in 0..n {
            for (r, q) in residual.row_mut(l).iter_mut().zip(vectors.row(l)) {
                *r -= values[l] * q;
            }
        }
        let mut defect = gram(&vectors);
        for l in 0..n {
            defect[(l, l)] -= 1.0;
        }
        let (residual, orthogonality) = (norm2(residual.as_slice()), norm2(defect.as_slice()));
        Self { values, vectors, residual, orthogonality, scale: norm2(m.as_slice()) }
    }
}

/// Eigendecomposition of a symmetric matrix (its lower triangle is read); panics on NaN or infinite entries.
///
/// The defects of every decomposition are measured; where one exceeds `8 n eps` (times the norm of M), Jacobi
/// sweeps repair it and it is measured again: the fields of the result are true whatever the back end did.
///
/// # Cost
/// About 12 n^3 flops.
pub fn symmetric_eigen(a: &Mat) -> Eigen {
    let (m, scale) = scaled_lower(a, "eigendecomposition");
    let n = m.rows();
    let mut eigen = match SelfAdjointEigen::new(view(&m), Side::Lower) {
        _ if n == 0 => Eigen::measured(&m, vec![], Mat::zeros(0, 0)),
        Ok(e) => {
            let (s, u) = (e.S().column_vector(), e.U());
            Eigen::measured(&m, (0..n).map(|l| s[l]).collect(), Mat::from_fn(n, n, |l, i| u[(i, l)]))
        }
        Err(_) => repaired(&m, &Mat::from_fn(n, n, |i, k| f64::from(u8::from(i == k)))),
    };
    if !eigen.is_accurate() {
        eigen = repaired(&m, &eigen.vectors);
    }
    eigen.values.iter_mut().for_each(|v| *v /= scale);
    eigen.residual /= scale;
    eigen.scale /= scale;
    eigen
}

fn repaired(m: &Mat, vectors: &Mat) -> Eigen {
    let (values, vectors) = jacobi::repair(m, vectors);
    Eigen::measured(m, values, vectors)
}

/// Eigenvalues alone, ascending (the lower triangle is read); panics on NaN or infinite entries. About 4/3 n^3 flops.
pub fn symmetric_eigenvalues(a: &Mat) -> Vec<f64> {
    let (m, scale) = scaled_lower(a, "eigenvalues");
    if m.rows() == 0 {
        return vec![];
    }
    match view(&m).self_adjoint_eigenvalues(Side::Lower) {
        Ok(values) => values.into_iter().map(|v| v / scale).collect(),
        Err(_) => symmetric_eigen(a).values,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::num::test_random::Random;

    /// Frobenius norms of `M Q - Q L` and `Q' Q - I` by plain loops.
    fn defects(m: &Mat, values: &[f64], q: &Mat) -> (f64, f64) {
        let n = values.len();
        let (mut residual, mut defect) = (0.0, 0.0);
        for l in 0..n {
            for i in 0..n {
                let mut r = -values[l] * q[(l, i)];
                let mut o = if i == l { -1.0 } else { 0.0 };
                for k in 0..n {
                    r += m[(i, k)] * q[(l, k)];
                    o += q[(l, k)] * q[(i, k)];
                }
                residual += r * r;
                defect += o * o;
            }
        }
        (residual.sqrt(), defect.sqrt())
    }

    fn assert_sound(m: &Mat, eigen: &Eigen) {
        let n = m.rows();
        let (residual, orthogonality) = defects(m, &eigen.values, &eigen.vectors);
        let scale = norm2(m.as_slice());
        assert!((eigen.scale / scale - 1.0).abs() < 1e-14);
        assert!(eigen.values.is_sorted());
        assert!(residual <= 1e-13 * scale && orthogonality <= 1e-13, "order {n}: {residual:e} {orthogonality:e}");
        assert!(residual <= eigen.residual_bound() && orthogonality <= eigen.orthogonality_bound());
        // The measurement itself: two summation orders of the same n-term products.
        let rounding = 4.0 * n as f64 * f64::EPSILON;
        assert!(
            (residual - eigen.residual).abs() <= rounding * scale,
            "order {n}: {residual:e} stored {:e}",
            eigen.residual
        );
        assert!((orthogonality - eigen.orthogonality).abs() <= rounding, "order {n}");
    }

    /// Gram matrices of every kind that a data set brings: full rank, rank deficient, ill conditioned, repeated.
    pub(in crate::num::linalg) fn sample(random: &mut Random, case: usize) -> Mat {
        let n = 1 + random.below(60);
        let (more, fewer) = (n + random.below(2 * n), 1 + random.below(n));
        match case % 4 {
            0 => gram(&random.matrix(n, more)),
            1 => gram(&random.matrix(n, fewer)),
            2 => {
                // Singular values from 1 to 1e-6: a condition number of 1e12.
                let mut x = random.matrix(n, n);
                for k in 0..n {
                    let size = 1e-6f64.powf(k as f64 / n as f64);
                    for i in 0..n {
                        x[(i, k)] *= size;
                    }
                }
                gram(&x)
            }
            _ => {
                // Copies of few rows and an identity block: repeated eigenvalues of two kinds.
                let rows = random.matrix(1 + n / 3, 7);
                let copies: Vec<usize> = (0..n).map(|i| i % rows.rows()).collect();
                let mut g = gram(&rows.select_rows(&copies));
                for i in 0..n {
                    g[(i, i)] += 3.0;
                }
                g
            }
        }
    }

    #[test]
    fn stored_defects_are_true_and_small() {
        let mut random = Random(21);
        for case in 0..600 {
            let g = sample(&mut random, case);
            let eigen = symmetric_eigen(&g);
            assert_sound(&g, &eigen);
            let alone = symmetric_eigenvalues(&g);
            let top = eigen.values[g.rows() - 1];
            for (a, b) in alone.iter().zip(&eigen.values) {
                assert!((a - b).abs() <= 1e-13 * top, "case {case}: {a} and {b}");
            }
        }
    }

    #[test]
    fn second_differences_have_their_closed_form() {
        for n in [1, 2, 3, 10, 33, 60] {
            let m = Mat::from_fn(n, n, |i, k| match i.abs_diff(k) {
                0 => 2.0,
                1 => -1.0,
                _ => 0.0,
            });
            let eigen = symmetric_eigen(&m);
            assert_sound(&m, &eigen);
            for l in 0..n {
                let half = std::f64::consts::PI * (l + 1) as f64 / (2 * (n + 1)) as f64;
                assert!((eigen.values[l] - 4.0 * half.sin().powi(2)).abs() < 2e-14, "order {n} value {l}");
            }
        }
    }

    #[test]
    fn extreme_scales_and_the_lower_triangle() {
        let g = gram(&Random(22).matrix(9, 5));
        let (plain, alone) = (symmetric_eigen(&g), symmetric_eigenvalues(&g));
        for power in [-900, 900] {
            let factor = 2f64.powi(power);
            let scaled = Mat::from_fn(9, 9, |i, k| if i < k { f64::MAX } else { g[(i, k)] * factor });
            let eigen = symmetric_eigen(&scaled);
            assert_eq!(eigen.vectors, plain.vectors);
            for l in 0..9 {
                assert_eq!(eigen.values[l], plain.values[l] * factor);
                assert_eq!(symmetric_eigenvalues(&scaled)[l], alone[l] * factor);
            }
            assert_eq!(eigen.residual, plain.residual * factor);
        }
    }

    #[test]
    fn small_and_zero_matrices() {
        let empty = symmetric_eigen(&Mat::zeros(0, 0));
        assert!(empty.values.is_empty() && empty.residual == 0.0 && empty.orthogonality == 0.0);
        assert!(symmetric_eigenvalues(&Mat::zeros(0, 0)).is_empty());
        assert_eq!(symmetric_eigen(&Mat::from_rows(&[[-7.0]])).values, [-7.0]);
        let zero = symmetric_eigen(&Mat::zeros(4, 4));
        assert_eq!(zero.values, [0.0; 4]);
        assert!(zero.residual == 0.0 && zero.orthogonality <= 1e-15);
    }

    #[test]
    #[should_panic(expected = "eigendecomposition of a 2x2 matrix with NaN")]
    fn nan_is_misuse() {
        symmetric_eigen(&Mat::from_rows(&[[1.0, 0.0], [f64::NAN, 1.0]]));
    }

    #[test]
    #[should_panic(expected = "eigenvalues of a 1x1 matrix with NaN or infinite")]
    fn infinity_is_misuse() {
        symmetric_eigenvalues(&Mat::from_rows(&[[f64::INFINITY]]));
    }

    #[test]
    #[should_panic(expected = "eigendecomposition of a 2x3 matrix")]
    fn rectangles_are_misuse() {
        symmetric_eigen(&Mat::zeros(2, 3));
    }

    #[test]
    fn poor_vectors_are_repaired() {
        let mut random = Random(23);
        for case in 0..16 {
            let g = sample(&mut random, case);
            let n = g.rows();
            let good = symmetric_eigen(&g);
            for size in [1e-11, 1e-6] {
                let noise = random.matrix(n, n);
                let poor = Mat::from_fn(n, n, |l, i| good.vectors[(l, i)] + size * noise[(l, i)]);
                let (residual, orthogonality) = defects(&g, &good.values, &poor);
                let measured = Eigen::measured(&g, good.values.clone(), poor.clone());
                assert!((measured.residual - residual).abs() <= 1e-13 * measured.scale);
                assert!((measured.orthogonality / orthogonality - 1.0).abs() <= 1e-2, "order {n}: {orthogonality:e}");
                assert!(n < 3 || !measured.is_accurate());
                assert_sound(&g, &repaired(&g, &poor));
            }
            assert_sound(&g, &repaired(&g, &Mat::from_fn(n, n, |i, k| f64::from(u8::from(i == k)))));
        }
    }
}
