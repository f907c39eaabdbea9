//! One function a section: the plan that a study makes for an engine, and what the engine found.

use relimit_core::certify::Claim;
use relimit_core::data::scale::Scaled;
use relimit_core::descent::{Status, Unobserved};
use relimit_core::num::Mat;

use crate::answer::{
    Choice, Ended, Fitted, Followed, GibbsSettings, GibbsStatus, OptimumSettings, Part, PatternsData, PatternsSettings,
    PatternsStatus, ReaderSettings, RunState, Section, SectionStatus, Settings, StudySettings, Trajectory,
};
use crate::gibbs::{GibbsQuestion, gibbs_answer, too_many};
use crate::limit::{LimitQuestion, limit_within};
use crate::optimum::{FurtherLabels, OptimumQuestion, optimum_answer};
use crate::patterns::{PatternsQuestion, patterns};
use crate::plan::{Bias, GibbsOptions, Lambda, LimitOptions, OptimumOptions, PatternsOptions, PlanError, StudyPlan};

/// Most preactivations of a picture: neurons times rows.
const DRAWN: usize = 600;
/// Preactivations and mask changes that are kept for it.
const KEPT: (usize, usize) = (20_000, 1_000);
/// Objective times beta of the three temperatures.
const PRODUCTS: [f64; 3] = [1e2, 1e3, 1e4];
/// Points of the curve of a law over one feature.
const GRID: u64 = 241;

/// The data and the choices that all sections share.
pub struct StudyQuestion {
    /// The plan.
    pub plan: StudyPlan,
    /// The scaled data.
    pub scaled: Scaled,
    /// Targets after the first, with all of which the optima share their neurons.
    pub further: Vec<FurtherLabels>,
    /// The raw features when they were centred.
    pub centred_from: Option<Mat>,
    /// Short name of the data.
    pub name: String,
    /// Notices of the reader.
    pub notices: Vec<String>,
    /// What was chosen without being asked.
    pub choices: Vec<Choice>,
    /// Settings of the reader and the choices.
    pub settings: StudySettings,
}

/// What a section gives: the part with how far it came, or why there is none.
pub type Found = Result<(Part, SectionStatus, Option<String>), String>;

/// When to stop: the run itself, and everything.
#[derive(Clone, Copy)]
pub struct Until<'a> {
    /// Ends the run of a section, so that time is left to look from where it stopped.
    pub enough: &'a (dyn Fn() -> bool + Sync),
    /// Ends the section.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

impl StudyQuestion {
    /// Does one section. `before` is what the optima of the study found, for the temperatures of the law; `reached` is
    /// told what is there before the end, so that it is not lost with a section that is given up.
    ///
    /// # Errors
    /// Why there is nothing to show, in a sentence without its full stop.
    pub fn section(&self, section: Section, before: &[Fitted], until: Until<'_>, reached: &dyn Fn(Found)) -> Found {
        if let Some(why) = self.one_target(section) {
            return Err(why);
        }
        match section {
            Section::Patterns => self.patterns(until),
            Section::Limit => self.limit(until, false),
            Section::Flow => self.limit(until, true),
            Section::Optimum => self.optimum(until, reached),
            Section::Law => self.law(before, until),
        }
    }

    /// Why a section has nothing to say of several targets.
    fn one_target(&self, section: Section) -> Option<String> {
        let what = match section {
            Section::Limit | Section::Flow => "the limit is that of fixed output weights, one for each neuron",
            Section::Law => "the law is known in closed form for one output",
            Section::Patterns | Section::Optimum => return None,
        };
        let targets = 1 + self.further.len();
        (targets > 1).then(|| format!("{what}, and here are {targets} targets; study one --target for it"))
    }

    /// The reader's settings for a section, which may take the features as read.
    fn reader(&self, raw: bool) -> ReaderSettings {
        let reader = self.settings.reader.clone();
        if raw { ReaderSettings { scale: "none".into(), ..reader } } else { reader }
    }

