//! From a checked plan and scaled data to the whole answer of `optimum`.

use relimit_core::certify::Claim;
use relimit_core::certify::optimum::{Bias as CoreBias, Loss as CoreLoss, Objective as Claimed, Offset};
use relimit_core::data::Dataset;
use relimit_core::data::scale::{Affine, Scaled, fold};
use relimit_core::net::Network;
use relimit_core::num::mat::max_abs;

use super::columns::Candidate;
use super::selected::fact;
use super::several;
use super::{Effort, LambdaMax, Line, Objective, Optimum, Ray, contact, exact_fit, kinks, lambda_max, optimum};
use crate::answer::{
    DataFacts, Ended, ExactFitFact, KinkFact, NeuronFact, OptimumAnswer, OptimumSettings, PathPoint, PerTarget,
};
use crate::plan::{Bias, Lambda, Loss, OptimumPlan};

/// What is asked: a checked plan, the data, and the settings of the reader to be echoed.
pub struct OptimumQuestion<'a> {
    /// The plan.
    pub plan: &'a OptimumPlan,
    /// The scaled data and the maps that led to them.
    pub scaled: &'a Scaled,
    /// Targets after the first, none for a scalar network.
    pub further: Vec<FurtherLabels>,
    /// Sample weights, n, positive; `None` for all 1.
    pub weights: Option<Vec<f64>>,
    /// Short name of the data.
    pub name: String,
    /// Notices of the reader.
    pub notices: Vec<String>,
    /// Settings of the reader; the rest is filled in here.
    pub settings: OptimumSettings,
    /// Seconds since some moment: what the trace of a plan reads.
    pub clock: &'a (dyn Fn() -> f64 + Sync),
}

/// A target after the first.
#[derive(Clone, Debug, PartialEq)]
pub struct FurtherLabels {
    /// Name of the column.
    pub name: String,
    /// Scaled labels, n.
    pub y: Vec<f64>,
    /// The map that led to them.
    pub map: Affine,
}

/// The map of all targets, the first one first.
pub fn target_maps(first: &Affine, further: &[FurtherLabels]) -> Affine {
    let maps = || std::iter::once(first).chain(further.iter().map(|t| &t.map));
    Affine {
        shift: maps().flat_map(|m| m.shift.iter().copied()).collect(),
        factor: maps().flat_map(|m| m.factor.iter().copied()).collect(),
    }
}

/// The answer and what files are written from.
pub struct OptimumOutcome {
    /// Everything that is printed.
    pub answer: OptimumAnswer,
    /// The optimal network, for raw inputs.
    pub network: Network,
    /// What a certificate is made from; `None` with several targets.
    pub proposed: Option<Proposed>,
}

/// A network on the scaled data with the dual point that bounds its gap.
pub struct Proposed {
    /// The statement.
    pub objective: Claimed,
    /// The network, on the scaled data.
    pub network: Network,
    /// The dual point, n.
    pub dual: Vec<f64>,
    /// Proved: |q| is at most this.
    pub sup: f64,
}

/// Why there is no answer.
#[derive(Clone, Debug, thiserror::Error)]
pub enum OptimumError {
    /// Squares leave the range of f64.
    #[error(
        "the largest {what} is {size:e} in size: its square leaves the range of double precision (sizes between 1e-140 \
         and 1e140 are accepted). Rescale, for example with --scale standardise --target-scale standardise"
    )]
    Range {
        /// Label or feature.
        what: &'static str,
        /// Its size.
        size: f64,
    },
    /// Every label is explained without a neuron, so that no share of lambda_max is a number.
    #[error(
        "--lambda {given}: lambda_max is 0, because no neuron improves on the best constant; give --lambda as a number"
    )]
    NoScale {
        /// The flag's value.
        given: String,
    },
}

/// Sizes whose squares stay in the range of f64.
const SIZES: std::ops::Range<f64> = 1e-140..1e140;
/// Values of lambda on the path, from lambda_max to `PATH_END` of it.
pub(super) const PATH: usize = 20;
/// Last share of lambda_max on the path.
const PATH_END: f64 = 1e-3;

/// Kinks closer than this share of the data's span are one: both neurons of an antipodal pair are placed to about 1e-10, and
/// data that are told apart by less are not met.
const ONE_KINK: f64 = 1e-9;

