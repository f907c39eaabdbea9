//! Loops over the rows of a tableau, compiled a second time for processors with AVX2 and chosen at run time.
#![allow(clippy::inline_always, reason = "the bodies must be compiled into their AVX2 copies to use AVX2")]
#![allow(unsafe_code, reason = "calls to the AVX2 copies, guarded by run-time detection, and comparison masks")]

use super::tableau::{SLACK, TINY, U};

/// Which copy of the loops runs; the bits do not depend on it (no fused multiply-add).
#[derive(Clone, Copy, Debug)]
pub(super) struct Kernel {
    avx2: bool,
}

macro_rules! dispatch {
    ($(#[$doc:meta])* $name:ident, $body:ident, ($($arg:ident: $type:ty),*) $(-> $out:ty)?) => {
        $(#[$doc])*
        #[inline]
        pub(super) fn $name(self, $($arg: $type),*) $(-> $out)? {
            #[cfg(target_arch = "x86_64")]
            if self.avx2 {
                #[target_feature(enable = "avx2")]
                fn wide($($arg: $type),*) $(-> $out)? {
                    $body($($arg),*)
                }
                // SAFETY: `avx2` is set only where the processor has it; the body is ordinary safe code.
                return unsafe { wide($($arg),*) };
            }
            $body($($arg),*)
        }
    };
}

impl Kernel {
    pub(super) fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        let avx2 = std::arch::is_x86_feature_detected!("avx2")
            && std::arch::is_x86_feature_detected!("bmi1")
            && std::arch::is_x86_feature_detected!("bmi2");
        #[cfg(not(target_arch = "x86_64"))]
        let avx2 = false;
        Self { avx2 }
    }

    /// Whether the AVX2 copies run; the processor then has BMI1 and BMI2, too.
    pub(super) fn is_wide(self) -> bool {
        self.avx2
    }

    /// The copy for any processor.
    #[cfg(test)]
    pub(super) fn portable() -> Self {
        Self { avx2: false }
    }

    dispatch!(
        /// `z = x - r y`; returns max |z|. Lengths are multiples of 4 in every loop here.
        subtract, subtract_body, (z: &mut [f64], x: &[f64], y: &[f64], r: f64) -> f64
    );
    dispatch!(
        /// `z = (p x - r y) / den`; returns max |z|.
        eliminate, eliminate_body, (z: &mut [f64], x: &[f64], y: &[f64], p: f64, r: f64, den: f64) -> f64
    );
    dispatch!(
        /// `z = s x`; returns max |z|.
        scale, scale_body, (z: &mut [f64], x: &[f64], s: f64) -> f64
    );

    dispatch!(
        /// `t = -a / b` and a bound on its error for entries that are off by at most e and g; see the tableau.
        vertices, vertices_body, (t: &mut [f64], radius: &mut [f64], a: &[f64], b: &[f64], e: f64, g: f64)
    );

    /// For each row the sign of `v_i = p a_i - r b_i`: bit i of `plus` is 1 if `v_i > bound`, of `open` if `|v_i| <= bound`
    /// or `v_i` is NaN. Both have ceil(length/64) words.
    #[inline]
    pub(super) fn scan(self, ab: (&[f64], &[f64]), pr: (f64, f64), bound: f64, plus: &mut [u64], open: &mut [u64]) {
        #[cfg(target_arch = "x86_64")]
        if self.avx2 {
            // SAFETY: the processor has AVX2; the lengths are checked inside.
            return unsafe { scan_avx2(ab, pr, bound, plus, open) };
        }
        scan_body(ab, pr, bound, plus, open);
    }
}

#[inline(always)]
fn largest(lanes: [f64; 4]) -> f64 {
    let [a, b, c, d] = lanes;
    a.max(b).max(c.max(d))
}

#[inline(always)]
fn subtract_body(z: &mut [f64], x: &[f64], y: &[f64], r: f64) -> f64 {
    let mut top = [0.0f64; 4];
    for ((z, x), y) in z.chunks_exact_mut(4).zip(x.chunks_exact(4)).zip(y.chunks_exact(4)) {
        for t in 0..4 {
            z[t] = x[t] - r * y[t];
            let size = z[t].abs();
            top[t] = if size > top[t] { size } else { top[t] };
        }
    }
    largest(top)
}

#[inline(always)]
fn eliminate_body(z: &mut [f64], x: &[f64], y: &[f64], p: f64, r: f64, den: f64) -> f64 {
    let mut top = [0.0f64; 4];
    if den == 1.0 {
        for ((z, x), y) in z.chunks_exact_mut(4).zip(x.chunks_exact(4)).zip(y.chunks_exact(4)) {
            for t in 0..4 {
                z[t] = p * x[t] - r * y[t];
                let size = z[t].abs();
                top[t] = if size > top[t] { size } else { top[t] };
            }
        }
        return largest(top);
    }
    for ((z, x), y) in z.chunks_exact_mut(4).zip(x.chunks_exact(4)).zip(y.chunks_exact(4)) {
        for t in 0..4 {
            z[t] = (p * x[t] - r * y[t]) / den;
            let size = z[t].abs();
            top[t] = if size > top[t] { size } else { top[t] };
        }
    }
    largest(top)
}

#[inline(always)]
fn scale_body(z: &mut [f64], x: &[f64], s: f64) -> f64 {
    let mut top = [0.0f64; 4];
    for (z, x) in z.chunks_exact_mut(4).zip(x.chunks_exact(4)) {
        for t in 0..4 {
            z[t] = s * x[t];
            let size = z[t].abs();
            top[t] = if size > top[t] { size } else { top[t] };
        }
    }
    largest(top)
}

#[inline(always)]
fn vertices_body(t: &mut [f64], radius: &mut [f64], a: &[f64], b: &[f64], e: f64, g: f64) {
    let rows = t.chunks_exact_mut(4).zip(radius.chunks_exact_mut(4));
    for ((t, radius), (a, b)) in rows.zip(a.chunks_exact(4).zip(b.chunks_exact(4))) {
        for k in 0..4 {
            t[k] = -a[k] / b[k];
            let (size, least) = (t[k].abs(), b[k].abs() - g);
            let bound = SLACK * ((size * g + e) / least + 2.0 * U * size) + TINY;
            radius[k] = if least > 0.0 { bound } else { f64::INFINITY };
        }
    }
}

fn scan_body(ab: (&[f64], &[f64]), pr: (f64, f64), bound: f64, plus: &mut [u64], open: &mut [u64]) {
    let words = plus.iter_mut().zip(open.iter_mut());
    for ((a, b), (plus, open)) in ab.0.chunks(64).zip(ab.1.chunks(64)).zip(words) {
        (*plus, *open) = (0, 0);
        for (t, (a, b)) in a.iter().zip(b).enumerate() {
            let v = pr.0 * a - pr.1 * b;
            *plus |= u64::from(v > bound) << t;
            *open |= u64::from(!(v > bound || v < -bound)) << t;
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn scan_avx2(ab: (&[f64], &[f64]), pr: (f64, f64), bound: f64, plus: &mut [u64], open: &mut [u64]) {
    use std::arch::x86_64::{
        _CMP_GT_OQ, _CMP_LT_OQ, _mm256_cmp_pd, _mm256_loadu_pd, _mm256_movemask_pd, _mm256_mul_pd, _mm256_set1_pd,
        _mm256_sub_pd,
    };
    let (p, r, high, low) = (_mm256_set1_pd(pr.0), _mm256_set1_pd(pr.1), _mm256_set1_pd(bound), _mm256_set1_pd(-bound));
    let words = plus.iter_mut().zip(open.iter_mut());
    for ((a, b), (plus, open)) in ab.0.chunks(64).zip(ab.1.chunks(64)).zip(words) {
        let (mut above, mut neither) = (0u64, 0u64);
        for (t, (a, b)) in a.chunks_exact(4).zip(b.chunks_exact(4)).enumerate() {
            // SAFETY: both chunks have four entries.
            let (a, b) = unsafe { (_mm256_loadu_pd(a.as_ptr()), _mm256_loadu_pd(b.as_ptr())) };
            let v = _mm256_sub_pd(_mm256_mul_pd(p, a), _mm256_mul_pd(r, b));
            let g = _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_GT_OQ>(v, high)) as u64;
            let l = _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_LT_OQ>(v, low)) as u64;
            above |= g << (4 * t);
            neither |= (!(g | l) & 15) << (4 * t);
        }
        (*plus, *open) = (above, neither);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_copies_give_the_same_bits() {
        let wave = |k: usize, f: f64| (k as f64 * f).sin() * if k.is_multiple_of(7) { 0.0 } else { 3.0 };
        for n in [4, 12, 64, 68, 132] {
            let x: Vec<f64> = (0..n).map(|k| wave(k, 0.37)).collect();
            let y: Vec<f64> = (0..n).map(|k| wave(k, 1.91)).collect();
            let run = |kernel: Kernel| {
                let (mut z, mut u, mut v) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
                let tops = [
                    kernel.subtract(&mut z, &x, &y, 0.3),
                    kernel.eliminate(&mut u, &x, &y, 5.0, -7.0, 3.0),
                    kernel.scale(&mut v, &x, 0.1),
                ];
                let words = n.div_ceil(64);
                let (mut plus, mut open) = (vec![0; words], vec![0; words]);
                kernel.scan((&x, &y), (0.7, -0.2), 0.05, &mut plus, &mut open);
                (z, u, v, tops, plus, open)
            };
            let (fast, slow) = (run(Kernel::detect()), run(Kernel::portable()));
            assert_eq!(fast, slow);
            for k in 0..n {
                let v = 0.7 * x[k] + 0.2 * y[k];
                assert_eq!(slow.0[k], x[k] - 0.3 * y[k]);
                assert_eq!(slow.1[k], (5.0 * x[k] + 7.0 * y[k]) / 3.0);
                assert_eq!(slow.4[k / 64] >> (k % 64) & 1 == 1, v > 0.05);
                assert_eq!(slow.5[k / 64] >> (k % 64) & 1 == 1, v.abs() <= 0.05);
            }
            assert!(slow.5.iter().any(|w| *w != 0));
            assert_eq!(slow.3[0], slow.0.iter().fold(0.0, |m: f64, v| m.max(v.abs())));
        }
    }
}
