//! What no network can fall below: the bound that the levels of a census are measured by.

use relimit_core::certify::optimum::{Objective as Claimed, floor};
use relimit_core::langevin::{Activation, Layers, Plan};

use crate::optimum::{Effort, Objective, VectorObjective, optimum, vector_optimum};

/// Nodes of the sign trees.
const NODES: u64 = 20_000;

/// A proved lower bound of the plan's objective over all networks of any width; `None` for the smooth unit.
///
/// With weight decay on all that moves it is the one of the certified optimum, otherwise the least loss of any function
/// of the rows: equal rows with different labels.
pub(super) fn lower_bound(plan: &Plan, threads: usize, stop: &(dyn Fn() -> bool + Sync)) -> Option<f64> {
    let o = plan.options();
    let decays = o.lambda > 0.0 && o.layers == Layers::Both;
    if o.activation != Activation::Relu {
        return None;
    }
    let lambda = if decays { o.lambda } else { 0.0 };
    let claim = Claimed { lambda, loss: o.loss, bias: o.bias, offset: o.offset, weights: None };
    let effort = Effort { threads, seed: o.seed, max_nodes: NODES, stop, ..Effort::default() };
    if decays && o.y.cols() > 1 {
        let objective = VectorObjective::new(claim, (*o.x).clone(), o.y.clone());
        return Some(vector_optimum(&objective, vec![], &effort).certified.lower_bound);
    }
    if decays {
        let y = o.y.as_slice().to_vec();
        let found = optimum(&Objective::new(claim, (*o.x).clone(), y), vec![], &effort);
        return Some(found.certified.lower_bound);
    }
    Some(floor(&claim, &o.x, &o.y).value)
}
