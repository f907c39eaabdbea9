//! A cache line of numbers as one value: the operations of which the fused kernel is made, in every instruction set.
//!
//! Every operation acts on each lane alone and is rounded once, so all implementations give the same bits.
#![allow(clippy::inline_always, reason = "compiled into the copy of the caller's instruction set")]

use super::Real;
use crate::langevin::gaussian::Keys;
use crate::langevin::particles::BLOCK;

/// `WIDTH` numbers, 64 bytes.
pub(in crate::langevin) trait Lanes: Copy {
    type Number: Real;
    /// The bits of these lanes in a word of a block.
    type Select: Copy;
    const WIDTH: usize;

    fn splat(v: Self::Number) -> Self;
    /// The first `WIDTH` numbers.
    fn load(from: &[Self::Number]) -> Self;
    fn store(self, to: &mut [Self::Number]);
    fn add(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    /// `self factor + term`, rounded once.
    fn fused(self, factor: Self, term: Self) -> Self;
    /// relu, and a bit for every active lane. NaN counts as active, so that it reaches the outputs, where it is seen.
    fn relu(self) -> (Self, u32);
    /// The lanes `group WIDTH ..` of a block.
    fn select(group: usize) -> Self::Select;
    /// `v` in the lanes whose bit of the block's word is set, else 0.
    fn masked(v: Self::Number, word: u32, select: Self::Select) -> Self;
    /// Normals of parameter `p` of a block.
    fn normals(keys: &Keys, step: u64, block: u32, p: u32, out: &mut [Self::Number; BLOCK]);
}

/// The portable implementation.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(in crate::langevin) struct Plain<E, const W: usize>([E; W]);

impl<E: Real, const W: usize> Lanes for Plain<E, W> {
    type Number = E;
    type Select = usize;
    const WIDTH: usize = W;

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
    fn relu(mut self) -> (Self, u32) {
        let mut bits = 0;
        for l in 0..W {
            let silent = self.0[l] <= E::default();
            bits |= u32::from(!silent) << l;
            self.0[l] = if silent { E::default() } else { self.0[l] };
        }
        (self, bits)
    }
    #[inline(always)]
    fn select(group: usize) -> usize {
        group * W
    }
    #[inline(always)]
    fn masked(v: E, word: u32, select: usize) -> Self {
        let mut out = Self([E::default(); W]);
        for l in 0..W {
            out.0[l] = if word >> (select + l) & 1 == 1 { v } else { E::default() };
        }
        out
    }
    #[inline(always)]
    fn normals(keys: &Keys, step: u64, block: u32, p: u32, out: &mut [E; BLOCK]) {
        E::normals(keys.key(), step, block, p, out);
    }
}
