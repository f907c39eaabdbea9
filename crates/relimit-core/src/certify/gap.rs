//! How far a limit is from the minimum-norm solution: measured, by identity, predicted, and bounded without a solver.

use serde::{Deserialize, Serialize};

use crate::num::Mat;
use crate::num::linalg::{Cholesky, gram};
use crate::num::mat::{dot, max_abs, norm2};
use crate::problem::{Problem, RowSpace, Weights};

/// The state that a run ended in: `w_j = X' alpha_j + offset_j`, `z_j = X w_j`.
#[derive(Clone, Copy, Debug)]
pub struct Reached<'a> {
    /// Duals, m x n.
    pub alpha: &'a Mat,
    /// Preactivations, m x n.
    pub z: &'a Mat,
    /// Weights, m x D; looked at when n > D only.
    pub w: &'a Weights,
    /// Part of the weights outside the row space, m x D.
    pub offset: &'a Mat,
}

/// What the leading-order prediction needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outlook {
    /// The half-sum step (0: flow).
    pub eta: f64,
    /// Effective dimension `d_2` of the population, if known: for the next order.
    pub d2: Option<f64>,
}

/// The gap of one neuron.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NeuronGap {
    /// `|w_j - w_j*|`.
    pub absolute: f64,
    /// `sqrt(v'Sv)`, where it applies.
    pub identity: Option<f64>,
    /// The solver-free bound on the distance to the least-norm weights that fit the neuron's own labels and are silent
    /// elsewhere, where its hypotheses hold.
    pub bound: Option<f64>,
}

/// The gap between a limit and the minimum-norm solution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gap {
    /// `|W - W*|`, all neurons.
    pub absolute: f64,
    /// `|W - W*| / |W*|`; none when `W* = 0`.
    pub relative: Option<f64>,
    /// All neurons by the identity, when it applies to each.
    pub identity: Option<f64>,
    /// `|identity - absolute| / absolute`.
    pub identity_disagreement: Option<f64>,
    /// Leading order for a small start whose masks settle in one step: `eta sqrt(tau) sqrt(sum_j c_j^2 |y_N_j|^2)`.
    pub predicted: f64,
    /// With the next-order factor, where it is valid.
    pub predicted_next: Option<f64>,
    /// All neurons by the solver-free bound, when it holds for each and W* keeps the neurons apart.
    pub bound: Option<f64>,
    /// Neuron by neuron.
    pub neurons: Vec<NeuronGap>,
}

/// Largest `C s` for which the next-order factor is used (it is derived for small values).
const NEXT_ORDER_LIMIT: f64 = 0.5;

/// Compares a limit with the minimum-norm duals `a*` (m x n, `w_j* = X' a_j*`).
///
/// ```text
/// absolute^2  = sum_j (alpha_j - a_j*)' G (alpha_j - a_j*) + |offset|^2                (through X when n > D)
/// identity    : |w - w*|^2 = v'Sv,  v = alpha_N + mu,  S = G_NN - G_NP G_PP^-1 G_PN    when both fit P, the own labels
/// prediction  : eta |c_j| sqrt(tau) |y_N_j|;  next order sqrt(1 - 2 C s / sqrt(2 pi) + C^2 s^2 / 2), s = |y_P| / sqrt(d_2),
///               for labels of one size, half of each sign, C s <= 1/2
/// bound       : |w - w*|^2 <= sum_N nu_i |z_i|,  nu = -alpha_N >= 0, X_N w <= 0; an inexact fit e is first removed by
///               w' = w - X_P' G_PP^-1 e, and |w - w'| added
/// ```
///
/// # Cost
/// O(m n^2), and one Cholesky factorisation of the own labels' block per neuron.
///
/// # Source
/// math note on the descent limit, section 3.5.
pub fn gap(problem: &Problem, reached: &Reached<'_>, min_norm: &Mat, outlook: &Outlook) -> Gap {
    let (n, m, d) = (problem.n(), problem.m(), problem.dim());
    for (name, a, cols) in [
        ("alpha", reached.alpha, n),
        ("z", reached.z, n),
        ("minimum-norm duals", min_norm, n),
        ("offset", reached.offset, d),
    ] {
        assert_eq!((a.rows(), a.cols()), (m, cols), "{name} is {}x{}, expected {m}x{cols}", a.rows(), a.cols());
    }
    assert_eq!(reached.w.shape(), (m, d), "weights, expected {m}x{d}");
    let lengths = problem.row_lengths();
    let optimum: Vec<RowSpace> = (0..m).map(|j| problem.row_space(&lengths, min_norm.row(j))).collect();
    let neurons: Vec<NeuronGap> = (0..m)
        .map(|j| {
            let alone = problem.c().iter().filter(|c| **c * problem.c()[j] > 0.0).count() == 1;
            let block = if alone { Block::new(problem, &lengths, j) } else { None };
            NeuronGap {
                absolute: direct(problem, reached, min_norm.row(j), j),
                identity: block.as_ref().and_then(|b| b.identity(reached, min_norm.row(j), &optimum[j].z, j)),
                bound: block.as_ref().and_then(|b| b.bound(problem, reached, j)),
            }
        })
        .collect();
    let all =
        |f: &dyn Fn(&NeuronGap) -> Option<f64>| neurons.iter().map(f).collect::<Option<Vec<f64>>>().map(|v| norm2(&v));
    let absolute = norm2(&neurons.iter().map(|g| g.absolute).collect::<Vec<_>>());
    let length = norm2(&optimum.iter().map(|o| o.length).collect::<Vec<_>>());
    let identity = all(&|g| g.identity);
    let apart = keeps_apart(problem, &lengths, &optimum);
    let (predicted, predicted_next) = predict(problem, &lengths, outlook);
    Gap {
        absolute,
        relative: (length > 0.0).then(|| absolute / length),
        identity,
        identity_disagreement: identity.map(|i| if absolute > 0.0 { (i - absolute).abs() / absolute } else { i }),
        predicted,
        predicted_next,
        bound: all(&|g| g.bound).filter(|_| apart),
        neurons,
    }
}

