//! The convex problem of one node: every example in a state, solved in the dual.

use relimit_core::certify::min_norm::{Row, Sides, State, rows};
use relimit_core::num::Mat;
use relimit_core::num::mat::dot;
use relimit_core::num::nnls::{Nnls, NnlsEnd};

/// Gram matrix and targets of the examples that take part.
pub(super) struct System<'a> {
    pub g: &'a Mat,
    pub targets: Vec<f64>,
    pub sides: Sides,
    /// Polled at every pivot; a node that it stops keeps feasible multipliers, so its bound stays one.
    pub stop: &'a dyn Fn() -> bool,
}

/// Multipliers of one node and the weights that they stand for, `w_side = X' a[side]`.
#[derive(Clone, Debug)]
pub(super) struct Dual {
    /// Two multipliers per example.
    pub v: Vec<f64>,
    /// `v.rhs / |Q'v|`: a lower bound on the norm in this node (rounding not included).
    pub bound: f64,
    /// `|Q'v|`: the norm of the weights.
    pub norm: f64,
    /// Duals of the positive and the negative neuron.
    pub a: [Vec<f64>; 2],
    /// Preactivations of the positive and the negative neuron.
    pub z: [Vec<f64>; 2],
    /// Whether the multipliers are a ray: no point meets the node's constraints.
    pub ray: bool,
}

impl System<'_> {
    pub(super) fn n(&self) -> usize {
        self.targets.len()
    }

    /// Solves the node; `start` are multipliers that are feasible for its rows.
    pub(super) fn solve(&self, states: &[State], start: Option<&[f64]>) -> Dual {
        let all: Vec<[Row; 2]> = self.targets.iter().zip(states).map(|(&t, &s)| rows(t, s, self.sides)).collect();
        let live: Vec<usize> = (0..2 * self.n()).filter(|k| all[k / 2][k % 2].live()).collect();
        // Decided examples of two neurons that share no row: each neuron is a problem of its own.
        let coupled = live.iter().any(|k| all[k / 2][k % 2].pos != 0.0 && all[k / 2][k % 2].neg != 0.0);
        let parts: Vec<Vec<usize>> = if coupled {
            vec![live]
        } else {
            let (pos, neg) = live.into_iter().partition(|k| all[k / 2][k % 2].pos != 0.0);
            vec![pos, neg]
        };
        let mut v = vec![0.0; 2 * self.n()];
        let mut ray: Option<Vec<f64>> = None;
        for part in parts.iter().filter(|p| !p.is_empty()) {
            let row = |t: usize| all[part[t] / 2][part[t] % 2];
            let h = self.gram_of(&all, part);
            let b: Vec<f64> = (0..part.len()).map(|t| row(t).rhs).collect();
            let nonneg: Vec<bool> = (0..part.len()).map(|t| !row(t).free).collect();
            let start: Option<Vec<f64>> = start.map(|s| part.iter().map(|&k| s[k]).collect());
            let solved = Nnls { h: &h, b: &b, nonneg: &nonneg }.solve_until(start.as_deref(), self.stop);
            for (t, &k) in part.iter().enumerate() {
                v[k] = solved.v[t];
            }
            if let NnlsEnd::Unbounded { ray: r } = solved.end {
                let mut full = vec![0.0; v.len()];
                for (t, &k) in part.iter().enumerate() {
                    full[k] = r[t];
                }
                ray = Some(full);
            }
        }
        let is_ray = ray.is_some();
        self.read(states, ray.unwrap_or(v), is_ray)
    }

    /// Products of the rows `part` (2 i + slot) of the node's constraints.
    fn gram_of(&self, all: &[[Row; 2]], part: &[usize]) -> Mat {
        let terms: Vec<(f64, f64, usize)> = part
            .iter()
            .map(|k| {
                let row = all[k / 2][k % 2];
                (row.pos, row.neg, k / 2)
            })
            .collect();
        let mut out = Vec::with_capacity(part.len() * part.len());
        for &(pos, neg, i) in &terms {
            let g = self.g.row(i);
            out.extend(terms.iter().map(|&(p, q, l)| (pos * p + neg * q) * g[l]));
        }
        Mat::from_vec(part.len(), part.len(), out)
    }

    /// Weights and bound of given multipliers.
    pub(super) fn read(&self, states: &[State], v: Vec<f64>, ray: bool) -> Dual {
        let n = self.n();
        let mut a = [vec![0.0; n], vec![0.0; n]];
        let mut value = 0.0;
        for i in 0..n {
            for (slot, row) in rows(self.targets[i], states[i], self.sides).iter().enumerate() {
                let vi = v[2 * i + slot];
                value += vi * row.rhs;
                a[0][i] += vi * row.pos;
                a[1][i] += vi * row.neg;
            }
        }
        let z = [self.g.mul_vec(&a[0]), self.g.mul_vec(&a[1])];
        let square = dot(&z[0], &a[0]) + dot(&z[1], &a[1]);
        let norm = square.max(0.0).sqrt();
        let bound = if value > 0.0 { value / norm } else { 0.0 };
        Dual { v, bound, norm, a, z, ray }
    }

    /// Outputs `(a, o) = (C_own own, C_opp opp)` of example i at given preactivations.
    pub(super) fn outputs(&self, z: &[Vec<f64>; 2], i: usize) -> (f64, f64) {
        let (pos, neg) = (self.sides.pos * z[0][i], self.sides.neg * z[1][i]);
        if self.targets[i] >= 0.0 { (pos, neg) } else { (neg, pos) }
    }

    /// How far the outputs of an open example are from both of its states (0: it is met).
    pub(super) fn violation(&self, z: &[Vec<f64>; 2], i: usize) -> f64 {
        let (a, o) = self.outputs(z, i);
        let y = self.targets[i].abs();
        let apart = if y > 0.0 { (a - y).abs().max(o) } else { a.max(o).max(0.0) };
        let both = (a - o - y).abs().max(-o);
        apart.min(both) / self.g[(i, i)].max(f64::MIN_POSITIVE).sqrt()
    }

    /// The state that outputs are closer to.
    pub(super) fn nearest(&self, z: &[Vec<f64>; 2], i: usize) -> State {
        let (a, o) = self.outputs(z, i);
        let y = self.targets[i].abs();
        let apart = if y > 0.0 { (a - y).abs().max(o) } else { a.max(o).max(0.0) };
        let both = (a - o - y).abs().max(-o);
        if both < apart { State::Both } else { State::Apart }
    }
}

/// Multipliers of an open example as multipliers of one of its decided states (the same combination of rows).
pub(super) fn decide(v: &mut [f64], i: usize, state: State) {
    let (own, mix) = (v[2 * i], v[2 * i + 1]);
    (v[2 * i], v[2 * i + 1]) = match state {
        State::Open => (own, mix),
        // own (1,0) + mix (1,-1) = (own + mix) (1,0) + mix (0,-1)
        State::Apart => (own + mix, mix),
        // own (1,0) + mix (1,-1) = (own + mix) (1,-1) + own (0,1)
        State::Both => (own + mix, own),
    };
}
