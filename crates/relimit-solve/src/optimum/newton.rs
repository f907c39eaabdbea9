//! Polish: damped Newton steps on the smooth problem "every ray moves within the span of its face".

use relimit_core::certify::optimum::Offset;
use relimit_core::num::Mat;
use relimit_core::num::linalg::{Cholesky, mul_transposed};
use relimit_core::num::mat::{axpy, dot, max_abs, norm2};

use super::objective::products_into;
use super::ray::Basis;
use super::rounding::{GONE, fell, not_higher};
use super::{Objective, Ray};

/// Shares of a step that are tried; where the last does not lower the objective, a ray lies on a kink that its face lacks.
const TRIES: usize = 8;
/// Each is this part of the one before.
const SHORTER: f64 = 0.25;
/// Steps without a visible fall of the objective that still sharpen the directions: the error of 1e-8 that hides behind a
/// flat objective falls to rounding in one.
const QUIET: usize = 1;
/// A step below this share of the largest coefficient changes none: half a unit in the last place.
const STILL: f64 = 0.5 * f64::EPSILON;
/// First ridge, as a share of the largest curvature: rounding makes as much of a curvature of 0.
const LEAST_RIDGE: f64 = 1e-15;
/// Factor to the next ridge.
const RIDGE_STEP: f64 = 30.0;
/// Ridges that are tried, the last of which is steepest descent.
const RIDGES: usize = 12;

/// Moves the rays, and the offset, to the minimum over their faces; drops rays whose coefficient falls to 0. `stop` is
/// polled once a step.
///
/// Newton's equations for v_j = c_j u_j in an orthonormal basis of the face (first vector u_j):
///
/// ```text
/// gradient  -sign_j sum_{i active} r_i x_i + lambda P v/|Pv|
/// Hessian   sum_i omega_i phi_i phi_i' + lambda (P - Pv v'P/|Pv|^2)/|Pv|
/// ```
///
/// # Cost
/// O(n M^2 + M^3) a step for M unknowns.
pub(super) fn polish(
    objective: &Objective,
    rays: &mut Vec<Ray>,
    offset: &mut f64,
    steps: usize,
    stop: &(dyn Fn() -> bool + Sync),
) {
    let mut value = objective.value(rays, *offset);
    let mut quiet = 0;
    for _ in 0..steps {
        if stop() || (rays.is_empty() && objective.offset == Offset::None) {
            return;
        }
        let Some(step) = direction(objective, rays, *offset) else { return };
        let mut share = 1.0;
        let mut accepted = None;
        for _ in 0..TRIES {
            let (moved, o) = step.take(objective, rays, *offset, share);
            let reached = objective.value(&moved, o);
            if not_higher(value, reached) {
                accepted = Some((moved, o, reached));
                break;
            }
            share *= SHORTER;
        }
        let Some((moved, o, reached)) = accepted else { return };
        quiet = if fell(value, reached) { 0 } else { quiet + 1 };
        *rays = moved;
        *offset = o;
        value = value.min(reached);
        if quiet >= QUIET || step.size(rays) < STILL {
            return;
        }
    }
}

/// One Newton step in the coordinates of the faces.
struct Step {
    faces: Vec<Basis>,
    change: Vec<f64>,
}

impl Step {
    fn take(&self, objective: &Objective, rays: &[Ray], offset: f64, share: f64) -> (Vec<Ray>, f64) {
        let mut moved = Vec::with_capacity(rays.len());
        let mut at = 0;
        for (ray, face) in rays.iter().zip(&self.faces) {
            let mut v: Vec<f64> = ray.u.iter().map(|a| ray.c.abs() * a).collect();
            for (k, q) in face.0.iter().enumerate() {
                axpy(share * self.change[at + k], q, &mut v);
            }
            at += face.0.len();
            let size = objective.size(&v);
            if dot(&v, &ray.u) > 0.0 && size > GONE * ray.c.abs() {
                let u = v.iter().map(|a| a / size).collect();
                moved.push(Ray { u, c: ray.c.signum() * size, kink: ray.kink.clone() });
            }
        }
        (moved, offset + self.change.get(at).map_or(0.0, |c| share * c))
    }

