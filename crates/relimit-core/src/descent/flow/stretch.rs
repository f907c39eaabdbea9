//! The flow on fixed modes, in closed form.

use std::borrow::Cow;

use super::covariance::Covariance;
use super::guard::{At, Guard, Kind};
use super::hold::Hold;
use super::ledger::Ledger;
use super::modes::{covariance_modes, dual_modes, weight_modes};
use super::space::Space;
use super::state::{Mode, State};
use crate::descent::Problem;
use crate::num::Mat;
use crate::num::linalg::mul_transposed;
use crate::num::mat::{axpy, dot, norm2};

/// The flow from one event to the next.
///
/// With A_j active and Z_j sliding, `W_j = G_ZZ^-1 G_ZA` makes the sliding preactivations stand still:
///
/// ```text
/// alpha_A' = c_j r_A,   alpha_Z' = -phi_j,   phi_j = c_j W_j r_A
/// r' = -M r,   M = sum_j c_j^2 E_A (G_AA - G_AZ W_j) E_A' = K K',   K_j = c_j E_A (X_A - W_j' X_Z)
/// ```
///
/// M (examples) and K'K (weights) have the same nonzero spectrum; the smaller one is decomposed. Everything then
/// has the form `v(t) = v(0) + sum_l a_l (1 - exp(-mu_l t))`. Null directions of M move nothing and are dropped.
pub(super) struct Stretch {
    /// Rates, positive.
    pub(super) mu: Vec<f64>,
    neurons: Vec<Neuron>,
    /// Residual at the start.
    r: Vec<f64>,
    /// Length of the way of all weights along each mode (weight coordinates only).
    ways: Vec<f64>,
    spent: Spent,
    error: Error,
}

/// What the closed form is in error by, in terms of the way of the weights.
///
/// An error E of the matrix bends the way by `E t` as long as it lasts, but not by more than E over the slowest rate; an
/// error of the pulls adds to it in the same way.
#[derive(Default)]
struct Error {
    /// Relative, whatever the time.
    defect: f64,
    /// Of the matrix, in norm.
    matrix: f64,
    /// Of the pulls on the weights.
    pull: f64,
    /// 1 over the slowest rate.
    longest: f64,
}

impl Error {
    /// Relative error of what has moved up to time t.
    fn relative(&self, t: f64) -> f64 {
        self.defect + self.matrix * t.min(self.longest)
    }

    /// Absolute error of the weights at time t on top of that.
    fn drift(&self, t: f64) -> f64 {
        self.pull * t.min(self.longest)
    }
}

/// What the duals move by: the integral of the residual that moves something.
pub(super) enum Spent {
    /// It is the motion of the coordinates.
    Moved,
    /// Coefficients, modes x n.
    Rows(Mat),
    /// `sum_j c_j x_i . q_j` on active pairs, with `q = sum_l du_l (1 - exp(-mu_l t)) / mu_l`.
    Weights,
}

pub(super) struct Neuron {
    pub(super) active: Vec<usize>,
    pub(super) sliding: Vec<usize>,
    /// `W_j`, |sliding| x |active|, and the projection that goes with it.
    pub(super) hold: Hold,
    /// Coefficients of the coordinates, modes x p.
    du: Mat,
    /// Coefficients of the preactivations, n x modes, unless they are made one by one.
    dz: Option<Mat>,
    /// Push on the sliding pairs, its coefficients, and a bound on its rounding error.
    phi: Vec<f64>,
    dphi: Mat,
    phi_err: Vec<f64>,
    /// How much an error of the pull on the weights moves each push, where it came from that.
    gains: Vec<f64>,
    /// What the push lacks to its cap `-c_j r_i`, and its coefficients.
    slack: Vec<f64>,
    dslack: Mat,
}

/// Why a stretch has no closed form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoStretch {
    /// The sliding rows of a neuron are dependent to rounding.
    Dependent,
    /// A number left the range of f64.
    NotFinite,
}

impl Stretch {
    /// Decomposes the flow on the state's modes, from the covariance of the active examples where that is precise
    /// enough. O(m n^2 modes) in duals, O(n (m D)^2) in weights, O(n m D + (m D)^3) from the covariance.
    pub(super) fn new(
        problem: &Problem,
        space: &Space,
        state: &State,
        covariance: Option<&Covariance>,
    ) -> Result<Self, NoStretch> {
        let r = state.residual(problem);
        match covariance {
            Some(h) => match Self::from_covariance(problem, space, state, h, &r)? {
                Some(stretch) => Ok(stretch),
                None => Self::from_examples(problem, space, state, r),
            },
            None => Self::from_examples(problem, space, state, r),
        }
    }

