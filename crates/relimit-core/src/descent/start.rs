//! Starting points of a run, in duals and weights, and the exact refusal of those that cannot exist.

use super::start_error::StartError;
use super::{Initial, Problem};
use crate::certify::{CentredRows, Impossible, infeasible_orthant};
use crate::num::Mat;
use crate::num::eft::dot_minus;
use crate::num::least_norm::{LeastNorm, least_norm};
use crate::num::linalg::Cholesky;
use crate::num::mat::{axpy, dot, max_abs};
use crate::num::noise::{Purpose, Stream};
use crate::num::rank::{nonsingular, spanning_rows};

/// Where the weights start.
#[derive(Clone, Debug, PartialEq)]
pub enum Start {
    /// Every example active for every neuron with preactivation eps: `X w = eps` exactly where the rows are
    /// independent, else the shortest w with `X w >= eps`. All neurons start the same.
    Orthant(f64),
    /// Each neuron active on its own share of the examples whose label has its sign: preactivation delta there and
    /// -delta elsewhere (at least delta away from 0 where the rows are dependent).
    Disjoint(f64),
    /// Independent weights N(0, scale^2), a function of (seed, neuron, column) alone.
    Gaussian {
        /// Standard deviation.
        scale: f64,
        /// Seed.
        seed: u64,
    },
    /// All weights 0; needs relu'(0) = 1.
    Zero,
    /// Given weights, m x D, a bias column last.
    Weights(Mat),
}

/// The state at a start: duals, preactivations, and the part of the weights outside the row space.
///
/// ```text
/// w_j = X' alpha_j + offset_j,   z_j = X w_j
/// ```
///
/// Orthant and disjoint starts lie in the row space (offset 0). With independent rows alpha = G^-1 z, refined once, and
/// z is stored as computed, `G alpha`, so it meets eps or delta to rounding. For Gaussian and given weights z is
/// computed from the weights, alpha from z by G^-1 when G is nonsingular, else on a set of rows that spans the others
/// (a basic solution, never a pseudo-inverse); the offset is what remains of w.
///
/// `centred_from` is the raw n x d matrix when the features of `problem` were centred (or standardised), whether or
/// not a bias column follows them: then the reason why a start is impossible speaks of the exactly centred rows.
///
/// # Errors
/// [`StartError`]: starts that cannot exist (with proof), bad parameters, shapes, or scales.
///
/// # Panics
/// When `centred_from` is not n x d for the features, with or without bias column, of `problem`.
///
/// # Example
/// ```
/// use relimit_core::{descent::{Problem, Start, start}, num::Mat};
/// let x = Mat::from_rows(&[[3.0, 0.0], [0.0, 2.0]]);
/// let p = Problem::new(x, vec![1.0, -1.0], vec![1.0], false);
/// assert_eq!(start(&p, &Start::Orthant(0.5), None).unwrap().z.row(0), [0.5, 0.5]);
/// let opposite = Problem::new(Mat::from_rows(&[[1.0], [-2.0]]), vec![1.0, -1.0], vec![1.0], false);
/// let refusal = start(&opposite, &Start::Orthant(0.5), None).unwrap_err().to_string();
/// assert!(refusal.contains("2 x (example 0 (from 0)) + 1 x (example 1 (from 0)) = 0 exactly"));
/// ```
///
/// # Cost
/// n <= D: at most O(n^3 + m n D). n > D, or dependent rows: O(n D) a pivot of `num::least_norm`.
pub fn start(problem: &Problem, start: &Start, centred_from: Option<&Mat>) -> Result<Initial, StartError> {
    if let Some(largest) = problem.out_of_range() {
        return Err(StartError::Range { largest });
    }
    let (n, m, dim) = (problem.n(), problem.m(), problem.dim());
    match start {
        Start::Orthant(eps) => {
            positive("orthant", *eps)?;
            let neuron = Target::new(problem, centred_from).reach(&vec![*eps; n]).map_err(|miss| match miss {
                Miss::Impossible(reason) => StartError::NoOrthant { eps: *eps, reason },
                Miss::Unresolved => StartError::Unresolved { start: format!("--start orthant:{eps}"), n },
            })?;
            Ok(in_row_space(dim, &vec![neuron; m]))
        }
        Start::Disjoint(delta) => {
            positive("disjoint", *delta)?;
            let target = Target::new(problem, centred_from);
            let mut neurons = vec![];
            for (j, share) in disjoint_shares(problem.y(), problem.c()).iter().enumerate() {
                let mut z = vec![-delta; n];
                for &i in share {
                    z[i] = *delta;
                }
                neurons.push(target.reach(&z).map_err(|miss| match miss {
                    Miss::Impossible(reason) => StartError::NoDisjoint { neuron: j, delta: *delta, reason },
                    Miss::Unresolved => StartError::Unresolved { start: format!("--start disjoint:{delta}"), n },
                })?);
            }
            Ok(in_row_space(dim, &neurons))
        }
        Start::Gaussian { scale, seed } => {
            positive("gaussian", *scale)?;
            let stream = Stream::new(*seed, Purpose::Start);
            Ok(from_weights(problem, &Mat::from_fn(m, dim, |j, k| scale * stream.normal(0, (j * dim + k) as u64))))
        }
        Start::Zero if !problem.at_zero() => Err(StartError::ZeroNeedsSlope),
        Start::Zero => Ok(Initial { alpha: Mat::zeros(m, n), z: Mat::zeros(m, n), offset: Mat::zeros(m, dim) }),
        Start::Weights(w) => {
            if (w.rows(), w.cols()) != (m, dim) {
                let (found_rows, found_cols) = (w.rows(), w.cols());
                return Err(StartError::Shape { found_rows, found_cols, neurons: m, inputs: dim });
            }
            if let Some(k) = w.as_slice().iter().position(|v| !v.is_finite()) {
                return Err(StartError::NotFinite { neuron: k / dim, column: k % dim, value: w.as_slice()[k] });
            }
            Ok(from_weights(problem, w))
        }
    }
}