/// `|w_j - w_j*|` in the smaller of the two spaces.
fn direct(problem: &Problem, reached: &Reached<'_>, a: &[f64], j: usize) -> f64 {
    let Some(g) = problem.gram() else {
        let optimum = problem.x().tmul_vec(a);
        let difference: Vec<f64> = reached.w.row(j).iter().zip(&optimum).map(|(p, q)| p - q).collect();
        return norm2(&difference);
    };
    let v: Vec<f64> = reached.alpha.row(j).iter().zip(a).map(|(p, q)| p - q).collect();
    let offset = reached.offset.row(j);
    // The offset is orthogonal to the rows up to rounding: its cross term is kept.
    let cross = if max_abs(offset) > 0.0 { dot(&problem.x().mul_vec(offset), &v) } else { 0.0 };
    (dot(&g.mul_vec(&v), &v) + 2.0 * cross + dot(offset, offset)).max(0.0).sqrt()
}

/// Whether every neuron of W* is silent on labels that are not of its sign.
fn keeps_apart(problem: &Problem, lengths: &[f64], optimum: &[RowSpace]) -> bool {
    optimum.iter().zip(problem.c()).all(|(w, c)| {
        let own = |i: usize| c * problem.y()[i] > 0.0;
        (0..problem.n()).all(|i| own(i) || w.z[i] <= 1e-9 * lengths[i] * w.length)
    })
}

/// Leading order, and the next where it is valid.
fn predict(problem: &Problem, lengths: &[f64], outlook: &Outlook) -> (f64, Option<f64>) {
    let y = problem.y();
    let n = problem.n().max(1) as f64;
    let tau = lengths.iter().map(|l| l * l).sum::<f64>() / n;
    let largest = max_abs(y);
    let (mut leading, mut next) = (Vec::new(), Some(Vec::new()));
    let positive = y.iter().filter(|v| **v > 0.0).count();
    let even = 2 * positive == y.len() && y.iter().all(|v| (v.abs() - largest).abs() <= 1e-9 * largest);
    for (j, &c) in problem.c().iter().enumerate() {
        let (own, rest): (Vec<f64>, Vec<f64>) = y.iter().partition(|v| **v * c > 0.0);
        let first = outlook.eta * c.abs() * tau.sqrt() * norm2(&rest);
        leading.push(first);
        let alone = problem.c().iter().enumerate().all(|(k, o)| k == j || o * c < 0.0);
        let ratio = outlook.d2.filter(|d2| *d2 > 0.0).map(|d2| {
            let steps = 1.0 / (outlook.eta * c * c * tau);
            steps * norm2(&own) / (largest * d2.sqrt())
        });
        next = match (next, ratio) {
            (Some(mut v), Some(t)) if even && alone && t <= NEXT_ORDER_LIMIT => {
                v.push(first * (1.0 - 2.0 * t / (2.0 * std::f64::consts::PI).sqrt() + 0.5 * t * t).sqrt());
                Some(v)
            }
            _ => None,
        };
    }
    (norm2(&leading), next.map(|v| norm2(&v)))
}

