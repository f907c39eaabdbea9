//! The normals of [`super::gaussian`] in AVX-512 registers: the same operations in the same order, hence the same bits.
//!
//! To be called only where the processor has AVX-512 (F, BW, DQ, VL).
#![allow(unsafe_code, reason = "processor intrinsics, used after run-time detection")]
#![allow(unsafe_op_in_unsafe_fn, reason = "whole functions of intrinsics, one condition for all")]
#![allow(clippy::inline_always, reason = "compiled into the copy for AVX-512")]
#![allow(clippy::missing_safety_doc, reason = "the condition is the module's")]
#![allow(clippy::wildcard_imports, reason = "most names of the file are intrinsics")]
#![allow(clippy::cast_possible_wrap, reason = "words are read as signed numbers")]

use std::arch::x86_64::*;

use super::gaussian::{
    COS32, COS64, EXPONENT64, Keys, LOG32, LOG64, MULTIPLIER, ONE64, ROOT32, ROOT64, SHIFT64, SIN32, SIN64, TURN32,
    UNIT32,
};
use super::particles::Row;

/// Exclusive or of three words, as a table of its bits.
const XOR3: i32 = 0x96;

/// Eight Philox blocks of counters (step low, step high, third, p) for every third and every p, a word in the low half of
/// every 64-bit lane; the high halves are left as they fall. Side by side, for one alone waits for its multiplications; and
/// what the first three rounds make of the step, of a third or of p alone is made once.
#[inline(always)]
unsafe fn philox<const T: usize, const P: usize>(
    keys: &Keys,
    step: u64,
    third: [__m512i; T],
    p: [u32; P],
) -> [[[__m512i; 4]; P]; T] {
    let [k0, k1] = &keys.rounds;
    let (m0, m1) = (_mm512_set1_epi32(MULTIPLIER[0] as i32), _mm512_set1_epi32(MULTIPLIER[1] as i32));
    let times = |word: u32, by: u32| u64::from(word) * u64::from(by);
    let (low, high) = (step as u32, (step >> 32) as u32);
    let a0 = times(low, MULTIPLIER[0]);
    let mut c = [[[m0; 4]; P]; T];
    let b1 = p.map(|p| times((a0 >> 32) as u32 ^ p ^ k1[0], MULTIPLIER[1]));
    for t in 0..T {
        let b0 = _mm512_mul_epu32(third[t], m1);
        let a1 = _mm512_mul_epu32(_mm512_xor_si512(high_half(b0), spread(high ^ k0[0])), m0);
        let b2 = _mm512_mul_epu32(_mm512_xor_si512(high_half(a1), spread(a0 as u32 ^ k1[1])), m1);
        let (first, third) = (_mm512_xor_si512(b0, spread(k0[1])), _mm512_xor_si512(a1, spread(k1[2])));
        let other = _mm512_xor_si512(high_half(b2), spread(k0[2]));
        for n in 0..P {
            let a2 = _mm512_mul_epu32(_mm512_xor_si512(first, spread((b1[n] >> 32) as u32)), m0);
            c[t][n] = [_mm512_xor_si512(other, spread(b1[n] as u32)), b2, _mm512_xor_si512(third, high_half(a2)), a2];
        }
    }
    for round in 3..10 {
        let (k0, k1) = (spread(k0[round]), spread(k1[round]));
        for c in c.as_flattened_mut() {
            let (a, b) = (_mm512_mul_epu32(c[0], m0), _mm512_mul_epu32(c[2], m1));
            *c = [
                _mm512_ternarylogic_epi32::<XOR3>(high_half(b), c[1], k0),
                b,
                _mm512_ternarylogic_epi32::<XOR3>(high_half(a), c[3], k1),
                a,
            ];
        }
    }
    c
}

#[inline(always)]
unsafe fn spread(v: u32) -> __m512i {
    _mm512_set1_epi32(v as i32)
}

/// The high halves of 64-bit lanes in the low ones.
#[inline(always)]
unsafe fn high_half(v: __m512i) -> __m512i {
    _mm512_srli_epi64::<32>(v)
}

#[inline(always)]
unsafe fn set(v: f32) -> __m512 {
    _mm512_set1_ps(v)
}

#[inline(always)]
unsafe fn wide(v: f64) -> __m512d {
    _mm512_set1_pd(v)
}

#[inline(always)]
unsafe fn word(v: u64) -> __m512i {
    _mm512_set1_epi64(v as i64)
}

/// `LOG32[at] f + LOG32[at + 1]`.
#[inline(always)]
unsafe fn line(at: usize, f: __m512) -> __m512 {
    _mm512_fmadd_ps(set(LOG32[at]), f, set(LOG32[at + 1]))
}

