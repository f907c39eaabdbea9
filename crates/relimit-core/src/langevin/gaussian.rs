//! Standard normals from Philox words by Box and Muller's transform, with polynomials.
//!
//! The same fused operations in the same order in scalar and vector code, hence the same bits. f32: 31 and 32 bits of a
//! block enter, normals reach 6.6; f64: 53 bits, normals reach 8.6.
//!
//! Source: Box, Muller 1958; polynomials of Cephes (f32) and fdlibm (f64).

#![allow(clippy::excessive_precision, reason = "constants read as in their source")]
#![allow(clippy::inline_always, reason = "compiled into copies for processors with fused multiply-add")]
#![allow(clippy::cast_possible_wrap, reason = "words are read as signed numbers")]

use super::particles::BLOCK;
pub(super) use crate::num::noise::MULTIPLIER;
use crate::num::noise::{philox, schedule};

/// The keys of the ten rounds of Philox, formed once a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Keys {
    /// First words, second words.
    pub(super) rounds: [[u32; 10]; 2],
}

impl Keys {
    pub(super) fn new(key: [u32; 2]) -> Self {
        let rounds = schedule(key);
        Self { rounds: [rounds.map(|k| k[0]), rounds.map(|k| k[1])] }
    }
    /// The key of the first round.
    pub(super) fn key(&self) -> [u32; 2] {
        [self.rounds[0][0], self.rounds[1][0]]
    }
}

/// `log(1 + f) = f - f^2/2 + f^3 P(f)` on [sqrt(1/2), sqrt 2).
pub(super) const LOG32: [f32; 9] = [
    7.0376836292e-2,
    -1.1514610310e-1,
    1.1676998740e-1,
    -1.2420140846e-1,
    1.4249322787e-1,
    -1.6668057665e-1,
    2.0000714765e-1,
    -2.4999993993e-1,
    3.3333331174e-1,
];
pub(super) const SIN32: [f32; 3] = [-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1];
pub(super) const COS32: [f32; 3] = [2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2];
/// 2^-31.
pub(super) const UNIT32: f32 = 1.0 / (1u32 << 31) as f32;
/// Quarter turns: pi/4 2^-31.
pub(super) const TURN32: f32 = std::f32::consts::FRAC_PI_4 * UNIT32;
/// Bits of sqrt(1/2).
pub(super) const ROOT32: u32 = 0x3f35_04f3;

pub(super) const LOG64: [f64; 7] = [
    1.479819860511658591e-1,
    1.531383769920937332e-1,
    1.818357216161805012e-1,
    2.222219843214978396e-1,
    2.857142874366239149e-1,
    3.999999999940941908e-1,
    6.666666666666735130e-1,
];
pub(super) const SIN64: [f64; 6] = [
    1.58969099521155010221e-10,
    -2.50507602534068634195e-08,
    2.75573137070700676789e-06,
    -1.98412698298579493134e-04,
    8.33333333332248946124e-03,
    -1.66666666666666324348e-01,
];
pub(super) const COS64: [f64; 6] = [
    -1.13596475577881948265e-11,
    2.08757232129817482790e-09,
    -2.75573143513906633035e-07,
    2.48015872894767294178e-05,
    -1.38888888888741095749e-03,
    4.16666666666666019037e-02,
];
/// Bits of sqrt(1/2).
pub(super) const ROOT64: u64 = 0x3fe6_a09e_667f_3bcd;
/// 2^52 + 1024, from which an exponent in the low bits is read.
pub(super) const EXPONENT64: f64 = 4503599627370496.0 + 1024.0;
/// The bits of 1.0, over which 52 random bits make a number in [1, 2).
pub(super) const ONE64: u64 = 0x3ff0 << 48;
/// `1 - 2^-53`: takes [1, 2) to (0, 1).
pub(super) const SHIFT64: f64 = 1.0 - 1.0 / 9007199254740992.0;

