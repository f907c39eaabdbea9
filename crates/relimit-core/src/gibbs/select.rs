//! Which minimiser vanishing noise selects when the optimum is not unique.
//!
//! ```text
//! interior rays (no row on the kink):       maximise sum_j |c_j|^(1/3)
//! rays with one row on the kink (D = 2):    maximise sum_j K_j log |c_j|,  K_j = 1/kappa_plus + 1/kappa_minus
//! ```
//!
//! over the coefficients of all rays of contact with the optimal outputs; interior rays come first in mixed sets, kappa
//! are the one-sided slopes of |q| in the angle. The rules are asymptotic expansions of the law, not theorems.

use crate::num::Mat;
use crate::num::linalg::{Cholesky, symmetric_eigen};
use crate::num::mat::{dot, norm2};

/// Weight of the logarithms when interior rays decide: small, so that it only breaks ties.
const TIE: f64 = 1e-10;
/// Share of the largest eigenvalue below which features count as dependent.
const DEPENDENT: f64 = 1e-12;
/// Newton steps.
const STEPS: usize = 500;

/// The rays of contact of the optimum, |q| = lambda.
#[derive(Clone, Debug)]
pub struct Contacts {
    /// Unit directions, D each.
    pub rays: Vec<Vec<f64>>,
    /// Coefficients of one optimal network, signed as q; 0 where it does without the ray.
    pub coefficients: Vec<f64>,
    /// Sign of q at each ray.
    pub signs: Vec<f64>,
    /// The optimal dual point, n.
    pub dual: Vec<f64>,
}

/// What decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The optimum is unique.
    Unique,
    /// The sum of cube roots over interior rays.
    CubeRoot,
    /// The weighted sum of logarithms: every ray has one row on its kink.
    Logarithm,
}

/// The coefficients in the limit of vanishing noise.
#[derive(Clone, Debug, PartialEq)]
pub struct Selected {
    /// Signed coefficients in the order of the rays.
    pub coefficients: Vec<f64>,
    /// What decided.
    pub rule: Rule,
}

/// The minimiser selected, for one output; `on_kink` is the share of |x_i| below which a row lies on a ray's kink.
///
/// `None` where no rule is known: a ray with two or more rows on its kink, or with one in D > 2, beside others; or where
/// the optimal set has no interior.
pub fn select(x: &Mat, contacts: &Contacts, on_kink: f64) -> Option<Selected> {
    let m = contacts.rays.len();
    let lengths: Vec<f64> = (0..x.rows()).map(|i| norm2(x.row(i))).collect();
    let heights = |u: &[f64]| -> Vec<f64> {
        (0..x.rows())
            .map(|i| {
                let z = dot(x.row(i), u);
                if z.abs() <= on_kink * lengths[i] { 0.0 } else { z }
            })
            .collect()
    };
    let z: Vec<Vec<f64>> = contacts.rays.iter().map(|u| heights(u)).collect();
    let features = Mat::from_fn(x.rows(), m, |i, j| contacts.signs[j] * z[j][i].max(0.0));
    let rows = row_space(&features);
    if rows.rows() == m {
        return Some(Selected { coefficients: contacts.coefficients.clone(), rule: Rule::Unique });
    }
    let kinked = |j: usize| (0..x.rows()).filter(|i| z[j][*i] == 0.0 && lengths[*i] > 0.0).collect::<Vec<usize>>();
    let mut weights = Vec::with_capacity(m);
    for j in 0..m {
        weights.push(match kinked(j).len() {
            0 => None,
            _ if x.cols() == 2 => Some(slopes(x, contacts, j, &z[j])?),
            _ => return None,
        });
    }
    let interior = weights.iter().any(Option::is_none);
    let rule = if interior { Rule::CubeRoot } else { Rule::Logarithm };
    let sizes: Vec<f64> = contacts.coefficients.iter().map(|c| c.abs()).collect();
    let tie = if interior { TIE } else { 1.0 };
    let found = maximise(&rows, &sizes, &weights, tie)?;
    let coefficients = found.iter().zip(&contacts.signs).map(|(c, s)| c * s).collect();
    Some(Selected { coefficients, rule })
}

