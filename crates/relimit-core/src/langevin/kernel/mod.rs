//! One sweep over blocks of neurons: noise, gradient, update and the next forward pass, a block at a time.
#![allow(clippy::inline_always, reason = "compiled into copies for processors with more than the baseline")]

mod plain;

pub(super) use plain::sweep;

use std::ops::{Add, Mul};

use super::activation::Activation;
use super::gaussian::{fill32, fill64};
use super::particles::BLOCK;

/// Numbers of the state.
pub(super) trait Real:
    Copy + Default + Send + Sync + PartialOrd + Add<Output = Self> + Mul<Output = Self> + 'static
{
    /// Lanes in which outputs are summed.
    const LANES: usize;
    fn of(v: f64) -> Self;
    fn wide(self) -> f64;
    /// Normals of parameter `p` of a block.
    fn normals(key: [u32; 2], step: u64, block: u32, p: u32, out: &mut [Self; BLOCK]);
}

impl Real for f32 {
    const LANES: usize = 8;
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
    const LANES: usize = 4;
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
    pub(super) key: [u32; 2],
    pub(super) step: u64,
}

/// One sweep: an update on the examples `before`, whose forward pass the last sweep made, then a forward pass on `after`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sweep<'a, E> {
    pub(super) inputs: usize,
    pub(super) outputs: usize,
    pub(super) width: usize,
    pub(super) activation: Activation,
    /// Rows of the examples of the update, n x d.
    pub(super) before: &'a [E],
    pub(super) update: Option<&'a Update<E>>,
    /// Rows of the examples of the forward pass, n x d.
    pub(super) after: &'a [E],
    /// Number of the latter.
    pub(super) count: usize,
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
