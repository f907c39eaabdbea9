//! The integral I of the dual with its gradient and Hessian, exactly, from the closed forms of the cells.

use super::cells::{Cell, halves};
use super::dual_number::Dual;
use super::simplex::{Form, MOST, Vector, inner, moments};
use crate::num::Mat;

/// `I(p) = int (1 - |q|^2)^(-D/2)`, `q = sum_i p_i relu(v . x_i)`, for p (n x k); derivatives in the order `i k + a`.
#[derive(Clone, Debug)]
pub(super) struct Integral {
    /// I.
    pub(super) mass: f64,
    /// `dI/dp`, nk.
    pub(super) first: Vec<f64>,
    /// `d^2 I / dp^2`, nk x nk; empty where it was not asked for.
    pub(super) second: Mat,
}

/// The vectors `g_a = sum over active i of p_ia x_i` of a cell: `q_a(v) = g_a . v` there.
pub(super) fn slopes(x: &Mat, p: &Mat, active: &[usize]) -> Vec<Vector> {
    (0..p.cols())
        .map(|a| {
            let mut g = [0.0; MOST];
            for &i in active {
                for (s, t) in g.iter_mut().zip(x.row(i)) {
                    *s += p[(i, a)] * t;
                }
            }
            g
        })
        .collect()
}

/// `I - sum_a g_a g_a'` with derivative `(g_a g_b' + g_b g_a')/2`.
pub(super) fn form(g: &[Vector], a: usize, b: usize) -> Form {
    let mut e = Form::default();
    for i in 0..MOST {
        for j in 0..MOST {
            let identity = if i == j { 1.0 } else { 0.0 };
            let inside: f64 = g.iter().map(|g| g[i] * g[j]).sum();
            let along = 0.5 * (g[a][i] * g[b][j] + g[b][i] * g[a][j]);
            e[i][j] = Dual { v: identity - inside, d: along };
        }
    }
    e
}

/// I alone; `None` where |q| reaches 1.
pub(super) fn mass(x: &Mat, cells: &[Cell], p: &Mat) -> Option<f64> {
    let mut sum = 0.0;
    for cell in cells {
        let e = form(&slopes(x, p, &cell.active), 0, 0);
        for s in &cell.simplices {
            sum += moments(s, &e)?.mass;
        }
    }
    sum.is_finite().then_some(sum)
}

/// I with its gradient, and its Hessian where `curved` is polled and never says stop; `None` where |q| reaches 1 or when
/// stopped. O(cells n k), with the Hessian O(cells n^2 k^2).
pub(super) fn integral(x: &Mat, cells: &[Cell], p: &Mat, curved: Option<&dyn Fn() -> bool>) -> Option<Integral> {
    let (n, k) = (p.rows(), p.cols());
    let side = if curved.is_some() { n * k } else { 0 };
    let mut out = Integral { mass: 0.0, first: vec![0.0; n * k], second: Mat::zeros(side, side) };
    let rows: Vec<Vector> = (0..n).map(|i| vector(x.row(i))).collect();
    for cell in cells {
        if curved.is_some_and(|stop| stop()) {
            return None;
        }
        let g = slopes(x, p, &cell.active);
        for a in 0..k {
            for b in a..if curved.is_some() { k } else { a + 1 } {
                let e = form(&g, a, b);
                let mut weight = [[0.0; MOST]; MOST];
                let mut push = [0.0; MOST];
                for s in &cell.simplices {
                    let m = moments(s, &e)?;
                    for i in 0..MOST {
                        for j in 0..MOST {
                            let same = if a == b { -2.0 * m.gradient[i][j].v } else { 0.0 };
                            weight[i][j] += same + 4.0 * m.gradient[i][j].d;
                            push[i] -= 2.0 * m.gradient[i][j].v * g[a][j];
                        }
                    }
                    if a == 0 && b == 0 {
                        out.mass += m.mass;
                    }
                }
                for &i in &cell.active {
                    if a == b {
                        out.first[i * k + a] += inner(&rows[i], &push);
                    }
                    if curved.is_none() {
                        continue;
                    }
                    let left: Vector = std::array::from_fn(|c| inner(&rows[i], &weight[c]));
                    for &j in &cell.active {
                        let value = inner(&left, &rows[j]);
                        out.second[(i * k + a, j * k + b)] += value;
                        if a != b {
                            out.second[(i * k + b, j * k + a)] += value;
                        }
                    }
                }
            }
        }
    }
    let finite = out.mass.is_finite() && out.first.iter().all(|v| v.is_finite());
    finite.then_some(out)
}

/// The same cells with every cone cut in two: equal integrals up to rounding.
pub(super) fn refined(cells: &[Cell]) -> Vec<Cell> {
    cells
        .iter()
        .map(|c| Cell { active: c.active.clone(), simplices: c.simplices.iter().flat_map(|s| halves(s)).collect() })
        .collect()
}

/// A row as a vector of [`MOST`] numbers.
pub(super) fn vector(x: &[f64]) -> Vector {
    std::array::from_fn(|k| x.get(k).copied().unwrap_or(0.0))
}
