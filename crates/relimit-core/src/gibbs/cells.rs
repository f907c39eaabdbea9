//! The unit sphere cut by the planes of the rows into simplicial cones, each with the rows active on it.

use super::simplex::{MOST, Vector, inner, unit, volume};
use crate::num::Mat;

/// Sine of the angle below which a generator counts as lying on a plane: what is cut off then has no content.
const ON_PLANE: f64 = 1e-13;

/// A cone on which no row changes its sign.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    /// Rows with a positive preactivation inside.
    pub(super) active: Vec<usize>,
    /// Cones of D unit generators that cover the cell.
    pub(super) simplices: Vec<Vec<Vector>>,
}

/// The cells of X (n x D, D <= 3); `None` when stopped. O(n^2) cones for D = 3, each found in O(n).
pub(super) fn cells(x: &Mat, stop: &dyn Fn() -> bool) -> Option<Vec<Cell>> {
    let rows: Vec<Vector> = (0..x.rows()).map(|i| row(x.row(i))).collect();
    let mut cones = orthants(x.cols());
    for plane in rows.iter().filter(|p| inner(p, p) > 0.0) {
        if stop() {
            return None;
        }
        cones = cones.iter().flat_map(|cone| split(cone, plane)).collect();
    }
    cones
        .iter()
        .map(|cone| {
            if stop() {
                return None;
            }
            let mut centre = [0.0; MOST];
            for v in cone {
                for k in 0..MOST {
                    centre[k] += v[k];
                }
            }
            let active = (0..rows.len()).filter(|i| inner(&rows[*i], &centre) > 0.0).collect();
            let mut simplices = fan(cone);
            simplices.retain(|s| volume(s) > 0.0);
            Some(Cell { active, simplices })
        })
        .collect()
}

/// A row of D numbers scaled to length 1 (a zero row stays): signs do not depend on the length.
fn row(x: &[f64]) -> Vector {
    assert!(x.len() <= MOST, "cells in {} dimensions", x.len());
    let largest = crate::num::mat::max_abs(x);
    let mut v = [0.0; MOST];
    if largest > 0.0 {
        for (a, b) in v.iter_mut().zip(x) {
            *a = b / largest;
        }
        v = unit(v);
    }
    v
}

fn orthants(dim: usize) -> Vec<Vec<Vector>> {
    (0..1 << dim)
        .map(|signs: u32| {
            (0..dim)
                .map(|k| {
                    let mut v = [0.0; MOST];
                    v[k] = if signs >> k & 1 == 1 { -1.0 } else { 1.0 };
                    v
                })
                .collect()
        })
        .collect()
}

/// The parts of a convex cone (generators in order around it) on either side of a plane with unit normal.
pub(super) fn split(cone: &[Vector], plane: &Vector) -> Vec<Vec<Vector>> {
    let height = |v: &Vector| {
        let h = inner(v, plane);
        if h.abs() < ON_PLANE { 0.0 } else { h }
    };
    let heights: Vec<f64> = cone.iter().map(height).collect();
    if !(heights.iter().any(|h| *h > 0.0) && heights.iter().any(|h| *h < 0.0)) {
        return vec![cone.to_vec()];
    }
    let (mut above, mut below) = (Vec::new(), Vec::new());
    let edges = if cone.len() == 2 { 1 } else { cone.len() };
    for (k, v) in cone.iter().enumerate() {
        if heights[k] >= 0.0 {
            above.push(*v);
        }
        if heights[k] <= 0.0 {
            below.push(*v);
        }
        let next = (k + 1) % cone.len();
        if k < edges && heights[k] * heights[next] < 0.0 {
            let (s, t) = (heights[next].abs(), heights[k].abs());
            let mut cut = [0.0; MOST];
            for c in 0..MOST {
                cut[c] = s * v[c] + t * cone[next][c];
            }
            let cut = unit(cut);
            above.push(cut);
            below.push(cut);
        }
    }
    vec![above, below]
}

/// Simplicial cones from the first generator.
pub(super) fn fan(cone: &[Vector]) -> Vec<Vec<Vector>> {
    if cone.len() <= 2 {
        return vec![cone.to_vec()];
    }
    (1..cone.len() - 1).map(|k| vec![cone[0], cone[k], cone[k + 1]]).collect()
}

/// The two halves of a simplicial cone, cut at the middle of its longest edge; a single ray stays whole.
pub(super) fn halves(simplex: &[Vector]) -> Vec<Vec<Vector>> {
    let dim = simplex.len();
    if dim == 1 {
        return vec![simplex.to_vec()];
    }
    let (mut from, mut to, mut least) = (0, 1, f64::INFINITY);
    for i in 0..dim {
        for j in i + 1..dim {
            let cosine = inner(&simplex[i], &simplex[j]);
            if cosine < least {
                (from, to, least) = (i, j, cosine);
            }
        }
    }
    let mut middle = [0.0; MOST];
    for k in 0..MOST {
        middle[k] = simplex[from][k] + simplex[to][k];
    }
    let middle = unit(middle);
    [from, to]
        .into_iter()
        .map(|k| {
            let mut half = simplex.to_vec();
            half[k] = middle;
            half
        })
        .collect()
}
