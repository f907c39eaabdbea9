//! Cholesky factorisation and the solves that use it.

use faer::linalg::solvers::{Llt, Solve};
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{MatMut, Par, Side};

use super::{Mat, view};

/// Cholesky factorisation `A = L L'` of a symmetric positive definite matrix.
pub struct Cholesky {
    factor: Llt<f64>,
    n: usize,
}

impl Cholesky {
    /// Factors A (only its lower triangle is read); `None` when a pivot is not positive, NaN included. n^3 / 3 flops.
    pub fn new(a: &Mat) -> Option<Self> {
        assert_eq!(a.rows(), a.cols(), "Cholesky of a {}x{} matrix", a.rows(), a.cols());
        Llt::new(view(a), Side::Lower).ok().map(|factor| Self { factor, n: a.rows() })
    }

    /// `A^-1 b`. 2 n^2 flops.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        let mut x = b.to_vec();
        self.factor.solve_in_place(self.column(&mut x));
        x
    }

    /// `L^-1 b`, whose squared length is `b' A^-1 b`. n^2 flops.
    pub fn solve_lower(&self, b: &[f64]) -> Vec<f64> {
        let mut x = b.to_vec();
        solve_lower_triangular_in_place(self.factor.L(), self.column(&mut x), Par::Seq);
        x
    }

    /// `A^-1 B` for B (n x k). 2 n^2 k flops.
    pub fn solve_mat(&self, b: &Mat) -> Mat {
        assert_eq!(b.rows(), self.n, "solve with {} rows for order {}", b.rows(), self.n);
        let mut x = view(b).to_owned();
        self.factor.solve_in_place(x.as_mut());
        Mat::from_fn(b.rows(), b.cols(), |i, k| x[(i, k)])
    }

    fn column<'a>(&self, b: &'a mut [f64]) -> MatMut<'a, f64> {
        assert_eq!(b.len(), self.n, "solve with {} entries for order {}", b.len(), self.n);
        MatMut::from_column_major_slice_mut(b, self.n, 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::linalg::gram;
    use crate::num::mat::{axpy, norm2};
    use crate::num::test_random::Random;

    #[test]
    fn solutions_have_small_residuals() {
        let mut random = Random(11);
        for n in [1, 2, 3, 8, 17, 40, 100] {
            let a = gram(&random.matrix(n, n + 20));
            let factor = Cholesky::new(&a).expect("positive definite");
            let b: Vec<f64> = (0..n).map(|_| random.unit() - 0.5).collect();
            let x = factor.solve(&b);
            let mut r = a.mul_vec(&x);
            axpy(-1.0, &b, &mut r);
            let scale = norm2(a.as_slice()) * norm2(&x);
            assert!(norm2(&r) <= (n + 2) as f64 * f64::EPSILON * scale, "order {n}: {:e}", norm2(&r) / scale);

            let half = factor.solve_lower(&b);
            let (energy, expected) = (norm2(&half).powi(2), crate::num::mat::dot(&b, &x));
            assert!((energy / expected - 1.0).abs() < 1e-12, "order {n}: {energy} for {expected}");

            let both = factor.solve_mat(&Mat::from_fn(n, 2, |i, k| if k == 0 { b[i] } else { -2.0 * b[i] }));
            for i in 0..n {
                assert!((both[(i, 0)] - x[i]).abs() <= 1e-12 * norm2(&x));
                assert!((both[(i, 1)] + 2.0 * x[i]).abs() <= 2e-12 * norm2(&x));
            }
        }
    }

    #[test]
    fn solve_lower_of_a_known_factor() {
        // [4 2; 2 5] = [2 0; 1 2] [2 1; 0 2]
        let factor = Cholesky::new(&Mat::from_rows(&[[4.0, 2.0], [2.0, 5.0]])).expect("positive definite");
        assert_eq!(factor.solve_lower(&[6.0, 7.0]), [3.0, 2.0]);
    }

    #[test]
    fn refuses_what_is_not_positive_definite() {
        for a in [
            Mat::from_rows(&[[1.0, 2.0], [2.0, 1.0]]),
            Mat::from_rows(&[[0.0]]),
            Mat::from_rows(&[[-1.0]]),
            Mat::from_rows(&[[f64::NAN]]),
            Mat::from_rows(&[[1.0, 0.0], [f64::NAN, 1.0]]),
        ] {
            assert!(Cholesky::new(&a).is_none(), "{a:?}");
        }
        assert_eq!(Cholesky::new(&Mat::zeros(0, 0)).expect("empty").solve(&[]), Vec::<f64>::new());
    }
}
