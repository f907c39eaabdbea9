//! The supremum of `|Q(u)|` for vector weights, by the support function of the values of Q.
//!
//! ```text
//! S(v) = sup over |u| <= 1 of Q(u) . v,  Q(u) = sum_i relu(x_i . u) r_i in R^k;   sup |Q| = max over |v| = 1 of S(v)
//! S is convex and positively homogeneous: if p . v_j >= S(v_j) at the corners v_j of a simplicial cone, then
//! S(v) <= p . v <= |p| |v| on it; the shortest such p bounds it best
//! ```
//!
//! Each S(v_j) is a scalar supremum. The cones whose |p| is largest are split at the middle of their longest edge; |p|
//! falls to S with the square of the angle.

use serde::{Deserialize, Serialize};

use super::vector_circle;
use super::{End, SupOptions, Touch, sup, value_down};
use crate::num::Mat;
use crate::num::mat::{axpy, dot, norm2};
use crate::num::nnls::Nnls;
use crate::num::outward::{gamma, mul_up, sub_down};

/// What is known of `sup |Q|` over the unit ball.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SupVector {
    /// Proved: |Q| <= upper on the unit ball.
    pub upper: f64,
    /// Proved: |Q| >= lower at `argmax`.
    pub lower: f64,
    /// Direction of the largest value found.
    pub argmax: Vec<f64>,
    /// Output direction `Q / |Q|` there.
    pub output: Vec<f64>,
    /// Nodes bounded, all scalar searches together.
    pub nodes: u64,
    /// Scalar searches.
    pub searches: u64,
    /// Why the search ended.
    pub end: End,
}

/// Most outputs for which the search starts from the 2^k orthants; beyond, it starts from the k + 1 wide cones of a simplex.
const ORTHANTS: usize = 10;

/// Relative accuracy of the scalar searches below which a cone is not worth splitting.
pub(super) const SCALAR: f64 = 1e-10;

/// A cone `{sum_j a_j v_j, a_j >= 0}` by the numbers of its corners, and the bound of S on it.
struct Cone {
    corners: Vec<usize>,
    bound: f64,
}

/// Bounds `sup over |u| <= 1 of |sum_i relu(x_i . u) r_i|` from both sides, to `rise` (1e-6 when none is given) relative to
/// the largest of the target and the value found.
///
/// # Shapes
/// `x` n x D, `r` n x k, k >= 1; `argmax` D, `output` k.
///
/// # Cost
/// In two coordinates one pass over the circle, O(n log n + n k), to rounding. Otherwise 2^k cones to begin with (k + 1 for more than ten outputs, where the
/// bound falls slowly); about
/// log(1 / accuracy) scalar searches for an isolated maximum, accuracy^(-(k-1)/2) where the maximum is attained on a
/// continuum, which happens on open sets of labels for k >= 2.
///
/// # Source
/// math notes on certificates, section 4, and on noisy SGD, section 5; the cap net there is the case of p parallel to a corner.
pub fn sup_vector(x: &Mat, r: &Mat, options: &SupOptions<'_>) -> SupVector {
    assert_eq!(x.rows(), r.rows(), "{} rows and {} weights", x.rows(), r.rows());
    let k = r.cols();
    assert!(k > 0, "vector weights of no entries");
    let accuracy = options.rise.unwrap_or(1e-6).max(4.0 * SCALAR);
    let mut out = SupVector {
        upper: 0.0,
        lower: 0.0,
        argmax: vec![0.0; x.cols()],
        output: vec![0.0; k],
        nodes: 0,
        searches: 0,
        end: End::Proved,
    };
    if x.cols() == 2 {
        let pass = vector_circle::pass(x, r);
        offer(x, r, &pass.argmax, &mut out);
        // Where the target follows what is found, it stays above the rounding of the pass.
        let reached = if options.rise.is_some() {
            options.target.max(out.lower * (1.0 + accuracy)).max(pass.rounding)
        } else {
            options.target
        };
        out.end = match options.rise {
            None if out.lower > options.target => End::Exceeded,
            _ if pass.upper <= reached => End::Proved,
            _ => End::Stuck,
        };
        return SupVector { upper: pass.upper, nodes: 1, searches: 1, ..out };
    }
    cones(k, accuracy, options, &mut out, &|v, out| support(x, r, v, options, out));
    out
}

