//! Where the flow is: modes, preactivations, and the way come from the start.

use super::space::Space;
use crate::descent::Problem;
use crate::num::Mat;
use crate::num::mat::{axpy, norm2};

/// What a (neuron, example) pair does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mode {
    /// Mask 1.
    Active,
    /// Mask 0.
    Silent,
    /// Preactivation held at 0 by a mask between 0 and 1.
    Sliding,
}

/// The state of a run.
pub(super) struct State {
    /// Time of the last event.
    pub(super) t: f64,
    /// Modes, m rows of n.
    pub(super) mode: Vec<Vec<Mode>>,
    /// Preactivations, m x n; exactly 0 while sliding.
    pub(super) z: Mat,
    /// Neurons whose weights came to 0 in weight coordinates, with every example pulling inwards: they stay there
    /// while that lasts, whatever their masks, which are recorded as silent.
    pub(super) collapsed: Vec<bool>,
    /// Preactivations of the start, m x n.
    start: Mat,
    /// Coordinates less those of the start, m x p.
    pub(super) moved: Mat,
    /// Duals less those of the start, m x n (equal to `moved` in dual coordinates, so empty there).
    pub(super) duals: Option<Mat>,
}

impl State {
    pub(super) fn new(problem: &Problem, space: &Space, z: Mat) -> Self {
        let mode = (0..problem.m()).map(|j| z.row(j).iter().map(|v| first_mode(*v, problem.at_zero())).collect());
        let (m, n) = (z.rows(), z.cols());
        Self {
            t: 0.0,
            collapsed: vec![false; m],
            mode: mode.collect(),
            start: z.clone(),
            z,
            moved: Mat::zeros(m, space.basis().cols()),
            duals: problem.gram().is_none().then(|| Mat::zeros(m, n)),
        }
    }

    /// Examples of neuron `j` in one mode, ascending.
    pub(super) fn in_mode(&self, j: usize, mode: Mode) -> Vec<usize> {
        (0..self.z.cols()).filter(|&i| self.mode[j][i] == mode).collect()
    }

    /// `r = y - sum_j c_j z_j` over active pairs.
    pub(super) fn residual(&self, problem: &Problem) -> Vec<f64> {
        let mut r = problem.y().to_vec();
        for (j, c) in problem.c().iter().enumerate() {
            for (i, ri) in r.iter_mut().enumerate() {
                if self.mode[j][i] == Mode::Active {
                    *ri -= c * self.z[(j, i)];
                }
            }
        }
        r
    }

    /// A number that the rounding error of `residual` stays below, divided by `Space::unit`, per example.
    ///
    /// It counts the errors of the preactivations, not their sizes: with nearly parallel rows and long weights the
    /// former are far larger than a rounding of the latter.
    pub(super) fn residual_scale(&self, problem: &Problem, space: &Space) -> Vec<f64> {
        let mut out: Vec<f64> = problem.y().iter().map(|y| y.abs()).collect();
        for (j, c) in problem.c().iter().enumerate() {
            axpy(c.abs(), &self.z_scale(space, j), &mut out);
        }
        out
    }

    /// A number that the rounding error of `z_ji` stays below, divided by `Space::unit`.
    pub(super) fn z_scale(&self, space: &Space, j: usize) -> Vec<f64> {
        let length = norm2(self.moved.row(j));
        (0..self.z.cols()).map(|i| self.start[(j, i)].abs() + space.row_norm(i) * length).collect()
    }

    /// Recomputes the preactivations from the coordinates; those of sliding pairs and collapsed neurons are 0.
    pub(super) fn refresh(&mut self, space: &Space) {
        for j in 0..self.z.rows() {
            let dz = space.basis().mul_vec(self.moved.row(j));
            for (i, d) in dz.into_iter().enumerate() {
                let held = self.collapsed[j] || self.mode[j][i] == Mode::Sliding;
                self.z[(j, i)] = if held { 0.0 } else { self.start[(j, i)] + d };
            }
        }
    }
}

/// The mode a preactivation starts in; zeros are decided afterwards.
fn first_mode(z: f64, at_zero: bool) -> Mode {
    if crate::net::mask(z, at_zero) { Mode::Active } else { Mode::Silent }
}
