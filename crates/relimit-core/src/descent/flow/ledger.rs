//! Duals of a run in weight coordinates, written when a mask changes instead of at every event.

use super::state::Mode;
use crate::descent::Problem;
use crate::num::Mat;
use crate::num::mat::dot;

/// Duals less those of the start, m x n, part of them still to be written.
///
/// While the masks of example i stay, the integral of its residual (the part that moves something) is
/// `sum_k c_k 1[k active on i] x_i . Q_k` with Q the integral of the way that is left to the weights (`spend`). Q is kept
/// for every event since the oldest example not written; once that are n events, all examples are written.
pub(super) struct Ledger {
    duals: Mat,
    /// Values of Q (m D numbers each), one an event.
    marks: Vec<Vec<f64>>,
    /// The mark at which each example was written last.
    since: Vec<u32>,
}

impl Ledger {
    pub(super) fn new(problem: &Problem) -> Self {
        Self {
            duals: Mat::zeros(problem.m(), problem.n()),
            marks: vec![vec![0.0; problem.m() * problem.dim()]],
            since: vec![0; problem.n()],
        }
    }

    /// Adds to one dual.
    pub(super) fn add(&mut self, j: usize, i: usize, v: f64) {
        self.duals[(j, i)] += v;
    }

    /// Adds to Q.
    pub(super) fn spend(&mut self, q: &[f64]) {
        let last = self.marks.last().expect("the first mark");
        self.marks.push(last.iter().zip(q).map(|(a, b)| a + b).collect());
    }

    /// Writes the examples whose masks are about to change; `modes` are those that they had so far.
    pub(super) fn write(&mut self, problem: &Problem, modes: &[Vec<Mode>], rows: &[usize]) {
        for &i in rows {
            self.write_row(problem, modes, i);
        }
        if self.marks.len() > problem.n() + 64 {
            self.write_all(problem, modes, rows);
        }
    }

    /// Writes everything up to here, with `modes` for the examples that are not in `written`.
    fn write_all(&mut self, problem: &Problem, modes: &[Vec<Mode>], written: &[usize]) {
        for i in (0..problem.n()).filter(|i| !written.contains(i)) {
            self.write_row(problem, modes, i);
        }
        self.marks.truncate(1);
        self.marks[0].fill(0.0);
        self.since.fill(0);
    }

    fn write_row(&mut self, problem: &Problem, modes: &[Vec<Mode>], i: usize) {
        let (x, c, dim) = (problem.x().row(i), problem.c(), problem.dim());
        let (from, to) = (&self.marks[self.since[i] as usize], self.marks.last().expect("the first mark"));
        let on = |k: &usize| modes[*k][i] == Mode::Active;
        let part = |k: usize| c[k] * (dot(x, &to[k * dim..(k + 1) * dim]) - dot(x, &from[k * dim..(k + 1) * dim]));
        let sum: f64 = (0..c.len()).filter(on).map(part).sum();
        for j in (0..c.len()).filter(on) {
            self.duals[(j, i)] += c[j] * sum;
        }
        self.since[i] = self.marks.len() as u32 - 1;
    }

    /// All duals, complete.
    pub(super) fn finish(mut self, problem: &Problem, modes: &[Vec<Mode>]) -> Mat {
        self.write_all(problem, modes, &[]);
        self.duals
    }
}
