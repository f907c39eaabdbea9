//! Two lines of numbers as two AVX-512 registers, which share every number of the data that is read.
//!
//! The functions are safe to call only where the processor has AVX-512 (F, BW, DQ, VL): `fused::sweep` alone names these types,
//! after it has asked.
#![allow(unsafe_code, reason = "processor intrinsics, used after run-time detection")]
#![allow(clippy::inline_always, reason = "compiled into the copy for AVX-512")]
#![allow(clippy::wildcard_imports, reason = "most names of the file are intrinsics")]
#![allow(clippy::undocumented_unsafe_blocks, reason = "one reason for all, above")]

use std::arch::x86_64::*;

use super::Real;
use super::lanes::Lanes;
use crate::langevin::gaussian::Keys;
use crate::langevin::gaussian_avx512::{fill32, fill64};
use crate::langevin::particles::Row;

#[derive(Clone, Copy, Debug)]
pub(in crate::langevin) struct F32x32(__m512, __m512);

#[derive(Clone, Copy, Debug)]
pub(in crate::langevin) struct F64x16(__m512d, __m512d);

macro_rules! lanes {
    ($line:ident, $number:ty, $half:expr, $mask:ty,
     $set:ident $load:ident $store:ident $add:ident $mul:ident $fma:ident $cmp:ident $keep:ident $fill:ident) => {
        impl Lanes for $line {
            type Number = $number;
            /// Where the masks of a group are: in the first bytes of an activity, one bit a lane.
            type Select = usize;
            const WIDTH: usize = 2 * $half;
            const MASKS: bool = true;

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
                let line = line[..$half].as_mut_ptr();
                unsafe { $store(line, $fma(self.1, h.1, $fma(self.0, h.0, $load(line)))) }
            }
            #[inline(always)]
            fn relu(self, group: usize, active: &mut <$number as Real>::Active) -> Self {
                unsafe {
                    let zero = $set(0.0);
                    let (a, b) = ($cmp::<_CMP_NLE_UQ>(self.0, zero), $cmp::<_CMP_NLE_UQ>(self.1, zero));
                    let [low, high] = &mut active.as_chunks_mut::<{ $half / 8 }>().0.as_chunks_mut::<2>().0[group];
                    (*low, *high) = (a.to_le_bytes(), b.to_le_bytes());
                    Self($keep(a, self.0), $keep(b, self.1))
                }
            }
            #[inline(always)]
            fn select(group: usize) -> usize {
                group
            }
            #[inline(always)]
            fn masked(v: $number, active: <$number as Real>::Active, group: usize) -> Self {
                let [low, high] = active.as_chunks::<{ $half / 8 }>().0.as_chunks::<2>().0[group];
                unsafe {
                    let v = $set(v);
                    Self($keep(<$mask>::from_le_bytes(low), v), $keep(<$mask>::from_le_bytes(high), v))
                }
            }
            #[inline(always)]
            fn normals(keys: &Keys, step: u64, block: u32, p: u32, out: &mut [Row<$number>]) {
                unsafe { $fill(keys, step, block, p, out) }
            }
        }
    };
}

lanes!(F32x32, f32, 16, __mmask16,
    _mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps _mm512_add_ps _mm512_mul_ps _mm512_fmadd_ps _mm512_cmp_ps_mask
    _mm512_maskz_mov_ps fill32);
lanes!(F64x16, f64, 8, __mmask8,
    _mm512_set1_pd _mm512_loadu_pd _mm512_storeu_pd _mm512_add_pd _mm512_mul_pd _mm512_fmadd_pd _mm512_cmp_pd_mask
    _mm512_maskz_mov_pd fill64);
