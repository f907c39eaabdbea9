//! The peak of fused multiply-adds of one core, measured by a loop of independent ones.
#![allow(unsafe_code, reason = "processor intrinsics, guarded by run-time detection")]

use std::hint::black_box;

use crate::measure::batch;

const ROUNDS: usize = 20_000_000;

/// The loop in one precision: twelve chains, enough to hide the latency, of registers of `$lanes` numbers,
/// or of twice as many where the processor has AVX-512.
macro_rules! peak {
    ($name:ident, $number:ty, $lanes:expr, $set:ident $fma:ident $add:ident $first:ident,
     $set512:ident $fma512:ident $add512:ident $first512:ident) => {
        /// Flops a CPU second, two for every fused multiply-add.
        pub(crate) fn $name() -> f64 {
            #[cfg(target_arch = "x86_64")]
            {
                use std::arch::x86_64::{$add, $add512, $first, $first512, $fma, $fma512, $set, $set512};
                #[target_feature(enable = "avx2,fma")]
                fn wide(a: $number, b: $number) -> $number {
                    let (a, b) = ($set(a), $set(b));
                    let mut chains = [a; 12];
                    for _ in 0..ROUNDS {
                        for v in &mut chains {
                            *v = $fma(*v, b, a);
                        }
                    }
                    $first(chains.into_iter().fold(a, |sum, v| $add(sum, v)))
                }
                #[target_feature(enable = "avx512f")]
                fn widest(a: $number, b: $number) -> $number {
                    let (a, b) = ($set512(a), $set512(b));
                    let mut chains = [a; 12];
                    for _ in 0..ROUNDS {
                        for v in &mut chains {
                            *v = $fma512(*v, b, a);
                        }
                    }
                    $first512(chains.into_iter().fold(a, |sum, v| $add512(sum, v)))
                }
                if std::is_x86_feature_detected!("avx512f") {
                    let run = || {
                        // SAFETY: the processor has it.
                        black_box(unsafe { widest(black_box(0.5), black_box(0.25)) });
                    };
                    return (4 * $lanes * 12 * ROUNDS) as f64 / batch(1, run);
                }
                if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
                    let run = || {
                        // SAFETY: the processor has both.
                        black_box(unsafe { wide(black_box(0.5), black_box(0.25)) });
                    };
                    return (2 * $lanes * 12 * ROUNDS) as f64 / batch(1, run);
                }
            }
            let run = || {
                let (a, b): ($number, $number) = (black_box(0.5), black_box(0.25));
                let mut chains = [[a; $lanes]; 12];
                for _ in 0..ROUNDS {
                    chains.iter_mut().flatten().for_each(|v| *v = v.mul_add(b, a));
                }
                black_box(chains);
            };
            (2 * $lanes * 12 * ROUNDS) as f64 / batch(1, run)
        }
    };
}

peak!(peak32, f32, 8, _mm256_set1_ps _mm256_fmadd_ps _mm256_add_ps _mm256_cvtss_f32,
    _mm512_set1_ps _mm512_fmadd_ps _mm512_add_ps _mm512_cvtss_f32);
peak!(peak64, f64, 4, _mm256_set1_pd _mm256_fmadd_pd _mm256_add_pd _mm256_cvtsd_f64,
    _mm512_set1_pd _mm512_fmadd_pd _mm512_add_pd _mm512_cvtsd_f64);
