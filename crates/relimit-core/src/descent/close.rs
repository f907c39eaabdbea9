//! The closing certificate: from this state on nothing but the named ties can change its mask, and this is the limit.
//!
//! Let A_j be the active pairs that are not ties, T the ties, and Z0 the set of weights with `z = 0` on T, residual 0
//! on the tied examples and `X_A' r = 0` for every neuron. As long as the pairs outside T keep their masks, the deviation
//! delta from *any* point of Z0 obeys
//!
//! ```text
//! delta <- (I - eta J'J) delta,     J = rows (c_j 1[j active on i] x_i)_j of the current masks
//! ```
//!
//! because f is positively homogeneous around that point whatever the ties do. With `eta |J|^2 <= 2` for every mask of
//! the ties the distance to every point of Z0 never grows, and the sum of |J delta|^2 is finite: the run converges.
//! Hence with P the projection of the weights on Z0 and radius = |W - P|, every later iterate stays within that radius
//! of P; if each pair outside T is farther from 0 at P than |x_i| times the radius, the hypothesis sustains itself.
//! Without ties the limit is P itself. With ties it lies within the radius of P (and equals P if all ties end at 0:
//! the steps never move along Z0, so its projection is the same from every iterate).
//! No enumeration of the ties' masks is needed. [ours]

use super::dynamics::{Dynamics, State};
use super::modes::{coupling, weight_hessian};
use crate::num::Mat;
use crate::num::linalg::{Cholesky, Tridiagonal, mul_transposed, symmetric_eigen};
use crate::num::mat::{axpy, dot, max_abs, norm2};

/// A pair (neuron, example).
pub(crate) type Pair = (usize, usize);

/// The outcome of an attempt to close a run.
pub(crate) enum Closing {
    /// The run converges; the state is P.
    Closed {
        /// P, masks as at the attempt, ties at 0.
        state: Box<State>,
        /// Distance of the weights at the attempt to P.
        radius: f64,
    },
    /// These pairs outside the ties could still change their mask.
    Open(Vec<Pair>),
    /// No such limit: the ties' examples cannot be fitted, or the step is too large.
    Impossible,
}

/// Tries to close the run at `s` with the given ties.
///
/// One Cholesky factorisation of the active examples plus ties (duals), or one eigendecomposition of m D weights.
pub(crate) fn close(dynamics: &Dynamics, s: &State, ties: &[Pair], row_norm: &[f64]) -> Closing {
    let (n, m, ld) = (dynamics.n, dynamics.m, dynamics.ld);
    let mut fixed = s.on.clone();
    for &(j, i) in ties {
        fixed[j * ld + i] = false;
    }
    let hessian = if dynamics.in_duals() {
        coupling(dynamics, &fixed, &active_rows(dynamics, &fixed))
    } else {
        weight_hessian(dynamics, &fixed)
    };
    if !contracts(dynamics, &fixed, &hessian, ties) {
        return Closing::Impossible;
    }
    let projected = if dynamics.in_duals() {
        project_duals(dynamics, s, &fixed, hessian, ties)
    } else {
        project_weights(dynamics, s, &fixed, &hessian, ties)
    };
    let Some((mut state, radius, error)) = projected else { return Closing::Impossible };
    let reach = radius + error;
    let size = max_abs(&state.z).max(max_abs(dynamics.problem.y()));
    let mut open = vec![];
    for j in 0..m {
        let moves = (0..n).any(|i| fixed[j * ld + i]) || ties.iter().any(|t| t.0 == j);
        if !moves {
            continue;
        }
        for i in 0..n {
            let p = j * ld + i;
            let signed = if fixed[p] { state.z[p] } else { -state.z[p] };
            let margin = row_norm[i] * reach + 8.0 * f64::EPSILON * (row_norm[i] * reach + size);
            if row_norm[i] > 0.0 && !(signed > margin) && !ties.contains(&(j, i)) {
                open.push((j, i));
            }
        }
    }
    if !open.is_empty() {
        return Closing::Open(open);
    }
    for &(j, i) in ties {
        state.z[j * ld + i] = 0.0;
    }
    Closing::Closed { state: Box::new(state), radius: if ties.is_empty() { 0.0 } else { reach } }
}

/// Rows on which some neuron is active.
fn active_rows(dynamics: &Dynamics, on: &[bool]) -> Vec<usize> {
    (0..dynamics.n).filter(|&i| (0..dynamics.m).any(|j| on[j * dynamics.ld + i])).collect()
}

