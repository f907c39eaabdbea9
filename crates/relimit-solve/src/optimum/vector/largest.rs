//! lambda_max for several outputs.

use relimit_core::certify::Claim;
use relimit_core::certify::optimum::{Offset, sup_outputs};
use relimit_core::certify::sup::SupOptions;

use super::super::largest::CERTIFIED;
use super::super::rounding::moved;
use super::super::{Effort, LambdaMax};
use super::objective::VectorObjective;
use super::price::VectorPricer;

/// Steps of the fixed point that a penalised offset needs: it moves with lambda.
const STEPS: usize = 200;
/// Accuracy of the proof: a tenth of what counts as certified.
const ACCURACY: f64 = 1e-9;
/// Nodes that the proof may take.
const NODES: u64 = 20_000;

/// The weight decay from which on the best network has no neuron: `sup over unit u of |Q(u)|` at the best offset alone.
///
/// With a penalised offset the supremum depends on lambda itself: lambda = sup |Q_lambda|, by a fixed point.
pub fn vector_lambda_max(objective: &VectorObjective, effort: &Effort<'_>) -> LambdaMax {
    let pricer = VectorPricer::new(objective, effort.seed);
    let mut lambda = objective.one.lambda;
    let mut top = 0.0;
    for _ in 0..STEPS {
        let at = objective.with_lambda(lambda);
        let r = at.dual(&at.constant());
        let value = pricer.find(&at.with_lambda(f64::MIN_POSITIVE), &r, &[], 4 * effort.starts, 0).1;
        let moved = moved(top, value);
        top = value;
        if objective.one.offset != Offset::Penalised || !moved || value == 0.0 {
            break;
        }
        lambda = value;
    }
    let at = objective.with_lambda(if top > 0.0 { top } else { objective.one.lambda });
    let options = SupOptions {
        rise: Some(ACCURACY),
        max_nodes: NODES.min(effort.max_nodes),
        threads: effort.threads,
        stop: effort.stop,
        seed: effort.seed,
        ..SupOptions::below(0.0)
    };
    let proof = sup_outputs(&at.one.claim, &at.one.features, &at.dual(&at.constant()), &options);
    let value = top.max(proof.lower);
    let status = if proof.upper <= value * (1.0 + CERTIFIED) { Claim::Certified } else { Claim::Bound };
    LambdaMax { value, upper: proof.upper.max(value), status }
}
