//! Several outputs: the cells of inputs that hold the coefficient of a trained network, and the rank on each.

use serde::{Deserialize, Serialize};

use super::Claim;

/// Where the coefficient of a run with several outputs is.
///
/// On a cell, where a set of rows is active, the neurons add up to one linear map `W = sum_j c_j u_j'`. Its rank is what the
/// optimum determines: a whole arc of directions can be optimal at once, and rays are not counted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainCells {
    /// Cells with at least 1 % of the coefficient, largest share first.
    pub list: Vec<TrainCell>,
    /// Share of the coefficient in them.
    pub covered: f64,
    /// Cells that any neuron is in.
    pub occupied: usize,
    /// Singular values below this share of the largest of their cell do not count in a rank.
    pub rank_from: f64,
    /// The optimum at the same weight decay; `null` where that was not asked for or is not comparable.
    pub optimum: Option<CellsOptimum>,
}

/// The certified optimum beside a run with several outputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellsOptimum {
    /// How sure it is.
    pub status: Claim,
    /// Its objective, an upper bound.
    pub objective: f64,
    /// Lower bound of the objective over all networks.
    pub lower_bound: f64,
    /// Objective of the run minus the lower bound.
    pub excess: f64,
    /// Sum of the ranks over its cells.
    pub rank: usize,
}

/// Neurons that are active on the same rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainCell {
    /// For every row, n: 1 where the neurons are active, else -1.
    pub pattern: Vec<i8>,
    /// Neurons.
    pub neurons: usize,
    /// Share of the whole `sum |c| |u|`.
    pub share: f64,
    /// Singular values of W, decreasing; as many as there are outputs.
    pub singular_values: Vec<f64>,
    /// Those that count.
    pub rank: usize,
    /// Rank of the optimum on the closed cell that holds this one, 0 where it has none.
    pub optimum_rank: Option<usize>,
}