/// Bounds max S over unit vectors of k entries by cones, `support(v, out)` being an upper bound of S(v) that also raises
/// what is known from below.
pub(super) fn cones(
    k: usize,
    accuracy: f64,
    options: &SupOptions<'_>,
    out: &mut SupVector,
    support: &dyn Fn(&[f64], &mut SupVector) -> f64,
) {
    let (first, lists) = if k <= ORTHANTS { orthants(k) } else { simplex(k) };
    let mut corners: Vec<(Vec<f64>, f64)> = Vec::with_capacity(first.len());
    for v in first {
        let s = support(&v, out);
        corners.push((v, s));
    }
    let mut open: Vec<Cone> =
        lists.into_iter().map(|list| Cone { bound: cone_bound(&list, &corners), corners: list }).collect();
    loop {
        let target = options.target.max(out.lower * (1.0 + accuracy));
        // The loosest cone; of equal ones the first.
        let mut loosest = 0;
        for (i, cone) in open.iter().enumerate() {
            if cone.bound > open[loosest].bound {
                loosest = i;
            }
        }
        out.upper = open[loosest].bound;
        if out.upper <= target || (options.rise.is_none() && out.lower > options.target) {
            out.end = if out.upper <= target { End::Proved } else { End::Exceeded };
            return;
        }
        if out.nodes >= options.max_nodes || (options.stop)() {
            out.end = if out.nodes >= options.max_nodes { End::Nodes } else { End::Stopped };
            return;
        }
        let cone = open.swap_remove(loosest);
        let Some((a, b, v)) = middle(&cone.corners, &corners) else {
            // One output, or corners that rounding cannot part.
            out.end = End::Stuck;
            return;
        };
        let known = corners.iter().position(|(w, _)| *w == v);
        let m = known.unwrap_or_else(|| {
            let s = support(&v, out);
            corners.push((v, s));
            corners.len() - 1
        });
        for leave in [a, b] {
            let list: Vec<usize> = cone.corners.iter().map(|&c| if c == leave { m } else { c }).collect();
            let bound = cone_bound(&list, &corners).min(cone.bound);
            open.push(Cone { corners: list, bound });
        }
    }
}

/// Corners and cones of the 2^k orthants.
fn orthants(k: usize) -> (Vec<Vec<f64>>, Vec<Vec<usize>>) {
    let unit = |s: f64, t: usize| (0..k).map(|l| if l == t { s } else { 0.0 }).collect();
    let corners = [1.0, -1.0].into_iter().flat_map(|s| (0..k).map(move |t| (s, t))).map(|(s, t)| unit(s, t)).collect();
    let list = |o: usize| (0..k).map(|t| if o >> t & 1 == 1 { k + t } else { t }).collect();
    (corners, (0..1usize << k).map(list).collect())
}

/// Corners of a regular simplex around 0, and the k + 1 cones that leave one out: they cover the space.
///
/// ```text
/// e_1, ..., e_k and a (1, ..., 1), a = (1 - sqrt(1 + k))/k, less their mean, scaled to length 1:   v_s . v_t = -1/k
/// ```
fn simplex(k: usize) -> (Vec<Vec<f64>>, Vec<Vec<usize>>) {
    let size = k as f64;
    // centre of e_1, ..., e_k and a point on the diagonal at the same distance of all
    let apex = (1.0 - (1.0 + size).sqrt()) / size;
    let centre = (1.0 + apex) / (size + 1.0);
    let mut corners: Vec<Vec<f64>> =
        (0..k).map(|t| (0..k).map(|l| if l == t { 1.0 - centre } else { -centre }).collect()).collect();
    corners.push(vec![apex - centre; k]);
    for v in &mut corners {
        let length = norm2(v);
        for a in v {
            *a /= length;
        }
    }
    (corners, (0..=k).map(|leave| (0..=k).filter(|t| *t != leave).collect()).collect())
}

/// An upper bound of S(v); the direction met raises the lower bound of `sup |Q|`.
fn support(x: &Mat, r: &Mat, v: &[f64], options: &SupOptions<'_>, out: &mut SupVector) -> f64 {
    let weights: Vec<f64> = (0..r.rows()).map(|i| dot(r.row(i), v)).collect();
    let g = gamma(2 * v.len() + 8);
    let part = SupOptions {
        target: 0.5 * options.target.max(out.lower),
        rise: Some(SCALAR),
        max_nodes: options.max_nodes.saturating_sub(out.nodes).max(1),
        ..*options
    };
    let found = sup(x, &weights, &part);
    out.nodes += found.nodes;
    out.searches += 1;
    offer(x, r, &found.argmax, out);
    // What rounding of the weights may take off: |r_i . v - weight_i| |x_i| each.
    let lost = (0..r.rows()).fold(0.0, |s, i| s + g * norm2(r.row(i)) * norm2(v) * norm2(x.row(i)));
    (found.upper + mul_up(2.0, lost)).next_up()
}