#[inline(always)]
unsafe fn square(k: &[f32; 3], a2: __m512) -> __m512 {
    _mm512_fmadd_ps(_mm512_fmadd_ps(set(k[0]), a2, set(k[1])), a2, set(k[2]))
}

/// 52 bits over the exponent of 1.
#[inline(always)]
unsafe fn over(v: __m512i) -> __m512d {
    _mm512_castsi512_pd(_mm512_or_si512(_mm512_srli_epi64::<12>(v), word(ONE64)))
}

/// See [`super::gaussian::pair32`].
#[inline(always)]
pub(super) unsafe fn pair32(u: __m512i, w: __m512i) -> (__m512, __m512) {
    let one = set(1.0);
    let x = _mm512_fmadd_ps(_mm512_cvtepi32_ps(_mm512_srli_epi32::<1>(u)), set(UNIT32), set(0.5 * UNIT32));
    let bits = _mm512_castps_si512(x);
    let e = _mm512_srai_epi32::<23>(_mm512_sub_epi32(bits, _mm512_set1_epi32(ROOT32 as i32)));
    let f = _mm512_sub_ps(_mm512_castsi512_ps(_mm512_sub_epi32(bits, _mm512_slli_epi32::<23>(e))), one);
    let f2 = _mm512_mul_ps(f, f);
    let f4 = _mm512_mul_ps(f2, f2);
    let low = _mm512_fmadd_ps(line(5, f), f2, line(7, f));
    let high = _mm512_fmadd_ps(line(1, f), f2, line(3, f));
    let p = _mm512_fmadd_ps(_mm512_fmadd_ps(set(LOG32[0]), f4, high), f4, low);
    let minus = set(-2.0);
    let q = _mm512_fmadd_ps(_mm512_mul_ps(_mm512_mul_ps(f, minus), f2), p, _mm512_fmadd_ps(f, minus, f2));
    let r = _mm512_sqrt_ps(_mm512_fmadd_ps(_mm512_cvtepi32_ps(e), set(-2.0 * std::f32::consts::LN_2), q));
    let a = _mm512_mul_ps(_mm512_cvtepi32_ps(w), set(TURN32));
    let a2 = _mm512_mul_ps(a, a);
    let sin = _mm512_fmadd_ps(_mm512_mul_ps(a, a2), square(&SIN32, a2), a);
    let cos = _mm512_fmadd_ps(_mm512_mul_ps(a2, a2), square(&COS32, a2), _mm512_fmadd_ps(a2, set(-0.5), one));
    let cos = _mm512_castsi512_ps(_mm512_xor_si512(_mm512_castps_si512(cos), _mm512_slli_epi32::<31>(w)));
    let swap = _mm512_test_epi32_mask(w, _mm512_set1_epi32(2));
    (_mm512_mul_ps(r, _mm512_mask_blend_ps(swap, cos, sin)), _mm512_mul_ps(r, _mm512_mask_blend_ps(swap, sin, cos)))
}

/// See [`super::gaussian::pair64`].
#[inline(always)]
pub(super) unsafe fn pair64(u: __m512i, w: __m512i) -> (__m512d, __m512d) {
    let one = wide(1.0);
    let bits = _mm512_castpd_si512(_mm512_sub_pd(over(u), wide(SHIFT64)));
    let shift = word(1024 << 52);
    let t = _mm512_add_epi64(_mm512_sub_epi64(bits, word(ROOT64)), shift);
    let e = _mm512_or_si512(_mm512_srli_epi64::<52>(t), word(0x4330 << 48));
    let e = _mm512_sub_pd(_mm512_castsi512_pd(e), wide(EXPONENT64));
    let scaled = _mm512_add_epi64(_mm512_sub_epi64(bits, _mm512_and_si512(t, word(0xfff << 52))), shift);
    let f = _mm512_sub_pd(_mm512_castsi512_pd(scaled), one);
    let s = _mm512_div_pd(f, _mm512_add_pd(wide(2.0), f));
    let z = _mm512_mul_pd(s, s);
    let mut p = wide(LOG64[0]);
    for c in &LOG64[1..] {
        p = _mm512_fmadd_pd(p, z, wide(*c));
    }
    let h = _mm512_mul_pd(_mm512_mul_pd(wide(0.5), f), f);
    let q = _mm512_add_pd(_mm512_fmsub_pd(s, _mm512_fmadd_pd(z, p, h), h), f);
    let r = _mm512_fmadd_pd(e, wide(-2.0 * std::f64::consts::LN_2), _mm512_mul_pd(wide(-2.0), q));
    let r = _mm512_sqrt_pd(r);
    let a = _mm512_mul_pd(_mm512_sub_pd(over(w), wide(1.5)), wide(std::f64::consts::FRAC_PI_2));
    let a2 = _mm512_mul_pd(a, a);
    let (mut sin, mut cos) = (wide(SIN64[0]), wide(COS64[0]));
    for k in 1..6 {
        sin = _mm512_fmadd_pd(sin, a2, wide(SIN64[k]));
        cos = _mm512_fmadd_pd(cos, a2, wide(COS64[k]));
    }
    let sin = _mm512_fmadd_pd(_mm512_mul_pd(a, a2), sin, a);
    let cos = _mm512_fmadd_pd(_mm512_mul_pd(a2, a2), cos, _mm512_fmadd_pd(a2, wide(-0.5), one));
    let cos = _mm512_castsi512_pd(_mm512_xor_si512(_mm512_castpd_si512(cos), _mm512_slli_epi64::<63>(w)));
    let swap = _mm512_test_epi64_mask(w, word(2));
    (_mm512_mul_pd(r, _mm512_mask_blend_pd(swap, cos, sin)), _mm512_mul_pd(r, _mm512_mask_blend_pd(swap, sin, cos)))
}