/// Whether `eta |J|^2 < 2` for every mask that the ties may take, from cheap bounds to exact ones; `hessian` is JJ' or J'J
/// of the pairs that are no ties.
fn contracts(dynamics: &Dynamics, fixed: &[bool], hessian: &Mat, ties: &[Pair]) -> bool {
    let (n, m, ld) = (dynamics.n, dynamics.m, dynamics.ld);
    let limit = 2.0 / dynamics.eta * (1.0 - 64.0 * n as f64 * f64::EPSILON);
    let matrix = |on: &[bool]| {
        if dynamics.in_duals() {
            coupling(dynamics, on, &active_rows(dynamics, on))
        } else {
            weight_hessian(dynamics, on)
        }
    };
    if ties.is_empty() {
        return below(hessian, limit);
    }
    // sum_j c_j^2 mu_max(G on A_j and T_j) bounds |J|^2 for every choice
    let mut total = 0.0;
    for j in 0..m {
        let mut only = vec![false; m * ld];
        only[j * ld..j * ld + n].copy_from_slice(&fixed[j * ld..j * ld + n]);
        for t in ties.iter().filter(|t| t.0 == j) {
            only[j * ld + t.1] = true;
        }
        total += Tridiagonal::of(&matrix(&only)).largest();
    }
    if total < limit {
        return true;
    }
    if ties.len() > 6 {
        return false;
    }
    (0..1usize << ties.len()).all(|code| {
        let mut on = fixed.to_vec();
        for (t, &(j, i)) in ties.iter().enumerate() {
            on[j * ld + i] = code >> t & 1 == 1;
        }
        below(&matrix(&on), limit)
    })
}

/// Whether the largest eigenvalue of a psd matrix is below `limit`: row sums, Frobenius norm, then eigenvalues.
fn below(matrix: &Mat, limit: f64) -> bool {
    let row_sum = (0..matrix.rows()).map(|i| matrix.row(i).iter().map(|v| v.abs()).sum::<f64>()).fold(0.0, f64::max);
    row_sum < limit || norm2(matrix.as_slice()) < limit || Tridiagonal::of(matrix).largest() < limit
}

/// P in duals: `B v = e` over the generators (c_j 1[i in A_j] x_i)_j of active rows and (x_i in slot j) of ties.
/// Returns P, |W - P| and a bound on the error of P (one step of refinement).
fn project_duals(
    dynamics: &Dynamics,
    s: &State,
    fixed: &[bool],
    active: Mat,
    ties: &[Pair],
) -> Option<(State, f64, f64)> {
    let (m, ld, c) = (dynamics.m, dynamics.ld, dynamics.problem.c());
    let rows = active_rows(dynamics, fixed);
    let y = dynamics.problem.y();
    let scale = max_abs(y).max(max_abs(&s.z));
    if ties.iter().any(|t| y[t.1] != 0.0 && !rows.contains(&t.1)) {
        return None;
    }
    let (nr, order) = (rows.len(), rows.len() + ties.len());
    let mut b = if ties.is_empty() {
        active
    } else {
        Mat::from_fn(order, order, |a, c| if a < nr && c < nr { active[(a, c)] } else { 0.0 })
    };
    for (t, &(j, i)) in ties.iter().enumerate() {
        for (a, &row) in rows.iter().enumerate() {
            let v = if fixed[j * ld + row] { c[j] * dynamics.gram_row(row)[i] } else { 0.0 };
            b[(a, nr + t)] = v;
            b[(nr + t, a)] = v;
        }
        for (u, &(l, k)) in ties.iter().enumerate() {
            b[(nr + t, nr + u)] = if j == l { dynamics.gram_row(i)[k] } else { 0.0 };
        }
    }
    let defect = |s: &State| -> Vec<f64> {
        let mut e: Vec<f64> = rows.iter().map(|&i| y[i]).collect();
        for j in 0..m {
            for (e, &i) in e.iter_mut().zip(&rows) {
                if fixed[j * ld + i] {
                    *e -= c[j] * s.z[j * ld + i];
                }
            }
        }
        e.extend(ties.iter().map(|&(j, i)| -s.z[j * ld + i]));
        e
    };
    let mut solver = PsdSolver::new(b);
    let mut p = s.clone();
    let mut moved = vec![0.0; order];
    let mut steps = [0.0; 3];
    for step in &mut steps {
        let e = defect(&p);
        let (v, unmet) = solver.solve(&e);
        let must = |a: usize| a >= nr || ties.iter().any(|t| t.1 == rows[a]);
        if (0..order).any(|a| must(a) && unmet[a].abs() > 1e-11 * scale) {
            return None;
        }
        *step = solver.length(&v);
        axpy(1.0, &v, &mut moved);
        for j in 0..m {
            for (v, &i) in v.iter().zip(&rows) {
                if fixed[j * ld + i] {
                    p.alpha[j * ld + i] += c[j] * v;
                }
            }
        }
        for (v, &(j, i)) in v[nr..].iter().zip(ties) {
            p.alpha[j * ld + i] += v;
        }
        dynamics.reread(&mut p);
    }
    Some((p, solver.length(&moved), 2.0 * steps[2]))
}

