//! The flow on fixed modes, in closed form.

use super::guard::{At, Guard, Kind};
use super::hold::Hold;
use super::modes::{dual_modes, weight_modes};
use super::space::Space;
use super::state::{Mode, State};
use crate::descent::Problem;
use crate::num::Mat;
use crate::num::linalg::mul_transposed;
use crate::num::mat::{axpy, dot};

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
    /// Residual at the start, and its coefficients, n x modes.
    r: Vec<f64>,
    dr: Mat,
    /// Integral of the residual that moves something, modes x n (weight coordinates only).
    spent: Mat,
    /// Relative error of the decomposition, measured.
    defect: f64,
}

pub(super) struct Neuron {
    pub(super) active: Vec<usize>,
    pub(super) sliding: Vec<usize>,
    /// `W_j`, |sliding| x |active|, and the projection that goes with it.
    pub(super) hold: Hold,
    /// Coefficients of the coordinates, modes x p.
    du: Mat,
    /// Coefficients of the preactivations, n x modes.
    dz: Mat,
    /// Push on the sliding pairs, and its coefficients.
    phi: Vec<f64>,
    dphi: Mat,
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
    /// Decomposes the flow on the state's modes. O(m n^2 modes) in duals, O(n (m D)^2) in weights.
    pub(super) fn new(problem: &Problem, space: &Space, state: &State) -> Result<Self, NoStretch> {
        let (n, m) = (problem.n(), problem.m());
        let r = state.residual(problem);
        let mut neurons = vec![];
        for j in 0..m {
            neurons.push(Neuron::new(space, state, j)?);
        }
        let seen: Vec<usize> = (0..n).filter(|&i| (0..m).any(|j| state.mode[j][i] == Mode::Active)).collect();
        let modes = match problem.gram() {
            Some(_) => dual_modes(problem, space, &neurons, &seen, &r)?,
            None => weight_modes(problem, &neurons, &seen, &r)?,
        };
        let mut dr = Mat::zeros(n, modes.mu.len());
        for (j, (neuron, du)) in neurons.iter_mut().zip(modes.du).enumerate() {
            neuron.dz = mul_transposed(space.basis(), &du);
            neuron.du = du;
            for &i in &neuron.active {
                axpy(-problem.c()[j], neuron.dz.row(i), dr.row_mut(i));
            }
        }
        for (j, neuron) in neurons.iter_mut().enumerate() {
            neuron.weigh(problem.c()[j], &r, &dr);
        }
        if !dr.max_abs().is_finite() {
            return Err(NoStretch::NotFinite);
        }
        Ok(Self { mu: modes.mu, neurons, r, dr, spent: modes.spent, defect: modes.defect })
    }