/// Two normals from two words: the first gives the radius (31 bits), the second the angle.
#[inline(always)]
pub(super) fn pair32(u: u32, w: u32) -> (f32, f32) {
    let x = ((u >> 1) as i32 as f32).mul_add(UNIT32, 0.5 * UNIT32);
    let bits = x.to_bits();
    let e = (bits.wrapping_sub(ROOT32) as i32) >> 23;
    let f = f32::from_bits(bits.wrapping_sub((e as u32) << 23)) - 1.0;
    let f2 = f * f;
    let f4 = f2 * f2;
    let l = LOG32;
    let low = l[5].mul_add(f, l[6]).mul_add(f2, l[7].mul_add(f, l[8]));
    let high = l[1].mul_add(f, l[2]).mul_add(f2, l[3].mul_add(f, l[4]));
    let p = l[0].mul_add(f4, high).mul_add(f4, low);
    let q = (f * -2.0 * f2).mul_add(p, f.mul_add(-2.0, f2));
    let r = (e as f32).mul_add(-2.0 * std::f32::consts::LN_2, q).sqrt();
    let a = (w as i32 as f32) * TURN32;
    let a2 = a * a;
    let s = (a * a2).mul_add(SIN32[0].mul_add(a2, SIN32[1]).mul_add(a2, SIN32[2]), a);
    let c = (a2 * a2).mul_add(COS32[0].mul_add(a2, COS32[1]).mul_add(a2, COS32[2]), a2.mul_add(-0.5, 1.0));
    let c = f32::from_bits(c.to_bits() ^ (w << 31));
    if w & 2 != 0 { (r * s, r * c) } else { (r * c, r * s) }
}

/// Two normals from two words: the first gives the radius (52 bits), the second the angle.
#[inline(always)]
pub(super) fn pair64(u: u64, w: u64) -> (f64, f64) {
    let x = f64::from_bits((u >> 12) | ONE64) - SHIFT64;
    let bits = x.to_bits();
    let t = bits.wrapping_sub(ROOT64).wrapping_add(1024 << 52);
    let e = f64::from_bits((t >> 52) | 0x4330 << 48) - EXPONENT64;
    let f = f64::from_bits(bits.wrapping_sub(t & (0xfff << 52)).wrapping_add(1024 << 52)) - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let mut p = LOG64[0];
    for c in &LOG64[1..] {
        p = p.mul_add(z, *c);
    }
    let h = 0.5 * f * f;
    let q = s.mul_add(z.mul_add(p, h), -h) + f;
    let r = e.mul_add(-2.0 * std::f64::consts::LN_2, -2.0 * q).sqrt();
    let a = (f64::from_bits((w >> 12) | ONE64) - 1.5) * std::f64::consts::FRAC_PI_2;
    let a2 = a * a;
    let (mut sin, mut cos) = (SIN64[0], COS64[0]);
    for k in 1..6 {
        sin = sin.mul_add(a2, SIN64[k]);
        cos = cos.mul_add(a2, COS64[k]);
    }
    let sin = (a * a2).mul_add(sin, a);
    let cos = (a2 * a2).mul_add(cos, a2.mul_add(-0.5, 1.0));
    let cos = f64::from_bits(cos.to_bits() ^ (w << 63));
    if w & 2 != 0 { (r * sin, r * cos) } else { (r * cos, r * sin) }
}

/// Normals of parameter `p` of the neurons of a block at a step. Counter: (step low, step high, 8 block + lane, p); lane
/// l of 8 serves neurons l, l + 8, l + 16, l + 24.
#[inline(always)]
pub(super) fn fill32(key: [u32; 2], step: u64, block: u32, p: u32, out: &mut [f32; BLOCK]) {
    for l in 0..8 {
        let w = philox([step as u32, (step >> 32) as u32, block * 8 + l as u32, p], key);
        (out[l], out[l + 8]) = pair32(w[0], w[1]);
        (out[l + 16], out[l + 24]) = pair32(w[2], w[3]);
    }
}

/// The same in f64, counter (step low, step high, 16 block + lane, p): lane l of 16 serves neurons l and l + 16.
#[inline(always)]
pub(super) fn fill64(key: [u32; 2], step: u64, block: u32, p: u32, out: &mut [f64; BLOCK]) {
    let word = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
    for l in 0..16 {
        let w = philox([step as u32, (step >> 32) as u32, block * 16 + l as u32, p], key);
        (out[l], out[l + 16]) = pair64(word(w[0], w[1]), word(w[2], w[3]));
    }
}

#[cfg(test)]
#[path = "gaussian_tests.rs"]
mod tests;
