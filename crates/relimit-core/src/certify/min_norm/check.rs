//! The check of a proposed minimum-norm solution: residual, lower and upper value, distance, verdict.

use serde::{Deserialize, Serialize};

use super::lower::{Center, Evidence, NEGLIGIBLE, Refusal, gamma, lower_bound, row_norms};
use super::statement::Sides;
use crate::certify::Claim;
use crate::net::relu;
use crate::num::Mat;
use crate::num::mat::{dot, max_abs, norm2};
use crate::problem::Problem;

/// What the check established.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checked {
    /// `certified`: `upper - lower <= gap upper` and the residual is at rounding level; `bound`: an interval;
    /// `infeasible`: `lower` is more than 1e10 times the norm that any single label needs.
    pub claim: Claim,
    /// `|W|` of the proposed point (all neurons); none without a point.
    pub norm: Option<f64>,
    /// Every network of least loss has at least this norm (rounding included).
    pub lower: f64,
    /// The least norm is at most this: the point's norm, and twice the first-order cost of removing its residual.
    pub upper: Option<f64>,
    /// Bound on `|W - W*|`; none when several leaves could hold the minimum.
    ///
    /// In the leaf of W* the Lagrangian is strongly convex: `1/2 |W*|^2 >= D(v) + 1/2 |W* - Q'v|^2`, hence
    /// `|W - W*| <= |W - Q'v| + sqrt(upper^2 - lower^2)`.
    pub distance: Option<f64>,
    /// Largest `|f(x_i) - target_i|`, rounding included.
    pub residual: f64,
    /// What the residual is measured against: the largest target.
    pub residual_scale: f64,
    /// Number of leaves re-read.
    pub leaves: usize,
}

/// A norm this many times above what the hardest single example needs means that no point exists.
const OUT_OF_PROPORTION: f64 = 1e10;

/// Checks a point `w_j = X' a_j` (`duals`, m x n) and evidence for a lower bound against the data.
///
/// # Errors
/// Evidence that does not have the form it claims (see [`Refusal`]); evidence that proves little is no error, it
/// leaves the interval wide.
///
/// # Cost
/// O(m n D), and O(n D) or O(n^2) for each leaf.
///
/// # Source
/// math note on the descent limit, sections 3.4 and 3.5; the dual bound is weak duality in norm form.
pub fn check(problem: &Problem, duals: Option<&Mat>, evidence: &Evidence, gap: f64) -> Result<Checked, Refusal> {
    let sides = Sides::of(problem.c());
    let targets: Vec<f64> = problem.y().iter().map(|&y| sides.target(y)).collect();
    let residual_scale = max_abs(&targets);
    let norms = row_norms(problem);
    let lower = lower_bound(problem, &norms, evidence, gap)?;
    let point = duals.map(|a| weigh(problem, &targets, &norms, a, gap)).filter(|p| p.upper.is_finite());
    let leaves = lower.leaves.len();
    let mut out = Checked {
        claim: Claim::Undecided,
        norm: None,
        lower: lower.norm,
        upper: None,
        distance: None,
        residual: residual_scale,
        residual_scale,
        leaves,
    };
    let needed = targets
        .iter()
        .zip(&norms)
        .filter(|(t, _)| **t != 0.0)
        .map(|(t, r)| t.abs() / (r * if *t > 0.0 { sides.pos } else { sides.neg }));
    let out_of_proportion = lower.norm > OUT_OF_PROPORTION * needed.fold(0.0, f64::max) || lower.norm == f64::INFINITY;
    if let Some(p) = point {
        out.residual = p.residual;
        let tolerance = gap.clamp(1e-12, 1e-6);
        if p.residual <= tolerance * residual_scale {
            out.norm = Some(p.norm);
            out.upper = Some(p.upper);
            // Rounding can lift the lower value above the upper one only by its own size.
            out.lower = lower.norm.min(p.upper);
            out.claim = if p.upper - out.lower <= gap * p.upper { Claim::Certified } else { Claim::Bound };
            let open = lower.leaves.iter().filter(|b| **b <= p.upper).count();
            if let (true, Some(center), Some(a)) = (open <= 1, &lower.center, duals) {
                let spread = ((p.upper - out.lower).max(4.0 * f64::EPSILON * p.upper) * (p.upper + out.lower)).sqrt();
                out.distance = Some(apart(problem, &norms, a, center) + spread * (1.0 + gamma(8)));
            }
            return Ok(out);
        }
    }
    if out_of_proportion && residual_scale > 0.0 {
        out.claim = Claim::Infeasible;
    }
    Ok(out)
}