/// The own labels (P) and the rest (N) of one neuron, with the Gram matrix factored on P.
struct Block<'a> {
    own: Vec<usize>,
    rest: Vec<usize>,
    /// What the neuron has to output on P: `|y| / |c|`.
    values: Vec<f64>,
    /// G_PP and G_NP, G_NN (the last only when the Gram matrix is there).
    pp: Mat,
    np: Mat,
    nn: Option<Mat>,
    factor: Option<Cholesky>,
    lengths: &'a [f64],
}

impl<'a> Block<'a> {
    /// `None` when the own rows are dependent.
    fn new(problem: &Problem, lengths: &'a [f64], j: usize) -> Option<Self> {
        let c = problem.c()[j];
        let (own, rest): (Vec<usize>, Vec<usize>) = (0..problem.n()).partition(|&i| problem.y()[i] * c > 0.0);
        if own.len() > problem.dim() {
            return None;
        }
        let (pp, np, nn) = if let Some(g) = problem.gram() {
            (g.select(&own, &own), g.select(&rest, &own), Some(g.select(&rest, &rest)))
        } else {
            let x = problem.x();
            let p = x.select_rows(&own);
            (gram(&p), crate::num::linalg::mul_transposed(&x.select_rows(&rest), &p), None)
        };
        let factor = if own.is_empty() { None } else { Some(Cholesky::new(&pp)?) };
        let values = own.iter().map(|&i| (problem.y()[i] / c).abs()).collect();
        Some(Self { own, rest, values, pp, np, nn, factor, lengths })
    }

    fn solve(&self, b: &[f64]) -> Vec<f64> {
        self.factor.as_ref().map_or(vec![], |f| f.solve(b))
    }

    /// `sqrt(v'Sv + |offset|^2)` with `v = alpha_N - a*_N`; both points must fit the own labels.
    fn identity(&self, reached: &Reached<'_>, a: &[f64], z_optimum: &[f64], j: usize) -> Option<f64> {
        let nn = self.nn.as_ref()?;
        let scale = max_abs(&self.values);
        let fits = |z: &[f64]| self.own.iter().zip(&self.values).all(|(&i, t)| (z[i] - t).abs() <= 1e-7 * scale);
        if !fits(reached.z.row(j)) || !fits(z_optimum) {
            return None;
        }
        let v: Vec<f64> = self.rest.iter().map(|&i| reached.alpha[(j, i)] - a[i]).collect();
        let h = self.np.tmul_vec(&v);
        let square = dot(&nn.mul_vec(&v), &v) - dot(&h, &self.solve(&h));
        let offset = reached.offset.row(j);
        Some((square.max(0.0) + dot(offset, offset)).sqrt())
    }

    /// The solver-free bound; `None` when a multiplier has the wrong sign or an example of N is active.
    fn bound(&self, problem: &Problem, reached: &Reached<'_>, j: usize) -> Option<f64> {
        let (alpha, z) = (reached.alpha.row(j), reached.z.row(j));
        let misfit: Vec<f64> = self.own.iter().zip(&self.values).map(|(&i, t)| z[i] - t).collect();
        let step = self.solve(&misfit);
        let moved = if self.own.is_empty() { 0.0 } else { dot(&self.pp.mul_vec(&step), &step).max(0.0).sqrt() };
        let shift = if self.own.is_empty() { vec![0.0; self.rest.len()] } else { self.np.mul_vec(&step) };
        let offset = norm2(reached.offset.row(j));
        let length = problem.row_space(self.lengths, alpha).length.hypot(offset);
        let mut sum = 0.0;
        for (&i, s) in self.rest.iter().zip(&shift) {
            let (nu, z) = (-alpha[i], z[i] - s);
            // Rounding level: preactivations of silent examples may sit at 0.
            if nu < 0.0 || z > 1e-12 * self.lengths[i] * length {
                return None;
            }
            sum += nu * z.abs();
        }
        Some(sum.sqrt().hypot(offset) + moved)
    }
}
