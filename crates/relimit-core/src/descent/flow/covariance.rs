//! Second moments of the active examples, kept up to date by one rank-one change a mask.

use super::space::Space;
use super::state::Mode;
use crate::descent::Problem;
use crate::num::Mat;
use crate::num::linalg::gram;
use crate::num::mat::axpy;

/// Changes after which the sums are formed anew, so that their rounding errors stay those of one sum.
const REBUILD: usize = 64;
/// Examples summed at a time: the error of a sum of n terms grows with this and n over this, not with n.
const BLOCK: usize = 128;

/// `H_jl = c_j c_l sum_i 1[j, l both active on i] x_i x_i'` for all pairs of neurons: m D x m D.
///
/// It squares the condition of the data, so `Stretch` uses it only where its eigenvalues are far above its error; what
/// it costs does not depend on n.
pub(super) struct Covariance {
    h: Mat,
    /// Active examples a neuron.
    active: Vec<usize>,
    /// Changes since the sums were formed.
    changes: usize,
    /// `sum_j c_j^2 sum_i |x_i|^2`, the most that the trace can be.
    size: f64,
    examples: usize,
}

impl Covariance {
    /// For modes, m rows of n. O(n (m D)^2).
    pub(super) fn new(problem: &Problem, space: &Space, mode: &[Vec<Mode>]) -> Self {
        let norms: f64 = (0..problem.n()).map(|i| space.row_norm(i) * space.row_norm(i)).sum();
        let weights: f64 = problem.c().iter().map(|c| c * c).sum();
        let order = problem.m() * problem.dim();
        let (h, size, examples) = (Mat::zeros(order, order), weights * norms, problem.n());
        let mut covariance = Self { h, active: vec![], changes: 0, size, examples };
        covariance.rebuild(problem, mode);
        covariance
    }

    /// H.
    pub(super) fn matrix(&self) -> &Mat {
        &self.h
    }

    /// Active examples of neuron `j`.
    pub(super) fn active(&self, j: usize) -> usize {
        self.active[j]
    }

    /// A bound on the error of H in norm.
    pub(super) fn error(&self) -> f64 {
        let terms = BLOCK + self.examples / BLOCK + 2 * REBUILD + 8;
        terms as f64 * f64::EPSILON * self.size
    }

    /// Takes in the changes of the given examples from modes `before` to `after`. O(m^2 D^2) each.
    pub(super) fn update(&mut self, problem: &Problem, rows: &[usize], before: &[Vec<Mode>], after: &[Vec<Mode>]) {
        self.changes += rows.len();
        if self.changes > REBUILD {
            self.rebuild(problem, after);
            return;
        }
        let (m, dim, c) = (problem.m(), problem.dim(), problem.c());
        for &i in rows {
            let x = problem.x().row(i);
            let on = |modes: &[Vec<Mode>], j: usize| modes[j][i] == Mode::Active;
            for j in 0..m {
                match (on(before, j), on(after, j)) {
                    (false, true) => self.active[j] += 1,
                    (true, false) => self.active[j] -= 1,
                    _ => {}
                }
                for l in 0..m {
                    let both = |modes| f64::from(u8::from(on(modes, j) && on(modes, l)));
                    let change = (both(after) - both(before)) * c[j] * c[l];
                    if change != 0.0 {
                        for (k, v) in x.iter().enumerate() {
                            axpy(change * v, x, &mut self.h.row_mut(j * dim + k)[l * dim..(l + 1) * dim]);
                        }
                    }
                }
            }
        }
    }

    fn rebuild(&mut self, problem: &Problem, mode: &[Vec<Mode>]) {
        let (m, n, dim, c) = (problem.m(), problem.n(), problem.dim(), problem.c());
        self.changes = 0;
        self.active = mode.iter().map(|modes| modes.iter().filter(|m| **m == Mode::Active).count()).collect();
        for j in 0..m {
            for l in 0..=j {
                let both = |i: &usize| mode[j][*i] == Mode::Active && mode[l][*i] == Mode::Active;
                let rows: Vec<usize> = (0..n).filter(both).collect();
                let mut block = Mat::zeros(dim, dim);
                for part in rows.chunks(BLOCK) {
                    let part = gram(&problem.x().select_rows(part).transpose());
                    axpy(1.0, part.as_slice(), block.as_mut_slice());
                }
                for a in 0..dim {
                    for b in 0..dim {
                        let v = c[j] * c[l] * block[(a, b)];
                        self.h[(j * dim + a, l * dim + b)] = v;
                        self.h[(l * dim + b, j * dim + a)] = v;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::mat::max_abs;

    #[test]
    fn updates_equal_sums_over_the_active_examples() {
        let (n, dim, c) = (12, 3, vec![1.5, -0.5]);
        let x = Mat::from_fn(n, dim, |i, k| ((7 * i + 5 * k + i * k) % 11) as f64 - 5.0);
        let problem = Problem::new(x.clone(), vec![0.0; n], c.clone(), false);
        let space = Space::new(&problem);
        let kinds = [Mode::Active, Mode::Silent, Mode::Sliding];
        let mode = |step: usize| -> Vec<Vec<Mode>> {
            (0..2).map(|j| (0..n).map(|i| kinds[(i * i + j + step * (i % 4)) % 3]).collect()).collect()
        };
        let mut covariance = Covariance::new(&problem, &space, &mode(0));
        for step in 0..400 {
            let (before, after) = (mode(step), mode(step + 1));
            let rows: Vec<usize> = (0..n).filter(|&i| (0..2).any(|j| before[j][i] != after[j][i])).collect();
            covariance.update(&problem, &rows, &before, &after);
            let on = |j: usize, i: usize| if after[j][i] == Mode::Active { c[j] } else { 0.0 };
            let slow = Mat::from_fn(6, 6, |a, b| {
                (0..n).map(|i| on(a / 3, i) * on(b / 3, i) * x[(i, a % 3)] * x[(i, b % 3)]).sum()
            });
            let off: Vec<f64> = slow.as_slice().iter().zip(covariance.h.as_slice()).map(|(u, v)| u - v).collect();
            assert!(max_abs(&off) <= covariance.error(), "step {step}: {:e}", max_abs(&off));
            assert!((0..2).all(|j| covariance.active(j) == (0..n).filter(|&i| on(j, i) != 0.0).count()));
        }
    }
}
