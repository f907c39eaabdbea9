//! One question made ready, run in pieces, and answered.

use std::sync::Arc;

use relimit_core::certify::optimum::{Bias as CoreBias, Objective as Claimed};
use relimit_core::data::scale::Scaled;
use relimit_core::langevin::{
    Activation, Batch, End, Grid, Layers, Measured, Options, Particles, Plan, PlanError, Precision, Scaling, Schedule,
    Start, Status, outputs, run, stable_step, start,
};

use super::bound::lower_bound;
use super::cells::cells;
use super::census::census;
use super::rays::{end_groups, over_time, rays};
use super::statement::{bias, labels, loss, offset};
use super::watch::Watch;
use crate::answer::{DataFacts, FurtherTarget, PerTarget, TrainAnswer, TrainPoint, TrainSettings, TrainStatus};
use crate::optimum::{Effort, FurtherLabels, Objective, VectorObjective, lambda_max, vector_lambda_max};
use crate::plan::{Lambda, TrainPlan};

/// Part of the stable step that is taken without `--step`.
const CAUTION: f64 = 0.5;
/// Inputs of a neuron and rows up to which the rays of the optimum are found in about a second.
const QUICK: (usize, usize) = (3, 300);
/// Points of the record in a decade of steps.
const PER_DECADE: u32 = 8;

/// What is asked: a checked plan, the data, and the settings of the reader to be echoed.
pub struct TrainQuestion<'a> {
    /// The plan.
    pub plan: &'a TrainPlan,
    /// The scaled data and the maps that led to them.
    pub scaled: &'a Scaled,
    /// Targets after the first.
    pub further: Vec<FurtherLabels>,
    /// Short name of the data.
    pub name: String,
    /// Notices of the reader.
    pub notices: Vec<String>,
    /// Settings of the reader; the rest is filled in here.
    pub settings: TrainSettings,
}

/// Why there is no run.
#[derive(Clone, Debug, thiserror::Error)]
pub enum TrainError {
    /// The core refuses the plan.
    #[error("{0}")]
    Plan(#[from] PlanError),
    /// Every label is 0 or no neuron sees one.
    #[error("--lambda {given}: lambda_max is 0, because no neuron improves on f = 0; give --lambda as a number")]
    NoScale {
        /// The flag's value.
        given: String,
    },
}

/// A question with everything that the data decide.
pub struct Training<'a> {
    question: &'a TrainQuestion<'a>,
    /// The core's plan.
    pub plan: Plan,
    /// Step at step 0.
    eta: f64,
    lambda_max: Option<f64>,
}

/// How far a run has come.
#[derive(Clone, Debug)]
pub struct Reached {
    /// The state.
    pub particles: Particles,
    /// Steps done.
    pub step: u64,
    /// The record so far.
    pub record: Vec<TrainPoint>,
    /// How it ended, if it did before all steps were done.
    pub ended: Option<Status>,
}

/// Resolves weight decay and step.
///
/// # Errors
/// A plan that the core refuses, a share of a lambda_max that is 0.
pub fn prepare<'a>(
    question: &'a TrainQuestion<'a>,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Training<'a>, TrainError> {
    let (plan, data) = (question.plan, &question.scaled.dataset);
    let y = labels(&data.y, &question.further);
    let (lambda, largest) = match plan.lambda {
        Lambda::Value(v) => (v, None),
        Lambda::Share(s) => {
            let claim = Claimed {
                lambda: 1.0,
                loss: loss(plan.loss),
                bias: bias(plan.bias),
                offset: offset(plan.offset),
                weights: None,
            };
            let effort = Effort { threads: 1, seed: plan.seed, stop, ..Effort::default() };
            let x = (*data.x).clone();
            let largest = if question.further.is_empty() {
                lambda_max(&Objective::new(claim, x, data.y.clone()), &effort).value
            } else {
                vector_lambda_max(&VectorObjective::new(claim, x, y.clone()), &effort).value
            };
            if largest == 0.0 {
                return Err(TrainError::NoScale { given: plan.lambda.to_string() });
            }
            (s * largest, Some(largest))
        }
    };
    let beta = match plan.anneal {
        Some(to) => Schedule::Geometric { from: plan.beta, to, steps: plan.steps },
        None => Schedule::Constant(plan.beta),
    };
    let step = |eta: f64| match plan.halve_at {
        Some(half) => Schedule::Harmonic { from: eta, half },
        None => Schedule::Constant(eta),
    };
    let options = |eta: f64| Options {
        x: Arc::clone(&data.x),
        y: y.clone(),
        width: plan.width,
        scaling: plan.scaling,
        activation: plan.activation,
        loss: loss(plan.loss),
        bias: bias(plan.bias),
        offset: offset(plan.offset),
        lambda,
        beta: beta.clone(),
        step: step(eta),
        batch: plan.batch,
        layers: plan.layers,
        start: plan.start.clone(),
        precision: plan.precision,
        seed: plan.seed,
        gradient_tolerance: plan.tolerance,
    };
    let first = Plan::new(options(plan.step.unwrap_or(1.0)))?;
    let (core, eta) = if let Some(eta) = plan.step {
        (first, eta)
    } else {
        // a small start says nothing of the weights that fit: outputs of order 1 do
        let scale = if plan.scaling == Scaling::MeanField { 1.0 } else { (plan.width as f64).sqrt().recip() };
        let fitted = Plan::new(Options { start: Start::Normal { scale }, ..options(1.0) })?;
        let eta = CAUTION * stable_step(&first).min(stable_step(&fitted));
        (Plan::new(options(eta))?, eta)
    };
    Ok(Training { question, plan: core, eta, lambda_max: largest })
}