/// Answers the question; `stop` ends early with a partial answer.
///
/// # Errors
/// Data out of range, and a share of a lambda_max that is 0.
pub fn optimum_answer(
    question: &OptimumQuestion<'_>,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<OptimumOutcome, OptimumError> {
    let (plan, data) = (question.plan, &question.scaled.dataset);
    in_range(data)?;
    let threads = plan.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let effort =
        Effort { gap: plan.gap, max_nodes: plan.max_nodes, threads, seed: plan.seed, stop, ..Effort::default() };
    let statement = Claimed { weights: question.weights.clone(), ..claim(plan.loss, plan.bias, plan.offset, 1.0) };
    if !question.further.is_empty() {
        return several::answer(question, statement, &effort);
    }
    let unscaled = Objective::new(statement, (*data.x).clone(), data.y.clone());
    let largest = lambda_max(&unscaled, &effort);
    let objective = unscaled.with_lambda(lambda_of(plan, &largest)?);
    let clock = plan.trace.then_some(question.clock);
    let found = optimum(&objective, vec![], &Effort { clock, ..effort });
    let path = plan.path.then(|| walk(question, &unscaled, &largest, &effort));
    let job = Job { question, objective: &objective, effort: &effort, threads };
    Ok(job.outcome(&found, &largest, path))
}

/// Weight decay as a number.
pub(super) fn lambda_of(plan: &OptimumPlan, largest: &LambdaMax) -> Result<f64, OptimumError> {
    match plan.lambda {
        Lambda::Value(v) => Ok(v),
        Lambda::Share(_) if largest.value == 0.0 => Err(OptimumError::NoScale { given: plan.lambda.to_string() }),
        Lambda::Share(s) => Ok(s * largest.value),
    }
}

/// The share of lambda_max at position k of the path.
pub(super) fn path_share(k: usize) -> f64 {
    PATH_END.powf(k as f64 / (PATH - 1) as f64)
}

/// Refuses data whose squares leave the range of f64.
pub(crate) fn in_range(data: &Dataset) -> Result<(), OptimumError> {
    within("label", max_abs(&data.y))?;
    within("feature", data.x.max_abs())
}

/// Refuses a largest size whose square leaves the range of f64.
pub(crate) fn within(what: &'static str, size: f64) -> Result<(), OptimumError> {
    if size > 0.0 && !SIZES.contains(&size) { Err(OptimumError::Range { what, size }) } else { Ok(()) }
}

/// The statement in the words of the certificates.
pub(crate) fn claim(loss: Loss, bias: Bias, offset: Bias, lambda: f64) -> Claimed {
    Claimed {
        lambda,
        loss: match loss {
            Loss::HalfSum => CoreLoss::HalfSum,
            Loss::HalfMean => CoreLoss::HalfMean,
            Loss::Mean => CoreLoss::Mean,
        },
        bias: match bias {
            Bias::None => CoreBias::None,
            Bias::Penalised => CoreBias::Penalised,
            Bias::Free => CoreBias::Free,
        },
        offset: match offset {
            Bias::None => Offset::None,
            Bias::Penalised => Offset::Penalised,
            Bias::Free => Offset::Free,
        },
        weights: None,
    }
}

/// Optima along decreasing lambda, each started from the one before.
fn walk(
    question: &OptimumQuestion<'_>,
    objective: &Objective,
    largest: &LambdaMax,
    effort: &Effort<'_>,
) -> Vec<PathPoint> {
    let mut points: Vec<PathPoint> = Vec::new();
    let mut rays: Vec<Ray> = Vec::new();
    let mut patterns: Vec<(bool, Vec<i8>)> = Vec::new();
    for k in 0..PATH {
        if (effort.stop)() || largest.value == 0.0 {
            break;
        }
        let at = objective.with_lambda(largest.value * path_share(k));
        let found = optimum(&at, rays, effort);
        let now: Vec<(bool, Vec<i8>)> = found.candidate.rays.iter().map(|t| (t.c > 0.0, at.pattern(t))).collect();
        points.push(PathPoint {
            lambda: at.lambda,
            objective: found.certified.objective,
            gap: found.certified.gap,
            status: found.certified.status,
            loss: loss(&at, &found.candidate),
            norm: norm(&at, &found.candidate),
            width: found.candidate.rays.len(),
            rank: None,
            entered: now.iter().filter(|p| !patterns.contains(p)).count(),
            left: patterns.iter().filter(|p| !now.contains(p)).count(),
            kinks: raw_kinks(question, &raw(question, &at, &found.candidate))
                .map(|all| all.iter().map(|k| k.at).collect()),
        });
        patterns = now;
        rays = found.candidate.rays;
    }
    points
}

