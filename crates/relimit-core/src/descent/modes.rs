//! The modes of descent on fixed masks: eigenvectors of M (duals) or of H (weights) and the preactivations they move.
//!
//! ```text
//! duals:    M = sum_j c_j^2 D_j G D_j,            r(k) = r(0) - sum_l q_l g_l e_l,      g = Q' r
//! weights:  H = Phi' Phi, Phi = [c_j D_j X]_j,    w(k) = w(0) + sum_l v_l g_l e_l / mu_l,  g = V' Phi' r
//! both:     z_ji(k) = z_ji(0) + sum_l U_jil (g_l / mu_l) e_l,     e_l = 1 - (1 - eta mu_l)^k
//! ```
//!
//! Null directions never move the weights and are dropped, so singular Gram matrices need no special case.

use super::dynamics::{Dynamics, State};
use crate::num::Mat;
use crate::num::linalg::{mul_transposed, symmetric_eigen};
use crate::num::mat::{axpy, dot};

/// Eigenvalues below this many rounding errors of the largest count as null.
const NULL: f64 = 16.0;

/// The modes that masks leave.
pub(crate) struct Modes {
    /// Eigenvalues kept, ascending.
    pub(crate) mu: Vec<f64>,
    /// Bound on the distance of the matrix to its computed decomposition (spectral norm).
    pub(crate) error: f64,
    /// `U`, response of pair (j, i) to mode l at `(j * n + i) * modes + l`.
    response: Vec<f64>,
    basis: Basis,
}

enum Basis {
    /// Rows active for some neuron, and the eigenvectors on them (one a row).
    Duals { rows: Vec<usize>, q: Mat },
    /// Eigenvectors in weights (m D numbers a row) and their images under Phi (n numbers a row).
    Weights { v: Mat, phi: Mat },
}

impl Modes {
    /// Decomposes the matrix of the masks `on`. About 9 r^3 + 2 m n r^2 flops, r active rows (or m D weights).
    pub(crate) fn new(dynamics: &Dynamics, on: &[bool]) -> Self {
        if dynamics.in_duals() { Self::in_duals(dynamics, on) } else { Self::in_weights(dynamics, on) }
    }

    fn in_duals(dynamics: &Dynamics, on: &[bool]) -> Self {
        let (n, m, ld, c) = (dynamics.n, dynamics.m, dynamics.ld, dynamics.problem.c());
        let rows: Vec<usize> = (0..n).filter(|&i| (0..m).any(|j| on[j * ld + i])).collect();
        let (mu, q, error) = decompose(&coupling(dynamics, on, &rows), n);
        let modes = mu.len();
        let reach = Mat::from_fn(n, rows.len(), |i, a| dynamics.gram_row(i)[rows[a]]);
        let mut response = Vec::with_capacity(m * n * modes);
        for j in 0..m {
            let masked =
                Mat::from_fn(modes, rows.len(), |l, a| if on[j * ld + rows[a]] { c[j] * q[(l, a)] } else { 0.0 });
            response.extend(mul_transposed(&reach, &masked).into_vec());
        }
        Self { mu, error, response, basis: Basis::Duals { rows, q } }
    }

    fn in_weights(dynamics: &Dynamics, on: &[bool]) -> Self {
        let (n, m, ld, c) = (dynamics.n, dynamics.m, dynamics.ld, dynamics.problem.c());
        let (x, dim) = (dynamics.problem.x(), dynamics.problem.dim());
        let (mu, v, error) = decompose(&weight_hessian(dynamics, on), m * dim);
        let modes = mu.len();
        let mut response = Vec::with_capacity(m * n * modes);
        let mut phi = Mat::zeros(modes, n);
        for j in 0..m {
            let block = Mat::from_fn(modes, dim, |l, k| v[(l, j * dim + k)]);
            let moved = mul_transposed(x, &block);
            for i in (0..n).filter(|&i| on[j * ld + i]) {
                for l in 0..modes {
                    phi[(l, i)] += c[j] * moved[(i, l)];
                }
            }
            response.extend(moved.into_vec());
        }
        Self { mu, error, response, basis: Basis::Weights { v, phi } }
    }

    /// Number of modes kept.
    pub(crate) fn len(&self) -> usize {
        self.mu.len()
    }

    /// The largest eigenvalue (0 when nothing is active).
    pub(crate) fn mu_max(&self) -> f64 {
        self.mu.last().copied().unwrap_or(0.0)
    }

    /// Responses of pair (j, i) at `pair = j * n + i`.
    pub(crate) fn response(&self, pair: usize) -> &[f64] {
        &self.response[pair * self.len()..(pair + 1) * self.len()]
    }

    /// Memory held, in f64 numbers.
    pub(crate) fn size(&self) -> usize {
        self.response.len()
    }

    /// Content g of each mode in the residual r, and a bound on its rounding error.
    pub(crate) fn content(&self, dynamics: &Dynamics, r: &[f64]) -> (Vec<f64>, f64) {
        let (matrix, values): (&Mat, Vec<f64>) = match &self.basis {
            Basis::Duals { rows, q } => (q, rows.iter().map(|&i| r[i]).collect()),
            Basis::Weights { phi, .. } => (phi, r.to_vec()),
        };
        let g = (0..self.len()).map(|l| dot(matrix.row(l), &values)).collect();
        let y = dynamics.problem.y();
        let size: f64 = r.iter().zip(y).map(|(a, b)| a * a + b * b).sum::<f64>().sqrt();
        let gain = if dynamics.in_duals() { 1.0 } else { self.mu_max().sqrt() };
        (g, 8.0 * dynamics.n as f64 * f64::EPSILON * size * gain)
    }

