//! lambda_max: the smallest weight decay of which the optimum has no neuron.

use relimit_core::certify::Claim;
use relimit_core::certify::optimum::{Offset, dual_point, sup_both};
use relimit_core::certify::sup::SupOptions;

use super::price::Pricer;
use super::rounding::moved;
use super::{Effort, Objective};

/// `sup over unit directions of |sum_i omega_i (y_i - o) relu(u . x_i)|`, o being the offset that fits best alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LambdaMax {
    /// The largest value found.
    pub value: f64,
    /// Proved: no direction has more.
    pub upper: f64,
    /// `certified` when both agree to 1e-8, relatively.
    pub status: Claim,
}

/// Steps of the fixed point that a penalised offset needs: it moves with lambda.
const STEPS: usize = 200;
/// Nodes that the proof may take.
const NODES: u64 = 20_000;
/// Relative distance of value and bound that counts as certified: the default of `--gap`.
pub(super) const CERTIFIED: f64 = 1e-8;
/// Accuracy of the proof: a hundredth of it, so that the bound is not what decides.
const ACCURACY: f64 = 1e-10;

/// The weight decay from which on the best network has no neuron.
///
/// With a penalised offset the supremum depends on lambda itself: lambda = sup |q_lambda|, by a fixed point.
pub fn lambda_max(objective: &Objective, effort: &Effort<'_>) -> LambdaMax {
    let pricer = Pricer::new(objective, effort.seed);
    let mut lambda = objective.lambda;
    let mut top = 0.0;
    let mut best = vec![];
    for _ in 0..STEPS {
        let at = objective.with_lambda(lambda);
        let r = residual(&at);
        let all = at.with_lambda(f64::MIN_POSITIVE);
        let (found, value) = pricer.find(&all, &dual_point(&at.claim, &r), &[], 4 * effort.starts, 0);
        best = found;
        let moved = moved(top, value);
        top = value;
        if objective.offset != Offset::Penalised || !moved || value == 0.0 {
            break;
        }
        lambda = value;
    }
    let at = objective.with_lambda(if top > 0.0 { top } else { objective.lambda });
    let starts: Vec<Vec<f64>> = best.iter().map(|t| t.u.clone()).collect();
    let options = SupOptions {
        rise: Some(ACCURACY),
        max_nodes: NODES.min(effort.max_nodes),
        threads: effort.threads,
        stop: effort.stop,
        seed: effort.seed,
        starts: &starts,
        ..SupOptions::below(0.0)
    };
    let proof = sup_both(&at.claim, &at.features, &dual_point(&at.claim, &residual(&at)), &options);
    let value = top.max(proof.lower);
    let close = proof.upper <= value * (1.0 + CERTIFIED);
    let status = if close { Claim::Certified } else { Claim::Bound };
    LambdaMax { value, upper: proof.upper.max(value), status }
}

/// What the offset alone leaves.
fn residual(objective: &Objective) -> Vec<f64> {
    let o = objective.lone_offset();
    objective.y.iter().map(|y| y - o).collect()
}