    fn from_examples(problem: &Problem, space: &Space, state: &State, r: Vec<f64>) -> Result<Self, NoStretch> {
        let (n, m) = (problem.n(), problem.m());
        let mut neurons = vec![];
        for j in 0..m {
            let (active, sliding) = (state.in_mode(j, Mode::Active), state.in_mode(j, Mode::Sliding));
            let hold = Hold::new(space, &sliding, &active)?;
            neurons.push(Neuron::new(active, sliding, hold));
        }
        let seen: Vec<usize> = (0..n).filter(|&i| (0..m).any(|j| state.mode[j][i] == Mode::Active)).collect();
        let modes = match problem.gram() {
            Some(_) => dual_modes(problem, space, &neurons, &seen, &r)?,
            None => weight_modes(problem, &neurons, &seen, &r)?,
        };
        for (neuron, du) in neurons.iter_mut().zip(modes.du) {
            neuron.dz = Some(mul_transposed(space.basis(), &du));
            neuron.du = du;
        }
        let spent = if space.dual() { Spent::Moved } else { Spent::Rows(modes.spent) };
        let mut stretch = Self {
            mu: modes.mu,
            neurons,
            r,
            ways: vec![],
            spent,
            error: Error { defect: modes.defect, ..Error::default() },
        };
        stretch.measure();
        let unit = space.sum_unit() + stretch.error.defect;
        for j in 0..m {
            if stretch.neurons[j].sliding.is_empty() {
                continue;
            }
            let (c, neuron) = (problem.c()[j], &stretch.neurons[j]);
            let w = &neuron.hold.weights;
            let pull: Vec<f64> = neuron.active.iter().map(|&i| c * stretch.r[i]).collect();
            let phi = w.mul_vec(&pull);
            let mut dphi = Mat::zeros(neuron.sliding.len(), stretch.mu.len());
            let mut err = vec![0.0; neuron.sliding.len()];
            for (a, &i) in neuron.active.iter().enumerate() {
                let (row, scale) =
                    (stretch.residual_row(problem, space, state, i), state.residual_scale(problem, space, i));
                for q in 0..neuron.sliding.len() {
                    axpy(c * w[(q, a)], &row, dphi.row_mut(q));
                    err[q] += unit * (c * w[(q, a)]).abs() * scale;
                }
            }
            stretch.weigh(problem, space, state, j, (phi, dphi, err));
        }
        stretch.finite()
    }

    /// `None` where the covariance does not resolve what moves.
    fn from_covariance(
        problem: &Problem,
        space: &Space,
        state: &State,
        covariance: &Covariance,
        r: &[f64],
    ) -> Result<Option<Self>, NoStretch> {
        let (m, dim, unit) = (problem.m(), problem.dim(), space.sum_unit());
        let (mut neurons, mut pulls) = (vec![], vec![]);
        for (j, c) in problem.c().iter().enumerate() {
            let sliding = state.in_mode(j, Mode::Sliding);
            let hold = Hold::of_rows(space, &sliding)?;
            neurons.push(Neuron::new(vec![], sliding, hold));
            let own = r.iter().zip(&state.mode[j]).map(|(r, mode)| c * r * mode.share());
            pulls.push(space.pull(own.collect()));
        }
        let Some(modes) = covariance_modes(covariance, &neurons, &pulls) else { return Ok(None) };
        for (neuron, du) in neurons.iter_mut().zip(modes.du) {
            neuron.du = du;
        }
        let error: Vec<f64> = pulls.iter().map(|p| unit * space.speed_scale(p)).collect();
        let slowest = modes.mu.iter().fold(f64::INFINITY, |a, b| a.min(*b));
        let longest = if modes.mu.is_empty() { 0.0 } else { 1.0 / slowest };
        let of = Error { defect: unit, matrix: modes.defect, pull: norm2(&error), longest };
        let mut stretch = Self { mu: modes.mu, neurons, r: r.to_vec(), ways: vec![], spent: Spent::Weights, error: of };
        stretch.measure();
        for j in 0..m {
            if stretch.neurons[j].sliding.is_empty() {
                continue;
            }
            let neuron = &stretch.neurons[j];
            let phi = neuron.hold.coefficients(pulls[j].weights());
            let mut dphi = Mat::zeros(neuron.sliding.len(), stretch.mu.len());
            for l in 0..stretch.mu.len() {
                let way: Vec<f64> = stretch.neurons.iter().flat_map(|n| n.du.row(l).iter().copied()).collect();
                let pull: Vec<f64> = (0..dim).map(|k| -dot(covariance.matrix().row(j * dim + k), &way)).collect();
                for (q, v) in neuron.hold.coefficients(&pull).into_iter().enumerate() {
                    dphi[(q, l)] = v;
                }
            }
            let c = problem.c()[j].abs();
            let seen = (0..problem.n()).filter(|&i| state.mode[j][i] == Mode::Active);
            let carried: f64 = seen.map(|i| c * space.row_norm(i) * state.residual_scale(problem, space, i)).sum();
            let pull_err = error[j] + space.unit() * carried;
            let gains = neuron.hold.gains();
            let err = gains.iter().map(|g| g * pull_err).collect();
            stretch.neurons[j].gains = gains;
            stretch.weigh(problem, space, state, j, (phi, dphi, err));
        }
        stretch.finite().map(Some)
    }

