//! Dense linear algebra. The only folder that names the back end, faer, which is built without threads:
//! equal bits on one processor family.

mod cholesky;
mod eigen;
mod jacobi;
mod largest;
mod product;
mod reduce;
mod tridiagonal;

pub use cholesky::Cholesky;
pub use eigen::{Eigen, symmetric_eigen, symmetric_eigenvalues};
pub use largest::largest_eigenvalue;
pub use product::{gram, mul_transposed};
pub use tridiagonal::Tridiagonal;

use faer::MatRef;

use super::Mat;

fn view(a: &Mat) -> MatRef<'_, f64> {
    MatRef::from_row_major_slice(a.as_slice(), a.rows(), a.cols())
}

/// The symmetric matrix of the lower triangle of A, times the returned power of two that brings its largest entry
/// into [1, 2). A matrix that is not square or not finite is misuse: data are checked where they enter.
fn scaled_lower(a: &Mat, what: &str) -> (Mat, f64) {
    assert_eq!(a.rows(), a.cols(), "{what} of a {}x{} matrix", a.rows(), a.cols());
    let mut m = a.clone();
    for i in 1..a.rows() {
        for k in 0..i {
            m[(k, i)] = a[(i, k)];
        }
    }
    assert!(m.max_abs().is_finite(), "{what} of a {}x{} matrix with NaN or infinite entries", a.rows(), a.cols());
    let scale = unit_scale(m.max_abs());
    m.as_mut_slice().iter_mut().for_each(|v| *v *= scale);
    (m, scale)
}

/// The power of two that brings `max_abs` into [1, 2) (clamped to exponents that are normal numbers): multiplying
/// by it is exact, keeps intermediate results from overflowing, and makes results scale exactly with the input.
fn unit_scale(max_abs: f64) -> f64 {
    if max_abs == 0.0 {
        return 1.0;
    }
    let exponent = (max_abs.to_bits() >> 52).clamp(23, 2023); // biased by 1023
    f64::from_bits((2046 - exponent) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without its `rayon` feature faer knows one thread only; a dependency that switched it on would show here.
    #[test]
    fn the_back_end_is_single_threaded() {
        assert_eq!(faer::get_global_parallelism(), faer::Par::Seq);
    }

    #[test]
    fn unit_scales_are_exact_powers_of_two() {
        for (x, scaled) in
            [(1.0, 1.0), (3.0, 1.5), (0.75, 1.5), (1e300, 1e300 / 2f64.powi(996)), (1e-300, 1e-300 * 2f64.powi(997))]
        {
            assert_eq!(x * unit_scale(x), scaled);
            assert!((1.0..2.0).contains(&scaled));
        }
        assert_eq!(unit_scale(0.0), 1.0);
        assert_eq!(unit_scale(5e-324), 2f64.powi(1000));
    }
}