/// The examples that each neuron is responsible for in a disjoint start.
///
/// The examples of each label sign are dealt, in data order, one at a time to the neurons whose output weight has that
/// sign, in neuron order. A label 0, or a sign without neuron, is dealt to no one; a neuron beyond the number of
/// examples of its sign gets none and starts silent everywhere.
pub fn disjoint_shares(y: &[f64], c: &[f64]) -> Vec<Vec<usize>> {
    let mut shares = vec![vec![]; c.len()];
    for positive in [true, false] {
        let neurons: Vec<usize> = (0..c.len()).filter(|&j| (c[j] > 0.0) == positive).collect();
        let examples = (0..y.len()).filter(|&i| if positive { y[i] > 0.0 } else { y[i] < 0.0 });
        if !neurons.is_empty() {
            examples.enumerate().for_each(|(t, i)| shares[neurons[t % neurons.len()]].push(i));
        }
    }
    shares
}

fn positive(name: &'static str, value: f64) -> Result<(), StartError> {
    if value > 0.0 && value.is_finite() { Ok(()) } else { Err(StartError::Parameter { name, value }) }
}

/// Duals and preactivations of one neuron.
type Neuron = (Vec<f64>, Vec<f64>);

enum Miss {
    Impossible(Impossible),
    Unresolved,
}

/// Finds weights in the row space with given preactivations, or at least as far from 0 on the same side.
struct Target<'a> {
    problem: &'a Problem,
    factor: Option<(&'a Mat, Cholesky)>,
    centred: Option<CentredRows>,
}

impl<'a> Target<'a> {
    fn new(problem: &'a Problem, centred_from: Option<&Mat>) -> Self {
        let x = problem.x();
        let mut centred = None;
        if let Some(raw) = centred_from {
            let bias = x.cols() == raw.cols() + 1;
            assert!(
                raw.rows() == x.rows() && (bias || raw.cols() == x.cols()),
                "raw features {}x{} of centred {}x{} with or without bias column",
                raw.rows(),
                raw.cols(),
                x.rows(),
                x.cols()
            );
            if !bias {
                centred = CentredRows::prove(raw, Some(x));
            }
        }
        let factor = problem.gram().and_then(|g| nonsingular(g).map(|f| (g, f)));
        Self { problem, factor, centred }
    }