/// P in weights: first `z = 0` on the ties, then least squares on the active pairs within that subspace.
fn project_weights(
    dynamics: &Dynamics,
    s: &State,
    fixed: &[bool],
    hessian: &Mat,
    ties: &[Pair],
) -> Option<(State, f64, f64)> {
    let (n, m, ld, c) = (dynamics.n, dynamics.m, dynamics.ld, dynamics.problem.c());
    let (x, dim, y) = (dynamics.problem.x(), dynamics.problem.dim(), dynamics.problem.y());
    let scale = max_abs(y).max(max_abs(&s.z));
    // an orthonormal basis (rows) of the weights that vanish on the ties
    let mut constraints = Mat::zeros(m * dim, m * dim);
    for &(j, i) in ties {
        for a in 0..dim {
            for b in 0..dim {
                constraints[(j * dim + a, j * dim + b)] += x[(i, a)] * x[(i, b)];
            }
        }
    }
    let e = symmetric_eigen(&constraints);
    let top = e.values.last().copied().unwrap_or(0.0);
    let free: Vec<usize> =
        (0..m * dim).filter(|&l| e.values[l] <= 64.0 * (m * dim) as f64 * f64::EPSILON * top).collect();
    let basis = e.vectors.select_rows(&free);
    let inner = Mat::from_fn(free.len(), m * dim, |l, k| dot(basis.row(l), hessian.row(k)));
    let inner = Mat::from_fn(free.len(), free.len(), |l, k| dot(inner.row(l), basis.row(k)));
    let mut solver = PsdSolver::least_norm(inner);
    let mut p = s.clone();
    let within = basis.mul_vec(s.w.as_slice());
    p.w = Mat::from_vec(m, dim, basis.tmul_vec(&within));
    let mut steps = [0.0; 3];
    for step in &mut steps {
        dynamics.reread(&mut p);
        let r: Vec<f64> = (0..n)
            .map(|i| y[i] - (0..m).filter(|j| fixed[j * ld + i]).map(|j| c[j] * p.z[j * ld + i]).sum::<f64>())
            .collect();
        let mut gradient = Vec::with_capacity(m * dim);
        for j in 0..m {
            let masked: Vec<f64> = (0..n).map(|i| if fixed[j * ld + i] { c[j] * r[i] } else { 0.0 }).collect();
            gradient.extend(x.tmul_vec(&masked));
        }
        let (q, _) = solver.solve(&basis.mul_vec(&gradient));
        *step = norm2(&q);
        axpy(1.0, &basis.tmul_vec(&q), p.w.as_mut_slice());
    }
    dynamics.reread(&mut p);
    let r = dynamics.residual(&p);
    if ties.iter().any(|t| r[t.1].abs() > 1e-11 * scale) {
        return None;
    }
    let mut squared = 0.0;
    for j in 0..m {
        let shift: Vec<f64> = p.w.row(j).iter().zip(s.w.row(j)).map(|(a, b)| a - b).collect();
        squared += dot(&shift, &shift);
        let span: Vec<usize> = (0..n).filter(|&i| fixed[j * ld + i] || ties.contains(&(j, i))).collect();
        let columns = x.select_rows(&span).transpose();
        let mut solver = PsdSolver::least_norm(mul_transposed(&columns, &columns));
        let (u, _) = solver.solve(&shift);
        for &i in &span {
            p.alpha[j * ld + i] += dot(x.row(i), &u);
        }
    }
    Some((p, squared.sqrt(), 2.0 * steps[2]))
}

/// Solves psd systems: Cholesky while it is accurate, else the eigendecomposition with null directions dropped.
struct PsdSolver {
    matrix: Mat,
    cholesky: Option<Cholesky>,
    eigen: Option<(Vec<f64>, Mat)>,
}

impl PsdSolver {
    fn new(matrix: Mat) -> Self {
        let cholesky = Cholesky::new(&matrix);
        Self { matrix, cholesky, eigen: None }
    }

    /// A solver whose solutions have no null component (Cholesky of a nearly singular matrix would leave some).
    fn least_norm(matrix: Mat) -> Self {
        Self { matrix, cholesky: None, eigen: None }
    }

    /// A solution of `B v = e` (least squares if there is none) and what it leaves unmet, `e - B v`.
    fn solve(&mut self, e: &[f64]) -> (Vec<f64>, Vec<f64>) {
        if let Some(c) = &self.cholesky {
            let v = c.solve(e);
            let unmet = self.unmet(&v, e);
            if max_abs(&unmet) <= 1e-10 * max_abs(e) {
                return (v, unmet);
            }
            self.cholesky = None;
        }
        let (values, vectors) = self.eigen.get_or_insert_with(|| {
            let e = symmetric_eigen(&self.matrix);
            (e.values, e.vectors)
        });
        let top = values.last().copied().unwrap_or(0.0);
        let mut v = vec![0.0; e.len()];
        for (l, mu) in values.iter().enumerate() {
            if *mu > 16.0 * e.len() as f64 * f64::EPSILON * top {
                axpy(dot(vectors.row(l), e) / mu, vectors.row(l), &mut v);
            }
        }
        let unmet = self.unmet(&v, e);
        (v, unmet)
    }

    fn unmet(&self, v: &[f64], e: &[f64]) -> Vec<f64> {
        self.matrix.mul_vec(v).iter().zip(e).map(|(b, e)| e - b).collect()
    }

    /// `sqrt(v' B v)`.
    fn length(&self, v: &[f64]) -> f64 {
        dot(v, &self.matrix.mul_vec(v)).max(0.0).sqrt()
    }
}
