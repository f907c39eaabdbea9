//! The peak of fused multiply-adds of one core, measured by a loop of independent ones.
#![allow(
    unsafe_code,
    reason = "the call of a copy for processors with fused operations, guarded by run-time detection"
)]

use std::hint::black_box;

use crate::measure::batch;

/// Chains that hide the latency, of vectors of 32 bytes.
const CHAINS: usize = 12;
const ROUNDS: usize = 20_000_000;

macro_rules! peak {
    ($name:ident, $number:ty, $lanes:expr) => {
        /// Flops a CPU second, two for every fused multiply-add.
        pub(crate) fn $name() -> f64 {
            #[inline(always)]
            #[allow(clippy::inline_always, reason = "compiled into its copy")]
            fn body(a: $number, b: $number) -> $number {
                let mut chains = [[a; $lanes]; CHAINS];
                for _ in 0..ROUNDS {
                    for chain in &mut chains {
                        for v in chain {
                            *v = v.mul_add(b, a);
                        }
                    }
                }
                chains.iter().flatten().sum()
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
            fn wide(a: $number, b: $number) -> $number {
                body(a, b)
            }
            let run = || {
                #[cfg(target_arch = "x86_64")]
                if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
                    // SAFETY: the processor has both; the body is ordinary safe code.
                    black_box(unsafe { wide(black_box(0.5), black_box(0.25)) });
                    return;
                }
                black_box(body(black_box(0.5), black_box(0.25)));
            };
            (2 * $lanes * CHAINS * ROUNDS) as f64 / batch(1, run)
        }
    };
}

peak!(peak32, f32, 8);
peak!(peak64, f64, 4);
