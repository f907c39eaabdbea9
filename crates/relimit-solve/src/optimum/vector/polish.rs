//! Polish: damped Newton steps in directions and output weights together, every direction within its face.

use relimit_core::certify::optimum::Offset;
use relimit_core::num::Mat;
use relimit_core::num::linalg::{Cholesky, mul_transposed};
use relimit_core::num::mat::{axpy, dot, max_abs, norm2};

use super::super::objective::products;
use super::super::ray::Basis;
use super::super::rounding::{GONE, fell, not_higher};
use super::objective::{VectorNet, VectorObjective, VectorRay};

/// Ridges that are tried in one step, from a negligible one to steepest descent.
const RIDGES: usize = 14;
/// Steps without a visible fall of the objective that still sharpen the directions.
const QUIET: usize = 3;
/// Smallest ridge, as a share of the largest curvature: rounding makes as much of a curvature of 0.
const LEAST_RIDGE: f64 = 1e-14;
/// Factor by which a ridge grows when a step fails; after a success it falls by the square.
const RIDGE_STEP: f64 = 30.0;
/// A step of this length changes no direction: half a unit in the last place.
const STILL: f64 = 0.5 * f64::EPSILON;
/// Unknowns from which on a step costs more than another round of pricing.
const MOST: usize = 900;

/// Moves all neurons to a stationary point of the balanced objective; drops those that vanish.
///
/// Unknowns are `v_j = sqrt|c_j| u_j` in an orthonormal basis of the face of u_j, `w_j = c_j / sqrt|c_j|` and the offset:
///
/// ```text
/// 1/2 sum_i omega_i |sum_j w_j (v_j . x_i)_+ + o - y_i|^2 + (lambda/2) sum_j (|v_j|^2 + |w_j|^2) + (mu/2) |o|^2
/// ```
///
/// The Hessian is singular along rotations of the neurons of one face, and need not be definite: a ridge makes it so.
///
/// # Cost
/// O(n k M^2 + M^3) a step for M unknowns.
pub(super) fn polish(objective: &VectorObjective, net: &mut VectorNet, steps: usize) {
    let mut value = objective.value(net);
    let mut quiet = 0;
    let mut ridge = LEAST_RIDGE;
    for _ in 0..steps {
        let Some(model) = Model::new(objective, net) else { return };
        let mut accepted = None;
        for _ in 0..RIDGES {
            if let Some((next, length)) = model.step(objective, net, ridge) {
                let reached = objective.value(&next);
                if not_higher(value, reached) {
                    accepted = Some((next, reached, length));
                    break;
                }
            }
            ridge *= RIDGE_STEP;
        }
        let Some((next, reached, length)) = accepted else { return };
        ridge = (ridge / (RIDGE_STEP * RIDGE_STEP)).max(LEAST_RIDGE);
        quiet = if fell(value, reached) { 0 } else { quiet + 1 };
        *net = next;
        value = value.min(reached);
        if quiet >= QUIET || length < STILL {
            return;
        }
    }
}

/// Gradient and Hessian at a network.
struct Model {
    faces: Vec<Basis>,
    hessian: Mat,
    down: Vec<f64>,
}

