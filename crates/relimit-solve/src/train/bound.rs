//! What no network can fall below: the bound that the levels of a census are measured by.

use relimit_core::certify::optimum::{Objective as Claimed, Offset, certify_loss};
use relimit_core::langevin::{Activation, Layers, Plan};
use relimit_core::net::Network;
use relimit_core::num::Mat;

use crate::optimum::{Effort, Objective, VectorObjective, optimum, vector_optimum};

/// Nodes of the sign trees.
const NODES: u64 = 20_000;

/// A proved lower bound of the plan's objective over all networks of any width; `None` for the smooth unit, and for several
/// outputs without weight decay.
///
/// With weight decay on all that moves it is the one of the certified optimum, otherwise the least loss of any function
/// of the rows: equal rows with different labels.
pub(super) fn lower_bound(plan: &Plan, threads: usize, stop: &(dyn Fn() -> bool + Sync)) -> Option<f64> {
    let o = plan.options();
    let decays = o.lambda > 0.0 && o.layers == Layers::Both;
    if o.activation != Activation::Relu || (o.y.cols() > 1 && !decays) {
        return None;
    }
    let lambda = if decays { o.lambda } else { 0.0 };
    let claim = Claimed { lambda, loss: o.loss, bias: o.bias, offset: o.offset, weights: None };
    let effort = Effort { threads, seed: o.seed, max_nodes: NODES, stop, ..Effort::default() };
    if o.y.cols() > 1 {
        let objective = VectorObjective::new(claim, (*o.x).clone(), o.y.clone());
        return Some(vector_optimum(&objective, vec![], &effort).certified.lower_bound);
    }
    let y = o.y.as_slice().to_vec();
    if decays {
        let found = optimum(&Objective::new(claim, (*o.x).clone(), y), vec![], &effort);
        return Some(found.certified.lower_bound);
    }
    let offset = if o.offset == Offset::None { 0.0 } else { y.iter().sum::<f64>() / y.len() as f64 };
    let constant = Network::scalar(Mat::zeros(0, o.x.cols()), vec![], vec![], offset);
    Some(certify_loss(&claim, &o.x, &y, &constant, 0.0).floor.value)
}
