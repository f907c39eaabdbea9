//! One sweep over blocks of neurons: noise, gradient, update and the next forward pass, a block at a time.
#![allow(clippy::inline_always, reason = "compiled into copies for processors with more than the baseline")]

mod plain;

use std::ops::{Add, Mul};

use super::activation::Activation;
use super::gaussian::{fill32, fill64};
use super::particles::{BLOCK, Row};

/// Numbers of the state.
pub(super) trait Real:
    Copy + Default + Send + Sync + PartialOrd + Add<Output = Self> + Mul<Output = Self> + 'static
{
    /// Lanes in which outputs are summed.
    const LANES: usize;
    /// A word with one bit an example.
    type Word: Copy + Default + Send + Sync;
    fn of(v: f64) -> Self;
    fn wide(self) -> f64;
    /// Normals of parameter `p` of a block.
    fn normals(key: [u32; 2], step: u64, block: u32, p: u32, out: &mut [Self; BLOCK]);
}

impl Real for f32 {
    const LANES: usize = 8;
    type Word = u32;
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
    type Word = u64;
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

/// A kernel works on the blocks from `first` on that `theta` holds, and adds `sum_j c_j h_j(x_i)` to `out`, examples x k x
/// lanes: lane l sums neurons l, l + LANES, ... of its blocks in that order.
pub(super) type Kernel<E> = fn(&Sweep<'_, E>, usize, &mut [Row<E>], &mut [Row<<E as Real>::Word>], &mut [E]);

/// How many rows of mask words a block needs for `n` examples, and the kernel.
pub(super) struct Choice<E: Real> {
    pub(super) kernel: Kernel<E>,
    pub(super) words: fn(usize) -> usize,
}

/// The fastest kernel of this processor for a plan.
pub(super) fn choose<E: Real>(_sweep: &Sweep<'_, E>) -> Choice<E> {
    Choice { kernel: plain::dispatched::<E>, words: |_| 0 }
}