    /// Every sign that has to last, with the error bounds of its closed form.
    pub(super) fn guards(&self, problem: &Problem, space: &Space, state: &State) -> Vec<Guard<'_>> {
        let unit = space.unit() + self.defect;
        let r_scale = state.residual_scale(problem, space);
        let mut out = vec![];
        for (j, neuron) in self.neurons.iter().enumerate() {
            let mut add = |i: usize, kind: Kind, h0: f64, sign: f64, a, scale: f64| {
                if let Some(g) = self.guard((j, i, kind), (h0, sign, a), unit, scale) {
                    out.push(g);
                }
            };
            let z_scale = state.z_scale(space, j);
            for i in 0..problem.n() {
                match state.mode[j][i] {
                    Mode::Active => add(i, Kind::Fall, state.z[(j, i)], 1.0, neuron.dz.row(i), z_scale[i]),
                    Mode::Silent => add(i, Kind::Rise, -state.z[(j, i)], -1.0, neuron.dz.row(i), z_scale[i]),
                    Mode::Sliding => {}
                }
            }
            if state.collapsed[j] {
                let c = problem.c()[j];
                for i in (0..problem.n()).filter(|i| c * self.r[*i] < 0.0) {
                    add(i, Kind::Turn, c.abs() * self.r[i].abs(), -c, self.dr.row(i), c.abs() * r_scale[i]);
                }
            }
            for (q, &i) in neuron.sliding.iter().enumerate() {
                let c = problem.c()[j].abs();
                let weighed = neuron.hold.weights.row(q).iter().zip(&neuron.active).map(|(w, &a)| w.abs() * r_scale[a]);
                let scale = c * (weighed.sum::<f64>() + r_scale[i]);
                add(i, Kind::Drop, neuron.phi[q], 1.0, neuron.dphi.row(q), scale);
                add(i, Kind::Stick, neuron.slack[q], 1.0, neuron.dslack.row(q), scale);
            }
        }
        out
    }

    /// A guard with its error bounds; none where nothing moves.
    fn guard<'a>(
        &'a self,
        (j, i, kind): (usize, usize, Kind),
        (h0, sign, a): (f64, f64, &'a [f64]),
        unit: f64,
        scale: f64,
    ) -> Option<Guard<'a>> {
        let size: f64 = a.iter().map(|v| (sign * v).abs()).sum();
        let slope: f64 = a.iter().zip(&self.mu).map(|(v, m)| (sign * v * m).abs()).sum();
        let err = unit * (scale + h0.abs() + size);
        (size > 0.0).then(|| Guard {
            j,
            i,
            kind,
            // a start within rounding of 0 on the wrong side is a start on 0
            h0: if h0 < 0.0 && h0 >= -64.0 * err { 0.0 } else { h0 },
            sign,
            a,
            err,
            slope_err: unit * slope,
        })
    }

    /// Push on each sliding pair of neuron `j` (example, push) at one time.
    pub(super) fn pushes(&self, j: usize, x: &At) -> Vec<(usize, f64)> {
        let n = &self.neurons[j];
        n.sliding.iter().enumerate().map(|(q, &i)| (i, n.phi[q] + dot(n.dphi.row(q), &x.gone))).collect()
    }

    /// Preactivations at one time (m x n).
    pub(super) fn preactivations(&self, state: &State, x: &At) -> Mat {
        let mut z = state.z.clone();
        for (j, neuron) in self.neurons.iter().enumerate() {
            for i in 0..z.cols() {
                if state.mode[j][i] != Mode::Sliding {
                    z[(j, i)] += dot(neuron.dz.row(i), &x.gone);
                }
            }
        }
        z
    }

    /// Moves the state to one time of this stretch.
    pub(super) fn advance(&self, problem: &Problem, space: &Space, state: &mut State, x: &At) {
        for (j, neuron) in self.neurons.iter().enumerate() {
            let step = neuron.du.tmul_vec(&x.gone);
            axpy(1.0, &step, state.moved.row_mut(j));
        }
        if let Some(duals) = state.duals.as_mut() {
            let sum = self.spent.tmul_vec(&x.gone);
            for (j, neuron) in self.neurons.iter().enumerate() {
                let c = problem.c()[j];
                let active: Vec<f64> = neuron.active.iter().map(|&i| c * sum[i]).collect();
                for (v, &i) in active.iter().zip(&neuron.active) {
                    duals[(j, i)] += v;
                }
                for (q, &i) in neuron.sliding.iter().enumerate() {
                    duals[(j, i)] -= dot(neuron.hold.weights.row(q), &active);
                }
            }
        }
        if x.t.is_finite() {
            state.t += x.t;
        }
        state.refresh(space);
    }
}

impl Neuron {
    fn new(space: &Space, state: &State, j: usize) -> Result<Self, NoStretch> {
        let (active, sliding) = (state.in_mode(j, Mode::Active), state.in_mode(j, Mode::Sliding));
        let hold = Hold::new(space, &sliding, &active)?;
        let none = || Mat::zeros(0, 0);
        Ok(Self {
            active,
            sliding,
            hold,
            du: none(),
            dz: none(),
            phi: vec![],
            dphi: none(),
            slack: vec![],
            dslack: none(),
        })
    }

    /// Fills in the push on the sliding pairs and what it lacks to its cap.
    fn weigh(&mut self, c: f64, r: &[f64], dr: &Mat) {
        let ra: Vec<f64> = self.active.iter().map(|&i| c * r[i]).collect();
        self.phi = self.hold.weights.mul_vec(&ra);
        self.dphi = Mat::zeros(self.sliding.len(), dr.cols());
        self.dslack = self.dphi.clone();
        for (q, &i) in self.sliding.iter().enumerate() {
            let push = self.dphi.row_mut(q);
            for (w, &a) in self.hold.weights.row(q).iter().zip(&self.active) {
                axpy(c * w, dr.row(a), push);
            }
            let lack = self.dslack.row_mut(q);
            axpy(-c, dr.row(i), lack);
            axpy(-1.0, self.dphi.row(q), lack);
        }
        self.slack = self.sliding.iter().zip(&self.phi).map(|(&i, p)| -c * r[i] - p).collect();
    }
}
