//! Products of a matrix with the transpose of another or of itself.

use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, MatMut, Par};

use super::{Mat, view};

/// `A B'` for row-major A (n x k) and B (m x k); panics on different k. 2 n m k flops.
pub fn mul_transposed(a: &Mat, b: &Mat) -> Mat {
    assert_eq!(a.cols(), b.cols(), "A B' of {}x{} and {}x{}", a.rows(), a.cols(), b.rows(), b.cols());
    let (n, m) = (a.rows(), b.rows());
    let mut out = Mat::zeros(n, m);
    let dst = MatMut::from_row_major_slice_mut(out.as_mut_slice(), n, m);
    matmul(dst, Accum::Replace, view(a), view(b).transpose(), 1.0, Par::Seq);
    out
}

/// The Gram matrix `X X'` of the rows of X (n x d), exactly symmetric.
///
/// Every entry is summed over the columns in one order that depends on d alone, so that permuting the rows permutes
/// the entries without changing a bit, and scaling X by a power of two scales them exactly.
///
/// # Cost
/// n^2 d flops (the lower triangle alone is computed) and packing buffers far smaller than X; see benches/RECORD.md
/// for the ratio to OpenBLAS `dsyrk`.
pub fn gram(x: &Mat) -> Mat {
    let n = x.rows();
    let mut g = Mat::zeros(n, n);
    if n == 0 || x.cols() == 0 {
        return g;
    }
    let (lower, full) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
    let dst = MatMut::from_row_major_slice_mut(g.as_mut_slice(), n, n);
    triangular::matmul(dst, lower, Accum::Replace, view(x), full, view(x).transpose(), full, 1.0, Par::Seq);
    for i in 0..n {
        for k in 0..i {
            g[(k, i)] = g[(i, k)];
        }
    }
    g
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::test_random::Random;

    const ROWS: [usize; 16] = [1, 2, 3, 4, 5, 7, 8, 11, 12, 13, 24, 25, 37, 48, 61, 70];
    const COLS: [usize; 14] = [1, 2, 3, 4, 7, 8, 16, 31, 63, 64, 65, 130, 255, 300];

    /// Twice the working precision: products and sums with their rounding errors carried along.
    fn exact_dot(a: &[f64], b: &[f64]) -> f64 {
        let (mut sum, mut error) = (0.0f64, 0.0);
        for (x, y) in a.iter().zip(b) {
            let p = x * y;
            let s = sum + p;
            let part = s - sum;
            error += (sum - (s - part)) + (p - part) + x.mul_add(*y, -p);
            sum = s;
        }
        sum + error
    }

    fn assert_gram(x: &Mat) {
        let g = gram(x);
        let gamma = (x.cols() + 1) as f64 * f64::EPSILON / 2.0 * 1.0001;
        for i in 0..x.rows() {
            for k in 0..=i {
                let size: f64 = x.row(i).iter().zip(x.row(k)).map(|(a, b)| (a * b).abs()).sum();
                let exact = exact_dot(x.row(i), x.row(k));
                let error = (g[(i, k)] - exact).abs();
                assert!(error <= gamma * size, "{}x{} entry {i},{k}: {} for {exact}", x.rows(), x.cols(), g[(i, k)]);
                assert_eq!(g[(i, k)].to_bits(), g[(k, i)].to_bits());
            }
        }
    }

    #[test]
    fn gram_is_within_the_rounding_bound_of_the_exact_products() {
        let mut random = Random(1);
        for n in ROWS {
            for d in COLS {
                assert_gram(&random.matrix(n, d));
            }
        }
        assert_gram(&random.matrix(33, 1500)); // several blocks of columns
        assert_gram(&random.matrix(3, 20_001));
    }

    #[test]
    fn gram_of_rows_of_very_different_size() {
        let mut random = Random(2);
        let mut x = random.matrix(14, 77);
        for i in 0..14 {
            let size = 10f64.powf(i as f64 * 20.0 - 130.0);
            for v in x.row_mut(i) {
                *v *= size;
            }
        }
        assert_gram(&x);
    }

    #[test]
    fn permuting_the_rows_permutes_the_bits() {
        let mut random = Random(3);
        for (n, d) in ROWS.iter().flat_map(|n| COLS.map(|d| (*n, d))).chain([(130, 1100), (57, 5000), (9, 20_001)]) {
            let x = random.matrix(n, d);
            let order = random.permutation(n);
            assert_eq!(gram(&x.select_rows(&order)), gram(&x).select(&order, &order), "{n}x{d}");
        }
    }

    #[test]
    fn a_part_of_the_rows_has_the_bits_of_the_whole() {
        let mut random = Random(4);
        for (n, d) in [(61, 300), (130, 1100), (20, 5000)] {
            let x = random.matrix(n, d);
            let some: Vec<usize> = (0..n).filter(|_| random.unit() < 0.4).collect();
            assert_eq!(gram(&x.select_rows(&some)), gram(&x).select(&some, &some), "{n}x{d}");
        }
    }

    #[test]
    fn powers_of_two_scale_exactly() {
        let x = Random(5).matrix(37, 700);
        let g = gram(&x);
        for power in [-400, -3, 1, 400] {
            let scaled = gram(&Mat::from_fn(37, 700, |i, k| x[(i, k)] * 2f64.powi(power)));
            assert_eq!(scaled, Mat::from_fn(37, 37, |i, k| g[(i, k)] * 2f64.powi(power) * 2f64.powi(power)));
        }
    }

    #[test]
    fn empty_and_zero_matrices() {
        assert_eq!(gram(&Mat::zeros(0, 5)), Mat::zeros(0, 0));
        assert_eq!(gram(&Mat::zeros(3, 0)), Mat::zeros(3, 3));
        assert_eq!(gram(&Mat::zeros(5, 9)), Mat::zeros(5, 5));
        assert_eq!(mul_transposed(&Mat::zeros(2, 0), &Mat::zeros(3, 0)), Mat::zeros(2, 3));
        assert_eq!(mul_transposed(&Mat::zeros(0, 4), &Mat::zeros(3, 4)), Mat::zeros(0, 3));
    }

    #[test]
    fn product_with_a_transpose_agrees_with_exact_products() {
        let mut random = Random(6);
        for (n, m, d) in [(1, 1, 1), (3, 5, 7), (13, 4, 65), (31, 62, 300), (70, 2, 1030)] {
            let (a, b) = (random.matrix(n, d), random.matrix(m, d));
            let p = mul_transposed(&a, &b);
            for i in 0..n {
                for k in 0..m {
                    let size: f64 = a.row(i).iter().zip(b.row(k)).map(|(x, y)| (x * y).abs()).sum();
                    let error = (p[(i, k)] - exact_dot(a.row(i), b.row(k))).abs();
                    assert!(error <= (d + 1) as f64 * f64::EPSILON / 2.0 * 1.0001 * size);
                }
            }
        }
    }
}