fn loss(objective: &Objective, candidate: &Candidate) -> f64 {
    let f = objective.outputs(&candidate.rays, candidate.offset);
    0.5 * (0..f.len()).map(|i| objective.omega[i] * (f[i] - objective.y[i]) * (f[i] - objective.y[i])).sum::<f64>()
}

fn norm(objective: &Objective, candidate: &Candidate) -> f64 {
    candidate.rays.iter().map(|t| t.c.abs() * objective.size(&t.u)).sum()
}

/// The network for raw inputs and labels.
fn raw(question: &OptimumQuestion<'_>, objective: &Objective, candidate: &Candidate) -> Network {
    let net = objective.network(&candidate.rays, candidate.offset);
    let (inputs, target) = (&question.scaled.inputs, &question.scaled.target);
    if inputs.is_identity() && target.is_identity() { net } else { fold(&net, inputs, target) }
}

/// Kinks in the units of the file, for one feature.
fn raw_kinks(question: &OptimumQuestion<'_>, net: &Network) -> Option<Vec<super::Kink>> {
    let x = &question.scaled.dataset.x;
    (x.cols() == 1).then(|| {
        let span = x.max_abs() * question.scaled.inputs.factor[0];
        kinks(net, ONE_KINK * span)
    })
}

/// One question with its objective.
struct Job<'a> {
    question: &'a OptimumQuestion<'a>,
    objective: &'a Objective,
    effort: &'a Effort<'a>,
    threads: usize,
}

impl Job<'_> {
    fn outcome(&self, found: &Optimum, largest: &LambdaMax, path: Option<Vec<PathPoint>>) -> OptimumOutcome {
        let (candidate, certified) = (&found.candidate, &found.certified);
        let network = raw(self.question, self.objective, candidate);
        let shape = raw_kinks(self.question, &network);
        let sure = certified.status == Claim::Certified && !found.stopped;
        let contact = sure.then(|| contact(self.objective, candidate, self.effort));
        let (width_bound, width_bound_exact) = self.width_bound();
        let whole = whole_path(path.as_deref(), largest) && certified.status == Claim::Certified;
        let ended = ended(whole, found.nodes, self.effort);
        let answer = OptimumAnswer {
            schema: OptimumAnswer::SCHEMA.into(),
            command: "optimum".into(),
            settings: settings(self.question, self.threads),
            data: data_facts(self.question, self.objective.dim()),
            status: certified.status,
            ended,
            objective: certified.objective,
            dual: certified.lower_bound,
            gap: certified.gap,
            gap_relative: certified.gap_relative,
            loss: loss(self.objective, candidate),
            norm: norm(self.objective, candidate),
            lambda: self.objective.lambda,
            lambda_max: largest.value,
            lambda_max_upper: largest.upper.is_finite().then_some(largest.upper),
            lambda_max_status: largest.status,
            width: candidate.rays.len(),
            width_bound,
            width_bound_exact,
            neurons: self.neurons(candidate),
            offset: PerTarget::One(candidate.offset),
            outputs: (self.objective.outputs(&candidate.rays, candidate.offset).into_iter())
                .map(PerTarget::One)
                .collect(),
            further_targets: None,
            cells: None,
            kinks_why: None,
            kinks: shape.as_ref().map(|all| all.iter().map(|k| k.at).collect()),
            slopes: shape.map(|all| all.iter().map(|k| KinkFact { at: k.at, left: k.left, right: k.right }).collect()),
            exact_fit: self.exact_fit(),
            unique: contact.as_ref().and_then(super::Contact::verdict),
            unique_why: contact.as_ref().map(why),
            selected: contact.as_ref().and_then(|c| fact(self.objective, candidate, c, &self.question.scaled.inputs)),
            contact: contact.as_ref().map(|c| c.rays.len()),
            nodes: found.nodes,
            returns: found.returns,
            path,
            trace: self.question.plan.trace.then(|| found.trace.clone()),
        };
        let proposed = Some(Proposed {
            objective: self.objective.claim.clone(),
            network: self.objective.network(&candidate.rays, candidate.offset),
            dual: certified.dual.clone(),
            sup: certified.sup.upper,
        });
        OptimumOutcome { answer, network, proposed }
    }

    fn neurons(&self, candidate: &Candidate) -> Vec<NeuronFact> {
        let d = self.objective.features.cols();
        let mut rays: Vec<&Ray> = candidate.rays.iter().collect();
        rays.sort_by(|a, b| b.c.abs().total_cmp(&a.c.abs()));
        rays.iter()
            .map(|t| NeuronFact {
                w: t.u[..d].to_vec(),
                b: t.u.get(d).copied().unwrap_or(0.0),
                c: PerTarget::One(t.c),
                pattern: self.objective.pattern(t),
            })
            .collect()
    }

    /// 2(P - 1): P exactly in two coordinates, else the largest P that n rows in D coordinates can have.
    fn width_bound(&self) -> (Option<u64>, bool) {
        let (n, dim) = (self.objective.n() as u64, self.objective.dim() as u64);
        if let Some(line) = Line::new(&self.objective.x) {
            return (Some(2 * (line.cells() as u64).saturating_sub(1)), true);
        }
        let mut term: u128 = 1;
        let mut sum: u128 = 0;
        for k in 0..dim.min(n) {
            sum += term;
            term = match term.checked_mul(u128::from(n - 1 - k.min(n - 1))) {
                Some(t) => t / u128::from(k + 1),
                None => return (None, false),
            };
            if sum > 1 << 52 {
                return (None, false);
            }
        }
        (u64::try_from(2 * (2 * sum).saturating_sub(1)).ok(), false)
    }

    /// One feature with a hidden bias: what an exact fit needs, in the units of the file.
    fn exact_fit(&self) -> Option<ExactFitFact> {
        let x = &self.objective.features;
        if x.cols() != 1 || self.question.plan.bias == Bias::None {
            return None;
        }
        let fit = exact_fit(x.as_slice(), &self.objective.y)?;
        let unit = self.question.scaled.target.factor[0] / self.question.scaled.inputs.factor[0];
        Some(ExactFitFact { fewest_kinks: fit.fewest_kinks, slope_change: fit.slope_change * unit })
    }
}