/// Low halves of `high` over low halves of `low`.
#[inline(always)]
unsafe fn join(high: __m512i, low: __m512i) -> __m512i {
    _mm512_mask_blend_epi32(0xaaaa, low, _mm512_slli_epi64::<32>(high))
}

/// The numbers from `first` on, in the low halves of the lanes.
#[inline(always)]
unsafe fn count_from(first: u32) -> __m512i {
    _mm512_add_epi32(_mm512_set1_epi32(first as i32), _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7))
}

/// Parameters side by side: as many as the registers hold.
const ABREAST32: usize = 4;
const ABREAST64: usize = 2;

/// The parameters `p`, `p + 1`, ... in a row of `out` each; see [`super::gaussian::fill32`].
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) unsafe fn fill32(keys: &Keys, step: u64, block: u32, p: u32, out: &mut [Row<f32>]) {
    let (rows, left) = out.as_chunks_mut::<ABREAST32>();
    let mut p = p;
    for rows in rows {
        rows32(keys, step, block, p, rows);
        p += ABREAST32 as u32;
    }
    let (rows, left) = left.as_chunks_mut::<2>();
    for rows in rows {
        rows32(keys, step, block, p, rows);
        p += 2;
    }
    for row in left {
        rows32(keys, step, block, p, std::array::from_mut(row));
    }
}

#[inline(always)]
unsafe fn rows32<const P: usize>(keys: &Keys, step: u64, block: u32, p: u32, out: &mut [Row<f32>; P]) {
    let [words] = philox(keys, step, [count_from(block * 8)], std::array::from_fn::<_, P, _>(|n| p + n as u32));
    // low halves of one register, then of another
    let low = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    for (w, Row(out)) in words.into_iter().zip(out) {
        let (a, b) = pair32(_mm512_permutex2var_epi32(w[0], low, w[2]), _mm512_permutex2var_epi32(w[1], low, w[3]));
        _mm512_storeu_ps(out[..16].as_mut_ptr(), _mm512_shuffle_f32x4::<0b01_00_01_00>(a, b));
        _mm512_storeu_ps(out[16..].as_mut_ptr(), _mm512_shuffle_f32x4::<0b11_10_11_10>(a, b));
    }
}

/// The parameters `p`, `p + 1`, ... in a row of `out` each; see [`super::gaussian::fill64`].
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) unsafe fn fill64(keys: &Keys, step: u64, block: u32, p: u32, out: &mut [Row<f64>]) {
    let (rows, left) = out.as_chunks_mut::<ABREAST64>();
    let mut p = p;
    for rows in rows {
        rows64(keys, step, block, p, rows);
        p += ABREAST64 as u32;
    }
    for row in left {
        rows64(keys, step, block, p, std::array::from_mut(row));
    }
}

#[inline(always)]
unsafe fn rows64<const P: usize>(keys: &Keys, step: u64, block: u32, p: u32, out: &mut [Row<f64>; P]) {
    let thirds = [count_from(block * 16), count_from(block * 16 + 8)];
    let words = philox(keys, step, thirds, std::array::from_fn::<_, P, _>(|n| p + n as u32));
    for half in 0..2 {
        for (w, Row(out)) in words[half].into_iter().zip(&mut *out) {
            // the first word of a pair is the high half
            let (a, b) = pair64(join(w[0], w[1]), join(w[2], w[3]));
            _mm512_storeu_pd(out[8 * half..8 * half + 8].as_mut_ptr(), a);
            _mm512_storeu_pd(out[8 * half + 16..8 * half + 24].as_mut_ptr(), b);
        }
    }
}
