//! A few cache lines of numbers as one value: the operations of which the fused kernel is made, in every instruction set.
//!
//! Every operation acts on each lane alone and is rounded once, so all implementations give the same bits.
#![allow(clippy::inline_always, reason = "compiled into the copy of the caller's instruction set")]

use super::Real;
use crate::langevin::gaussian::Keys;
use crate::langevin::particles::Row;

/// `WIDTH` numbers: one line in which outputs are summed ([`Real::LANES`]) or several.
pub(in crate::langevin) trait Lanes: Copy {
    type Number: Real;
    /// Where the bits of a group are in the activity of a block.
    type Select: Copy;
    const WIDTH: usize;
    /// Whether [`Lanes::masked`] costs no more than reading its value from memory.
    const MASKS: bool;

    fn splat(v: Self::Number) -> Self;
    /// The first `WIDTH` numbers.
    fn load(from: &[Self::Number]) -> Self;
    fn store(self, to: &mut [Self::Number]);
    fn add(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    /// `self factor + term`, rounded once.
    fn fused(self, factor: Self, term: Self) -> Self;
    /// `line += self h` in `LANES` lanes, a line of self after the other.
    fn add_to(self, h: Self, line: &mut [Self::Number]);
    /// relu; leaves a bit for every active lane. NaN counts as active, so that it reaches the outputs, where it is seen.
    fn relu(self, group: usize, active: &mut <Self::Number as Real>::Active) -> Self;
    /// The lanes `group WIDTH ..` of a block.
    fn select(group: usize) -> Self::Select;
    /// `v` in the active lanes, else 0.
    fn masked(v: Self::Number, active: <Self::Number as Real>::Active, select: Self::Select) -> Self;
    /// Normals of the parameters `p`, `p + 1`, ... of a block.
    fn normals(keys: &Keys, step: u64, block: u32, p: u32, out: &mut [Row<Self::Number>]);
}

/// The portable implementation.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(in crate::langevin) struct Plain<E, const W: usize>([E; W]);

impl<E: Real, const W: usize> Lanes for Plain<E, W> {
    type Number = E;
    type Select = usize;
    const WIDTH: usize = W;
    const MASKS: bool = false;

    #[inline(always)]
    fn splat(v: E) -> Self {
        Self([v; W])
    }
    #[inline(always)]
    fn load(from: &[E]) -> Self {
        Self(*from.first_chunk().expect("a line"))
    }
    #[inline(always)]
    fn store(self, to: &mut [E]) {
        *to.first_chunk_mut().expect("a line") = self.0;
    }
    #[inline(always)]
    fn add(mut self, other: Self) -> Self {
        for l in 0..W {
            self.0[l] = self.0[l] + other.0[l];
        }
        self
    }
    #[inline(always)]
    fn mul(mut self, other: Self) -> Self {
        for l in 0..W {
            self.0[l] = self.0[l] * other.0[l];
        }
        self
    }
    #[inline(always)]
    fn fused(mut self, factor: Self, term: Self) -> Self {
        for l in 0..W {
            self.0[l] = self.0[l].fused(factor.0[l], term.0[l]);
        }
        self
    }
    #[inline(always)]
    fn add_to(self, h: Self, line: &mut [E]) {
        self.fused(h, Self::load(line)).store(line);
    }
    #[inline(always)]
    fn relu(mut self, group: usize, active: &mut E::Active) -> Self {
        let bytes = W / E::BITS;
        for (byte, lanes) in active.as_mut()[group * bytes..][..bytes].iter_mut().zip(self.0.chunks_exact_mut(E::BITS))
        {
            *byte = 0;
            for (bit, v) in lanes.iter_mut().enumerate() {
                let silent = *v <= E::default();
                *byte |= u8::from(!silent) << bit;
                *v = if silent { E::default() } else { *v };
            }
        }
        self
    }
    #[inline(always)]
    fn select(group: usize) -> usize {
        group * W
    }
    #[inline(always)]
    fn masked(v: E, active: E::Active, select: usize) -> Self {
        let mut out = Self([E::default(); W]);
        for l in 0..W {
            let at = select + l;
            out.0[l] = if active.as_ref()[at / E::BITS] >> (at % E::BITS) & 1 == 1 { v } else { E::default() };
        }
        out
    }
    #[inline(always)]
    fn normals(keys: &Keys, step: u64, block: u32, p: u32, out: &mut [Row<E>]) {
        for (p, row) in (p..).zip(out) {
            E::normals(keys.key(), step, block, p, &mut row.0);
        }
    }
}
