//! The normals against values of another program, and the vector code against the scalar one.

use super::*;
use crate::num::noise::Stream;

/// Words of a pair and its normals by mpmath 1.3.0 with 40 digits: x is the f32 of the definition, the angle exact.
const PAIRS32: [(u32, u32, f64, f64); 9] = [
    (0x00000000, 0x00000000, 6.6604368892615821, 0.0),
    (0x00000001, 0x80000000, 4.7096400900618988, -4.7096400900618988),
    (0xffffff00, 0x7fffffff, 0.00024414062854868949, -0.00024414062872726836),
    (0xfff00001, 0xdeadbeef, -0.0044867662812633844, -0.021638155944653575),
    (0xb504f333, 0x12345678, 0.82736608396648591, 0.092803975617693544),
    (0xb504f2ff, 0x00000003, 9.1346941703405204e-10, -0.83255463171403213),
    (0x80000000, 0x9abcdef1, -0.95735298132647253, -0.68539742505002552),
    (0x13579bdf, 0xfffffffe, -1.6624849307346284e-9, 2.2728339396385621),
    (0x01234567, 0x40000002, 1.2594995350252753, 3.0407008529697857),
];

const PAIRS64: [(u64, u64, f64, f64); 9] = [
    (0x0000000000000000, 0x0000000000000000, 6.061089058055251954615831, -6.061089058055251954615831),
    (0x0000000000001000, 0x8000000000000000, 8.442533776184610765091835, 0.0),
    (0xffffffffffffffff, 0xffffffffffffffff, 1.053671212772350456412812e-8, -1.053671212772351191426138e-8),
    (0xfffffff123456789, 0x123456789abcdef2, -0.00005190123896273914301024106, 0.00006501555910342791716720633),
    (0xb504f333f9de6484, 0x0123456789abcdef, -0.5845807620095779160041012, -0.5928005678541868585115853),
    (0xb504f333f9de6000, 0x8000000000000003, 0.0, -0.832554611157697674246735),
    (0x8000000000000000, 0x9abcdef0f0f0f0f1, -1.161599952149915334122987, 0.1923016179994452903670534),
    (0x13579bdf02468ace, 0x7fffffffffffeffe, -1.585469180791424814125812e-15, 2.272833940982342963469575),
    (0x0000000001234567, 0x4000000000001002, -2.84304561473508395409213, 6.86371928153879973273672),
];

/// Relative errors allowed, in units of the last place of 1.
const ROUNDINGS: f64 = 4.0;

fn close(found: f64, exact: f64, unit: f64, what: &str) {
    assert!((found - exact).abs() <= ROUNDINGS * unit * exact.abs(), "{what}: {found:e} for {exact:e}");
}

/// Words without a pattern.
fn words() -> impl Iterator<Item = [u64; 2]> {
    let stream = Stream::new(1, crate::num::noise::Purpose::Test);
    (0..50_000).map(move |block| stream.block(0, 0, block))
}

#[test]
fn chosen_normals_are_those_of_mpmath() {
    let unit = f64::from(f32::EPSILON);
    for (u, w, first, second) in PAIRS32 {
        let (a, b) = pair32(u, w);
        close(f64::from(a), first, unit, &format!("{u:x} {w:x}, first"));
        close(f64::from(b), second, unit, &format!("{u:x} {w:x}, second"));
    }
    for (u, w, first, second) in PAIRS64 {
        let (a, b) = pair64(u, w);
        close(a, first, f64::EPSILON, &format!("{u:x} {w:x}, first"));
        close(b, second, f64::EPSILON, &format!("{u:x} {w:x}, second"));
    }
}

/// Radius from x, angle in quarters of pi, cosine negative where bit 0 is set, sine first where bit 1 is.
fn slow(x: f64, turn: f64, word: u64) -> (f64, f64) {
    let r = (-2.0 * libm::log(x)).sqrt();
    let (sin, cos) = libm::sincos(turn * std::f64::consts::FRAC_PI_4);
    let cos = if word & 1 == 1 { -cos } else { cos };
    if word & 2 == 2 { (r * sin, r * cos) } else { (r * cos, r * sin) }
}

#[test]
fn a_hundred_thousand_normals_are_those_of_libm() {
    for [u, w] in words() {
        let (a, b) = pair64(u, w);
        let (first, second) = slow(((u >> 12) as f64 + 0.5) / 2f64.powi(52), (w >> 12) as f64 / 2f64.powi(51) - 1.0, w);
        close(a, first, f64::EPSILON, "f64, first");
        close(b, second, f64::EPSILON, "f64, second");
        let (u, w) = (u as u32, w as u32);
        // Rounded to f32 twice, as in the definition.
        let x = (f64::from((u >> 1) as f32) + 0.5) / 2f64.powi(31);
        let (first, second) = slow(f64::from(x as f32), f64::from(w.cast_signed()) / 2f64.powi(31), w.into());
        let (a, b) = pair32(u, w);
        close(a.into(), first, f32::EPSILON.into(), "f32, first");
        close(b.into(), second, f32::EPSILON.into(), "f32, second");
    }
}