/// `|W - C|` rounded up, for duals a (m x n, at most one neuron of each sign) and the duals of C by sign.
fn apart(problem: &Problem, norms: &[f64], a: &Mat, center: &Center) -> f64 {
    let (n, d) = (problem.n(), problem.dim());
    let lengths: Vec<f64> = (0..problem.m())
        .map(|j| {
            let c = &center[usize::from(problem.c()[j] < 0.0)];
            let v: Vec<f64> = a.row(j).iter().zip(c).map(|(p, q)| p - q).collect();
            // The difference of the duals is itself rounded.
            let abs: f64 = v.iter().zip(norms).map(|(x, r)| x.abs() * r).sum();
            let unit: f64 = c.iter().zip(norms).map(|(x, r)| x.abs() * r).sum();
            let error = gamma(d + n + 12) * abs + gamma(2) * unit;
            match problem.gram() {
                Some(g) => (dot(&g.mul_vec(&v), &v).max(0.0) + gamma(d + 2 * n + 12) * abs * abs).sqrt() + error,
                None => norm2(&problem.x().tmul_vec(&v)) + error,
            }
        })
        .collect();
    norm2(&lengths) * (1.0 + gamma(d + 8))
}

struct Weighed {
    norm: f64,
    upper: f64,
    residual: f64,
}

/// Norm, residual and upper value of the point `w_j = X' a_j`.
///
/// Removing the residual moves preactivations of tight pairs only, and `1/2 |W|^2` changes by `sum_ji a_ji dz_ji` plus
/// second order, because W is the combination a of the rows: the allowance is twice the first order in absolute value.
fn weigh(problem: &Problem, targets: &[f64], norms: &[f64], duals: &Mat, gap: f64) -> Weighed {
    let c = problem.c();
    let (n, m) = (problem.n(), problem.m());
    assert_eq!(
        (duals.rows(), duals.cols()),
        (m, n),
        "duals are {}x{}, the problem has {m} neurons, {n} rows",
        duals.rows(),
        duals.cols()
    );
    let mut f: Vec<f64> = targets.iter().map(|t| -t).collect();
    let mut error = vec![0.0; n];
    let mut z = Mat::zeros(m, n);
    let mut lengths = Vec::with_capacity(m);
    let mut slack = 0.0f64;
    for j in 0..m {
        let point = Neuron::new(problem, norms, duals.row(j), NEGLIGIBLE * gap);
        for i in 0..n {
            let zi = point.z[i];
            z[(j, i)] = zi;
            f[i] += c[j] * relu(zi);
            error[i] += c[j].abs() * (norms[i] * point.z_error + gamma(m + 2) * zi.abs());
        }
        lengths.push(point.length);
        slack = slack.max(point.relative_error);
    }
    let mut allowance = 0.0;
    for j in 0..m {
        for i in 0..n {
            let dz = if z[(j, i)] > 0.0 && targets[i] != 0.0 || z[(j, i)] > norms[i] * lengths[j] * 1e-9 {
                (f[i].abs() + error[i]) / c[j].abs()
            } else {
                z[(j, i)].abs() + error[i] / c[j].abs()
            };
            let a = duals[(j, i)].abs();
            allowance += if a > 0.0 { a * dz } else { 0.0 };
        }
    }
    let norm = norm2(&lengths);
    let residual = f.iter().zip(&error).map(|(r, e)| r.abs() + e).fold(0.0, f64::max);
    let grown = norm * (1.0 + slack) * (1.0 + gamma(m + 12));
    // sqrt(N^2 + 4 A) <= N + 2 A / N.
    let upper = if grown > 0.0 { grown + 2.0 * allowance / grown } else { (4.0 * allowance).sqrt() };
    if residual.is_finite() {
        Weighed { norm, upper, residual }
    } else {
        Weighed { norm, upper: f64::INFINITY, residual }
    }
}

/// Preactivations and length of one neuron `w = X'a`, with their rounding errors.
struct Neuron {
    z: Vec<f64>,
    /// The error of z_i is at most `|x_i|` times this.
    z_error: f64,
    length: f64,
    relative_error: f64,
}

impl Neuron {
    /// Through the Gram matrix where its rounding error is negligible, else through the weights.
    fn new(problem: &Problem, norms: &[f64], a: &[f64], negligible: f64) -> Self {
        let (n, d) = (problem.n(), problem.dim());
        let abs = a.iter().zip(norms).map(|(v, r)| v.abs() * r).sum::<f64>() * (1.0 + gamma(2 * n));
        if abs == 0.0 {
            return Self { z: vec![0.0; n], z_error: 0.0, length: 0.0, relative_error: 0.0 };
        }
        if let Some(g) = problem.gram() {
            let z = g.mul_vec(a);
            let square = dot(&z, a);
            let error = gamma(d + 2 * n + 12) * abs * abs;
            if square.is_finite() && error <= negligible * square {
                let relative_error = error / square + gamma(4);
                return Self { z, z_error: gamma(d + n + 8) * abs, length: square.sqrt(), relative_error };
            }
        }
        // Here the computed weights are the point.
        let w = problem.x().tmul_vec(a);
        let length = norm2(&w);
        Self { z: problem.x().mul_vec(&w), z_error: gamma(d + 4) * length, length, relative_error: gamma(d + 8) }
    }
}
