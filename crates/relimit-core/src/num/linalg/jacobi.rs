//! Repair of approximate eigenvectors: orthogonality by Newton's iteration, the rest by cyclic Jacobi rotations.

use super::{Mat, gram, mul_transposed};
use crate::num::mat::{dot, norm2};

/// Eigenvalues (ascending) and eigenvectors (as rows) of the symmetric matrix `m`, from approximate eigenvectors
/// whose Gram matrix differs from the identity by less than 1 (the identity itself will do).
///
/// Quadratic convergence: one or two sweeps from a good start, about ten from the identity; 12 n^3 flops a sweep at
/// most, rotations below rounding are skipped.
///
/// # Source
/// Golub and Van Loan, Matrix Computations, 4th edition, section 8.5 (cyclic Jacobi).
pub(super) fn repair(m: &Mat, vectors: &Mat) -> (Vec<f64>, Mat) {
    let n = m.rows();
    let mut q = orthonormalised(vectors);
    let mut a = mul_transposed(&mul_transposed(&q, m), &q);
    let negligible = f64::EPSILON * norm2(m.as_slice()) / (2 * n.max(1)) as f64;
    for _ in 0..SWEEPS {
        let mut rotated = false;
        for p in 0..n {
            for r in p + 1..n {
                if a[(r, p)].abs() > negligible {
                    rotate(&mut a, &mut q, p, r);
                    rotated = true;
                }
            }
        }
        if !rotated {
            break;
        }
    }
    // Rotations round, and so do their products: the last word on both is a fresh computation.
    let q = orthonormalised(&q);
    let values: Vec<f64> = (0..n).map(|l| dot(&m.mul_vec(q.row(l)), q.row(l))).collect();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&l, &k| values[l].total_cmp(&values[k]));
    (order.iter().map(|&l| values[l]).collect(), q.select_rows(&order))
}

const SWEEPS: usize = 30;

/// Annihilates entry (r, p) of A <- J A J' and turns the rows of Q along: Q <- J Q.
fn rotate(a: &mut Mat, q: &mut Mat, p: usize, r: usize) {
    let theta = (a[(r, r)] - a[(p, p)]) / (2.0 * a[(r, p)]);
    let t = 1f64.copysign(theta) / (theta.abs() + (1.0 + theta * theta).sqrt());
    let c = 1.0 / (1.0 + t * t).sqrt();
    let s = t * c;
    let turn = |x: &mut f64, y: &mut f64| (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
    for m in [&mut *a, q] {
        let cols = m.cols();
        let (head, tail) = m.as_mut_slice().split_at_mut(r * cols);
        head[p * cols..(p + 1) * cols].iter_mut().zip(&mut tail[..cols]).for_each(|(x, y)| turn(x, y));
    }
    for k in 0..a.rows() {
        let row = a.row_mut(k);
        let (head, tail) = row.split_at_mut(r);
        turn(&mut head[p], &mut tail[0]);
    }
}

/// `Q <- (3 I - Q Q') Q / 2` until the rows of Q are orthonormal to rounding: the nearest orthonormal rows.
fn orthonormalised(q: &Mat) -> Mat {
    let n = q.rows();
    let mut q = q.clone();
    for _ in 0..STEPS {
        let mut h = gram(&q);
        for i in 0..n {
            for k in 0..n {
                h[(i, k)] = (if i == k { 3.0 } else { 0.0 } - h[(i, k)]) / 2.0;
            }
        }
        let defect = norm2(Mat::from_fn(n, n, |i, k| 2.0 * (h[(i, k)] - f64::from(u8::from(i == k)))).as_slice());
        if defect <= n as f64 * f64::EPSILON {
            break;
        }
        q = mul_transposed(&h, &q.transpose());
    }
    q
}

const STEPS: usize = 12;
