//! A lower bound for any number of neurons of each sign, by the dual of the variation norm.

use serde::{Deserialize, Serialize};

use super::lower::{Refusal, gamma};
use super::statement::Sides;
use crate::num::Mat;
use crate::num::linalg::gram;
use crate::num::mat::dot;
use crate::problem::Problem;

/// A dual vector with trees that bound both of its one-neuron functions.
///
/// ```text
/// q_pos = sup over |u| <= 1 of  sum_i lambda_i relu(u.x_i),   q_neg the same with -lambda
/// lambda.t = sum_j |c_j| (+-sum_i lambda_i relu(w_j.x_i)) <= t_pos q_pos + t_neg q_neg,   t_s = sum_j |c_j| |w_j| <= C_s |W_s|
/// so |W| >= lambda.t / sqrt(C_pos^2 q_pos^2 + C_neg^2 q_neg^2)
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Variation {
    /// lambda, n.
    pub lambda: Vec<f64>,
    /// Sign tree that bounds `q_pos`; the root is node 0. Empty when there is no positive neuron.
    pub pos: Vec<SupNode>,
    /// Sign tree that bounds `q_neg`. Empty when there is no negative neuron.
    pub neg: Vec<SupNode>,
}

/// A node of a sign tree over unit vectors u.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SupNode {
    /// Split on the sign of `u.x_i`.
    Split {
        /// The example.
        example: usize,
        /// The child with `u.x_i >= 0`.
        on: usize,
        /// The child with `u.x_i <= 0`.
        off: usize,
    },
    /// Bounded by multipliers.
    Leaf {
        /// `m`, n, all nonnegative: see [`leaf_bound`].
        m: Vec<f64>,
    },
}

/// The bound of a variation dual, from the data alone.
pub(super) fn variation_bound(problem: &Problem, norms: &[f64], sides: Sides, v: &Variation) -> Result<f64, Refusal> {
    let n = problem.n();
    if v.lambda.len() != n {
        return Err(Refusal::Length { found: v.lambda.len(), expected: n });
    }
    if let Some(index) = v.lambda.iter().position(|l| !l.is_finite()) {
        return Err(Refusal::Multiplier { index, value: v.lambda[index] });
    }
    let targets: Vec<f64> = problem.y().iter().map(|&y| sides.target(y)).collect();
    let size: f64 = v.lambda.iter().zip(&targets).map(|(l, t)| (l * t).abs()).sum();
    let value = dot(&v.lambda, &targets) - gamma(n + 4) * size;
    if value.is_nan() || value <= 0.0 {
        return Ok(0.0);
    }
    let own;
    let g = if let Some(g) = problem.gram() {
        g
    } else {
        own = gram(problem.x());
        &own
    };
    let mut length = 0.0f64;
    for (c, sign, nodes) in [(sides.pos, 1.0, &v.pos), (sides.neg, -1.0, &v.neg)] {
        if c > 0.0 {
            let l: Vec<f64> = v.lambda.iter().map(|x| sign * x).collect();
            length = length.hypot(c * tree_bound(g, norms, problem.dim(), &l, nodes)?);
        }
    }
    Ok((value / length * (1.0 - gamma(12))).max(0.0))
}

/// Largest bound over the leaves of a sign tree.
fn tree_bound(g: &Mat, norms: &[f64], d: usize, l: &[f64], nodes: &[SupNode]) -> Result<f64, Refusal> {
    let n = l.len();
    let mut seen = vec![false; nodes.len()];
    let mut largest = 0.0f64;
    let mut stack = vec![(0usize, vec![0i8; n])];
    while let Some((at, signs)) = stack.pop() {
        let node = nodes.get(at).ok_or(Refusal::Index { index: at, len: nodes.len() })?;
        if std::mem::replace(&mut seen[at], true) {
            return Err(Refusal::NotATree { node: at });
        }
        match node {
            SupNode::Split { example, on, off } => {
                if *signs.get(*example).ok_or(Refusal::Index { index: *example, len: n })? != 0 {
                    return Err(Refusal::NotATree { node: at });
                }
                for (child, sign) in [(*on, 1), (*off, -1)] {
                    let mut signs = signs.clone();
                    signs[*example] = sign;
                    stack.push((child, signs));
                }
            }
            SupNode::Leaf { m } => {
                if m.len() != n {
                    return Err(Refusal::Length { found: m.len(), expected: n });
                }
                if let Some(index) = m.iter().position(|x| !(*x >= 0.0 && x.is_finite())) {
                    return Err(Refusal::Multiplier { index, value: m[index] });
                }
                largest = largest.max(leaf_bound(g, norms, d, l, &signs, m));
            }
        }
    }
    Ok(largest)
}

/// Upper bound of `sum_i l_i relu(u.x_i)` over `|u| <= 1` with the given signs of `u.x_i` (0: undecided).
///
/// ```text
/// p = sum_{+} (l_i + m_i) x_i - sum_{-} m_i x_i - sum_{undecided, l_i < 0} min(m_i, |l_i|) x_i
/// bound^2 = |p|^2 + sum over undecided l_i > 0 of max(0, 2 l_i x_i.p + l_i^2 G_ii + sum_{others k} max(0, l_i l_k G_ik))
/// ```
///
/// Decided signs make `m_i |u.x_i|` nonnegative, `-|l| relu(z) <= -theta |l| z` covers undecided negative terms, and the
/// undecided positive terms that are active enter the square of the length of one vector.
pub fn leaf_bound(g: &Mat, norms: &[f64], d: usize, l: &[f64], signs: &[i8], m: &[f64]) -> f64 {
    let n = l.len();
    let mut p = vec![0.0; n];
    let mut loose = Vec::new();
    let mut abs = 0.0;
    for i in 0..n {
        match signs[i] {
            1 => p[i] = l[i] + m[i],
            -1 => p[i] = -m[i],
            _ if l[i] < 0.0 => p[i] = -m[i].min(-l[i]),
            _ if l[i] > 0.0 => loose.push(i),
            _ => {}
        }
        abs += (l[i].abs() + m[i]) * norms[i];
    }
    let gp = g.mul_vec(&p);
    let mut square = dot(&gp, &p);
    for &i in &loose {
        let mut t = 2.0 * l[i] * gp[i] + l[i] * l[i] * g[(i, i)];
        for &k in &loose {
            if k != i {
                t += (l[i] * l[k] * g[(i, k)]).max(0.0);
            }
        }
        square += t.max(0.0);
    }
    let square = square + 2.0 * gamma(d + 4 * n + 20) * abs * abs + f64::MIN_POSITIVE;
    if square.is_finite() { square.max(0.0).sqrt() * (1.0 + gamma(4)) } else { f64::INFINITY }
}
