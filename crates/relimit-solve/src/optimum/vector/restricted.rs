//! The problem over given directions: the group lasso, by block descent and Newton's method on its Gram form.

use relimit_core::certify::optimum::Offset;
use relimit_core::num::Mat;
use relimit_core::num::linalg::mul_transposed;
use relimit_core::num::mat::{axpy, dot, max_abs, norm2};

use super::super::newton::solve;
use super::super::rounding::{fell, not_higher};
use super::objective::{VectorNet, VectorObjective};

/// Rounds of sweeps and one Newton step.
const ROUNDS: usize = 60;
/// Sweeps of block descent before each Newton step: they decide which blocks are 0.
const SWEEPS: usize = 5;
/// Halvings of a Newton step.
const HALVINGS: usize = 12;
/// Change of the coefficients, as a share of the largest, that ends the work: a few units of rounding.
const STILL: f64 = 4e-16;
/// Rounds without a visible fall of the objective that still sharpen the coefficients.
const QUIET: usize = 3;
/// Unknowns from which on a Newton step costs more than it gains; block descent goes on alone.
const MOST: usize = 600;

/// Sets the coefficients of least objective over the given directions, and the offset; drops rays of coefficient 0.
///
/// ```text
/// 1/2 tr C'HC - tr B'C + lambda sum_j |C_j|,   H, B the Gram form with the offset eliminated
/// ```
///
/// O(n m^2) and O(m^2 k) a sweep, O((m k)^3) a Newton step.
pub(super) fn fit(objective: &VectorObjective, net: &mut VectorNet) {
    let (one, m, k) = (&objective.one, net.rays.len(), objective.outputs());
    if m > 0 {
        let (h, b) = gram_form(objective, net);
        let mut c = Mat::from_fn(m, k, |j, l| net.rays[j].ray.c * net.rays[j].output[l]);
        Lasso { h: &h, b: &b, lambda: one.lambda }.solve(&mut c);
        for (j, t) in net.rays.iter_mut().enumerate() {
            let size = norm2(c.row(j));
            t.ray.c = size;
            if size > 0.0 {
                t.output = c.row(j).iter().map(|v| v / size).collect();
            }
        }
        net.rays.retain(|t| t.ray.c > 0.0);
    }
    let alone = VectorNet { rays: net.rays.clone(), offset: vec![0.0; k] };
    net.offset = objective.best_offset(&objective.values(&alone));
}

/// `H = Phi' Omega Phi` and `B = Phi' Omega Y`, of features and labels from which the best offset is taken off.
fn gram_form(objective: &VectorObjective, net: &VectorNet) -> (Mat, Mat) {
    let (one, m, k) = (&objective.one, net.rays.len(), objective.outputs());
    let n = one.n();
    let root: Vec<f64> = one.omega.iter().map(|w| w.sqrt()).collect();
    let mut a = Mat::zeros(m, n);
    for (j, t) in net.rays.iter().enumerate() {
        let feature = one.feature(&t.ray);
        for ((out, f), w) in a.row_mut(j).iter_mut().zip(&feature).zip(&root) {
            *out = f * w;
        }
    }
    let mut y = Mat::from_fn(k, n, |l, i| root[i] * objective.y[(i, l)]);
    if one.offset != Offset::None {
        // v - s root root'v/|root|^2 with the share s whose square root is taken off twice: exact for a free offset
        let weight = dot(&root, &root);
        let share = 1.0 - (one.offset_penalty() / (weight + one.offset_penalty())).sqrt();
        for rows in [&mut a, &mut y] {
            for j in 0..rows.rows() {
                let along = share * dot(rows.row(j), &root) / weight;
                axpy(-along, &root, rows.row_mut(j));
            }
        }
    }
    (mul_transposed(&a, &a), mul_transposed(&a, &y))
}

/// `min over C of 1/2 tr C'HC - tr B'C + lambda sum_j |C_j|`, C m x k by rows C_j.
struct Lasso<'a> {
    h: &'a Mat,
    b: &'a Mat,
    lambda: f64,
}