#[cfg(target_arch = "x86_64")]
mod vectors {
    #![allow(unsafe_code, reason = "the vector code is called once the processor is known to have it")]

    use std::arch::x86_64::{
        _mm256_loadu_si256, _mm256_set1_epi32, _mm256_set1_epi64x, _mm256_storeu_pd, _mm256_storeu_ps,
        _mm512_loadu_si512, _mm512_set1_epi32, _mm512_set1_epi64, _mm512_storeu_pd, _mm512_storeu_ps,
    };

    use super::*;
    use crate::langevin::particles::Row;
    use crate::langevin::{gaussian_avx2 as avx2, gaussian_avx512 as avx512};

    fn wide_enough() -> bool {
        std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma")
    }

    fn wide_enough_for_512() -> bool {
        std::is_x86_feature_detected!("avx512f")
            && std::is_x86_feature_detected!("avx512bw")
            && std::is_x86_feature_detected!("avx512dq")
            && std::is_x86_feature_detected!("avx512vl")
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    fn sixteen(u: [u32; 16], w: u32) -> ([f32; 16], [f32; 16]) {
        let (mut a, mut b) = ([0.0; 16], [0.0; 16]);
        // SAFETY: as declared above; the arrays have 64 bytes.
        unsafe {
            let (x, y) = avx512::pair32(_mm512_loadu_si512(u.as_ptr().cast()), _mm512_set1_epi32(w as i32));
            _mm512_storeu_ps(a.as_mut_ptr(), x);
            _mm512_storeu_ps(b.as_mut_ptr(), y);
        }
        (a, b)
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    fn eight64(u: [u64; 8], w: u64) -> ([f64; 8], [f64; 8]) {
        let (mut a, mut b) = ([0.0; 8], [0.0; 8]);
        // SAFETY: as above.
        unsafe {
            let (x, y) = avx512::pair64(_mm512_loadu_si512(u.as_ptr().cast()), _mm512_set1_epi64(w as i64));
            _mm512_storeu_pd(a.as_mut_ptr(), x);
            _mm512_storeu_pd(b.as_mut_ptr(), y);
        }
        (a, b)
    }

    #[target_feature(enable = "avx2,fma")]
    fn eight(u: [u32; 8], w: u32) -> ([f32; 8], [f32; 8]) {
        let (mut a, mut b) = ([0.0; 8], [0.0; 8]);
        // SAFETY: as declared above; the arrays have 32 bytes.
        unsafe {
            let (x, y) = avx2::pair32(_mm256_loadu_si256(u.as_ptr().cast()), _mm256_set1_epi32(w as i32));
            _mm256_storeu_ps(a.as_mut_ptr(), x);
            _mm256_storeu_ps(b.as_mut_ptr(), y);
        }
        (a, b)
    }

    #[target_feature(enable = "avx2,fma")]
    fn four(u: [u64; 4], w: u64) -> ([f64; 4], [f64; 4]) {
        let (mut a, mut b) = ([0.0; 4], [0.0; 4]);
        // SAFETY: as above.
        unsafe {
            let (x, y) = avx2::pair64(_mm256_loadu_si256(u.as_ptr().cast()), _mm256_set1_epi64x(w as i64));
            _mm256_storeu_pd(a.as_mut_ptr(), x);
            _mm256_storeu_pd(b.as_mut_ptr(), y);
        }
        (a, b)
    }

    fn bits32(v: (f32, f32)) -> [u32; 2] {
        [v.0.to_bits(), v.1.to_bits()]
    }

    fn bits64(v: (f64, f64)) -> [u64; 2] {
        [v.0.to_bits(), v.1.to_bits()]
    }

    #[test]
    fn pairs_have_the_bits_of_the_scalar_code() {
        if !wide_enough() {
            return;
        }
        let edges64 = PAIRS64.iter().flat_map(|p| PAIRS64.map(|q| [p.0, q.1]));
        for [u, w] in words().chain(edges64) {
            let u = [u, u ^ 1 << 12, !u, u << 7];
            // SAFETY: the processor has both.
            let (a, b) = unsafe { four(u, w) };
            for l in 0..4 {
                assert_eq!(bits64((a[l], b[l])), bits64(pair64(u[l], w)), "{:x} {w:x}", u[l]);
            }
        }
        let edges32 = PAIRS32.iter().flat_map(|p| PAIRS32.map(|q| [u64::from(p.0), u64::from(q.1)]));
        for [u, w] in words().chain(edges32) {
            let (u, w) = (u as u32, w as u32);
            let u = [u, !u, u ^ 2, u << 3, u >> 3, u >> 9, u >> 20, u | 0xffff_f000];
            // SAFETY: the processor has both.
            let (a, b) = unsafe { eight(u, w) };
            for l in 0..8 {
                assert_eq!(bits32((a[l], b[l])), bits32(pair32(u[l], w)), "{:x} {w:x}", u[l]);
            }
        }
    }

    #[test]
    fn pairs_of_avx512_have_the_bits_of_the_scalar_code() {
        if !wide_enough_for_512() {
            return;
        }
        let edges64 = PAIRS64.iter().flat_map(|p| PAIRS64.map(|q| [p.0, q.1]));
        for [u, w] in words().chain(edges64) {
            let u = std::array::from_fn(|l| (u ^ if l % 2 == 1 { u64::MAX } else { 0 }) << (l / 2 * 7));
            // SAFETY: the processor has it.
            let (a, b) = unsafe { eight64(u, w) };
            for l in 0..8 {
                assert_eq!(bits64((a[l], b[l])), bits64(pair64(u[l], w)), "{:x} {w:x}", u[l]);
            }
        }
        let edges32 = PAIRS32.iter().flat_map(|p| PAIRS32.map(|q| [u64::from(p.0), u64::from(q.1)]));
        for [u, w] in words().chain(edges32) {
            let (u, w) = (u as u32, w as u32);
            let u = std::array::from_fn(|l| (u ^ if l % 2 == 1 { u32::MAX } else { 0 }) >> (l / 2 * 4));
            // SAFETY: the processor has it.
            let (a, b) = unsafe { sixteen(u, w) };
            for l in 0..16 {
                assert_eq!(bits32((a[l], b[l])), bits32(pair32(u[l], w)), "{:x} {w:x}", u[l]);
            }
        }
    }

    #[test]
    fn blocks_have_the_bits_of_the_scalar_code() {
        if !wide_enough() {
            return;
        }
        for key in [[0, 0], [u32::MAX, 1], [0x243f_6a88, 0x85a3_08d3]] {
            let keys = Keys::new(key);
            assert_eq!(keys.key(), key);
            for step in [0, 1, u64::from(u32::MAX), (1 << 32) + 5, u64::MAX] {
                for block in [0, 1, 6, 31_249, (1 << 27) - 1] {
                    for p in [0, 1, 2, 18, u32::MAX - ROWS as u32] {
                        let (mut a, mut b) = ([[0f32; BLOCK]; 2], [[0f64; BLOCK]; 2]);
                        fill32(key, step, block, p, &mut a[0]);
                        fill64(key, step, block, p, &mut b[0]);
                        // SAFETY: the processor has both.
                        unsafe {
                            avx2::fill32(&keys, step, block, p, &mut a[1]);
                            avx2::fill64(&keys, step, block, p, &mut b[1]);
                        }
                        assert_eq!(a[0].map(f32::to_bits), a[1].map(f32::to_bits), "{key:?} {step} {block} {p}");
                        assert_eq!(b[0].map(f64::to_bits), b[1].map(f64::to_bits), "{key:?} {step} {block} {p}");
                    }
                }
            }
        }
    }

    /// Parameters that are filled four, two and one side by side.
    const ROWS: usize = 7;

    #[test]
    fn rows_of_avx512_have_the_bits_of_the_scalar_code() {
        if !wide_enough_for_512() {
            return;
        }
        for key in [[0, 0], [u32::MAX, 1], [0x243f_6a88, 0x85a3_08d3]] {
            for step in [0, u64::from(u32::MAX), (1 << 32) + 5, u64::MAX] {
                for block in [0, 6, 31_249, (1 << 27) - 1] {
                    for p in [0, 1, 18, u32::MAX - ROWS as u32] {
                        let (mut a, mut b) = ([Row([0f32; BLOCK]); ROWS], [Row([0f64; BLOCK]); ROWS]);
                        // SAFETY: the processor has it.
                        unsafe {
                            avx512::fill32(&Keys::new(key), step, block, p, &mut a);
                            avx512::fill64(&Keys::new(key), step, block, p, &mut b);
                        }
                        for row in 0..ROWS {
                            let (mut x, mut y) = ([0f32; BLOCK], [0f64; BLOCK]);
                            fill32(key, step, block, p + row as u32, &mut x);
                            fill64(key, step, block, p + row as u32, &mut y);
                            let here = format!("{key:?} {step} {block} {p} {row}");
                            assert_eq!(a[row].0.map(f32::to_bits), x.map(f32::to_bits), "{here}");
                            assert_eq!(b[row].0.map(f64::to_bits), y.map(f64::to_bits), "{here}");
                        }
                    }
                }
            }
        }
    }
}