    /// Bound on the error in weight space that the decomposition's own error causes within `k` steps.
    ///
    /// First order in `error`: `|M^1/2 S E S r|` with `S = sum of eta (I - eta M)^t`, each factor bounded by its limit and by its time.
    pub(crate) fn drift(&self, g: &[f64], eta: f64, k: f64) -> f64 {
        let Some(mu_min) = self.mu.first() else { return 0.0 };
        let sum = |p: f64| g.iter().zip(&self.mu).map(|(g, mu)| (g / mu.powf(p)).powi(2)).sum::<f64>().sqrt();
        let time = eta * k;
        if matches!(self.basis, Basis::Duals { .. }) {
            self.error * sum(1.0).min(time * sum(0.0)) * (1.0 / mu_min.sqrt()).min(time.sqrt())
        } else {
            self.error * sum(1.0).min(time * sum(0.0)) * (1.0 / mu_min).min(time)
        }
    }

    /// Moves duals (and weights) by `sum_l mode_l a_l` with `a_l = g_l e_l / mu_l`; preactivations are left to a refresh.
    pub(crate) fn apply(&self, dynamics: &Dynamics, s: &mut State, a: &[f64]) {
        let (n, ld, c) = (dynamics.n, dynamics.ld, dynamics.problem.c());
        let mut sum = vec![0.0; n];
        match &self.basis {
            Basis::Duals { rows, q } => {
                let mut part = vec![0.0; rows.len()];
                for (l, a) in a.iter().enumerate() {
                    axpy(*a, q.row(l), &mut part);
                }
                for (p, &i) in part.iter().zip(rows) {
                    sum[i] = *p;
                }
            }
            Basis::Weights { v, phi } => {
                let mut shift = vec![0.0; v.cols()];
                for (l, a) in a.iter().enumerate() {
                    axpy(*a, v.row(l), &mut shift);
                    axpy(*a / self.mu[l], phi.row(l), &mut sum);
                }
                axpy(1.0, &shift, s.w.as_mut_slice());
            }
        }
        for j in 0..dynamics.m {
            for i in 0..n {
                if s.on[j * ld + i] {
                    s.alpha[j * ld + i] += c[j] * sum[i];
                }
            }
        }
    }

    /// Examples that carry mode l, largest weight first, up to half of its squared length and at most eight.
    pub(crate) fn carriers(&self, l: usize) -> Vec<usize> {
        let (rows, values): (Vec<usize>, &[f64]) = match &self.basis {
            Basis::Duals { rows, q } => (rows.clone(), q.row(l)),
            Basis::Weights { phi, .. } => ((0..phi.cols()).collect(), phi.row(l)),
        };
        let total: f64 = values.iter().map(|v| v * v).sum();
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_by(|&a, &b| values[b].abs().total_cmp(&values[a].abs()).then(a.cmp(&b)));
        let mut out = vec![];
        let mut held = 0.0;
        for a in order {
            if out.len() == 8 || held >= 0.5 * total {
                break;
            }
            held += values[a] * values[a];
            out.push(rows[a]);
        }
        out
    }
}

/// `M = sum_j c_j^2 D_j G D_j` restricted to `rows` (duals).
pub(crate) fn coupling(dynamics: &Dynamics, on: &[bool], rows: &[usize]) -> Mat {
    let (m, ld, c) = (dynamics.m, dynamics.ld, dynamics.problem.c());
    let mut out = Mat::zeros(rows.len(), rows.len());
    for j in 0..m {
        let square = c[j] * c[j];
        let active: Vec<usize> = (0..rows.len()).filter(|&a| on[j * ld + rows[a]]).collect();
        for &a in &active {
            let (gram, out) = (dynamics.gram_row(rows[a]), out.row_mut(a));
            for &b in &active {
                out[b] += square * gram[rows[b]];
            }
        }
    }
    out
}

/// `H = sum_i phi_i phi_i'`, phi_i = (c_j 1[j active on i] x_i)_j, m D x m D (weights).
pub(crate) fn weight_hessian(dynamics: &Dynamics, on: &[bool]) -> Mat {
    let (n, m, ld, c) = (dynamics.n, dynamics.m, dynamics.ld, dynamics.problem.c());
    let (x, dim) = (dynamics.problem.x(), dynamics.problem.dim());
    let mut h = Mat::zeros(m * dim, m * dim);
    for j in 0..m {
        for l in 0..=j {
            let shared: Vec<usize> = (0..n).filter(|&i| on[j * ld + i] && on[l * ld + i]).collect();
            let columns = x.select_rows(&shared).transpose();
            let block = mul_transposed(&columns, &columns);
            for a in 0..dim {
                for b in 0..dim {
                    let v = c[j] * c[l] * block[(a, b)];
                    h[(j * dim + a, l * dim + b)] = v;
                    h[(l * dim + b, j * dim + a)] = v;
                }
            }
        }
    }
    h
}

/// Eigenvalues above the null threshold of `order` rounding errors, their vectors, and the error bound.
fn decompose(matrix: &Mat, order: usize) -> (Vec<f64>, Mat, f64) {
    let e = symmetric_eigen(matrix);
    let top = e.values.last().copied().unwrap_or(0.0).max(0.0);
    let first = e.values.iter().position(|v| *v > NULL * order as f64 * f64::EPSILON * top).unwrap_or(e.values.len());
    let keep: Vec<usize> = (first..e.values.len()).collect();
    // |M - Q L Q'| from what was measured: (M Q - Q L) Q' and M (I - Q Q')
    let error = e.residual_bound() + e.orthogonality_bound() * top;
    (e.values[first..].to_vec(), e.vectors.select_rows(&keep), error)
}
