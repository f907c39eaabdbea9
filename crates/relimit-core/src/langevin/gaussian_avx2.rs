//! The normals of [`super::gaussian`] in AVX2 registers: the same operations in the same order, hence the same bits.
//!
//! To be called only where the processor has AVX2 and fused multiply-add.
#![allow(unsafe_code, reason = "processor intrinsics, used after run-time detection")]
#![allow(unsafe_op_in_unsafe_fn, reason = "whole functions of intrinsics, one condition for all")]
#![allow(clippy::inline_always, reason = "compiled into the copy for AVX2")]
#![allow(clippy::missing_safety_doc, reason = "the condition is the module's")]
#![allow(clippy::wildcard_imports, reason = "most names of the file are intrinsics")]
#![allow(clippy::cast_possible_wrap, reason = "words are read as signed numbers")]

use std::arch::x86_64::*;

use super::gaussian::{
    COS32, COS64, EXPONENT64, Keys, LOG32, LOG64, MULTIPLIER, ONE64, ROOT32, ROOT64, SHIFT64, SIN32, SIN64, TURN32,
    UNIT32,
};
use super::particles::BLOCK;

/// High halves of 64-bit lanes, in both halves: on more units of most processors than a shift.
const HIGH: i32 = 0b11_11_01_01;

/// N times four Philox blocks of counters (step low, step high, third, p), a word in the low half of every 64-bit lane; the
/// high halves are left as they fall. Side by side, for one alone waits for its multiplications.
#[inline(always)]
unsafe fn philox<const N: usize>(keys: &Keys, step: u64, third: [__m256i; N], p: u32) -> [[__m256i; 4]; N] {
    let (low, high) = (_mm256_set1_epi32(step as i32), _mm256_set1_epi32((step >> 32) as i32));
    let p = _mm256_set1_epi32(p as i32);
    let mut c = [[low; 4]; N];
    for n in 0..N {
        c[n] = [low, high, third[n], p];
    }
    let (m0, m1) = (_mm256_set1_epi32(MULTIPLIER[0] as i32), _mm256_set1_epi32(MULTIPLIER[1] as i32));
    for round in 0..10 {
        let k0 = _mm256_set1_epi32(keys.rounds[0][round] as i32);
        let k1 = _mm256_set1_epi32(keys.rounds[1][round] as i32);
        for c in &mut c {
            let (a, b) = (_mm256_mul_epu32(c[0], m0), _mm256_mul_epu32(c[2], m1));
            *c = [
                _mm256_xor_si256(_mm256_shuffle_epi32::<HIGH>(b), _mm256_xor_si256(c[1], k0)),
                b,
                _mm256_xor_si256(_mm256_shuffle_epi32::<HIGH>(a), _mm256_xor_si256(c[3], k1)),
                a,
            ];
        }
    }
    c
}

/// Low halves of `even` and `odd`, alternating.
#[inline(always)]
unsafe fn weave(even: __m256i, odd: __m256i) -> __m256i {
    _mm256_blend_epi32::<0b1010_1010>(even, _mm256_slli_epi64::<32>(odd))
}

#[inline(always)]
unsafe fn set(v: f32) -> __m256 {
    _mm256_set1_ps(v)
}

#[inline(always)]
unsafe fn wide(v: f64) -> __m256d {
    _mm256_set1_pd(v)
}

#[inline(always)]
unsafe fn word(v: u64) -> __m256i {
    _mm256_set1_epi64x(v as i64)
}

/// `LOG32[at] f + LOG32[at + 1]`.
#[inline(always)]
unsafe fn line(at: usize, f: __m256) -> __m256 {
    _mm256_fmadd_ps(set(LOG32[at]), f, set(LOG32[at + 1]))
}

#[inline(always)]
unsafe fn square(k: &[f32; 3], a2: __m256) -> __m256 {
    _mm256_fmadd_ps(_mm256_fmadd_ps(set(k[0]), a2, set(k[1])), a2, set(k[2]))
}

/// 52 bits over the exponent of 1.
#[inline(always)]
unsafe fn over(v: __m256i) -> __m256d {
    _mm256_castsi256_pd(_mm256_or_si256(_mm256_srli_epi64::<12>(v), word(ONE64)))
}

/// See [`super::gaussian::pair32`].
#[inline(always)]
pub(super) unsafe fn pair32(u: __m256i, w: __m256i) -> (__m256, __m256) {
    let one = set(1.0);
    let x = _mm256_fmadd_ps(_mm256_cvtepi32_ps(_mm256_srli_epi32::<1>(u)), set(UNIT32), set(0.5 * UNIT32));
    let bits = _mm256_castps_si256(x);
    let e = _mm256_srai_epi32::<23>(_mm256_sub_epi32(bits, _mm256_set1_epi32(ROOT32 as i32)));
    let f = _mm256_sub_ps(_mm256_castsi256_ps(_mm256_sub_epi32(bits, _mm256_slli_epi32::<23>(e))), one);
    let f2 = _mm256_mul_ps(f, f);
    let f4 = _mm256_mul_ps(f2, f2);
    let low = _mm256_fmadd_ps(line(5, f), f2, line(7, f));
    let high = _mm256_fmadd_ps(line(1, f), f2, line(3, f));
    let p = _mm256_fmadd_ps(_mm256_fmadd_ps(set(LOG32[0]), f4, high), f4, low);
    let minus = set(-2.0);
    let q = _mm256_fmadd_ps(_mm256_mul_ps(_mm256_mul_ps(f, minus), f2), p, _mm256_fmadd_ps(f, minus, f2));
    let r = _mm256_sqrt_ps(_mm256_fmadd_ps(_mm256_cvtepi32_ps(e), set(-2.0 * std::f32::consts::LN_2), q));
    let a = _mm256_mul_ps(_mm256_cvtepi32_ps(w), set(TURN32));
    let a2 = _mm256_mul_ps(a, a);
    let sin = _mm256_fmadd_ps(_mm256_mul_ps(a, a2), square(&SIN32, a2), a);
    let cos = _mm256_fmadd_ps(_mm256_mul_ps(a2, a2), square(&COS32, a2), _mm256_fmadd_ps(a2, set(-0.5), one));
    let cos = _mm256_xor_ps(cos, _mm256_castsi256_ps(_mm256_slli_epi32::<31>(w)));
    let swap = _mm256_castsi256_ps(_mm256_slli_epi32::<30>(w));
    (_mm256_mul_ps(r, _mm256_blendv_ps(cos, sin, swap)), _mm256_mul_ps(r, _mm256_blendv_ps(sin, cos, swap)))
}