/// Whether the path that was asked for is complete.
pub(super) fn whole_path(path: Option<&[PathPoint]>, largest: &LambdaMax) -> bool {
    path.is_none_or(|p| p.len() == PATH || largest.value == 0.0)
}

/// How the work ended: by itself when all that was asked for is there.
pub(super) fn ended(whole: bool, nodes: u64, effort: &Effort<'_>) -> Ended {
    match () {
        () if whole => Ended::Finished,
        () if (effort.stop)() => Ended::Interrupted,
        () if nodes >= effort.max_nodes => Ended::Nodes,
        () => Ended::Finished,
    }
}

/// Every effective setting.
pub(super) fn settings(question: &OptimumQuestion<'_>, threads: usize) -> OptimumSettings {
    let plan = question.plan;
    OptimumSettings {
        bias: plan.bias.name().into(),
        offset: plan.offset.name().into(),
        loss: plan.loss.name().into(),
        lambda: plan.lambda.to_string(),
        path: plan.path,
        trace: plan.trace,
        gap: plan.gap,
        max_nodes: plan.max_nodes,
        seed: plan.seed,
        threads: threads as u64,
        budget: plan.budget.map(|b| b.as_secs_f64()),
        ..question.settings.clone()
    }
}

/// What was read.
pub(super) fn data_facts(question: &OptimumQuestion<'_>, dim: usize) -> DataFacts {
    DataFacts::plain(&question.name, &question.scaled.dataset, dim, &question.notices)
}

/// Why the optimum is unique or not, in a sentence.
fn why(contact: &super::Contact) -> String {
    let (k, rank) = (contact.rays.len(), contact.rank);
    let looked = if contact.exhaustive { "" } else { " (those that local search finds)" };
    if contact.unique() {
        let open = if contact.exhaustive { "" } else { "; that there is no other is not proved" };
        format!("the features of all {k} directions of contact{looked} are independent{open}")
    } else {
        let columns = contact.columns;
        format!("{columns} columns of contact{looked} have rank {rank}: the outputs are unique, the network is not")
    }
}
