//! Lines of numbers as two AVX2 registers.
//!
//! The functions are safe to call only where the processor has AVX2 and fused operations: `fused::sweep` alone names these
//! types, after it has asked.
#![allow(unsafe_code, reason = "processor intrinsics, used after run-time detection")]
#![allow(clippy::inline_always, reason = "compiled into the copy for AVX2")]
#![allow(clippy::cast_possible_wrap, reason = "words are read as signed numbers")]
#![allow(clippy::wildcard_imports, reason = "most names of the file are intrinsics")]
#![allow(clippy::undocumented_unsafe_blocks, reason = "one reason for all, above")]

use std::arch::x86_64::*;

use super::Real;
use super::lanes::Lanes;
use crate::langevin::gaussian::Keys;
use crate::langevin::gaussian_avx2::{fill32, fill64};
use crate::langevin::particles::{BLOCK, Row};

#[derive(Clone, Copy, Debug)]
pub(in crate::langevin) struct F32x16(__m256, __m256);

#[derive(Clone, Copy, Debug)]
pub(in crate::langevin) struct F64x8(__m256d, __m256d);

macro_rules! lanes {
    ($line:ident, $number:ty, $half:expr, $word:ty,
     $set:ident $spread:ident $load:ident $store:ident $add:ident $mul:ident $fma:ident $cmp:ident $and:ident $bits:ident
 $equal:ident $cast:ident $fill:ident) => {
        impl Lanes for $line {
            type Number = $number;
            type Select = [__m256i; 2];
            const WIDTH: usize = 2 * $half;
            const MASKS: bool = false;

            #[inline(always)]
            fn splat(v: $number) -> Self {
                let v = unsafe { $set(v) };
                Self(v, v)
            }
            #[inline(always)]
            fn load(from: &[$number]) -> Self {
                let from = from[..2 * $half].as_ptr();
                unsafe { Self($load(from), $load(from.add($half))) }
            }
            #[inline(always)]
            fn store(self, to: &mut [$number]) {
                let to = to[..2 * $half].as_mut_ptr();
                unsafe {
                    $store(to, self.0);
                    $store(to.add($half), self.1);
                }
            }
            #[inline(always)]
            fn add(self, o: Self) -> Self {
                unsafe { Self($add(self.0, o.0), $add(self.1, o.1)) }
            }
            #[inline(always)]
            fn mul(self, o: Self) -> Self {
                unsafe { Self($mul(self.0, o.0), $mul(self.1, o.1)) }
            }
            #[inline(always)]
            fn fused(self, f: Self, t: Self) -> Self {
                unsafe { Self($fma(self.0, f.0, t.0), $fma(self.1, f.1, t.1)) }
            }
            #[inline(always)]
            fn add_to(self, h: Self, line: &mut [$number]) {
                self.fused(h, Self::load(line)).store(line);
            }
            #[inline(always)]
            fn relu(self, group: usize, active: &mut <$number as Real>::Active) -> Self {
                unsafe {
                    let zero = $set(0.0);
                    let (a, b) = ($cmp::<_CMP_NLE_UQ>(self.0, zero), $cmp::<_CMP_NLE_UQ>(self.1, zero));
                    // a byte a register: put together, the compiler would pack the lanes instead
                    let bytes = &mut active.as_chunks_mut::<2>().0[group % (BLOCK / Self::WIDTH)];
                    (bytes[0], bytes[1]) = ($bits(a) as u8, $bits(b) as u8);
                    Self($and(self.0, a), $and(self.1, b))
                }
            }
            #[inline(always)]
            fn select(group: usize) -> [__m256i; 2] {
                let mut words = [[0 as $word; $half]; 2];
                for half in 0..2 {
                    for lane in 0..$half {
                        words[half][lane] = 1 << (8 * (2 * group + half) + lane);
                    }
                }
                unsafe { [_mm256_loadu_si256(words[0].as_ptr().cast()), _mm256_loadu_si256(words[1].as_ptr().cast())] }
            }
            #[inline(always)]
            fn masked(v: $number, active: <$number as Real>::Active, select: [__m256i; 2]) -> Self {
                unsafe {
                    let (v, word) = ($set(v), $spread(<$word>::from_le_bytes(active) as _));
                    let a = $equal(_mm256_and_si256(word, select[0]), select[0]);
                    let b = $equal(_mm256_and_si256(word, select[1]), select[1]);
                    Self($and(v, $cast(a)), $and(v, $cast(b)))
                }
            }
            #[inline(always)]
            fn normals(keys: &Keys, step: u64, block: u32, p: u32, out: &mut [Row<$number>]) {
                for (p, row) in (p..).zip(out) {
                    unsafe { $fill(keys, step, block, p, &mut row.0) }
                }
            }
        }
    };
}

lanes!(F32x16, f32, 8, u32,
    _mm256_set1_ps _mm256_set1_epi32 _mm256_loadu_ps _mm256_storeu_ps _mm256_add_ps _mm256_mul_ps _mm256_fmadd_ps _mm256_cmp_ps
    _mm256_and_ps _mm256_movemask_ps _mm256_cmpeq_epi32 _mm256_castsi256_ps fill32);
lanes!(F64x8, f64, 4, u64,
    _mm256_set1_pd _mm256_set1_epi64x _mm256_loadu_pd _mm256_storeu_pd _mm256_add_pd _mm256_mul_pd _mm256_fmadd_pd _mm256_cmp_pd
    _mm256_and_pd _mm256_movemask_pd _mm256_cmpeq_epi64 _mm256_castsi256_pd fill64);
