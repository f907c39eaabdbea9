//! The reduction of a symmetric matrix to tridiagonal form by reflections, one pass over the matrix for each.
#![allow(clippy::inline_always, reason = "the body must be compiled into its AVX2 copy to use AVX2")]
#![allow(unsafe_code, reason = "calls to the AVX2 copy of the loop, guarded by run-time detection")]

use super::Mat;
use crate::num::sums::{axpy, dot};

/// Sums of squares below this have lost their digits to underflow, and a reflection made from one would not be orthogonal.
/// The entries behind it, below 1e-140 beside entries of order 1, move no eigenvalue by more than that: they count as 0.
const NOTHING: f64 = 1e-280;

/// Diagonal and absolute values beside it of a tridiagonal matrix `Q' A Q`, from the lower triangle of A, which is
/// overwritten; entries should be of order 1.
///
/// Row k is reflected onto its last entry before the diagonal, from the last row to the first:
///
/// ```text
/// v = x - beta e,  H = v'v / 2,  u = A v / H,  q = u - (v'u / 2H) v,  A <- A - v q' - q v'
/// ```
///
/// The change of A waits until the next v is known, so that one pass over the triangle both changes A and multiplies
/// it by v. 4/3 n^3 flops; the bits do not depend on the processor.
pub(super) fn tridiagonal(a: &mut Mat) -> (Vec<f64>, Vec<f64>) {
    let n = a.rows();
    let (mut diagonal, mut beside) = (vec![0.0; n], vec![0.0; n.saturating_sub(1)]);
    let (mut v, mut q) = (vec![0.0; n], vec![0.0; n]);
    let (mut next, mut product) = (vec![0.0; n], vec![0.0; n]);
    for k in (0..n).rev() {
        let row = &mut a.row_mut(k)[..=k];
        axpy(-v[k], &q[..=k], row);
        axpy(-q[k], &v[..=k], row);
        diagonal[k] = row[k];
        if k == 0 {
            break;
        }
        let x = &row[..k];
        let rest = dot(&x[..k - 1], &x[..k - 1]);
        let last = x[k - 1];
        if rest < NOTHING {
            // Nothing to reflect: the waiting change is made alone.
            beside[k - 1] = last.abs();
            next[..k].fill(0.0);
            pass(a, k, &v, &q, &next, &mut product);
            q[..k].fill(0.0);
        } else {
            let length = (rest + last * last).sqrt();
            beside[k - 1] = length;
            next[..k].copy_from_slice(x);
            next[k - 1] += length.copysign(last);
            let half = length * (length + last.abs());
            pass(a, k, &v, &q, &next, &mut product);
            let (v, u) = (&next[..k], &product[..k]);
            let part = dot(v, u) / (2.0 * half);
            for ((q, u), v) in q.iter_mut().zip(u).zip(v) {
                *q = (u - part * v) / half;
            }
        }
        std::mem::swap(&mut v, &mut next);
    }
    (diagonal, beside)
}

/// `A <- A - v q' - q v'` and `product = A x` of the new A, on the first k rows and columns.
fn pass(a: &mut Mat, k: usize, v: &[f64], q: &[f64], x: &[f64], product: &mut [f64]) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2; the body is ordinary safe code.
        return unsafe { pass_avx2(a, k, v, q, x, product) };
    }
    pass_body(a, k, v, q, x, product);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn pass_avx2(a: &mut Mat, k: usize, v: &[f64], q: &[f64], x: &[f64], product: &mut [f64]) {
    pass_body(a, k, v, q, x, product);
}

/// Sums side by side in a product with a row.
const LANES: usize = 8;