impl Model {
    /// `None` without unknowns, or with too many.
    fn new(objective: &VectorObjective, net: &VectorNet) -> Option<Self> {
        let (one, k) = (&objective.one, objective.outputs());
        let n = one.n();
        let faces: Vec<Basis> = net.rays.iter().map(|t| t.ray.face(one)).collect();
        let inner: usize = faces.iter().map(|f| f.0.len() + k).sum();
        let with_offset = one.offset != Offset::None;
        let unknowns = inner + if with_offset { k } else { 0 };
        if unknowns == 0 || unknowns > MOST {
            return None;
        }
        let root: Vec<f64> = one.omega.iter().map(|w| w.sqrt()).collect();
        let f = objective.values(net);
        // rows of the Jacobian: unknowns; columns: examples by outputs
        let mut a = Mat::zeros(unknowns, n * k);
        let mut hessian = Mat::zeros(unknowns, unknowns);
        let mut down = vec![0.0; unknowns];
        let mut at = 0;
        for (t, face) in net.rays.iter().zip(&faces) {
            let size = t.ray.c.sqrt();
            let p = face.0.len();
            let feature = one.feature(&t.ray);
            for (q, basis) in face.0.iter().enumerate() {
                let z = products(&one.x, basis);
                for i in (0..n).filter(|&i| feature[i] > 0.0) {
                    let rest: Vec<f64> = (0..k).map(|l| one.omega[i] * (objective.y[(i, l)] - f[(i, l)])).collect();
                    for l in 0..k {
                        a[(at + q, i * k + l)] = root[i] * z[i] * size * t.output[l];
                        // the product of v and w bends as well
                        hessian[(at + q, at + p + l)] -= z[i] * rest[l];
                        hessian[(at + p + l, at + q)] -= z[i] * rest[l];
                    }
                }
            }
            for l in 0..k {
                for (i, z) in feature.iter().enumerate() {
                    a[(at + p + l, i * k + l)] = root[i] * size * z;
                }
                hessian[(at + p + l, at + p + l)] += one.lambda;
                down[at + p + l] -= one.lambda * size * t.output[l];
            }
            let most = one.penalised;
            for (q, e) in face.0.iter().enumerate() {
                down[at + q] -= one.lambda * size * dot(&e[..most], &t.ray.u[..most]);
                for (s, g) in face.0.iter().enumerate() {
                    hessian[(at + q, at + s)] += one.lambda * dot(&e[..most], &g[..most]);
                }
            }
            at += p + k;
        }
        if with_offset {
            for l in 0..k {
                for i in 0..n {
                    a[(inner + l, i * k + l)] = root[i];
                }
                hessian[(inner + l, inner + l)] += one.offset_penalty();
                down[inner + l] -= one.offset_penalty() * net.offset[l];
            }
        }
        let rest: Vec<f64> =
            (0..n).flat_map(|i| (0..k).map(move |l| (i, l))).map(|t| root[t.0] * (objective.y[t] - f[t])).collect();
        for (q, g) in down.iter_mut().enumerate() {
            *g += dot(a.row(q), &rest);
        }
        let curved = mul_transposed(&a, &a);
        for q in 0..unknowns {
            axpy(1.0, curved.row(q), hessian.row_mut(q));
        }
        Some(Self { faces, hessian, down })
    }

    /// The network after a step with a ridge, and the length of the step; `None` where the ridge is too small.
    fn step(&self, objective: &VectorObjective, net: &VectorNet, ridge: f64) -> Option<(VectorNet, f64)> {
        let top = (0..self.hessian.rows()).map(|q| self.hessian[(q, q)]).fold(0.0, f64::max);
        let mut shifted = self.hessian.clone();
        for q in 0..shifted.rows() {
            shifted[(q, q)] += ridge * top;
        }
        let change = Cholesky::new(&shifted)?.solve(&self.down);
        if !max_abs(&change).is_finite() {
            return None;
        }
        let k = objective.outputs();
        let mut rays = Vec::with_capacity(net.rays.len());
        let mut at = 0;
        for (t, face) in net.rays.iter().zip(&self.faces) {
            let root = t.ray.c.sqrt();
            let mut v: Vec<f64> = t.ray.u.iter().map(|a| root * a).collect();
            let mut w: Vec<f64> = t.output.iter().map(|a| root * a).collect();
            for q in &face.0 {
                axpy(change[at], q, &mut v);
                at += 1;
            }
            axpy(1.0, &change[at..at + k], &mut w);
            at += k;
            let (length, size) = (norm2(&w), objective.one.size(&v));
            if length * size > GONE * t.ray.c {
                let mut ray = t.ray.clone();
                ray.u = v.iter().map(|a| a / size).collect();
                ray.c = length * size;
                rays.push(VectorRay { ray, output: w.iter().map(|a| a / length).collect() });
            }
        }
        let mut offset = net.offset.clone();
        if at < change.len() {
            axpy(1.0, &change[at..], &mut offset);
        }
        let largest = net.rays.iter().map(|t| t.ray.c.sqrt()).fold(f64::MIN_POSITIVE, f64::max);
        Some((VectorNet { rays, offset }, max_abs(&change) / largest))
    }
}