impl Training<'_> {
    /// The state before the first step.
    pub fn begin(&self) -> Reached {
        Reached { particles: start(&self.plan), step: 0, record: vec![], ended: None }
    }

    /// Goes on to step `until` at most; equal bits however a run is cut.
    pub fn advance(&self, reached: &mut Reached, until: u64, threads: usize, stop: &dyn Fn() -> bool) {
        let (last, grid) = (self.question.plan.steps, Grid { per_decade: PER_DECADE });
        let next = reached.record.last().map_or(0, |p| grid.after(p.step).min(last.max(p.step + 1)));
        let mut watch = Watch::new(grid, next, last);
        let end: End =
            run(&self.plan, &mut reached.particles, reached.step..until.min(last), threads, &mut watch, stop);
        reached.record.extend(watch.record);
        reached.step = end.step;
        reached.ended = (end.status != Status::Completed).then_some(end.status);
    }

    /// The answer at the state reached; `cut` says what stopped it, if something did. With `--starts` the other starts
    /// are run here.
    pub fn answer(
        &self,
        reached: &Reached,
        cut: Option<TrainStatus>,
        threads: usize,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> TrainAnswer {
        let (plan, data) = (self.question.plan, &self.question.scaled.dataset);
        let (status, why) = match (cut, reached.ended) {
            (Some(cut), _) => (cut, None),
            (None, Some(Status::Converged { gradient })) => (
                TrainStatus::Converged,
                Some(format!("the gradient is {gradient:.1e} (root mean square over neurons)")),
            ),
            (None, Some(Status::Diverged(remedy))) => (TrainStatus::Diverged, Some(remedy.to_string())),
            (None, Some(Status::Interrupted)) => (TrainStatus::Interrupted, None),
            (None, Some(Status::Completed) | None) => (TrainStatus::Completed, None),
        };
        let finite = reached.particles.all_finite();
        let now = finite.then(|| point(&relimit_core::langevin::measure(&self.plan, &reached.particles, reached.step)));
        let f = outputs(&self.plan, &reached.particles, &data.x);
        let o = self.plan.options();
        let state = (&self.plan, &reached.particles);
        let reached_objective = now.as_ref().map(|p| p.objective);
        let inputs = &self.question.scaled.inputs;
        let effort = Effort { threads, seed: plan.seed, stop, ..Effort::default() };
        let comparable = self.comparable().filter(|_| finite && !stop());
        let one = finite && self.plan.shape().2 == 1;
        let beside = comparable.as_ref().filter(|_| one).map(|claim| {
            let objective = Objective::new(claim.clone(), (*o.x).clone(), o.y.as_slice().to_vec());
            rays(&objective, &effort, state, reached_objective, inputs)
        });
        let by_cells = (finite && !one).then(|| {
            let objective = comparable.map(|claim| VectorObjective::new(claim, (*o.x).clone(), o.y.clone()));
            cells(state, objective.as_ref().zip(reached_objective), &effort)
        });
        let record = match &beside {
            Some(beside) => over_time(&reached.record, beside, self.plan.has_bias()),
            None => reached.record.clone(),
        };
        let of_cells = by_cells.as_ref().and_then(|c| c.optimum.as_ref()).map(|o| o.lower_bound);
        let known = beside.as_ref().map(|b| b.lower_bound).or(of_cells);
        let beta = o.beta.at(reached.step.saturating_sub(1));
        TrainAnswer {
            schema: TrainAnswer::SCHEMA.into(),
            command: "train".into(),
            settings: self.settings(),
            data: self.data_facts(),
            status,
            why,
            steps: reached.step,
            lambda: o.lambda,
            lambda_max: self.lambda_max,
            beta: beta.is_finite().then_some(beta),
            loss: now.as_ref().map(|p| p.loss),
            objective: now.as_ref().map(|p| p.objective),
            outputs: (0..f.rows())
                .map(|i| if f.cols() == 1 { PerTarget::One(f[(i, 0)]) } else { PerTarget::Several(f.row(i).to_vec()) })
                .collect(),
            further_targets: (!self.question.further.is_empty()).then(|| {
                let fact = |t: &FurtherLabels| FurtherTarget { name: t.name.clone(), labels: t.y.clone() };
                self.question.further.iter().map(fact).collect()
            }),
            second_moment: now.as_ref().map(|p| p.second_moment),
            virial: now.as_ref().and_then(|p| p.virial),
            effective_width: now.as_ref().and_then(|p| p.effective_width),
            covered: now.as_ref().and_then(|p| p.covered),
            fingerprint: format!("{:016x}", reached.particles.fingerprint()),
            groups: if one { end_groups(state, beside.as_ref(), inputs) } else { vec![] },
            rays: beside,
            cells: by_cells,
            record,
            census: plan.starts.filter(|_| !stop()).map(|starts| {
                let lower = known.or_else(|| lower_bound(&self.plan, threads, stop));
                census(&self.plan, lower, (plan.steps, starts), threads, stop)
            }),
        }
    }

    /// The statement of the convex problem whose minimum bounds this run, where there is one of the same objective, and
    /// where it is quick to solve or asked for.
    fn comparable(&self) -> Option<Claimed> {
        let (o, plan) = (self.plan.options(), self.question.plan);
        let (n, d, _) = self.plan.shape();
        let same = matches!(o.activation, Activation::Relu)
            && o.layers == Layers::Both
            && o.bias != CoreBias::Free
            && o.lambda > 0.0;
        let quick = d + usize::from(self.plan.has_bias()) <= QUICK.0 && n <= QUICK.1;
        (same && (quick || plan.rays)).then_some(Claimed {
            lambda: o.lambda,
            loss: o.loss,
            bias: o.bias,
            offset: o.offset,
            weights: None,
        })
    }

    /// The effective settings.
    pub fn settings(&self) -> TrainSettings {
        let plan = self.question.plan;
        let finite = |v: f64| v.is_finite().then_some(v);
        TrainSettings {
            bias: plan.bias.name().into(),
            offset: plan.offset.name().into(),
            loss: plan.loss.name().into(),
            width: plan.width,
            scaling: if plan.scaling == Scaling::MeanField { "mean-field" } else { "standard" }.into(),
            unit: match plan.activation {
                Activation::Relu => "relu".into(),
                Activation::Smooth(s) => format!("smooth:{},{}", s.cap, s.sharpness),
            },
            layers: if plan.layers == Layers::Both { "both" } else { "inner" }.into(),
            lambda: plan.lambda.to_string(),
            beta: finite(plan.beta),
            anneal: plan.anneal,
            step: self.eta,
            halve_at: plan.halve_at,
            steps: plan.steps,
            batch: match plan.batch {
                Batch::Full => "full".into(),
                Batch::Drawn(size) => size.to_string(),
                Batch::Shuffled(size) => format!("{size}:shuffled"),
            },
            start: plan.start_name.clone(),
            starts: plan.starts,
            rays: plan.rays,
            precision: if plan.precision == Precision::F64 { "f64" } else { "f32" }.into(),
            tolerance: plan.tolerance,
            seed: plan.seed,
            budget: plan.budget.map(|b| b.as_secs_f64()),
            ..self.question.settings.clone()
        }
    }

    fn data_facts(&self) -> DataFacts {
        let (q, dim) = (self.question, self.question.scaled.dataset.d() + usize::from(self.plan.has_bias()));
        DataFacts::plain(&q.name, &q.scaled.dataset, dim, &q.notices)
    }
}

pub(super) fn point(m: &Measured) -> TrainPoint {
    TrainPoint {
        step: m.step,
        loss: m.loss,
        objective: m.objective,
        second_moment: m.second_moment,
        virial: m.virial,
        effective_width: m.effective_width,
        covered: m.covered,
        on_rays: None,
        groups: vec![],
        arcs: vec![],
    }
}
