//! The proposal for several neurons of one sign: a dual of the variation norm with two sign trees.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use relimit_core::certify::min_norm::{Sides, State, SupNode, Variation, leaf_bound};
use relimit_core::num::Mat;
use relimit_core::num::mat::{dot, norm2};
use relimit_core::num::nnls::Nnls;

use super::local::Point;

/// Gram matrix, targets and row lengths of all examples.
pub(super) struct Data<'a> {
    pub g: &'a Mat,
    pub targets: &'a [f64],
    pub sides: Sides,
    pub dim: usize,
}

/// Multipliers of the shared point as a dual of the variation norm. Each sign tree grows until it meets the value
/// that the point attains or `max_nodes` are used; returns the evidence and the nodes.
pub(super) fn propose(
    data: &Data<'_>,
    point: &Point,
    max_nodes: usize,
    gap: f64,
    stop: &dyn Fn() -> bool,
) -> (Variation, usize) {
    let lambda = dual_vector(data, point);
    let attained = |side: usize, sign: f64| {
        let w = dot(&point.dual.a[side], &point.dual.z[side]).max(0.0).sqrt();
        let q: f64 = lambda.iter().zip(&point.dual.z[side]).map(|(l, z)| sign * l * z.max(0.0)).sum();
        if w > 0.0 { (q / w).max(0.0) } else { 0.0 }
    };
    let q = [attained(0, 1.0), attained(1, -1.0)];
    let size = (data.sides.pos * q[0]).hypot(data.sides.neg * q[1]);
    let mut trees = [Vec::new(), Vec::new()];
    let mut nodes = 0;
    for (side, (c, sign)) in [(data.sides.pos, 1.0), (data.sides.neg, -1.0)].into_iter().enumerate() {
        if c > 0.0 {
            let l: Vec<f64> = lambda.iter().map(|x| sign * x).collect();
            let target = (q[side] * (1.0 + 0.25 * gap)).max(1e-5 * gap.sqrt() * size / c);
            trees[side] = SupTree::new(data, &l).grow(target, max_nodes / 2, stop);
            nodes += trees[side].len();
        }
    }
    let [pos, neg] = trees;
    (Variation { lambda, pos, neg }, nodes)
}

/// `lambda_i` of the constraint `f(x_i) = t_i`.
fn dual_vector(data: &Data<'_>, point: &Point) -> Vec<f64> {
    let v = &point.dual.v;
    let largest = v.iter().fold(0.0, |a: f64, x| a.max(x.abs()));
    let of = |i: usize| {
        let t = data.targets[i];
        if t != 0.0 {
            t.signum() * v[2 * i]
        } else if data.sides.both() {
            if point.states[i] == State::Both { v[2 * i] } else { v[2 * i + 1] - v[2 * i] }
        } else {
            // Silent for the only sign: the value does not change, so the price may be as high as is useful.
            (if data.sides.pos > 0.0 { -4.0 } else { 4.0 }) * largest
        }
    };
    (0..data.targets.len()).map(of).collect()
}

/// A sign tree under construction for `sup of sum_i l_i relu(u.x_i)`.
struct SupTree<'a> {
    g: &'a Mat,
    dim: usize,
    norms: Vec<f64>,
    l: &'a [f64],
}

struct Open {
    bound: f64,
    at: usize,
    signs: Vec<i8>,
    m: Vec<f64>,
}

impl PartialEq for Open {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Open {}
impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Open {
    fn cmp(&self, other: &Self) -> Ordering {
        self.bound.total_cmp(&other.bound).then(other.at.cmp(&self.at))
    }
}

impl<'a> SupTree<'a> {
    fn new(data: &Data<'a>, l: &'a [f64]) -> Self {
        let norms = (0..l.len()).map(|i| data.g[(i, i)].sqrt()).collect();
        Self { g: data.g, dim: data.dim, norms, l }
    }

    fn grow(&self, target: f64, max_nodes: usize, stop: &dyn Fn() -> bool) -> Vec<SupNode> {
        let mut tree = Vec::new();
        let mut heap = BinaryHeap::new();
        let add = |tree: &mut Vec<SupNode>, signs: Vec<i8>| {
            let (m, bound) = self.bound(&signs, stop);
            let at = tree.len();
            tree.push(SupNode::Leaf { m: m.clone() });
            Open { bound, at, signs, m }
        };
        heap.push(add(&mut tree, vec![0; self.l.len()]));
        while let Some(node) = heap.pop() {
            if node.bound <= target || tree.len() + 2 > max_nodes || stop() {
                break;
            }
            // The largest bound cannot be improved by a split: nothing can.
            let Some(example) = self.split(&node.signs, &node.m) else { break };
            let on = tree.len();
            for sign in [1, -1] {
                let mut signs = node.signs.clone();
                signs[example] = sign;
                heap.push(add(&mut tree, signs));
            }
            tree[node.at] = SupNode::Split { example, on, off: on + 1 };
        }
        tree
    }

    /// Multipliers that shorten the vector of the node, with loose positive terms taken in full or by half.
    fn bound(&self, signs: &[i8], stop: &dyn Fn() -> bool) -> (Vec<f64>, f64) {
        let n = self.l.len();
        let rows: Vec<usize> = (0..n).filter(|&i| signs[i] != 0 || self.l[i] < 0.0).collect();
        let sigma = |i: usize| if signs[i] > 0 { 1.0 } else { -1.0 };
        let h =
            Mat::from_fn(rows.len(), rows.len(), |t, u| sigma(rows[t]) * sigma(rows[u]) * self.g[(rows[t], rows[u])]);
        let mut best: Option<(Vec<f64>, f64)> = None;
        for share in [1.0, 0.5, 0.0] {
            let base: Vec<f64> = (0..n)
                .map(|i| match signs[i] {
                    1 => self.l[i],
                    0 if self.l[i] > 0.0 => share * self.l[i],
                    _ => 0.0,
                })
                .collect();
            let p = self.g.mul_vec(&base);
            let b: Vec<f64> = rows.iter().map(|&i| -sigma(i) * p[i]).collect();
            let solved = Nnls { h: &h, b: &b, nonneg: &vec![true; rows.len()] }.solve_until(None, stop);
            let mut m = vec![0.0; n];
            for (&i, v) in rows.iter().zip(&solved.v) {
                m[i] = if signs[i] == 0 { v.min(-self.l[i]) } else { *v };
            }
            let bound = leaf_bound(self.g, &self.norms, self.dim, self.l, signs, &m);
            if best.as_ref().is_none_or(|b| bound < b.1) {
                best = Some((m, bound));
            }
            if !(0..n).any(|i| signs[i] == 0 && self.l[i] > 0.0) {
                break; // no loose terms: the shares do not differ
            }
        }
        best.expect("at least one share is tried")
    }

    /// The undecided positive term of the largest length, else a negative one whose multiplier is at its limit.
    fn split(&self, signs: &[i8], m: &[f64]) -> Option<usize> {
        let open = |i: &usize| signs[*i] == 0 && self.l[*i] != 0.0;
        let weight = |i: usize| if self.l[i] > 0.0 { self.l[i] * self.norms[i] } else { 0.0 };
        let largest = (0..self.l.len()).filter(open).fold(None, |b: Option<usize>, i| match b {
            Some(k) if weight(k) >= weight(i) => Some(k),
            _ => Some(i),
        })?;
        if self.l[largest] > 0.0 {
            return Some(largest);
        }
        (0..self.l.len()).filter(open).find(|&i| m[i] >= -self.l[i] * (1.0 - 1e-12) && norm2(&[m[i]]) > 0.0)
    }
}
