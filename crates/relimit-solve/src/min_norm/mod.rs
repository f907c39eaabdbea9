//! The minimum-norm solution among the global minima of the loss: proposed here, checked in `certify::min_norm`.
//!
//! One neuron, or one of each sign, is solved by branch and bound over the state of each example (one node when only
//! one sign is there); more neurons share the solution of that problem, bounded by the variation norm.

mod branch;
mod local;
mod obstruction;
mod rank;
mod system;
mod variation;

use relimit_core::certify::Claim;
use relimit_core::certify::min_norm::{Checked, Evidence, Sides, check};
use relimit_core::descent::Problem;
use relimit_core::num::Mat;
use relimit_core::num::linalg::gram;
use relimit_core::num::mat::{dot, norm2};
use serde::{Deserialize, Serialize};

pub use obstruction::Obstruction;

use branch::search;
use local::Point;
use system::System;

/// How far to search.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MinNormOptions {
    /// Largest number of nodes solved, over all trees.
    pub max_nodes: usize,
    /// Relative gap `(upper - lower) / upper` at which the norm counts as certified.
    pub gap: f64,
}

impl MinNormOptions {
    /// A node limit that keeps the search to seconds: about 3e8 / n^3, between 1 and 1e5.
    pub fn for_size(n: usize, gap: f64) -> Self {
        let cube = (n * n * n).max(1);
        Self { max_nodes: (300_000_000 / cube).clamp(1, 100_000), gap }
    }
}

/// How an example is met by the minimum-norm solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    /// Fitted by the neurons of its sign, the others silent.
    Apart,
    /// Fitted by neurons of both signs, which partly cancel.
    Both,
    /// Every neuron is silent.
    Silent,
}

/// A minimum-norm solution with what has been checked about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MinNorm {
    /// The check's verdict, interval, residual and distance bound.
    pub checked: Checked,
    /// Duals of the neurons, m x n: `w_j = X' a_j`. All zero when there is no point.
    pub duals: Mat,
    /// Multipliers `mu_ji >= 0` of the silent pairs (zero on others), m x n: `a_ji = -mu_ji` there.
    pub multipliers: Mat,
    /// How each example is met, n; empty when there is no point.
    pub patterns: Vec<Pattern>,
    /// Nodes solved.
    pub nodes: usize,
    /// Whether the node limit or the caller ended the search.
    pub cut_short: bool,
    /// Set when the claim is `infeasible`.
    pub obstruction: Option<Obstruction>,
    /// What the lower bound rests on.
    pub evidence: Evidence,
}

impl MinNorm {
    /// `certified`, `bound`, `infeasible` or `undecided`.
    pub fn status(&self) -> Claim {
        self.checked.claim
    }

    /// The weights `w_j = X' a_j`, m x D.
    pub fn weights(&self, x: &Mat) -> Mat {
        let rows: Vec<Vec<f64>> = (0..self.duals.rows()).map(|j| x.tmul_vec(self.duals.row(j))).collect();
        Mat::from_vec(rows.len(), x.cols(), rows.concat())
    }
}

/// The minimum-norm network among the global minima of the loss, with a lower bound on its norm.
///
/// ```text
/// minimise sum_j |w_j|^2   subject to   sum_j c_j relu(x_i.w_j) = t_i,    t_i = y_i, or 0 if no c_j has its sign
/// ```
///
/// With more constraints than weights the examples enter a few at a time, as they are violated. `stop` is polled once a
/// node; work is counted, so that equal inputs give equal results.
///
/// # Cost
/// One sign: a few factorisations of order n. Both signs: up to `max_nodes` small changes of a factor of order 2n, but
/// one solve per sign when no example wants both neurons and the data are near orthogonal.
///
/// # Source
/// math note on the descent limit, section 3.4 (one neuron, one of each sign), section 3.7 (sharing).
pub fn min_norm(problem: &Problem, options: &MinNormOptions, stop: &dyn Fn() -> bool) -> MinNorm {
    let sides = Sides::of(problem.c());
    let targets: Vec<f64> = problem.y().iter().map(|&y| sides.target(y)).collect();
    let norms = problem.row_lengths();
    if let Some((obstruction, evidence)) = obstruction::conflicting_rows(problem, &targets, &norms) {
        let mut out = finish(problem, None, evidence, options.gap, 0, false);
        out.obstruction = (out.status() == Claim::Infeasible).then_some(obstruction);
        return out;
    }
    // Beyond this range squares overflow or vanish.
    if norms.iter().chain(&targets).any(|v| *v != 0.0 && !(1e-140..1e140).contains(&v.abs())) {
        return finish(problem, None, Evidence::None, options.gap, 0, false);
    }
    let exact =
        problem.c().iter().filter(|c| **c > 0.0).count() <= 1 && problem.c().iter().filter(|c| **c < 0.0).count() <= 1;
    let mut examples: Vec<usize> = first_examples(problem);
    let mut nodes = 0;
    loop {
        let own;
        let g = match problem.gram() {
            Some(g) if examples.len() == problem.n() => g,
            _ => {
                own = gram(&problem.x().select_rows(&examples));
                &own
            }
        };
        let system = System { g, targets: examples.iter().map(|&i| targets[i]).collect(), sides, stop };
        let found = search(&system, options.max_nodes.saturating_sub(nodes).max(1), options.gap, stop);
        nodes += found.nodes;
        let violated = found.point.as_ref().map_or(vec![], |p| most_violated(problem, &targets, &norms, &examples, p));
        if !violated.is_empty()
            && !found.cut_short
            && nodes < options.max_nodes
            && !stop()
            && examples.len() < MOST_EXAMPLES
        {
            examples.extend(violated);
            examples.sort_unstable();
            continue;
        }
        let point = found.point.as_ref().filter(|_| violated.is_empty());
        let evidence = if exact {
            Evidence::Tree { examples: examples.clone(), nodes: found.tree }
        } else if let (Some(p), true) = (point, examples.len() == problem.n()) {
            let data = variation::Data { g, targets: &targets, sides, dim: problem.dim() };
            let (v, used) = variation::propose(&data, p, options.max_nodes, options.gap, stop);
            nodes += used;
            Evidence::Variation(v)
        } else {
            Evidence::None
        };
        let duals = point.map(|p| spread(problem, &examples, sides, p));
        let mut out = finish(problem, duals, evidence, options.gap, nodes, found.cut_short);
        if point.is_some() {
            out.patterns = patterns(problem, &targets, &norms, &out.duals);
        }
        if exact
            && out.status() == Claim::Undecided
            && let Some(evidence) = rank::dependence(problem, &targets, &norms, sides)
        {
            let second = finish(problem, None, evidence, options.gap, nodes, out.cut_short);
            if second.checked.lower > out.checked.lower {
                out = second;
            }
        }
        if out.status() == Claim::Infeasible {
            out.obstruction = obstruction::from_tree(&out.evidence, sides, problem.dim());
        }
        return out;
    }
}