/// Raises the lower bound by the value at a direction: `|Q(u)| >= Q(u) . v` for the unit v along the computed Q(u).
pub(super) fn offer(x: &Mat, r: &Mat, u: &[f64], out: &mut SupVector) {
    let z = x.mul_vec(u);
    let mut value = vec![0.0; r.cols()];
    for i in 0..r.rows() {
        axpy(z[i].max(0.0), r.row(i), &mut value);
    }
    let length = norm2(&value);
    if !(length > out.lower) {
        return;
    }
    let v: Vec<f64> = value.iter().map(|a| a / length).collect();
    let weights: Vec<f64> = (0..r.rows()).map(|i| dot(r.row(i), &v)).collect();
    let g = gamma(2 * v.len() + 8);
    let lost = (0..r.rows()).fold(0.0, |s, i| s + 2.0 * g * norm2(r.row(i)) * norm2(x.row(i)));
    let down = value_down(x, &weights, &Touch { sign: 1.0, u: u.to_vec() });
    let lower = sub_down(down, lost) / (1.0 + 2.0 * g);
    if lower > out.lower {
        out.lower = lower.next_down();
        out.argmax = u.to_vec();
        out.output = v;
    }
}

/// `|p|`, rounded up, for the shortest p with `p . v_j >= S(v_j)` at every corner; infinite when rounding finds none.
fn cone_bound(list: &[usize], corners: &[(Vec<f64>, f64)]) -> f64 {
    let k = list.len();
    let g = gamma(k + 8);
    let mut p = shortest(list, corners);
    // p is lengthened until its products are proved to reach every S.
    let mut longer = 1e-14;
    for _ in 0..8 {
        let size = norm2(&p);
        let reaches = list.iter().all(|&j| {
            let (v, s) = &corners[j];
            sub_down(dot(&p, v), 2.0 * g * size * norm2(v)) >= *s
        });
        if reaches {
            return mul_up(size, 1.0 + 2.0 * g).next_up();
        }
        // Along the sum of the corners, which has a positive product with each of a cone within an orthant or of a simplex.
        let scale = longer * (size + list.iter().map(|&j| corners[j].1).fold(0.0, f64::max));
        for &j in list {
            axpy(scale, &corners[j].0, &mut p);
        }
        longer *= 16.0;
    }
    f64::INFINITY
}

/// The shortest p with `p . v_j >= S(v_j)`: `p = sum_j a_j v_j`, a >= 0 minimising `1/2 |p|^2 - a . S`.
fn shortest(list: &[usize], corners: &[(Vec<f64>, f64)]) -> Vec<f64> {
    let k = list.len();
    let h = Mat::from_fn(k, k, |p, q| dot(&corners[list[p]].0, &corners[list[q]].0));
    let b: Vec<f64> = list.iter().map(|&j| corners[j].1).collect();
    let a = Nnls { h: &h, b: &b, nonneg: &vec![true; k] }.solve(None).v;
    let mut p = vec![0.0; corners[list[0]].0.len()];
    for (&j, s) in list.iter().zip(&a) {
        axpy(*s, &corners[j].0, &mut p);
    }
    p
}

/// The longest edge and the unit vector of its middle; `None` when there is no edge of any length.
fn middle(list: &[usize], corners: &[(Vec<f64>, f64)]) -> Option<(usize, usize, Vec<f64>)> {
    let mut longest: Option<(f64, usize, usize)> = None;
    for (p, &a) in list.iter().enumerate() {
        for &b in &list[p + 1..] {
            let cosine = dot(&corners[a].0, &corners[b].0);
            if longest.is_none_or(|(c, ..)| cosine < c) {
                longest = Some((cosine, a, b));
            }
        }
    }
    let (cosine, a, b) = longest?;
    if cosine > 1.0 - 1e-13 {
        return None;
    }
    let sum: Vec<f64> = corners[a].0.iter().zip(&corners[b].0).map(|(p, q)| p + q).collect();
    let length = norm2(&sum);
    Some((a, b, sum.iter().map(|v| v / length).collect()))
}