/// See [`super::gaussian::pair64`].
#[inline(always)]
pub(super) unsafe fn pair64(u: __m256i, w: __m256i) -> (__m256d, __m256d) {
    let one = wide(1.0);
    let bits = _mm256_castpd_si256(_mm256_sub_pd(over(u), wide(SHIFT64)));
    let shift = word(1024 << 52);
    let t = _mm256_add_epi64(_mm256_sub_epi64(bits, word(ROOT64)), shift);
    let e = _mm256_or_si256(_mm256_srli_epi64::<52>(t), word(0x4330 << 48));
    let e = _mm256_sub_pd(_mm256_castsi256_pd(e), wide(EXPONENT64));
    let scaled = _mm256_add_epi64(_mm256_sub_epi64(bits, _mm256_and_si256(t, word(0xfff << 52))), shift);
    let f = _mm256_sub_pd(_mm256_castsi256_pd(scaled), one);
    let s = _mm256_div_pd(f, _mm256_add_pd(wide(2.0), f));
    let z = _mm256_mul_pd(s, s);
    let mut p = wide(LOG64[0]);
    for c in &LOG64[1..] {
        p = _mm256_fmadd_pd(p, z, wide(*c));
    }
    let h = _mm256_mul_pd(_mm256_mul_pd(wide(0.5), f), f);
    let q = _mm256_add_pd(_mm256_fmsub_pd(s, _mm256_fmadd_pd(z, p, h), h), f);
    let r = _mm256_fmadd_pd(e, wide(-2.0 * std::f64::consts::LN_2), _mm256_mul_pd(wide(-2.0), q));
    let r = _mm256_sqrt_pd(r);
    let a = _mm256_mul_pd(_mm256_sub_pd(over(w), wide(1.5)), wide(std::f64::consts::FRAC_PI_2));
    let a2 = _mm256_mul_pd(a, a);
    let (mut sin, mut cos) = (wide(SIN64[0]), wide(COS64[0]));
    for k in 1..6 {
        sin = _mm256_fmadd_pd(sin, a2, wide(SIN64[k]));
        cos = _mm256_fmadd_pd(cos, a2, wide(COS64[k]));
    }
    let sin = _mm256_fmadd_pd(_mm256_mul_pd(a, a2), sin, a);
    let cos = _mm256_fmadd_pd(_mm256_mul_pd(a2, a2), cos, _mm256_fmadd_pd(a2, wide(-0.5), one));
    let cos = _mm256_xor_pd(cos, _mm256_castsi256_pd(_mm256_slli_epi64::<63>(w)));
    let swap = _mm256_castsi256_pd(_mm256_slli_epi64::<62>(w));
    (_mm256_mul_pd(r, _mm256_blendv_pd(cos, sin, swap)), _mm256_mul_pd(r, _mm256_blendv_pd(sin, cos, swap)))
}

/// See [`super::gaussian::fill32`].
#[inline(always)]
pub(super) unsafe fn fill32(keys: &Keys, step: u64, block: u32, p: u32, out: &mut [f32; BLOCK]) {
    let lane = _mm256_set1_epi32((block * 8) as i32);
    let even = _mm256_add_epi32(lane, _mm256_setr_epi32(0, 0, 2, 0, 4, 0, 6, 0));
    let odd = _mm256_add_epi32(lane, _mm256_setr_epi32(1, 0, 3, 0, 5, 0, 7, 0));
    let [even, odd] = philox(keys, step, [even, odd], p);
    for half in 0..2 {
        let (u, w) = (2 * half, 2 * half + 1);
        let (a, b) = pair32(weave(even[u], odd[u]), weave(even[w], odd[w]));
        _mm256_storeu_ps(out[16 * half..16 * half + 8].as_mut_ptr(), a);
        _mm256_storeu_ps(out[16 * half + 8..16 * half + 16].as_mut_ptr(), b);
    }
}

/// See [`super::gaussian::fill64`].
#[inline(always)]
pub(super) unsafe fn fill64(keys: &Keys, step: u64, block: u32, p: u32, out: &mut [f64; BLOCK]) {
    for half in 0..2 {
        let first = _mm256_set1_epi32((block * 16) as i32 + 8 * half as i32);
        let low = _mm256_add_epi32(first, _mm256_setr_epi32(0, 0, 1, 0, 2, 0, 3, 0));
        let high = _mm256_add_epi32(first, _mm256_setr_epi32(4, 0, 5, 0, 6, 0, 7, 0));
        let words = philox(keys, step, [low, high], p);
        for part in 0..2 {
            let w = words[part];
            // the first word of a pair is the high half
            let (a, b) = pair64(weave(w[1], w[0]), weave(w[3], w[2]));
            let at = 8 * half + 4 * part;
            _mm256_storeu_pd(out[at..at + 4].as_mut_ptr(), a);
            _mm256_storeu_pd(out[at + 16..at + 20].as_mut_ptr(), b);
        }
    }
}
