//! Lines of numbers as one AVX-512 register.
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
use crate::langevin::particles::BLOCK;

#[derive(Clone, Copy, Debug)]
pub(in crate::langevin) struct F32x16(__m512);

#[derive(Clone, Copy, Debug)]
pub(in crate::langevin) struct F64x8(__m512d);

/// Bits of 16 lanes as the two bytes of an activity, 8 lanes to a byte, and back.
#[inline(always)]
fn bytes16(mask: __mmask16) -> [u8; 2] {
    mask.to_le_bytes()
}
#[inline(always)]
fn mask16(bytes: [u8; 2]) -> __mmask16 {
    __mmask16::from_le_bytes(bytes)
}

/// Bits of 8 lanes, 4 lanes to a byte.
#[inline(always)]
fn bytes8(mask: __mmask8) -> [u8; 2] {
    [mask & 15, mask >> 4]
}
#[inline(always)]
fn mask8(bytes: [u8; 2]) -> __mmask8 {
    bytes[0] | bytes[1] << 4
}

macro_rules! lanes {
    ($line:ident, $number:ty, $width:expr, $bytes:ident, $mask:ident,
     $set:ident $load:ident $store:ident $add:ident $mul:ident $fma:ident $cmp:ident $keep:ident $fill:ident) => {
        impl Lanes for $line {
            type Number = $number;
            type Select = usize;
            const WIDTH: usize = $width;

            #[inline(always)]
            fn splat(v: $number) -> Self {
                Self(unsafe { $set(v) })
            }
            #[inline(always)]
            fn load(from: &[$number]) -> Self {
                Self(unsafe { $load(from[..$width].as_ptr()) })
            }
            #[inline(always)]
            fn store(self, to: &mut [$number]) {
                unsafe { $store(to[..$width].as_mut_ptr(), self.0) }
            }
            #[inline(always)]
            fn add(self, o: Self) -> Self {
                Self(unsafe { $add(self.0, o.0) })
            }
            #[inline(always)]
            fn mul(self, o: Self) -> Self {
                Self(unsafe { $mul(self.0, o.0) })
            }
            #[inline(always)]
            fn fused(self, f: Self, t: Self) -> Self {
                Self(unsafe { $fma(self.0, f.0, t.0) })
            }
            #[inline(always)]
            fn relu(self, group: usize, active: &mut <$number as Real>::Active) -> Self {
                unsafe {
                    let mask = $cmp::<_CMP_NLE_UQ>(self.0, $set(0.0));
                    active.as_chunks_mut::<2>().0[group % (BLOCK / $width)] = $bytes(mask);
                    Self($keep(mask, self.0))
                }
            }
            #[inline(always)]
            fn select(group: usize) -> usize {
                group
            }
            #[inline(always)]
            fn masked(v: $number, active: <$number as Real>::Active, group: usize) -> Self {
                let mask = $mask(active.as_chunks::<2>().0[group % (BLOCK / $width)]);
                Self(unsafe { $keep(mask, $set(v)) })
            }
            #[inline(always)]
            fn normals(keys: &Keys, step: u64, block: u32, p: u32, out: &mut [$number; BLOCK]) {
                unsafe { $fill(keys, step, block, p, out) }
            }
        }
    };
}

lanes!(F32x16, f32, 16, bytes16, mask16,
    _mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps _mm512_add_ps _mm512_mul_ps _mm512_fmadd_ps _mm512_cmp_ps_mask
    _mm512_maskz_mov_ps fill32);
lanes!(F64x8, f64, 8, bytes8, mask8,
    _mm512_set1_pd _mm512_loadu_pd _mm512_storeu_pd _mm512_add_pd _mm512_mul_pd _mm512_fmadd_pd _mm512_cmp_pd_mask
    _mm512_maskz_mov_pd fill64);