    fn reach(&self, z: &[f64]) -> Result<Neuron, Miss> {
        let x = self.problem.x();
        let sides: Vec<f64> = z.iter().map(|v| v.signum()).collect();
        let all_positive = sides.iter().all(|s| *s > 0.0);
        let one_side = all_positive || sides.iter().all(|s| *s < 0.0);
        if let (Some(proof), true) = (self.centred, one_side) {
            return Err(Miss::Impossible(Impossible::Centred(proof)));
        }
        let vanishing = |i: usize| self.problem.gram().is_none_or(|g| g[(i, i)] == 0.0);
        if let Some(i) = (0..x.rows()).find(|&i| vanishing(i) && max_abs(x.row(i)) == 0.0) {
            return Err(Miss::Impossible(Impossible::ZeroRow(i)));
        }
        if let Some((gram, factor)) = &self.factor {
            let alpha = solve_refined(gram, factor, z);
            let reached = gram.mul_vec(&alpha);
            if same_sides(&reached, &sides) {
                return Ok((alpha, reached));
            }
        }
        let turned;
        let rows = if all_positive {
            x
        } else {
            turned = Mat::from_fn(x.rows(), x.cols(), |i, k| sides[i] * x[(i, k)]);
            &turned
        };
        let margins: Vec<f64> = z.iter().map(|v| v.abs()).collect();
        match least_norm(rows, &margins, &|| false) {
            LeastNorm::Point { multipliers, .. } => {
                let alpha: Vec<f64> = multipliers.iter().zip(&sides).map(|(a, s)| a * s).collect();
                let reached = x.mul_vec(&x.tmul_vec(&alpha));
                if same_sides(&reached, &sides) { Ok((alpha, reached)) } else { Err(Miss::Unresolved) }
            }
            LeastNorm::Infeasible { multipliers } => Err(infeasible_orthant(rows, &multipliers)
                .map_or(Miss::Unresolved, |g| Miss::Impossible(Impossible::Gordan(g)))),
            LeastNorm::Undecided { .. } => Err(Miss::Unresolved),
        }
    }
}

fn same_sides(z: &[f64], sides: &[f64]) -> bool {
    z.iter().zip(sides).all(|(v, s)| v.is_finite() && v * s > 0.0)
}

/// `G^-1 z` with one step of refinement, its residual in twice the precision.
fn solve_refined(gram: &Mat, factor: &Cholesky, z: &[f64]) -> Vec<f64> {
    let mut alpha = factor.solve(z);
    let miss: Vec<f64> = z.iter().enumerate().map(|(i, v)| -dot_minus(gram.row(i), &alpha, *v)).collect();
    alpha.iter_mut().zip(factor.solve(&miss)).for_each(|(a, d)| *a += d);
    alpha
}

fn in_row_space(dim: usize, neurons: &[Neuron]) -> Initial {
    let (m, n) = (neurons.len(), neurons.first().map_or(0, |(a, _)| a.len()));
    let alpha = Mat::from_fn(m, n, |j, i| neurons[j].0[i]);
    Initial { alpha, z: Mat::from_fn(m, n, |j, i| neurons[j].1[i]), offset: Mat::zeros(m, dim) }
}

/// Splits given weights into duals and a remainder outside the row space.
fn from_weights(problem: &Problem, w: &Mat) -> Initial {
    let x = problem.x();
    let (n, m) = (problem.n(), problem.m());
    let z = Mat::from_fn(m, n, |j, i| dot(x.row(i), w.row(j)));
    let mut alpha = Mat::zeros(m, n);
    if let Some((gram, factor)) = problem.gram().and_then(|g| nonsingular(g).map(|f| (g, f))) {
        for j in 0..m {
            alpha.row_mut(j).copy_from_slice(&solve_refined(gram, &factor, z.row(j)));
        }
    } else {
        let (rows, basis) = spanning_rows(x);
        for j in 0..m {
            let (coef, _) = basis.project(w.row(j));
            for (&i, a) in rows.iter().zip(basis.solve_r(&coef)) {
                alpha[(j, i)] = a;
            }
        }
    }
    let mut offset = w.clone();
    for j in 0..m {
        axpy(-1.0, &x.tmul_vec(alpha.row(j)), offset.row_mut(j));
    }
    Initial { alpha, z, offset }
}