    fn patterns(&self, until: Until<'_>) -> Found {
        let options = PatternsOptions { bias: Some(self.bias()), seed: Some(self.plan.seed), ..Default::default() };
        let plan = options.check().map_err(told)?;
        let data = &self.scaled.dataset;
        // With a bias scaling changes no pattern, and rows as read keep the lines that rounding would break.
        let raw = self.centred_from.as_ref().filter(|_| self.plan.bias == Bias::Penalised);
        let question = PatternsQuestion {
            plan: &plan,
            x: raw.unwrap_or(&data.x),
            threads: threads(),
            data: PatternsData {
                name: self.name.clone(),
                features: data.features.clone(),
                rows: data.rows.clone(),
                notices: vec![],
            },
            settings: PatternsSettings { reader: self.reader(raw.is_some()), ..Default::default() },
        };
        let answer = patterns(&question, None, until.stop).map_err(|e| e.to_string())?;
        let (status, why) = match answer.status {
            PatternsStatus::Exact => (SectionStatus::Done, None),
            PatternsStatus::Bound => {
                (SectionStatus::Done, Some("too many patterns to be enumerated: bounds are given".to_owned()))
            }
            PatternsStatus::Partial => (SectionStatus::Partial, Some("its share of the budget ended first".to_owned())),
        };
        Ok((Part::Patterns(Box::new(answer)), status, why))
    }

    fn limit(&self, until: Until<'_>, flow: bool) -> Found {
        let data = &self.scaled.dataset;
        let signs = self.plan.signs.to_string();
        let neurons = self.plan.signs.weights().len();
        let options = LimitOptions {
            bias: Some(self.bias()),
            loss: Some("half-mean".into()),
            signs: Some(signs),
            flow,
            seed: Some(self.plan.seed),
            plot: (neurons * data.n() <= DRAWN).then(|| "picture.svg".into()),
            ..Default::default()
        };
        let plan = options.check().map_err(told)?;
        let mut scaled = self.scaled.clone();
        if plan.bias == Bias::Penalised {
            scaled.push_bias();
        }
        let question = LimitQuestion {
            plan: &plan,
            scaled: &scaled,
            centred_from: self.centred_from.as_ref(),
            weights: None,
            population: None,
            name: self.name.clone(),
            notices: vec![],
            settings: Settings { reader: self.reader(false), ..Default::default() },
        };
        let out = limit_within(&question, &mut Unobserved, until.enough, until.stop).map_err(|e| e.to_string())?;
        let mut answer = out.answer;
        if answer.limit.status == Status::Interrupted {
            answer.limit.status = Status::Budget;
        }
        let cut = answer.limit.status == Status::Budget;
        let (status, why) = if cut {
            (SectionStatus::Partial, Some("it had not come to rest when its share of the budget ended".to_owned()))
        } else {
            (SectionStatus::Done, None)
        };
        let state = RunState {
            c: out.c,
            start: out.proposed.start,
            step: out.proposed.step,
            one_step: out.proposed.one_step,
            distance: None,
        };
        // the second pass, for the picture, may have been cut before the last mask change
        let whole = |t: &Trajectory| {
            let last = answer.events.last_step.map_or(answer.events.last_time, |k| Some(k as f64));
            t.at.len() > 1 && t.at.last().copied() >= last
        };
        let asked = out.trajectory.is_some();
        let trajectory = out.trajectory.filter(whole).map(|t| t.thinned(KEPT.0, KEPT.1));
        let no_picture = (asked && trajectory.is_none()).then(|| "the budget left no time for its picture".to_owned());
        let why = why.or(no_picture);
        let found = Box::new(Followed { answer, trajectory, state });
        Ok((if flow { Part::Flow(found) } else { Part::Limit(found) }, status, why))
    }

    fn optimum(&self, until: Until<'_>, reached: &dyn Fn(Found)) -> Found {
        let (mut found, mut cut) = (Vec::new(), None);
        for (k, lambda) in self.plan.lambda.iter().enumerate() {
            if (until.stop)() {
                cut = Some(k);
                break;
            }
            found.push(self.one_optimum(*lambda, until)?);
            if let Some(next) = self.plan.lambda.get(k + 1) {
                let why = format!("its share of the budget ended at {next}");
                reached(Ok((Part::Optimum(found.clone()), SectionStatus::Partial, Some(why))));
            }
        }
        let open: Vec<String> = found
            .iter()
            .zip(&self.plan.lambda)
            .filter(|(f, _)| f.answer.status != Claim::Certified)
            .map(|(_, l)| l.to_string())
            .collect();
        let why = match (cut, open.is_empty()) {
            (Some(k), _) => Some(format!("its share of the budget ended before {}", self.plan.lambda[k])),
            (None, false) => Some(format!("not certified at {}: the interval is given", open.join(", "))),
            (None, true) => None,
        };
        let stopped = cut.is_some() || found.iter().any(|f| f.answer.ended != Ended::Finished);
        let status = match (found.is_empty(), stopped) {
            (true, _) => return Err("its share of the budget was over before it began".into()),
            (false, true) => SectionStatus::Partial,
            (false, false) => SectionStatus::Done,
        };
        Ok((Part::Optimum(found), status, why))
    }

