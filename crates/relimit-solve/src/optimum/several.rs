//! From a checked plan and scaled data to the whole answer of `optimum`, for several targets.

use relimit_core::certify::Claim;
use relimit_core::certify::optimum::Objective as Claimed;
use relimit_core::data::scale::fold;
use relimit_core::net::Network;
use relimit_core::num::Mat;
use relimit_core::num::mat::max_abs;

use super::ask::{
    OptimumError, OptimumOutcome, OptimumQuestion, PATH, data_facts, ended, lambda_of, path_share, settings,
    target_maps, whole_path, within,
};
use super::{
    Cell, Effort, LambdaMax, VectorNet, VectorObjective, VectorOptimum, cells, vector_lambda_max, vector_optimum,
};
use crate::answer::{CellFact, FurtherTarget, NeuronFact, OptimumAnswer, PathPoint, PerTarget};

/// Why a count of rays is absent.
const NO_RAYS: &str = "with several targets a whole arc of directions can be optimal at once: what is determined is the \
                       rank of the map on each cell, not a number of rays or kinks";
/// Why uniqueness is open.
const NOT_JUDGED: &str = "the outputs are unique; whether the network is was not judged, because with several targets a \
                          whole arc of directions can be optimal at once";

/// Answers a question of two targets or more.
pub(super) fn answer(
    question: &OptimumQuestion<'_>,
    statement: Claimed,
    effort: &Effort<'_>,
) -> Result<OptimumOutcome, OptimumError> {
    let (plan, data) = (question.plan, &question.scaled.dataset);
    for t in &question.further {
        within("label", max_abs(&t.y))?;
    }
    let columns: Vec<&[f64]> = std::iter::once(&data.y[..]).chain(question.further.iter().map(|t| &t.y[..])).collect();
    let y = Mat::from_fn(data.n(), columns.len(), |i, l| columns[l][i]);
    let unscaled = VectorObjective::new(statement, (*data.x).clone(), y);
    let largest = vector_lambda_max(&unscaled, effort);
    let objective = unscaled.with_lambda(lambda_of(plan, &largest)?);
    let clock = plan.trace.then_some(question.clock);
    let found = vector_optimum(&objective, vec![], &Effort { clock, ..*effort });
    let path = plan.path.then(|| walk(&unscaled, &largest, effort));
    Ok(outcome(question, &objective, &found, &largest, path, effort))
}

/// Optima along decreasing lambda, each started from the one before.
fn walk(objective: &VectorObjective, largest: &LambdaMax, effort: &Effort<'_>) -> Vec<PathPoint> {
    let mut points: Vec<PathPoint> = Vec::new();
    let mut rays = vec![];
    let mut patterns: Vec<Vec<i8>> = Vec::new();
    for k in 0..PATH {
        if (effort.stop)() || largest.value == 0.0 {
            break;
        }
        let at = objective.with_lambda(largest.value * path_share(k));
        let mut found = vector_optimum(&at, rays, effort);
        if found.certified.status != Claim::Certified {
            // neurons of the lambda before can lead into a stall that a fresh start does not meet
            let fresh = vector_optimum(&at, vec![], effort);
            if fresh.certified.gap < found.certified.gap {
                found = fresh;
            }
        }
        let cells = cells(&at, &found.net);
        let now: Vec<Vec<i8>> = cells.iter().map(|c| c.pattern.clone()).collect();
        points.push(PathPoint {
            lambda: at.one.lambda,
            objective: found.certified.objective,
            gap: found.certified.gap,
            status: found.certified.status,
            loss: at.loss(&found.net),
            norm: at.norm(&found.net),
            width: found.net.rays.len(),
            rank: Some(cells.iter().map(Cell::rank).sum()),
            entered: now.iter().filter(|p| !patterns.contains(p)).count(),
            left: patterns.iter().filter(|p| !now.contains(p)).count(),
            kinks: None,
        });
        patterns = now;
        rays = found.net.rays;
    }
    points
}

fn outcome(
    question: &OptimumQuestion<'_>,
    objective: &VectorObjective,
    found: &VectorOptimum,
    largest: &LambdaMax,
    path: Option<Vec<PathPoint>>,
    effort: &Effort<'_>,
) -> OptimumOutcome {
    let (one, certified) = (&objective.one, &found.certified);
    // the largest first, as the cells count them
    let mut net = found.net.clone();
    net.rays.sort_by(|a, b| b.ray.c.total_cmp(&a.ray.c));
    let d = one.features.cols();
    let whole = whole_path(path.as_deref(), largest) && certified.status == Claim::Certified;
    let answer = OptimumAnswer {
        schema: OptimumAnswer::SCHEMA.into(),
        command: "optimum".into(),
        settings: settings(question, effort.threads),
        data: data_facts(question, one.dim()),
        status: certified.status,
        ended: ended(whole, found.nodes, effort),
        objective: certified.objective,
        dual: certified.lower_bound,
        gap: certified.gap,
        gap_relative: certified.gap_relative,
        loss: objective.loss(&net),
        norm: objective.norm(&net),
        lambda: one.lambda,
        lambda_max: largest.value,
        lambda_max_upper: largest.upper.is_finite().then_some(largest.upper),
        lambda_max_status: largest.status,
        width: net.rays.len(),
        width_bound: None,
        width_bound_exact: false,
        neurons: (net.rays.iter())
            .map(|t| NeuronFact {
                w: t.ray.u[..d].to_vec(),
                b: t.ray.u.get(d).copied().unwrap_or(0.0),
                c: PerTarget::Several(t.output.iter().map(|v| t.ray.c * v).collect()),
                pattern: one.pattern(&t.ray),
            })
            .collect(),
        offset: PerTarget::Several(net.offset.clone()),
        outputs: objective.values(&net).to_rows().into_iter().map(PerTarget::Several).collect(),
        further_targets: Some(
            (question.further.iter()).map(|t| FurtherTarget { name: t.name.clone(), labels: t.y.clone() }).collect(),
        ),
        cells: Some(cells(objective, &net).into_iter().map(fact).collect()),
        kinks_why: Some(NO_RAYS.into()),
        kinks: None,
        slopes: None,
        exact_fit: None,
        unique: None,
        unique_why: Some(NOT_JUDGED.into()),
        selected: None,
        contact: None,
        nodes: found.nodes,
        returns: found.returns,
        path,
        trace: question.plan.trace.then(|| found.trace.clone()),
    };
    OptimumOutcome { answer, network: raw(question, objective, &net), proposed: None }
}

fn fact(cell: Cell) -> CellFact {
    CellFact { rank: cell.rank(), neurons: cell.members, singular_values: cell.singular, pattern: cell.pattern }
}

/// The network for raw inputs and labels.
fn raw(question: &OptimumQuestion<'_>, objective: &VectorObjective, net: &VectorNet) -> Network {
    let net = objective.network(net);
    let inputs = &question.scaled.inputs;
    let target = target_maps(&question.scaled.target, &question.further);
    if inputs.is_identity() && target.is_identity() { net } else { fold(&net, inputs, &target) }
}
