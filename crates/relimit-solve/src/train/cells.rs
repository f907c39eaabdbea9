//! A run of several outputs by cells of inputs: the linear map that the neurons of a cell add up to, and its rank.

use std::collections::BTreeMap;

use relimit_core::langevin::{Particles, Plan};
use relimit_core::num::Mat;
use relimit_core::num::linalg::symmetric_eigen;
use relimit_core::num::mat::{axpy, dot, norm2};

use crate::answer::{CellsOptimum, TrainCell, TrainCells};
use crate::optimum::{Cell, Effort, VectorObjective, cells as cells_of, vector_optimum};

/// Share of the coefficient from which on a cell is listed.
const LISTED: f64 = 0.01;
/// Singular values below this share of the largest do not count: noise and an unfinished descent leave all of them positive.
const RANK: f64 = 0.01;

/// Neurons of one cell.
struct Sum {
    neurons: usize,
    coefficient: f64,
    /// `sum_j c_j u_j'`, k x D.
    map: Mat,
}

/// The cells of a state, beside the optimum where an objective to compare with is given.
pub(super) fn cells(
    (plan, particles): (&Plan, &Particles),
    comparable: Option<(&VectorObjective, f64)>,
    effort: &Effort<'_>,
) -> TrainCells {
    let (all, sums) = sums(plan, particles);
    let found = comparable.map(|(objective, reached)| {
        let found = vector_optimum(objective, vec![], effort);
        let cells = cells_of(objective, &found.net);
        let fact = CellsOptimum {
            status: found.certified.status,
            objective: found.certified.objective,
            lower_bound: found.certified.lower_bound,
            excess: reached - found.certified.lower_bound,
            rank: cells.iter().map(Cell::rank).sum(),
        };
        (fact, cells)
    });
    let share = |sum: &Sum| if all > 0.0 { sum.coefficient / all } else { 0.0 };
    let occupied = sums.len();
    let mut list: Vec<TrainCell> = sums
        .into_iter()
        .filter(|(_, sum)| share(sum) >= LISTED)
        .map(|(active, sum)| {
            let pattern: Vec<i8> = active.iter().map(|on| if *on { 1 } else { -1 }).collect();
            let values = singular_values(&sum.map);
            TrainCell {
                neurons: sum.neurons,
                share: share(&sum),
                rank: values.iter().filter(|s| **s > RANK * values[0]).count(),
                singular_values: values,
                optimum_rank: found.as_ref().map(|(_, cells)| rank_there(cells, &pattern)),
                pattern,
            }
        })
        .collect();
    list.sort_by(|a, b| b.share.total_cmp(&a.share));
    TrainCells {
        covered: list.iter().map(|c| c.share).sum(),
        list,
        occupied,
        rank_from: RANK,
        optimum: found.map(|f| f.0),
    }
}

/// `scale sum |c| |u|` over all neurons, and the neurons by the rows on which they are active.
fn sums(plan: &Plan, particles: &Particles) -> (f64, BTreeMap<Vec<bool>, Sum>) {
    let (x, k, d) = (&plan.options().x, particles.outputs(), particles.inputs());
    let dim = d + usize::from(plan.has_bias());
    let (mut all, mut out) = (0.0, BTreeMap::new());
    for j in 0..particles.width() {
        let theta = particles.neuron(j);
        let (c, u) = (&theta[..k], &theta[k..k + dim]);
        let size = plan.scale() * norm2(c) * norm2(u);
        all += size;
        let bias = u.get(d).copied().unwrap_or(0.0);
        let active: Vec<bool> = (0..x.rows()).map(|i| dot(x.row(i), &u[..d]) + bias > 0.0).collect();
        if !active.contains(&true) {
            continue;
        }
        let sum = out.entry(active).or_insert_with(|| Sum { neurons: 0, coefficient: 0.0, map: Mat::zeros(k, dim) });
        sum.neurons += 1;
        sum.coefficient += size;
        for (l, c) in c.iter().enumerate() {
            axpy(plan.scale() * c, u, sum.map.row_mut(l));
        }
    }
    (all, out)
}

/// Decreasing, as many as rows.
fn singular_values(map: &Mat) -> Vec<f64> {
    let k = map.rows();
    let square = Mat::from_fn(k, k, |a, b| dot(map.row(a), map.row(b)));
    symmetric_eigen(&square).values.iter().rev().map(|v| v.max(0.0).sqrt()).collect()
}

/// Rank of the optimum on the first of its closed cells that holds the open one.
fn rank_there(cells: &[Cell], pattern: &[i8]) -> usize {
    let holds = |cell: &&Cell| cell.pattern.iter().zip(pattern).all(|(a, b)| a * b >= 0);
    cells.iter().find(holds).map_or(0, Cell::rank)
}