#[inline(always)]
fn pass_body(a: &mut Mat, k: usize, v: &[f64], q: &[f64], x: &[f64], product: &mut [f64]) {
    for i in 0..k {
        let (row, mine) = a.row_mut(i)[..=i].split_at_mut(i);
        let (vi, qi, xi) = (v[i], q[i], x[i]);
        let (v, q, x, out) = (&v[..i], &q[..i], &x[..i], &mut product[..=i]);
        let (out, own) = out.split_at_mut(i);
        let wide = i / LANES * LANES;
        let mut sums = [0.0f64; LANES];
        for b in (0..wide).step_by(LANES) {
            let (row, out) = (&mut row[b..b + LANES], &mut out[b..b + LANES]);
            let (v, q, x) = (&v[b..b + LANES], &q[b..b + LANES], &x[b..b + LANES]);
            for t in 0..LANES {
                let changed = row[t] - (vi * q[t] + qi * v[t]);
                row[t] = changed;
                sums[t] += changed * x[t];
                out[t] += changed * xi;
            }
        }
        let mut sum = ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
        for t in wide..i {
            let changed = row[t] - (vi * q[t] + qi * v[t]);
            row[t] = changed;
            sum += changed * x[t];
            out[t] += changed * xi;
        }
        mine[0] -= 2.0 * vi * qi;
        own[0] = sum + mine[0] * xi;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::test_random::Random;

    #[test]
    fn both_copies_give_the_bits_of_the_plain_loop() {
        let mut random = Random(61);
        for k in [1, 2, 7, 8, 9, 16, 31, 70] {
            let (a, vectors) = (random.matrix(k + 1, k + 1), random.matrix(3, k + 1));
            let [v, q, x] = [0, 1, 2].map(|i| vectors.row(i));
            let changed = Mat::from_fn(k, k, |i, l| {
                let (i, l) = (i.max(l), i.min(l));
                if i == l { a[(i, i)] - 2.0 * v[i] * q[i] } else { a[(i, l)] - (v[i] * q[l] + q[i] * v[l]) }
            });
            let (mut fast, mut product) = (a.clone(), vec![0.0; k]);
            pass(&mut fast, k, v, q, x, &mut product);
            let (mut plain, mut other) = (a.clone(), vec![0.0; k]);
            pass_body(&mut plain, k, v, q, x, &mut other);
            assert_eq!((fast.as_slice(), &product), (plain.as_slice(), &other));
            for i in 0..k {
                assert_eq!(fast.row(i)[..=i], changed.row(i)[..=i], "row {i} of {k}");
                let sum: f64 = (0..k).map(|l| changed[(i, l)] * x[l]).sum();
                assert!((product[i] - sum).abs() < 1e-13 * k as f64, "row {i} of {k}: {} for {sum}", product[i]);
            }
        }
    }

    #[test]
    fn traces_of_powers_are_kept_and_a_tridiagonal_matrix_is_left_alone() {
        let mut random = Random(62);
        for n in [1, 2, 3, 5, 24, 57] {
            let half = random.matrix(n, n);
            let a = Mat::from_fn(n, n, |i, k| half[(i, k)] + half[(k, i)]);
            let square = |i: usize, k: usize| (0..n).map(|l| a[(i, l)] * a[(l, k)]).sum::<f64>();
            let third: f64 = (0..n).map(|i| (0..n).map(|k| square(i, k) * a[(k, i)]).sum::<f64>()).sum();
            let size: f64 = (0..n).map(|i| square(i, i)).sum();
            let (d, b) = tridiagonal(&mut a.clone());
            let beside = |i: usize| b.get(i).copied().unwrap_or(0.0);
            let two: f64 = (0..n).map(|i| d[i] * d[i] + 2.0 * beside(i).powi(2)).sum();
            let next = |i: usize| d.get(i + 1).copied().unwrap_or(0.0);
            let three: f64 = (0..n).map(|i| d[i].powi(3) + 3.0 * beside(i).powi(2) * (d[i] + next(i))).sum();
            assert!((two - size).abs() < 1e-13 * n as f64 * size, "order {n}: {two} for {size}");
            assert!((three - third).abs() < 1e-13 * n as f64 * size.powf(1.5), "order {n}: {three} for {third}");
        }
        let mut band = Mat::from_fn(6, 6, |i, k| [1.0 + i as f64, -0.5, 0.0, 0.0, 0.0, 0.0][i.abs_diff(k)]);
        assert_eq!(tridiagonal(&mut band), ((1..=6).map(f64::from).collect(), vec![0.5; 5]));
    }
}
