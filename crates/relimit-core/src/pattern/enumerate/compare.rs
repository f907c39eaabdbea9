//! Many rows at once, as bits: on which side of a vertex they vanish, and the signs of multipliers.
//!
//! Steps are those of [`super::clear`].
//!
//! `WIDE` asks for the copy with AVX2, and only code that is itself compiled for AVX2 may do so. Its bits are those of the other: no fused multiply-add, the same order of operations.
#![allow(clippy::inline_always, reason = "the bodies must be compiled into their AVX2 caller to use AVX2")]
#![allow(unsafe_code, reason = "calls to AVX2 code from callers that have it, and loads of whole registers")]

use super::tableau::{TINY, U};

/// Slopes must exceed their error by 2^20.
const CLEAR: f64 = 1_048_576.0;
/// The factor of step 1.
const NEAR: f64 = 1.0 + 4.0 / CLEAR;
/// The widening of step 2: of the radius, of |t|, and at least.
const WIDEN: (f64, f64, f64) = (1.0 + 1.0 / CLEAR, 0.5 / CLEAR, 1e-30);

/// Where a row vanishes on a line, and how far off that may be.
#[derive(Clone, Copy)]
pub(super) struct Vertex {
    pub(super) t: f64,
    pub(super) radius: f64,
}

impl Vertex {
    /// Of `a + b t`, where a and b are off by at most e and g; see step 1.
    #[inline(always)]
    pub(super) fn new(a: f64, b: f64, e: f64, g: f64) -> Self {
        let inverse = 1.0 / b;
        let t = -a * inverse;
        let size = t.abs();
        let radius = NEAR * ((size * g + e) * inverse.abs()) + (3.0 * U * size + TINY);
        Self { t, radius: if g * CLEAR <= b.abs() { radius } else { f64::INFINITY } }
    }

    /// In single precision; see step 2.
    #[inline(always)]
    pub(super) fn interval(self) -> (f32, f32) {
        let width = WIDEN.0 * self.radius + WIDEN.1 * self.t.abs() + WIDEN.2;
        ((self.t - width) as f32, (self.t + width) as f32)
    }
}

/// Rows of a group of intervals.
pub(super) const GROUP: usize = 32;

/// Intervals of 32 rows: first the lower ends, then the upper ones, each in the order in which packing the comparisons of
/// 8 + 8 + 8 + 8 of them (within halves of registers, as AVX2 does) gives the bits of the rows in their order.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(super) struct Intervals {
    pub(super) low: [f32; GROUP],
    pub(super) high: [f32; GROUP],
}

impl Intervals {
    /// No row: neither left nor right of anything.
    pub(super) const NONE: Self = Self { low: [f32::NAN; GROUP], high: [f32::NAN; GROUP] };

    /// Where the rows 4 q .. 4 q + 4 of the group begin.
    #[inline(always)]
    pub(super) fn place(q: usize) -> usize {
        8 * (q % 4) + 4 * (q / 4 % 2)
    }
}

/// Bits of the rows whose intervals lie left of another one, and of those whose intervals meet it.
#[inline(always)]
pub(super) fn sides<const WIDE: bool>(rows: &Intervals, of: (f32, f32)) -> (u64, u64) {
    #[cfg(target_arch = "x86_64")]
    if WIDE {
        // SAFETY: the caller runs only where the processor has AVX2.
        return unsafe { avx2::sides(rows, of) };
    }
    let (mut left, mut open) = (0, 0);
    for i in 0..GROUP {
        let at = Intervals::place(i / 4) + i % 4;
        left |= u64::from(rows.high[at] < of.0) << i;
        open |= u64::from(!(rows.high[at] < of.0 || rows.low[at] > of.1)) << i;
    }
    (left, open)
}

/// Bits of the rows y where `v = h_x b_y - b_x h_y` exceeds the bound, and where `|v|` does not; `h = scale x - r y`.
#[inline(always)]
pub(super) fn multipliers<const WIDE: bool>(
    of: [&[f64]; 3],
    (scale, r): (f64, f64),
    (hx, bx): (f64, f64),
    bound: f64,
) -> (u64, u64) {
    #[cfg(target_arch = "x86_64")]
    if WIDE {
        // SAFETY: as above.
        return unsafe { avx2::multipliers(of, (scale, r), (hx, bx), bound) };
    }
    let [x, y, b] = of;
    let (mut plus, mut minus) = (0, 0);
    for (i, ((x, y), b)) in x.iter().zip(y).zip(b).enumerate() {
        let v = hx * b - bx * (scale * x - r * y);
        plus |= u64::from(v > bound) << i;
        minus |= u64::from(v < -bound) << i;
    }
    (plus, !(plus | minus))
}

