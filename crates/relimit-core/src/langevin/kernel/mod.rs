//! One sweep over blocks of neurons: noise, gradient, update and the next forward pass, a block at a time.
#![allow(clippy::inline_always, reason = "compiled into copies for processors with more than the baseline")]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod examples;
mod fold;
mod fused;
mod gradient;
mod lanes;
mod plain;

pub(super) use examples::Rows;
pub(super) use fold::fold;

use std::ops::{Add, Mul};

use super::activation::Activation;
use super::gaussian::{Keys, fill32, fill64};
use super::particles::{BLOCK, Row};
use lanes::{Lanes, Plain};

/// Numbers of the state.
pub(super) trait Real:
    Copy + Default + Send + Sync + PartialOrd + Add<Output = Self> + Mul<Output = Self> + 'static
{
    /// Lanes in which outputs are summed.
    const LANES: usize;
    /// Room for the activity of the neurons of a block at an example; each kernel has its own order of the bits.
    type Active: Copy + Default + Send + AsRef<[u8]> + AsMut<[u8]>;
    /// Neurons to a byte of it, from the lowest bit on, in the portable kernel.
    const BITS: usize;
    /// Lanes of the fused kernel, where the processor has nothing better.
    type Plain: Lanes<Number = Self>;
    #[cfg(target_arch = "x86_64")]
    type Avx2: Lanes<Number = Self>;
    #[cfg(target_arch = "x86_64")]
    type Avx512: Lanes<Number = Self>;
    /// `self factor + term`, rounded once.
    fn fused(self, factor: Self, term: Self) -> Self;
    fn of(v: f64) -> Self;
    fn wide(self) -> f64;
    /// Normals of parameter `p` of a block.
    fn normals(key: [u32; 2], step: u64, block: u32, p: u32, out: &mut [Self; BLOCK]);
}

impl Real for f32 {
    const LANES: usize = 16;
    type Plain = Plain<Self, 16>;
    #[cfg(target_arch = "x86_64")]
    type Avx2 = avx2::F32x16;
    #[cfg(target_arch = "x86_64")]
    type Avx512 = avx512::F32x32;
    type Active = [u8; 4];
    const BITS: usize = 8;
    #[inline(always)]
    fn fused(self, factor: Self, term: Self) -> Self {
        self.mul_add(factor, term)
    }
    #[inline(always)]
    fn of(v: f64) -> Self {
        v as Self
    }
    #[inline(always)]
    fn wide(self) -> f64 {
        f64::from(self)
    }
    #[inline(always)]
    fn normals(key: [u32; 2], step: u64, block: u32, p: u32, out: &mut [Self; BLOCK]) {
        fill32(key, step, block, p, out);
    }
}

impl Real for f64 {
    const LANES: usize = 8;
    type Plain = Plain<Self, 8>;
    #[cfg(target_arch = "x86_64")]
    type Avx2 = avx2::F64x8;
    #[cfg(target_arch = "x86_64")]
    type Avx512 = avx512::F64x16;
    type Active = [u8; 8];
    const BITS: usize = 4;
    #[inline(always)]
    fn fused(self, factor: Self, term: Self) -> Self {
        self.mul_add(factor, term)
    }
    #[inline(always)]
    fn of(v: f64) -> Self {
        v
    }
    #[inline(always)]
    fn wide(self) -> f64 {
        self
    }
    #[inline(always)]
    fn normals(key: [u32; 2], step: u64, block: u32, p: u32, out: &mut [Self; BLOCK]) {
        fill64(key, step, block, p, out);
    }
}

/// `theta <- keep theta + eta gradient + sigma normal` for one kind of parameter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule<E> {
    pub(super) keep: E,
    pub(super) eta: E,
    pub(super) sigma: E,
}

/// What moves the neurons at a step.
#[derive(Clone, Debug)]
pub(super) struct Update<E> {
    /// Residuals times omega, examples x k.
    pub(super) r: Vec<E>,
    pub(super) c: Rule<E>,
    pub(super) w: Rule<E>,
    pub(super) b: Rule<E>,
    pub(super) keys: Keys,
    pub(super) step: u64,
}

impl<E: Copy> Update<E> {
    /// The rule of parameter `p` of `k` output weights, input weights and, at `last`, the bias.
    #[inline(always)]
    fn rule(&self, p: usize, k: usize, last: usize) -> Rule<E> {
        if p < k {
            self.c
        } else if p < last {
            self.w
        } else {
            self.b
        }
    }
}

/// One sweep: an update on the examples `before`, whose forward pass the last sweep made, then a forward pass on `after`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sweep<'a, E> {
    pub(super) inputs: usize,
    pub(super) outputs: usize,
    pub(super) width: usize,
    pub(super) activation: Activation,
    /// The examples of the update.
    pub(super) before: &'a Rows<E>,
    pub(super) update: Option<&'a Update<E>>,
    /// The examples of the forward pass.
    pub(super) after: &'a Rows<E>,
    /// Number of either.
    pub(super) count: usize,
    /// Whether the activity of every neuron at every example is kept from a forward pass to the next update.
    pub(super) kept: bool,
}

impl<E> Sweep<'_, E> {
    /// Rows of a block.
    pub(super) fn rows(&self) -> usize {
        self.inputs + self.outputs + 1
    }

    /// Which lanes of a block hold neurons.
    pub(super) fn filled(&self, block: usize) -> usize {
        BLOCK.min(self.width - block * BLOCK)
    }
}

/// Works on the blocks from `first` on that `theta` holds, and adds `sum_j c_j h_j(x_i)` to `out`, examples x k x lanes:
/// lane l sums neurons l, l + LANES, ... of its blocks in that order.
///
/// `active` holds at least count x blocks words where the activity is kept, else count, and none unless [`fuses`]; its content
/// is the kernel's own.
pub(super) fn sweep<E: Real>(
    sweep: &Sweep<'_, E>,
    first: usize,
    theta: &mut [Row<E>],
    active: &mut [E::Active],
    out: &mut [E],
) {
    if fuses(sweep.activation, sweep.inputs, sweep.outputs) {
        fused::sweep(sweep, first, theta, active, out);
    } else {
        plain::sweep(sweep, first, theta, out);
    }
}

/// Whether the fused kernel does it: ReLU of at least one input, one output.
pub(super) fn fuses(activation: Activation, inputs: usize, outputs: usize) -> bool {
    activation == Activation::Relu && inputs > 0 && outputs == 1
}

#[cfg(test)]
mod tests;