    fn one_optimum(&self, lambda: Lambda, until: Until<'_>) -> Result<Fitted, String> {
        let options = OptimumOptions {
            bias: Some(self.bias()),
            lambda: Some(lambda.to_string()),
            seed: Some(self.plan.seed),
            ..Default::default()
        };
        let plan = options.check().map_err(told)?;
        let question = OptimumQuestion {
            plan: &plan,
            scaled: &self.scaled,
            further: self.further.clone(),
            weights: None,
            name: self.name.clone(),
            notices: vec![],
            settings: OptimumSettings { reader: self.reader(false), ..Default::default() },
            clock: &|| 0.0,
        };
        let out = optimum_answer(&question, until.stop).map_err(|e| e.to_string())?;
        let mut answer = out.answer;
        if answer.ended == Ended::Interrupted {
            answer.ended = Ended::Budget;
        }
        Ok(Fitted { answer, network: out.network })
    }

    /// Whether a section can use time: there is no law for many inputs.
    pub fn wants_time(&self, section: Section) -> bool {
        self.one_target(section).is_none() && (section != Section::Law || too_many(self.inputs()).is_none())
    }

    /// Inputs of a neuron.
    fn inputs(&self) -> usize {
        self.scaled.dataset.d() + usize::from(self.plan.bias != Bias::None)
    }

    fn law(&self, optima: &[Fitted], until: Until<'_>) -> Found {
        if let Some(why) = too_many(self.inputs()) {
            return Err(why);
        }
        let Some(at) = optima.get(self.plan.law()).map(|f| &f.answer) else {
            return Err(format!("it needs the optimum at {}, which is not there", self.plan.lambda[self.plan.law()]));
        };
        let beta = match &self.plan.beta {
            Some(given) => given.clone(),
            None if at.objective > 0.0 => PRODUCTS.map(|product| leading(product / at.objective)).to_vec(),
            None => return Err("the optimum has objective 0, and no temperature stands out".into()),
        };
        let beta: Vec<String> = beta.iter().map(f64::to_string).collect();
        let options = GibbsOptions {
            bias: Some(self.bias()),
            lambda: Some(at.lambda.to_string()),
            beta: Some(beta.join(",")),
            grid: (self.scaled.dataset.d() == 1).then_some(GRID),
            seed: Some(self.plan.seed),
            ..Default::default()
        };
        let plan = options.check().map_err(told)?;
        let question = GibbsQuestion {
            plan: &plan,
            scaled: &self.scaled,
            name: self.name.clone(),
            notices: vec![],
            settings: GibbsSettings { reader: self.reader(false), ..Default::default() },
        };
        let mut answer = gibbs_answer(&question, until.stop).map_err(|e| e.to_string())?;
        if answer.status == GibbsStatus::Interrupted {
            answer.status = GibbsStatus::Budget;
        }
        let (status, why) = match answer.status {
            GibbsStatus::Converged => (SectionStatus::Done, None),
            GibbsStatus::Undecided if answer.path.is_empty() => {
                return Err(answer.why.unwrap_or_else(|| "no law can be stated".into()));
            }
            GibbsStatus::Undecided => (SectionStatus::Done, answer.why.clone()),
            GibbsStatus::Budget | GibbsStatus::Interrupted => {
                (SectionStatus::Partial, Some("its share of the budget ended first".to_owned()))
            }
        };
        Ok((Part::Law(Box::new(answer)), status, why))
    }

    fn bias(&self) -> String {
        self.plan.bias.name().to_owned()
    }
}

/// Two leading digits: temperatures that are chosen need no more.
fn leading(v: f64) -> f64 {
    format!("{v:.1e}").parse().unwrap_or(v)
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

#[allow(clippy::needless_pass_by_value, reason = "for map_err")]
fn told(error: PlanError) -> String {
    error.to_string()
}