    /// Largest change relative to the largest coefficient.
    fn size(&self, rays: &[Ray]) -> f64 {
        max_abs(&self.change) / rays.iter().map(|t| t.c.abs()).fold(f64::MIN_POSITIVE, f64::max)
    }
}

/// The Newton step; `None` when its equations cannot be solved.
fn direction(objective: &Objective, rays: &[Ray], offset: f64) -> Option<Step> {
    let (n, x) = (objective.n(), &objective.x);
    let faces: Vec<Basis> = rays.iter().map(|t| t.face(objective)).collect();
    let inner: usize = faces.iter().map(|f| f.0.len()).sum();
    let with_offset = objective.offset != Offset::None;
    let unknowns = inner + usize::from(with_offset);
    let root: Vec<f64> = objective.omega.iter().map(|w| w.sqrt()).collect();
    let f = objective.outputs(rays, offset);
    let residual: Vec<f64> = (0..n).map(|i| root[i] * (objective.y[i] - f[i])).collect();
    let mut a = Mat::zeros(unknowns, n);
    let (mut factor, mut at) = (vec![0.0; n], 0);
    for (ray, face) in rays.iter().zip(&faces) {
        // sqrt(omega_i) with the sign of the ray where it is active, else 0
        objective.feature_into(ray, &mut factor);
        let side = ray.c.signum();
        factor.iter_mut().zip(&root).for_each(|(z, w)| *z = if *z > 0.0 { side * w } else { 0.0 });
        for q in &face.0 {
            let row = a.row_mut(at);
            products_into(x, q, row);
            row.iter_mut().zip(&factor).for_each(|(z, s)| *z *= s);
            at += 1;
        }
    }
    if with_offset {
        a.row_mut(inner).copy_from_slice(&root);
    }
    let mut h = mul_transposed(&a, &a);
    let mut down: Vec<f64> = (0..unknowns).map(|k| dot(a.row(k), &residual)).collect();
    let mut at = 0;
    for (ray, face) in rays.iter().zip(&faces) {
        add_penalty(objective, ray, face, &mut h, &mut down, at);
        at += face.0.len();
    }
    if with_offset {
        h[(inner, inner)] += objective.offset_penalty();
        down[inner] -= objective.offset_penalty() * offset;
    }
    let change = solve(&h, &down)?;
    change.iter().all(|v| v.is_finite()).then_some(Step { faces, change })
}

/// Adds the gradient and the curvature of `lambda |P v|` in the coordinates of one face.
fn add_penalty(objective: &Objective, ray: &Ray, face: &Basis, h: &mut Mat, down: &mut [f64], at: usize) {
    let (p, c) = (objective.penalised, ray.c.abs());
    let along: Vec<f64> = face.0.iter().map(|q| dot(&q[..p], &ray.u[..p])).collect();
    for k in 0..face.0.len() {
        down[at + k] -= objective.lambda * along[k];
        for l in 0..face.0.len() {
            let inner = dot(&face.0[k][..p], &face.0[l][..p]);
            h[(at + k, at + l)] += objective.lambda / c * (inner - along[k] * along[l]);
        }
    }
}

/// Solves with the smallest ridge that makes H positive definite.
pub(super) fn solve(h: &Mat, b: &[f64]) -> Option<Vec<f64>> {
    let top = (0..h.rows()).map(|k| h[(k, k)]).fold(0.0, f64::max);
    if !(top > 0.0 && top.is_finite()) || norm2(b) == 0.0 {
        return None;
    }
    let mut ridge = LEAST_RIDGE * top;
    for _ in 0..RIDGES {
        let mut shifted = h.clone();
        for k in 0..h.rows() {
            shifted[(k, k)] += ridge;
        }
        if let Some(factor) = Cholesky::new(&shifted) {
            // one refinement against the matrix without the ridge
            let mut x = factor.solve(b);
            let mut rest = h.mul_vec(&x);
            rest.iter_mut().zip(b).for_each(|(r, b)| *r = b - *r);
            axpy(1.0, &factor.solve(&rest), &mut x);
            return Some(x);
        }
        ridge *= RIDGE_STEP;
    }
    None
}
