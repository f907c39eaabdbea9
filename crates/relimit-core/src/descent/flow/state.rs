//! Where the flow is: modes, preactivations, and the way come from the start.

use super::ledger::Ledger;
use super::space::Space;
use crate::descent::Problem;
use crate::num::Mat;
use crate::num::mat::{dot, norm2};

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

impl Mode {
    /// 1 while active, else 0.
    pub(super) fn share(self) -> f64 {
        f64::from(u8::from(self == Self::Active))
    }
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
    /// `|moved_j|` at the last refresh.
    length: Vec<f64>,
    /// Duals less those of the start, m x n (equal to `moved` in dual coordinates, so none there).
    pub(super) duals: Option<Ledger>,
}

impl State {
    pub(super) fn new(problem: &Problem, space: &Space, z: Mat) -> Self {
        let mode = (0..problem.m()).map(|j| z.row(j).iter().map(|v| first_mode(*v, problem.at_zero())).collect());
        let m = z.rows();
        Self {
            t: 0.0,
            collapsed: vec![false; m],
            mode: mode.collect(),
            start: z.clone(),
            z,
            moved: Mat::zeros(m, space.basis().cols()),
            length: vec![0.0; m],
            duals: problem.gram().is_none().then(|| Ledger::new(problem)),
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
            for ((ri, z), mode) in r.iter_mut().zip(self.z.row(j)).zip(&self.mode[j]) {
                // a product instead of a branch that no processor could foretell
                *ri -= c * z * mode.share();
            }
        }
        r
    }

    /// A number that the rounding error of `residual` at example `i` stays below, divided by `Space::unit`. O(m).
    ///
    /// It counts the errors of the preactivations, not their sizes: with nearly parallel rows and long weights the
    /// former are far larger than a rounding of the latter.
    pub(super) fn residual_scale(&self, problem: &Problem, space: &Space, i: usize) -> f64 {
        let part = |(j, c): (usize, &f64)| c.abs() * self.z_scale(space, j, i);
        problem.y()[i].abs() + problem.c().iter().enumerate().map(part).sum::<f64>()
    }

    /// A number that the rounding error of `z_ji` stays below, divided by `Space::unit`. O(1).
    pub(super) fn z_scale(&self, space: &Space, j: usize, i: usize) -> f64 {
        self.start[(j, i)].abs() + space.row_norm(i) * self.length[j]
    }

    /// The preactivation that the coordinates stand for, also of a pair that slides. O(p).
    pub(super) fn preactivation(&self, space: &Space, j: usize, i: usize) -> f64 {
        self.start[(j, i)] + dot(space.basis().row(i), self.moved.row(j))
    }

    /// Recomputes the preactivations from the coordinates; those of sliding pairs and collapsed neurons are 0.
    pub(super) fn refresh(&mut self, space: &Space) {
        let dz = space.image(&self.moved);
        for j in 0..self.z.rows() {
            self.length[j] = norm2(self.moved.row(j));
            if self.collapsed[j] {
                self.z.row_mut(j).fill(0.0);
                continue;
            }
            let modes = self.mode[j].iter();
            for (((z, start), d), mode) in self.z.row_mut(j).iter_mut().zip(self.start.row(j)).zip(dz.row(j)).zip(modes)
            {
                *z = if *mode == Mode::Sliding { 0.0 } else { start + d };
            }
        }
    }
}

/// The mode a preactivation starts in; zeros are decided afterwards.
fn first_mode(z: f64, at_zero: bool) -> Mode {
    if crate::net::mask(z, at_zero) { Mode::Active } else { Mode::Silent }
}