impl Lasso<'_> {
    fn solve(&self, c: &mut Mat) {
        let (mut value, mut quiet) = (f64::INFINITY, 0);
        for _ in 0..ROUNDS {
            let mut moved = 0.0;
            for _ in 0..SWEEPS {
                moved = self.sweep(c);
            }
            if moved <= STILL * c.max_abs() {
                return;
            }
            while self.newton(c) {}
            let reached = self.value(c);
            quiet = if fell(value, reached) { 0 } else { quiet + 1 };
            if quiet >= QUIET {
                break;
            }
            value = value.min(reached);
        }
        self.sweep(c);
    }

    /// Minimises over one block after the other; returns the largest change.
    fn sweep(&self, c: &mut Mat) -> f64 {
        let k = c.cols();
        let mut moved: f64 = 0.0;
        for j in 0..c.rows() {
            let curve = self.h[(j, j)];
            let mut g = self.b.row(j).to_vec();
            for (i, h) in self.h.row(j).iter().enumerate() {
                if i != j && *h != 0.0 {
                    axpy(-h, c.row(i), &mut g);
                }
            }
            let size = norm2(&g);
            let scale = if size > self.lambda && curve > 0.0 { (1.0 - self.lambda / size) / curve } else { 0.0 };
            for l in 0..k {
                let next = scale * g[l];
                moved = moved.max((next - c[(j, l)]).abs());
                c[(j, l)] = next;
            }
        }
        moved
    }

    fn value(&self, c: &Mat) -> f64 {
        let mut total = 0.0;
        for j in 0..c.rows() {
            if norm2(c.row(j)) == 0.0 {
                continue;
            }
            let mut half = vec![0.0; c.cols()];
            for (i, h) in self.h.row(j).iter().enumerate() {
                axpy(0.5 * h, c.row(i), &mut half);
            }
            axpy(-1.0, self.b.row(j), &mut half);
            total += dot(&half, c.row(j)) + self.lambda * norm2(c.row(j));
        }
        total
    }

    /// One damped Newton step in the blocks that are not 0, up to the first that it takes through 0; whether one did.
    fn newton(&self, c: &mut Mat) -> bool {
        let k = c.cols();
        let on: Vec<usize> = (0..c.rows()).filter(|&j| norm2(c.row(j)) > 0.0).collect();
        let unknowns = on.len() * k;
        if unknowns == 0 || unknowns > MOST {
            return false;
        }
        let mut hessian = Mat::zeros(unknowns, unknowns);
        let mut down = vec![0.0; unknowns];
        for (p, &j) in on.iter().enumerate() {
            let size = norm2(c.row(j));
            let v: Vec<f64> = c.row(j).iter().map(|a| a / size).collect();
            let mut g = self.b.row(j).to_vec();
            for (i, h) in self.h.row(j).iter().enumerate() {
                axpy(-h, c.row(i), &mut g);
            }
            for l in 0..k {
                down[p * k + l] = g[l] - self.lambda * v[l];
                for (q, &i) in on.iter().enumerate() {
                    hessian[(p * k + l, q * k + l)] += self.h[(j, i)];
                }
                for t in 0..k {
                    let flat = if l == t { 1.0 } else { 0.0 };
                    hessian[(p * k + l, p * k + t)] += self.lambda / size * (flat - v[l] * v[t]);
                }
            }
        }
        let Some(step) = solve(&hessian, &down) else { return false };
        if !max_abs(&step).is_finite() {
            return false;
        }
        let mut share = 1.0;
        let mut wall = None;
        for (p, &j) in on.iter().enumerate() {
            let along = dot(&step[p * k..(p + 1) * k], c.row(j));
            let reach = -dot(c.row(j), c.row(j)) / along;
            if along < 0.0 && reach <= share {
                (share, wall) = (reach, Some(j));
            }
        }
        let before = self.value(c);
        for _ in 0..HALVINGS {
            let mut next = c.clone();
            for (p, &j) in on.iter().enumerate() {
                axpy(share, &step[p * k..(p + 1) * k], next.row_mut(j));
            }
            if let Some(j) = wall {
                next.row_mut(j).fill(0.0);
            }
            if not_higher(before, self.value(&next)) {
                *c = next;
                return wall.is_some();
            }
            share *= 0.5;
            wall = None;
        }
        false
    }
}