    fn measure(&mut self) {
        let way = |l: usize| norm2(&self.neurons.iter().flat_map(|n| n.du.row(l).iter().copied()).collect::<Vec<_>>());
        self.ways = (0..self.mu.len()).map(way).collect();
    }

    fn finite(self) -> Result<Self, NoStretch> {
        if self.neurons.iter().all(|n| n.du.max_abs().is_finite() && n.dphi.max_abs().is_finite()) {
            Ok(self)
        } else {
            Err(NoStretch::NotFinite)
        }
    }

    /// Fills in the push (its value, coefficients and error) on the sliding pairs of neuron `j`, and what it lacks to
    /// its cap.
    fn weigh(
        &mut self,
        problem: &Problem,
        space: &Space,
        state: &State,
        j: usize,
        (phi, dphi, err): (Vec<f64>, Mat, Vec<f64>),
    ) {
        let (c, sliding) = (problem.c()[j], self.neurons[j].sliding.clone());
        let mut dslack = Mat::zeros(dphi.rows(), dphi.cols());
        for (q, &i) in sliding.iter().enumerate() {
            axpy(-c, &self.residual_row(problem, space, state, i), dslack.row_mut(q));
            axpy(-1.0, dphi.row(q), dslack.row_mut(q));
        }
        let slack = sliding.iter().zip(&phi).map(|(&i, p)| -c * self.r[i] - p).collect();
        let neuron = &mut self.neurons[j];
        (neuron.phi, neuron.dphi, neuron.phi_err, neuron.slack, neuron.dslack) = (phi, dphi, err, slack, dslack);
    }