/// The same with AVX2.
#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::Intervals;
    use std::arch::x86_64::{
        __m256, _CMP_GT_OQ, _CMP_LT_OQ, _mm256_castps_si256, _mm256_cmp_pd, _mm256_cmp_ps, _mm256_load_ps,
        _mm256_loadu_pd, _mm256_movemask_epi8, _mm256_movemask_pd, _mm256_mul_pd, _mm256_or_ps, _mm256_packs_epi16,
        _mm256_packs_epi32, _mm256_set1_pd, _mm256_set1_ps, _mm256_sub_pd,
    };

    /// The signs of 32 comparisons as bits, in the order that [`Intervals`] undoes.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn pack(a: __m256, b: __m256, c: __m256, d: __m256) -> u64 {
        let (a, b, c, d) =
            (_mm256_castps_si256(a), _mm256_castps_si256(b), _mm256_castps_si256(c), _mm256_castps_si256(d));
        let bytes = _mm256_packs_epi16(_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d));
        u64::from(_mm256_movemask_epi8(bytes) as u32)
    }

    // No closures and no adapters in here: they would be compiled without AVX2 and not become part of the caller.

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn sides(rows: &Intervals, of: (f32, f32)) -> (u64, u64) {
        let (from, to) = (_mm256_set1_ps(of.0), _mm256_set1_ps(of.1));
        let (low, high) = (rows.low.as_ptr(), rows.high.as_ptr());
        // SAFETY: four times eight entries of each list, aligned as the type is.
        let (l0, l1, l2, l3, h0, h1, h2, h3) = unsafe {
            (
                _mm256_load_ps(low),
                _mm256_load_ps(low.add(8)),
                _mm256_load_ps(low.add(16)),
                _mm256_load_ps(low.add(24)),
                _mm256_load_ps(high),
                _mm256_load_ps(high.add(8)),
                _mm256_load_ps(high.add(16)),
                _mm256_load_ps(high.add(24)),
            )
        };
        let (a, b) = (_mm256_cmp_ps::<_CMP_LT_OQ>(h0, from), _mm256_cmp_ps::<_CMP_LT_OQ>(h1, from));
        let (c, d) = (_mm256_cmp_ps::<_CMP_LT_OQ>(h2, from), _mm256_cmp_ps::<_CMP_LT_OQ>(h3, from));
        let (e, f) = (_mm256_cmp_ps::<_CMP_GT_OQ>(l0, to), _mm256_cmp_ps::<_CMP_GT_OQ>(l1, to));
        let (g, h) = (_mm256_cmp_ps::<_CMP_GT_OQ>(l2, to), _mm256_cmp_ps::<_CMP_GT_OQ>(l3, to));
        let apart = pack(_mm256_or_ps(a, e), _mm256_or_ps(b, f), _mm256_or_ps(c, g), _mm256_or_ps(d, h));
        (pack(a, b, c, d), apart ^ 0xffff_ffff)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn multipliers(of: [&[f64]; 3], (scale, r): (f64, f64), (hx, bx): (f64, f64), bound: f64) -> (u64, u64) {
        let (scale, r, hx, bx) = (_mm256_set1_pd(scale), _mm256_set1_pd(r), _mm256_set1_pd(hx), _mm256_set1_pd(bx));
        let (above, below) = (_mm256_set1_pd(bound), _mm256_set1_pd(-bound));
        let (mut plus, mut minus) = (0u64, 0u64);
        let rows = of[0].len();
        assert!(of[1].len() == rows && of[2].len() == rows && rows.is_multiple_of(4), "columns of {rows} rows");
        let mut t = 0;
        while t < rows {
            // SAFETY: t + 4 <= rows, the length of all three.
            let (x, y, b) = unsafe {
                (
                    _mm256_loadu_pd(of[0].as_ptr().add(t)),
                    _mm256_loadu_pd(of[1].as_ptr().add(t)),
                    _mm256_loadu_pd(of[2].as_ptr().add(t)),
                )
            };
            let h = _mm256_sub_pd(_mm256_mul_pd(scale, x), _mm256_mul_pd(r, y));
            let v = _mm256_sub_pd(_mm256_mul_pd(hx, b), _mm256_mul_pd(bx, h));
            plus |= u64::from(_mm256_movemask_pd(_mm256_cmp_pd::<_CMP_GT_OQ>(v, above)) as u32) << t;
            minus |= u64::from(_mm256_movemask_pd(_mm256_cmp_pd::<_CMP_LT_OQ>(v, below)) as u32) << t;
            t += 4;
        }
        (plus, !(plus | minus))
    }
}
