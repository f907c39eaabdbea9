//! Second moments of the active examples, kept up to date by one rank-one change a mask.

use super::space::Space;
use super::state::Mode;
use crate::descent::Problem;
use crate::num::Mat;
use crate::num::eft::{two_product, two_sum};

/// `H_jl = c_j c_l sum_i 1[j, l both active on i] x_i x_i'` for all pairs of neurons: m D x m D.
///
/// It squares the condition of the data, so `Stretch` uses it only where its eigenvalues are far above its error. The
/// sums are kept in twice the working precision: however many examples come and go, H is correctly rounded, up to
/// a few units. What a change costs does not depend on n.
pub(super) struct Covariance {
    /// Sums for j <= l, upper triangles one after the other, as high and low parts.
    sums: Vec<Vec<(f64, f64)>>,
    h: Mat,
    /// Active examples a neuron.
    active: Vec<usize>,
    /// `sum_j c_j^2 sum_i |x_i|^2`, the most that the trace can be.
    size: f64,
}

impl Covariance {
    /// For modes, m rows of n. O(n (m D)^2).
    pub(super) fn new(problem: &Problem, space: &Space, mode: &[Vec<Mode>]) -> Self {
        let (n, m, dim) = (problem.n(), problem.m(), problem.dim());
        let norms: f64 = (0..n).map(|i| space.row_norm(i) * space.row_norm(i)).sum();
        let weights: f64 = problem.c().iter().map(|c| c * c).sum();
        let mut covariance = Self {
            sums: vec![vec![(0.0, 0.0); dim * (dim + 1) / 2]; m * (m + 1) / 2],
            h: Mat::zeros(m * dim, m * dim),
            active: vec![0; m],
            size: weights * norms,
        };
        let none = vec![vec![Mode::Silent; n]; m];
        covariance.update(problem, &(0..n).collect::<Vec<_>>(), &none, mode);
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
        8.0 * f64::EPSILON * self.size
    }

    /// Takes in the changes of the given examples from modes `before` to `after`. O(m^2 D^2) each.
    pub(super) fn update(&mut self, problem: &Problem, rows: &[usize], before: &[Vec<Mode>], after: &[Vec<Mode>]) {
        let (m, dim) = (problem.m(), problem.dim());
        let mut outer = vec![(0.0, 0.0); dim * (dim + 1) / 2];
        for &i in rows {
            let x = problem.x().row(i);
            let mut at = outer.iter_mut();
            for a in 0..dim {
                for (b, slot) in (a..dim).zip(&mut at) {
                    *slot = two_product(x[a], x[b]);
                }
            }
            let on = |modes: &[Vec<Mode>], j: usize| modes[j][i] == Mode::Active;
            let mut blocks = self.sums.iter_mut();
            for j in 0..m {
                match (on(before, j), on(after, j)) {
                    (false, true) => self.active[j] += 1,
                    (true, false) => self.active[j] -= 1,
                    _ => {}
                }
                for (l, sums) in (j..m).zip(&mut blocks) {
                    match (on(before, j) && on(before, l), on(after, j) && on(after, l)) {
                        (false, true) => add(sums, 1.0, &outer),
                        (true, false) => add(sums, -1.0, &outer),
                        _ => {}
                    }
                }
            }
        }
        if !rows.is_empty() {
            self.round(problem.c(), dim);
        }
    }

    fn round(&mut self, c: &[f64], dim: usize) {
        let mut blocks = self.sums.iter();
        for j in 0..c.len() {
            for (l, sums) in (j..c.len()).zip(&mut blocks) {
                let mut at = sums.iter();
                for a in 0..dim {
                    for (b, (high, low)) in (a..dim).zip(&mut at) {
                        let v = c[j] * c[l] * (high + low);
                        for (p, q) in [(j * dim + a, l * dim + b), (j * dim + b, l * dim + a)] {
                            self.h[(p, q)] = v;
                            self.h[(q, p)] = v;
                        }
                    }
                }
            }
        }
    }
}

/// Adds or subtracts (`sign`) numbers given as high and low parts.
fn add(sums: &mut [(f64, f64)], sign: f64, terms: &[(f64, f64)]) {
    for ((high, low), (p, e)) in sums.iter_mut().zip(terms) {
        let (s, lost) = two_sum(*high, sign * p);
        *high = s;
        *low += lost + sign * e;
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
