//! The sums of lines of lanes: what a chunk of neurons adds to each output.
#![allow(clippy::inline_always, reason = "the body must be compiled into its AVX2 copy to use AVX2")]
#![allow(unsafe_code, reason = "the call of the AVX2 copy, guarded by run-time detection")]

use super::Real;

/// The sum of every line of `LANES` lanes, in f64, by halves.
pub(in crate::langevin) fn fold<E: Real>(lanes: &[E], sums: &mut [f64]) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2")]
        fn wide<E: Real>(lanes: &[E], sums: &mut [f64]) {
            body(lanes, sums);
        }
        if std::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has it; the body is ordinary safe code.
            return unsafe { wide(lanes, sums) };
        }
    }
    body(lanes, sums);
}

#[inline(always)]
fn body<E: Real>(lanes: &[E], sums: &mut [f64]) {
    for (sum, line) in sums.iter_mut().zip(lanes.chunks_exact(E::LANES)) {
        let mut a = [0.0; 16];
        for (a, v) in a.iter_mut().zip(line) {
            *a = v.wide();
        }
        for half in [8, 4, 2, 1] {
            for l in 0..half {
                a[l] += a[l + half];
            }
        }
        *sum = a[0];
    }
}
