//! A node of the sign tree: which signs are decided, the ranges known, and the bound reached.

use super::bounded::{FREE, LOWER, Shares};
use super::rows::Rows;

/// A part of the ball, `{u : s_i x_i . u >= 0 where s_i is decided}`, with what is known of `{q >= target}` on it.
#[derive(Clone, Debug)]
pub(super) struct Node<const D: usize> {
    /// Proved: q <= max(bound, target) on the part.
    pub(super) bound: f64,
    /// Decided signs, 0 where undecided.
    pub(super) sign: Vec<i8>,
    /// Lower ends of `x_i . u` on the part where q >= target.
    pub(super) lo: Vec<f64>,
    /// Upper ends.
    pub(super) hi: Vec<f64>,
    /// Where the bounded least squares ended, to start the children from.
    pub(super) state: Vec<u8>,
    /// Shares of the rows that were free there.
    pub(super) free: Vec<(u32, f64)>,
    /// The vector of the bound: its direction is where q may be large.
    pub(super) v: [f64; D],
    /// The row to split on; `None` when every row that could loosen the bound is decided.
    pub(super) branch: Option<usize>,
    /// Whether quadratic majorants paid on the node above.
    pub(super) quadratic: bool,
    /// Splits above it.
    pub(super) depth: u32,
}

impl<const D: usize> Node<D> {
    /// The whole ball.
    pub(super) fn root(rows: &Rows<D>) -> Self {
        let n = rows.n();
        Self {
            bound: f64::INFINITY,
            sign: vec![0; n],
            lo: rows.length.iter().map(|l| -l).collect(),
            hi: rows.length.clone(),
            state: vec![LOWER; n],
            free: Vec::new(),
            v: [0.0; D],
            branch: None,
            quadratic: true,
            depth: 0,
        }
    }

    /// The half where the branching row has the given sign.
    pub(super) fn child(&self, row: usize, sign: i8) -> Self {
        let mut node = self.clone();
        node.sign[row] = sign;
        if sign > 0 {
            node.lo[row] = node.lo[row].max(0.0);
        } else {
            node.hi[row] = node.hi[row].min(0.0);
        }
        node.depth += 1;
        node.branch = None;
        node
    }

    /// Narrows a range to what has been proved; true when nothing is left of the part, hence q < target on it.
    pub(super) fn narrow(&mut self, i: usize, lo: f64, hi: f64) -> bool {
        self.lo[i] = self.lo[i].max(lo);
        self.hi[i] = self.hi[i].min(hi);
        self.lo[i] > self.hi[i]
    }

    /// Decides the sign of a row from its range; true when it was undecided and is not any more.
    pub(super) fn decide(&mut self, i: usize) -> bool {
        if self.sign[i] != 0 {
            return false;
        }
        if self.lo[i] >= 0.0 {
            self.sign[i] = 1;
        } else if self.hi[i] <= 0.0 {
            self.sign[i] = -1;
        }
        self.sign[i] != 0
    }

    /// Keeps where a bounded least squares ended.
    pub(super) fn remember(&mut self, s: &Shares) {
        self.state.copy_from_slice(&s.state);
        self.free.clear();
        self.free.extend((0..s.state.len()).filter(|&i| s.state[i] == FREE).map(|i| (i as u32, s.share[i])));
    }
}
