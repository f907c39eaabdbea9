//! One question, one answer: weight decay, the laws along the temperatures, what vanishing noise leaves.

use std::sync::Arc;

use relimit_core::certify::optimum::{Bias as CoreBias, Loss as CoreLoss, Objective as Claimed, Offset};
use relimit_core::data::scale::Scaled;
use relimit_core::gibbs::{Group, Law, Model, Solve, Stopped, groups, sample, solve};
use relimit_core::num::Mat;
use relimit_core::num::mat::max_abs;

use super::grid::grid;
use super::particles::{Run, measured};
use super::vanishing::vanishing_noise;
use crate::answer::{
    DataFacts, Drawn, GibbsAnswer, GibbsPoint, GibbsSettings, GibbsStatus, GroupFact, MeasuredPoint, NearLaw,
    VanishingNoise,
};
use crate::optimum::{Effort, Objective, kink, lambda_max};
use crate::plan::{Bias, GibbsPlan, Lambda, Loss};

/// Error of the outputs, as a share of the largest label, that counts as an answer.
const TARGET: f64 = 1e-3;
/// Points of the grid of a picture.
const PICTURE: usize = 241;
/// Sizes whose fourth powers stay in the range of f64.
const SIZES: std::ops::Range<f64> = 1e-60..1e60;

/// What is asked: a checked plan, the data, and the settings of the reader to be echoed.
pub struct GibbsQuestion<'a> {
    /// The plan.
    pub plan: &'a GibbsPlan,
    /// The scaled data and the maps that led to them.
    pub scaled: &'a Scaled,
    /// Short name of the data.
    pub name: String,
    /// Notices of the reader.
    pub notices: Vec<String>,
    /// Settings of the reader; the rest is filled in here.
    pub settings: GibbsSettings,
}

/// Why there is no answer.
#[derive(Clone, Debug, thiserror::Error)]
pub enum GibbsError {
    /// Powers leave the range of f64.
    #[error(
        "the largest {what} is {size:e} in size: its powers leave the range of double precision (sizes between 1e-60 and \
         1e60 are accepted). Rescale, for example with --scale standardise --target-scale standardise"
    )]
    Range {
        /// Label or feature.
        what: &'static str,
        /// Its size.
        size: f64,
    },
    /// Every label is 0 or no neuron sees one.
    #[error("--lambda {given}: lambda_max is 0, because no neuron improves on f = 0; give --lambda as a number")]
    NoScale {
        /// The flag's value.
        given: String,
    },
    /// A grid needs an axis.
    #[error(
        "--{flag}: the function is drawn over {drawn}, and there are {d}; choose one with --columns (or plot the \
         effective width over several values of --beta)"
    )]
    Grid {
        /// `grid` or `plot`.
        flag: &'static str,
        /// What it can be drawn over.
        drawn: &'static str,
        /// Features.
        d: usize,
    },
}

/// Why there is no law for so many inputs of a neuron, bias included, if there is none.
pub fn too_many(inputs: usize) -> Option<String> {
    let most = Model::SAMPLED;
    (inputs > most).then(|| {
        format!("the law is known for at most {most} inputs of a neuron, bias included, and here are {inputs}")
    })
}

/// Answers the question; `stop` ends early with the temperatures reached.
///
/// # Errors
/// Data out of range, a share of a lambda_max that is 0, a grid over more than one feature.
pub fn gibbs_answer(question: &GibbsQuestion<'_>, stop: &(dyn Fn() -> bool + Sync)) -> Result<GibbsAnswer, GibbsError> {
    let (plan, data) = (question.plan, &question.scaled.dataset);
    for (what, size) in [("label", max_abs(&data.y)), ("feature", data.x.max_abs())] {
        if size > 0.0 && !SIZES.contains(&size) {
            return Err(GibbsError::Range { what, size });
        }
    }
    let needs = [
        ("grid", "one feature or two", plan.grid > 0, 2),
        ("plot", "one feature", plan.plot.is_some() && plan.beta.len() == 1, 1),
    ];
    if let Some((flag, drawn, ..)) = needs.into_iter().find(|(.., asked, most)| *asked && data.d() > *most) {
        return Err(GibbsError::Grid { flag, drawn, d: data.d() });
    }
    let effort = Effort { threads: 1, seed: plan.seed, stop, ..Effort::default() };
    let unscaled = Objective::new(claim(plan, 1.0), (*data.x).clone(), data.y.clone());
    let (lambda, largest) = match plan.lambda {
        Lambda::Value(v) => (v, None),
        Lambda::Share(s) => {
            let largest = lambda_max(&unscaled, &effort).value;
            if largest == 0.0 {
                return Err(GibbsError::NoScale { given: plan.lambda.to_string() });
            }
            (s * largest, Some(largest))
        }
    };
    let objective = unscaled.with_lambda(lambda);
    let vanishing = || (!stop()).then(|| vanishing_noise(&objective, &effort, &question.scaled.inputs));
    // the laws are measured against the rays of the optimum, which is then found first
    let early = if plan.near.is_empty() { None } else { vanishing() };
    let rays = early.as_ref().map_or_else(Vec::new, |limit| directions(limit, objective.dim()));
    let mut job = Job { question, objective: &objective, lambda, rays, path: vec![], last: None, why: None };
    let ended = job.walk(stop);
    let limit = early.or_else(vanishing);
    let gridded = job.grid_points() > 0 && job.last.is_some();
    let mut answer = job.answer(ended, largest, limit, stop);
    // a law is there, but what was asked beside it is not
    if answer.limit.is_none() || (gridded && answer.grid.is_none()) {
        answer.status = GibbsStatus::Interrupted;
    }
    Ok(answer)
}