/// `1/kappa_plus + 1/kappa_minus` of a ray in the plane.
fn slopes(x: &Mat, contacts: &Contacts, j: usize, z: &[f64]) -> Option<f64> {
    let (u, sign) = (&contacts.rays[j], contacts.signs[j]);
    let mut sum = 0.0;
    for turn in [1.0, -1.0] {
        let w = [-turn * u[1], turn * u[0]];
        let slope: f64 = (0..x.rows())
            .map(|i| {
                let along = dot(x.row(i), &w);
                contacts.dual[i]
                    * if z[i] > 0.0 {
                        along
                    } else if z[i] == 0.0 {
                        along.max(0.0)
                    } else {
                        0.0
                    }
            })
            .sum();
        if !(sign * slope < 0.0) {
            return None;
        }
        sum -= 1.0 / (sign * slope);
    }
    Some(sum)
}

/// Orthonormal basis of the row space, one row each.
fn row_space(a: &Mat) -> Mat {
    let m = a.cols();
    let gram = Mat::from_fn(m, m, |i, j| (0..a.rows()).map(|k| a[(k, i)] * a[(k, j)]).sum());
    let eigen = symmetric_eigen(&gram);
    let largest = eigen.values.iter().copied().fold(0.0, f64::max);
    let kept: Vec<Vec<f64>> =
        (0..m).filter(|k| eigen.values[*k] > DEPENDENT * largest).map(|k| eigen.vectors.row(k).to_vec()).collect();
    if kept.is_empty() { Mat::zeros(0, m) } else { Mat::from_rows(&kept) }
}

/// Maximises the sum of cube roots (weight `None`) and `tie` times the weighted logarithms over c > 0 with `Q c = Q sizes`:
/// Newton from a positive point that need not satisfy the equations.
fn maximise(q: &Mat, sizes: &[f64], weights: &[Option<f64>], tie: f64) -> Option<Vec<f64>> {
    let target = q.mul_vec(sizes);
    let mean = sizes.iter().sum::<f64>() / sizes.len() as f64;
    let mut c: Vec<f64> = sizes.iter().map(|s| s.max(mean)).collect();
    for round in 0..STEPS {
        let miss: Vec<f64> = q.mul_vec(&c).iter().zip(&target).map(|(a, b)| b - a).collect();
        let (mut slope, mut bend) = (Vec::new(), Vec::new());
        for (v, w) in c.iter().zip(weights) {
            let (s, b) = match w {
                None => {
                    let root = libm::cbrt(*v);
                    (root / (3.0 * v), 2.0 * root / (9.0 * v * v))
                }
                Some(k) => (tie * k / v, tie * k / (v * v)),
            };
            slope.push(s);
            bend.push(b);
        }
        // step = H^-1 (slope - Q'nu), with Q step = miss
        let scaled = Mat::from_fn(q.rows(), q.cols(), |i, j| q[(i, j)] / bend[j]);
        let system = Mat::from_fn(q.rows(), q.rows(), |i, j| dot(scaled.row(i), q.row(j)));
        let free: Vec<f64> = (0..q.rows()).map(|i| dot(scaled.row(i), &slope) - miss[i]).collect();
        let push = q.tmul_vec(&Cholesky::new(&system)?.solve(&free));
        let step: Vec<f64> = (0..c.len()).map(|j| (slope[j] - push[j]) / bend[j]).collect();
        let room = step
            .iter()
            .zip(&c)
            .map(|(s, v)| if *s < 0.0 { -v / s } else { f64::INFINITY })
            .fold(f64::INFINITY, f64::min);
        // near the optimum whole steps, far away half of the way to the wall
        let largest = step.iter().zip(&c).map(|(s, v)| (s / v).abs()).fold(0.0, f64::max);
        let t = if largest < 0.3 { 1.0 } else { (0.3 / largest).max((0.5 * room).min(0.1)).min(1.0) };
        c.iter_mut().zip(&step).for_each(|(v, s)| *v += t * s);
        if c.iter().any(|v| !(*v > 1e-9 * mean)) {
            return None;
        }
        if largest < 1e-12 && round > 0 {
            return Some(c);
        }
    }
    None
}