    /// Coefficients of `z_ji`, one a mode.
    fn row(&self, space: &Space, j: usize, i: usize) -> Cow<'_, [f64]> {
        let neuron = &self.neurons[j];
        match &neuron.dz {
            Some(dz) => Cow::Borrowed(dz.row(i)),
            None => Cow::Owned(neuron.du.mul_vec(space.basis().row(i))),
        }
    }

    /// Coefficients of `r_i`, one a mode.
    fn residual_row(&self, problem: &Problem, space: &Space, state: &State, i: usize) -> Vec<f64> {
        let mut out = vec![0.0; self.mu.len()];
        for (j, c) in problem.c().iter().enumerate() {
            if state.mode[j][i] == Mode::Active {
                axpy(-c, &self.row(space, j, i), &mut out);
            }
        }
        out
    }

    /// Whether some preactivation of neuron `j` is clearly away from 0, at time t of the stretch.
    pub(super) fn away(&self, space: &Space, state: &State, j: usize, t: f64) -> bool {
        let (unit, drift) = (1e3 * (space.unit() + self.error.relative(t)), 1e3 * self.error.drift(t));
        let far = |(i, z): (usize, &f64)| z.abs() > unit * state.z_scale(space, j, i) + space.row_norm(i) * drift;
        state.z.row(j).iter().enumerate().any(far)
    }

    /// Whether neuron `j` moves at all.
    fn moves(&self, j: usize) -> bool {
        self.neurons[j].du.max_abs() > 0.0
    }

    /// A bound on the way of all weights together up to one time (weight coordinates only).
    pub(super) fn way(&self, x: &At) -> f64 {
        // the ways along the modes are orthogonal up to the defect
        let square: f64 = self.ways.iter().zip(&x.gone).map(|(w, g)| (w * g) * (w * g)).sum();
        square.sqrt() * (1.0 + self.mu.len() as f64 * self.error.relative(x.t).min(1.0)) + self.error.drift(x.t)
    }

    /// Pairs whose preactivation may reach 0 before the weights have gone a way of length `reach`.
    pub(super) fn within_reach(&self, space: &Space, state: &State, reach: f64) -> Vec<(usize, usize)> {
        let unit = 4.0 * space.unit();
        let mut out = vec![];
        for j in (0..state.z.rows()).filter(|&j| self.moves(j)) {
            for (i, (z, mode)) in state.z.row(j).iter().zip(&state.mode[j]).enumerate() {
                let margin = unit * (state.z_scale(space, j, i) + z.abs());
                if z.abs() - margin <= space.row_norm(i) * reach && *mode != Mode::Sliding {
                    out.push((j, i));
                }
            }
        }
        out
    }

    /// The guard of each of the given pairs that are not sliding, with error bounds that hold up to time `to`.
    pub(super) fn pair_guards(
        &self,
        space: &Space,
        state: &State,
        pairs: &[(usize, usize)],
        to: &At,
    ) -> Vec<Guard<'_>> {
        let (unit, drift) = (space.unit(), self.error.drift(to.t));
        let guard = |&(j, i): &(usize, usize)| {
            let z = state.z[(j, i)];
            let err = unit * state.z_scale(space, j, i) + space.row_norm(i) * drift;
            match state.mode[j][i] {
                Mode::Active => self.guard(unit, (j, i, Kind::Fall), (z, 1.0, self.row(space, j, i)), err, to),
                Mode::Silent => self.guard(unit, (j, i, Kind::Rise), (-z, -1.0, self.row(space, j, i)), err, to),
                Mode::Sliding => None,
            }
        };
        pairs.iter().filter_map(guard).collect()
    }

    /// Guards of the pushes on sliding pairs and of the pulls on collapsed neurons, in the same way.
    pub(super) fn push_guards(&self, problem: &Problem, space: &Space, state: &State, to: &At) -> Vec<Guard<'_>> {
        let (unit, drift, bent) = (space.unit(), self.error.drift(to.t), self.error.matrix * self.way(to));
        let mut out = vec![];
        for (j, neuron) in self.neurons.iter().enumerate() {
            let c = problem.c()[j];
            let scale =
                |i: usize| c.abs() * (unit * state.residual_scale(problem, space, i) + space.row_norm(i) * drift);
            if state.collapsed[j] {
                for i in (0..problem.n()).filter(|i| c * self.r[*i] < 0.0) {
                    let row = Cow::Owned(self.residual_row(problem, space, state, i));
                    let h0 = (c * self.r[i]).abs();
                    out.extend(self.guard(unit, (j, i, Kind::Turn), (h0, -c, row), scale(i), to));
                }
            }
            for (q, &i) in neuron.sliding.iter().enumerate() {
                let err = neuron.phi_err[q] + neuron.gains.get(q).map_or(0.0, |g| g * bent) + scale(i);
                let (phi, slack) = (Cow::Borrowed(neuron.dphi.row(q)), Cow::Borrowed(neuron.dslack.row(q)));
                out.extend(self.guard(unit, (j, i, Kind::Drop), (neuron.phi[q], 1.0, phi), err, to));
                out.extend(self.guard(unit, (j, i, Kind::Stick), (neuron.slack[q], 1.0, slack), err, to));
            }
        }
        out
    }

    /// A guard with its error bounds, `err` being that of its start; none where nothing moves.
    fn guard<'a>(
        &'a self,
        unit: f64,
        (j, i, kind): (usize, usize, Kind),
        (h0, sign, a): (f64, f64, Cow<'a, [f64]>),
        err: f64,
        to: &At,
    ) -> Option<Guard<'a>> {
        let moved: f64 = a.iter().zip(&to.gone).map(|(v, gone)| (v * gone).abs()).sum();
        let slope: f64 = a.iter().zip(&self.mu).map(|(v, m)| (v * m).abs()).sum();
        let relative = unit + self.error.relative(to.t);
        let err = err + unit * h0.abs() + relative * moved;
        (slope > 0.0).then(|| Guard {
            j,
            i,
            kind,
            // a start within rounding of 0 on the wrong side is a start on 0
            h0: if h0 < 0.0 && h0 >= -64.0 * err { 0.0 } else { h0 },
            sign,
            a,
            err,
            slope_err: relative * slope,
        })
    }

    /// Push on each sliding pair of neuron `j` (example, push) at one time.
    pub(super) fn pushes(&self, j: usize, x: &At) -> Vec<(usize, f64)> {
        let n = &self.neurons[j];
        n.sliding.iter().enumerate().map(|(q, &i)| (i, n.phi[q] + dot(n.dphi.row(q), &x.gone))).collect()
    }

    /// Preactivations at one time (m x n).
    pub(super) fn preactivations(&self, space: &Space, state: &State, x: &At) -> Mat {
        let moved: Vec<Vec<f64>> = self.neurons.iter().map(|neuron| neuron.du.tmul_vec(&x.gone)).collect();
        let dz = space.image(&Mat::from_rows(&moved));
        let mut z = state.z.clone();
        for j in 0..z.rows() {
            for i in (0..z.cols()).filter(|&i| state.mode[j][i] != Mode::Sliding) {
                z[(j, i)] += dz[(j, i)];
            }
        }
        z
    }

    /// Moves the state to one time of this stretch.
    pub(super) fn advance(
        &self,
        problem: &Problem,
        space: &Space,
        state: &mut State,
        covariance: Option<&Covariance>,
        x: &At,
    ) {
        for (j, neuron) in self.neurons.iter().enumerate() {
            let step = neuron.du.tmul_vec(&x.gone);
            axpy(1.0, &step, state.moved.row_mut(j));
        }
        match (&self.spent, state.duals.as_mut(), covariance) {
            (Spent::Rows(spent), Some(ledger), _) => {
                let sum = spent.tmul_vec(&x.gone);
                for (j, neuron) in self.neurons.iter().enumerate() {
                    let c = problem.c()[j];
                    let active: Vec<f64> = neuron.active.iter().map(|&i| c * sum[i]).collect();
                    for (v, &i) in active.iter().zip(&neuron.active) {
                        ledger.add(j, i, *v);
                    }
                    for (q, &i) in neuron.sliding.iter().enumerate() {
                        ledger.add(j, i, -dot(neuron.hold.weights.row(q), &active));
                    }
                }
            }
            (Spent::Weights, Some(ledger), Some(covariance)) => self.spend(problem, covariance, ledger, x),
            _ => {}
        }
        if x.t.is_finite() {
            state.t += x.t;
        }
        state.refresh(space);
    }

    /// Moves the weights so that sliding preactivations are 0 to rounding and not only to the bounds that they were
    /// caught within.
    pub(super) fn pin(&self, problem: &Problem, space: &Space, state: &mut State) {
        for (j, neuron) in self.neurons.iter().enumerate().filter(|(_, neuron)| !neuron.sliding.is_empty()) {
            let z: Vec<f64> = neuron.sliding.iter().map(|&i| state.preactivation(space, j, i)).collect();
            for (v, &i) in neuron.hold.pin(&z).into_iter().zip(&neuron.sliding) {
                axpy(v, problem.x().row(i), state.moved.row_mut(j));
                if let Some(ledger) = state.duals.as_mut() {
                    ledger.add(j, i, v);
                }
            }
        }
        state.refresh(space);
    }

    /// Books the duals of this stretch: those of active pairs as one vector, those of sliding pairs at once.
    fn spend(&self, problem: &Problem, covariance: &Covariance, ledger: &mut Ledger, x: &At) {
        let dim = problem.dim();
        let share: Vec<f64> = x.gone.iter().zip(&self.mu).map(|(gone, mu)| gone / mu).collect();
        let q: Vec<f64> = self.neurons.iter().flat_map(|neuron| neuron.du.tmul_vec(&share)).collect();
        for (j, neuron) in self.neurons.iter().enumerate().filter(|(_, neuron)| !neuron.sliding.is_empty()) {
            let pull: Vec<f64> = (0..dim).map(|k| dot(covariance.matrix().row(j * dim + k), &q)).collect();
            for (v, &i) in neuron.hold.coefficients(&pull).iter().zip(&neuron.sliding) {
                ledger.add(j, i, -v);
            }
        }
        ledger.spend(&q);
    }
}

impl Neuron {
    fn new(active: Vec<usize>, sliding: Vec<usize>, hold: Hold) -> Self {
        let none = || Mat::zeros(0, 0);
        Self {
            active,
            sliding,
            hold,
            du: none(),
            dz: None,
            phi: vec![],
            dphi: none(),
            phi_err: vec![],
            gains: vec![],
            slack: vec![],
            dslack: none(),
        }
    }
}
