//! Cells of a network of several outputs: neurons of one closed cell add up to one linear map, and its rank is what is determined.

use relimit_core::num::Mat;
use relimit_core::num::linalg::symmetric_eigen;
use relimit_core::num::mat::{axpy, dot};

use super::super::merge::loose_pattern;
use super::super::objective::products;
use super::super::{Objective, Ray};
use super::objective::{VectorNet, VectorObjective, VectorRay};

/// Singular values below this share of the largest are 0 in a rank: they are square roots of eigenvalues that are known
/// to a few units of rounding of the largest, 1e-15.
const RANK: f64 = 1e-6;
/// Singular values that a merge drops: an optimum loses the square of this share, which no objective shows.
const DROPPED: f64 = 1e-9;
/// How far a merged direction may reach over the wall of its cell, as a share of |x_i|: rounding.
const WALL: f64 = 1e-11;

/// Neurons that share a closed cell, and the map that they add up to.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Numbers of the neurons.
    pub members: Vec<usize>,
    /// Sign of every example: 1, -1, or 0 where all members have 0.
    pub pattern: Vec<i8>,
    /// Singular values of `sum_j c_j u_j'` (in the penalised coordinates of u), decreasing.
    pub singular: Vec<f64>,
}

impl Cell {
    /// Rank of the map.
    pub fn rank(&self) -> usize {
        let top = self.singular.first().copied().unwrap_or(0.0);
        self.singular.iter().filter(|s| **s > RANK * top).count()
    }
}

/// Sorts the neurons into closed cells, the largest |c| first; a neuron on several cells goes to the first that holds it.
pub fn cells(objective: &VectorObjective, net: &VectorNet) -> Vec<Cell> {
    groups(&objective.one, net)
        .into_iter()
        .map(|(members, pattern)| {
            let map = sum(objective, net, &members);
            let singular = decompose(objective, &map).iter().map(|t| t.0).collect();
            Cell { members, pattern, singular }
        })
        .collect()
}

fn groups(one: &Objective, net: &VectorNet) -> Vec<(Vec<usize>, Vec<i8>)> {
    let mut order: Vec<usize> = (0..net.rays.len()).collect();
    order.sort_by(|a, b| net.rays[*b].ray.c.total_cmp(&net.rays[*a].ray.c));
    let mut out: Vec<(Vec<usize>, Vec<i8>)> = Vec::new();
    for j in order {
        let pattern = loose_pattern(one, &net.rays[j].ray);
        let home = out.iter_mut().find(|(_, p)| p.iter().zip(&pattern).all(|(a, b)| a * b >= 0));
        match home {
            Some((members, whole)) => {
                members.push(j);
                whole.iter_mut().zip(&pattern).for_each(|(a, b)| *a = if *a == 0 { *b } else { *a });
            }
            None => out.push((vec![j], pattern)),
        }
    }
    out
}

/// `sum_j c_j u_j'`, k x D.
fn sum(objective: &VectorObjective, net: &VectorNet, members: &[usize]) -> Mat {
    let mut map = Mat::zeros(objective.outputs(), objective.one.dim());
    for &j in members {
        let t = &net.rays[j];
        for (l, v) in t.output.iter().enumerate() {
            axpy(t.ray.c * v, &t.ray.u, map.row_mut(l));
        }
    }
    map
}

/// Singular values and left vectors of the penalised columns, decreasing.
fn decompose(objective: &VectorObjective, map: &Mat) -> Vec<(f64, Vec<f64>)> {
    let (k, p) = (map.rows(), objective.one.penalised);
    let square = Mat::from_fn(k, k, |a, b| dot(&map.row(a)[..p], &map.row(b)[..p]));
    let eigen = symmetric_eigen(&square);
    (0..k).rev().map(|l| (eigen.values[l].max(0.0).sqrt(), eigen.vectors.row(l).to_vec())).collect()
}

/// Replaces neurons of one cell by the singular pairs of their sum where these lie in the cell and are fewer; says
/// whether any went.
///
/// ```text
/// sum_j c_j relu(u_j . x) = W x on the cell, W = sum_l s_l a_l b_l';   sum_l s_l <= sum_j |c_j|
/// ```
pub(super) fn merge(objective: &VectorObjective, net: &mut VectorNet) -> bool {
    let mut merged = false;
    'again: loop {
        for (members, pattern) in groups(&objective.one, net) {
            let pairs = members.iter().enumerate().flat_map(|(p, a)| members[p + 1..].iter().map(|b| vec![*a, *b]));
            for set in std::iter::once(members.clone()).chain(pairs).filter(|s| s.len() > 1) {
                if let Some(fewer) = replace(objective, net, &set, &pattern) {
                    let mut keep = 0..net.rays.len();
                    net.rays.retain(|_| keep.next().is_some_and(|j| !set.contains(&j)));
                    net.rays.extend(fewer);
                    merged = true;
                    continue 'again;
                }
            }
        }
        return merged;
    }
}

fn replace(objective: &VectorObjective, net: &VectorNet, set: &[usize], pattern: &[i8]) -> Option<Vec<VectorRay>> {
    let one = &objective.one;
    let map = sum(objective, net, set);
    let parts = decompose(objective, &map);
    let kept: Vec<&(f64, Vec<f64>)> = parts.iter().filter(|t| t.0 > DROPPED * parts[0].0).collect();
    if kept.len() >= set.len() {
        return None;
    }
    kept.into_iter()
        .map(|(s, a)| {
            let mut u = map.tmul_vec(a);
            let mut output = a.clone();
            let z = products(&one.x, &u);
            let beyond =
                |side: f64| (0..one.n()).any(|i| side * f64::from(pattern[i]) * z[i] < -WALL * one.lengths[i] * s);
            if beyond(1.0) {
                if beyond(-1.0) {
                    return None;
                }
                u.iter_mut().chain(&mut output).for_each(|v| *v = -*v);
            }
            let mut ray = Ray { c: 1.0, kink: vec![], u };
            let own = loose_pattern(one, &ray);
            ray.kink = (0..one.n()).filter(|&i| own[i] == 0).collect();
            ray.settle(one);
            (ray.c > 0.0).then_some(VectorRay { ray, output })
        })
        .collect()
}
