//! The state: N neurons in blocks of 32, one row a parameter, so that a block fills vector registers and stays in L1.

use super::plan::{Plan, Precision};
use crate::net::Network;
use crate::num::Mat;

/// Neurons of a block.
pub(super) const BLOCK: usize = 32;

/// One parameter of the neurons of a block, aligned to a cache line.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub(super) struct Row<E>(pub(super) [E; BLOCK]);

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Store {
    F32(Vec<Row<f32>>),
    F64(Vec<Row<f64>>),
}

/// N neurons theta = (c_1..c_k, w_1..w_d, b) and the output offset.
///
/// What a checkpoint keeps: [`Particles::values`] and [`Particles::offset`], exact in f64 whatever the precision;
/// [`Particles::from_values`] takes them back with the same bits. The noise is a function of the step, so a run goes on
/// from any step with nothing else.
#[derive(Clone, Debug, PartialEq)]
pub struct Particles {
    width: usize,
    inputs: usize,
    outputs: usize,
    pub(super) store: Store,
    /// Output offset, k.
    pub(super) offset: Vec<f64>,
}

impl Particles {
    pub(super) fn zeros(plan: &Plan) -> Self {
        let (_, d, k) = plan.shape();
        let width = plan.options().width;
        let rows = width.div_ceil(BLOCK) * (k + d + 1);
        let store = match plan.options().precision {
            Precision::F32 => Store::F32(vec![Row([0.0; BLOCK]); rows]),
            Precision::F64 => Store::F64(vec![Row([0.0; BLOCK]); rows]),
        };
        Self { width, inputs: d, outputs: k, store, offset: vec![0.0; k] }
    }

    /// A state from its numbers: `values` neuron after neuron, (k + d + 1) each; `offset` k. Values are rounded to the
    /// precision of the plan. Panics on other lengths.
    pub fn from_values(plan: &Plan, values: impl IntoIterator<Item = f64>, offset: &[f64]) -> Self {
        let mut out = Self::zeros(plan);
        assert_eq!(offset.len(), out.outputs, "{} offsets for {} outputs", offset.len(), out.outputs);
        out.offset.copy_from_slice(offset);
        let mut values = values.into_iter();
        let mut theta = vec![0.0; out.parameters()];
        for j in 0..out.width {
            for v in &mut theta {
                *v = values.next().expect("a number for every parameter of every neuron");
            }
            out.set(j, &theta);
        }
        assert!(values.next().is_none(), "more numbers than the {} x {} of the plan", out.width, out.parameters());
        out
    }

    /// Neurons.
    pub fn width(&self) -> usize {
        self.width
    }
    /// Features d.
    pub fn inputs(&self) -> usize {
        self.inputs
    }
    /// Outputs k.
    pub fn outputs(&self) -> usize {
        self.outputs
    }
    /// Numbers of a neuron: k + d + 1 (the bias is 0 where there is none).
    pub fn parameters(&self) -> usize {
        self.outputs + self.inputs + 1
    }
    /// Output offset, k.
    pub fn offset(&self) -> &[f64] {
        &self.offset
    }

    /// Parameter `p` of neuron `j`: c first, then w, then b.
    pub fn get(&self, j: usize, p: usize) -> f64 {
        assert!(j < self.width && p < self.parameters(), "parameter {p} of neuron {j}");
        let row = j / BLOCK * self.parameters() + p;
        match &self.store {
            Store::F32(rows) => f64::from(rows[row].0[j % BLOCK]),
            Store::F64(rows) => rows[row].0[j % BLOCK],
        }
    }

    /// All parameters of neuron `j`.
    pub fn neuron(&self, j: usize) -> Vec<f64> {
        (0..self.parameters()).map(|p| self.get(j, p)).collect()
    }

    /// All numbers, neuron after neuron.
    pub fn values(&self) -> impl Iterator<Item = f64> + '_ {
        (0..self.width).flat_map(move |j| (0..self.parameters()).map(move |p| self.get(j, p)))
    }

    pub(super) fn set(&mut self, j: usize, theta: &[f64]) {
        let parameters = self.parameters();
        for (p, v) in theta.iter().enumerate() {
            let row = j / BLOCK * parameters + p;
            match &mut self.store {
                Store::F32(rows) => rows[row].0[j % BLOCK] = *v as f32,
                Store::F64(rows) => rows[row].0[j % BLOCK] = *v,
            }
        }
    }

    /// Whether every number is finite.
    pub fn all_finite(&self) -> bool {
        let state = match &self.store {
            Store::F32(rows) => rows.iter().all(|r| r.0.iter().all(|v| v.is_finite())),
            Store::F64(rows) => rows.iter().all(|r| r.0.iter().all(|v| v.is_finite())),
        };
        state && self.offset.iter().all(|v| v.is_finite())
    }

    /// The network that computes the same function: `c` carries the scale of the plan (and the truncations of the smooth
    /// unit, whose hidden units a ReLU network has not).
    pub fn network(&self, plan: &Plan) -> Network {
        let (k, d) = (self.outputs, self.inputs);
        let enters = |v: f64| plan.options().activation.weight(v).0;
        let w = Mat::from_fn(self.width, d, |j, i| enters(self.get(j, k + i)));
        let b = (0..self.width).map(|j| self.get(j, k + d)).collect();
        let c = Mat::from_fn(k, self.width, |out, j| plan.scale() * enters(self.get(j, out)));
        Network::new(w, b, c, self.offset.clone())
    }

    /// A hash of the bits of all numbers, neuron after neuron, then the offset (FNV-1a over 64-bit words): equal states,
    /// equal hashes, on every machine.
    pub fn fingerprint(&self) -> u64 {
        self.values().chain(self.offset.iter().copied()).fold(0xcbf2_9ce4_8422_2325, |hash: u64, v| {
            v.to_bits().to_le_bytes().iter().fold(hash, |h, byte| (h ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
        })
    }
}