/// Examples beyond which the constraint-by-constraint search gives up.
const MOST_EXAMPLES: usize = 1500;

/// All examples when the weights are at least as many; else a spread of a few more than one network can meet.
fn first_examples(problem: &Problem) -> Vec<usize> {
    let (n, most) = (problem.n(), 2 * problem.dim() + 8);
    if problem.gram().is_some() || n <= most {
        return (0..n).collect();
    }
    (0..most).map(|k| k * n / most).collect()
}

/// Examples outside the current ones that the point does not meet, worst first, at most D + 8.
fn most_violated(problem: &Problem, targets: &[f64], norms: &[f64], examples: &[usize], point: &Point) -> Vec<usize> {
    if examples.len() == problem.n() {
        return vec![];
    }
    let sides = Sides::of(problem.c());
    let x = problem.x();
    let weights = [0, 1].map(|side| {
        let mut full = vec![0.0; problem.n()];
        for (&i, a) in examples.iter().zip(&point.dual.a[side]) {
            full[i] = *a;
        }
        x.tmul_vec(&full)
    });
    let mut inside = vec![false; problem.n()];
    for &i in examples {
        inside[i] = true;
    }
    let mut bad: Vec<(f64, usize)> = (0..problem.n())
        .filter(|&i| !inside[i] && norms[i] > 0.0)
        .map(|i| {
            let f = sides.pos * dot(x.row(i), &weights[0]).max(0.0) - sides.neg * dot(x.row(i), &weights[1]).max(0.0);
            ((f - targets[i]).abs() / norms[i], i)
        })
        .filter(|(r, _)| *r > 1e-11 * point.dual.norm * sides.pos.max(sides.neg))
        .collect();
    bad.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    bad.truncate(problem.dim() + 8);
    bad.into_iter().map(|(_, i)| i).collect()
}

/// The point's duals for every neuron: `w_j = (|c_j| / C) w_side`.
fn spread(problem: &Problem, examples: &[usize], sides: Sides, point: &Point) -> Mat {
    let mut duals = Mat::zeros(problem.m(), problem.n());
    for (j, &c) in problem.c().iter().enumerate() {
        let (side, whole) = if c > 0.0 { (0, sides.pos) } else { (1, sides.neg) };
        for (&i, a) in examples.iter().zip(&point.dual.a[side]) {
            duals[(j, i)] = c.abs() / whole * a;
        }
    }
    duals
}

/// How each example is met by the weights themselves.
fn patterns(problem: &Problem, targets: &[f64], norms: &[f64], duals: &Mat) -> Vec<Pattern> {
    let neurons: Vec<(Vec<f64>, f64)> = (0..problem.m())
        .map(|j| {
            let a = duals.row(j);
            if let Some(g) = problem.gram() {
                let z = g.mul_vec(a);
                let length = dot(&z, a).max(0.0).sqrt();
                return (z, length);
            }
            let w = problem.x().tmul_vec(a);
            (problem.x().mul_vec(&w), norm2(&w))
        })
        .collect();
    let pattern = |i: usize| {
        let (mut own, mut opposite) = (false, false);
        for ((z, length), c) in neurons.iter().zip(problem.c()) {
            if z[i] > 1e-9 * norms[i] * length {
                *(if c * targets[i] < 0.0 { &mut opposite } else { &mut own }) = true;
            }
        }
        match (targets[i] == 0.0, own, opposite) {
            (true, false, false) => Pattern::Silent,
            (true, ..) | (_, _, true) => Pattern::Both,
            _ => Pattern::Apart,
        }
    };
    (0..problem.n()).map(pattern).collect()
}

/// Has the proposal checked. Evidence from this module has the right form, so a refusal is a defect.
fn finish(
    problem: &Problem,
    duals: Option<Mat>,
    evidence: Evidence,
    gap: f64,
    nodes: usize,
    cut_short: bool,
) -> MinNorm {
    let checked = check(problem, duals.as_ref(), &evidence, gap).expect("evidence of the form that the check reads");
    let duals = duals.unwrap_or_else(|| Mat::zeros(problem.m(), problem.n()));
    let silent = |j: usize, i: usize| {
        let c = problem.c()[j];
        let own = c * problem.y()[i] > 0.0;
        if own { 0.0 } else { (-duals[(j, i)]).max(0.0) }
    };
    let multipliers = Mat::from_fn(problem.m(), problem.n(), silent);
    MinNorm { checked, duals, multipliers, patterns: vec![], nodes, cut_short, obstruction: None, evidence }
}