/// Unit directions of the rays of the optimum with the sign of their coefficients (none where it is 0).
fn directions(limit: &VanishingNoise, dim: usize) -> Vec<(Vec<f64>, Option<f64>)> {
    let direction = |w: &[f64], b: f64| w.iter().copied().chain([b]).take(dim).collect();
    limit.rays.iter().map(|t| (direction(&t.w, t.b), (t.c != 0.0).then(|| t.c.signum()))).collect()
}

fn claim(plan: &GibbsPlan, lambda: f64) -> Claimed {
    Claimed {
        lambda,
        loss: match plan.loss {
            Loss::HalfSum => CoreLoss::HalfSum,
            Loss::HalfMean => CoreLoss::HalfMean,
            Loss::Mean => CoreLoss::Mean,
        },
        bias: if plan.bias == Bias::None { CoreBias::None } else { CoreBias::Penalised },
        offset: Offset::None,
        weights: None,
    }
}

struct Job<'a> {
    question: &'a GibbsQuestion<'a>,
    objective: &'a Objective,
    lambda: f64,
    rays: Vec<(Vec<f64>, Option<f64>)>,
    path: Vec<GibbsPoint>,
    last: Option<(Box<Law>, Vec<Group>)>,
    why: Option<String>,
}

impl Job<'_> {
    /// The laws at all temperatures, each from the one before.
    fn walk(&mut self, stop: &(dyn Fn() -> bool + Sync)) -> GibbsStatus {
        let plan = self.question.plan;
        let y = &self.question.scaled.dataset.y;
        let x = Arc::new(self.objective.x.clone());
        for beta in &plan.beta {
            let model = Model {
                x: x.clone(),
                y: Mat::from_vec(y.len(), 1, y.clone()),
                omega: plan.loss.factor(y.len()),
                lambda: self.lambda,
                beta: *beta,
            };
            match solve(&model, self.last.as_ref().map(|l| &*l.0), &|| stop()) {
                Solve::Law(law) => self.keep(law, stop),
                Solve::Stopped(Stopped::Interrupted) => return GibbsStatus::Interrupted,
                Solve::Stopped(Stopped::Dimension) => {
                    self.why = too_many(x.cols());
                    return GibbsStatus::Undecided;
                }
            }
        }
        self.path.last().map_or(GibbsStatus::Undecided, |p| p.status)
    }

    fn keep(&mut self, law: Box<Law>, stop: &dyn Fn() -> bool) {
        let target = TARGET * max_abs(&self.question.scaled.dataset.y);
        let status = if law.error <= target { GibbsStatus::Converged } else { GibbsStatus::Undecided };
        self.why = (status == GibbsStatus::Undecided).then(|| match law.points() {
            None => format!("the outputs are certain to {:.1e} alone: rounding ends Newton's method", law.error),
            Some(points) => format!("the outputs are certain to {:.1e} alone, with {points} points", law.error),
        });
        let pieces = law.pieces();
        let mut groups = groups(&pieces, self.question.plan.angle.to_radians());
        groups.sort_by(|a, b| b.share.total_cmp(&a.share));
        self.path.push(GibbsPoint {
            beta: law.model.beta,
            status,
            outputs: law.outputs.as_slice().to_vec(),
            outputs_error: law.error,
            free_energy: law.free_energy,
            objective: law.objective(),
            norm: Law::norm(&pieces),
            effective_width: groups.len(),
            covered: groups.iter().map(|g| g.share).sum(),
            near: self.near(&law),
            measured: self.particles(&law, stop),
        });
        self.last = Some((law, groups));
    }

    /// Shares near the rays of the optimum, for every angle asked for.
    fn near(&self, law: &Law) -> Vec<NearLaw> {
        let share = |degrees: &f64| {
            let found = law.near(&self.rays, degrees.to_radians());
            NearLaw { degrees: *degrees, coefficient: found.coefficient, mass: found.mass }
        };
        let angles = if self.rays.is_empty() { &[] } else { self.question.plan.near.as_slice() };
        angles.iter().map(share).collect()
    }

    /// The particles that were asked for, at the temperature of a law.
    fn particles(&self, law: &Law, stop: &dyn Fn() -> bool) -> Option<MeasuredPoint> {
        let plan = self.question.plan;
        let claim = claim(plan, self.lambda);
        let ask = Run {
            features: &self.question.scaled.dataset.x,
            loss: claim.loss,
            bias: claim.bias,
            count: plan.particles,
            seed: plan.seed,
            angle: plan.angle.to_radians(),
        };
        (plan.particles > 0).then(|| measured(law, &ask, stop)).flatten()
    }

    fn answer(
        self,
        status: GibbsStatus,
        largest: Option<f64>,
        limit: Option<VanishingNoise>,
        stop: &dyn Fn() -> bool,
    ) -> GibbsAnswer {
        let plan = self.question.plan;
        let d = self.question.scaled.dataset.d();
        let bias = |u: &[f64]| u.get(d).copied().unwrap_or(0.0);
        let law = self.last.as_ref().map(|l| &*l.0);
        let point = self.path.last();
        let draws = law.filter(|_| plan.samples > 0).map(|law| {
            let draw = |t: relimit_core::gibbs::Draw| Drawn { w: t.u[..d].to_vec(), b: bias(&t.u), c: t.c[0] };
            sample(law, plan.samples, plan.seed).into_iter().map(draw).collect()
        });
        let group = |g: &Group| GroupFact {
            w: g.direction[..d].to_vec(),
            b: bias(&g.direction),
            c: g.coefficient,
            share: g.share,
            mass: g.mass,
            kink: kink(&g.direction, d, &self.question.scaled.inputs),
        };
        GibbsAnswer {
            schema: GibbsAnswer::SCHEMA.into(),
            command: "gibbs".into(),
            settings: self.settings(),
            data: self.data_facts(),
            status,
            why: self.why.clone(),
            lambda: self.lambda,
            lambda_max: largest,
            beta: point.map_or(plan.beta[plan.beta.len() - 1], |p| p.beta),
            outputs: point.map(|p| p.outputs.clone()),
            outputs_error: point.map(|p| p.outputs_error),
            points: law.and_then(Law::points),
            free_energy: point.map(|p| p.free_energy),
            objective: point.map(|p| p.objective),
            loss: law.map(Law::loss),
            norm: point.map(|p| p.norm),
            second_moment: law.map(Law::second_moment),
            dual: law.map(|l| l.dual.as_slice().to_vec()),
            quadrature_error: law.map(|l| l.quadrature),
            effective_width: point.map(|p| p.effective_width),
            covered: point.map(|p| p.covered),
            groups: self.last.as_ref().map_or_else(Vec::new, |l| l.1.iter().map(group).collect()),
            grid: law
                .filter(|_| self.grid_points() > 0)
                .and_then(|law| grid(law, self.question.scaled, self.grid_points(), stop)),
            samples: draws,
            limit,
            path: self.path.clone(),
        }
    }

    fn grid_points(&self) -> usize {
        let plan = self.question.plan;
        let pictured = plan.plot.is_some() && self.question.scaled.dataset.d() == 1;
        if plan.grid == 0 && pictured { PICTURE } else { plan.grid }
    }

    fn settings(&self) -> GibbsSettings {
        let plan = self.question.plan;
        GibbsSettings {
            bias: plan.bias.name().into(),
            loss: plan.loss.name().into(),
            lambda: plan.lambda.to_string(),
            beta: plan.beta.clone(),
            angle: plan.angle,
            near: plan.near.clone(),
            samples: plan.samples,
            grid: self.grid_points(),
            particles: plan.particles,
            seed: plan.seed,
            budget: plan.budget.map(|b| b.as_secs_f64()),
            ..self.question.settings.clone()
        }
    }

    fn data_facts(&self) -> DataFacts {
        let (q, dim) = (self.question, self.objective.dim());
        DataFacts::plain(&q.name, &q.scaled.dataset, dim, &q.notices)
    }
}
