//! The answer of `limit`: where descent or flow ends, how far from the minimum norm, and whether the theory applies.

mod facts;
mod message;
mod pace;
pub(crate) mod shares;
mod theory;
mod track;

use std::sync::Arc;

use relimit_core::certify::gap::{self, Outlook, Reached};
use relimit_core::certify::min_norm::Evidence;
use relimit_core::certify::{OneStep as Certificate, one_step};
use relimit_core::data::scale::{Scaled, fold};
use relimit_core::data::spectrum::{Dimensions, Spectrum, spectrum};
use relimit_core::descent::explain::{ExplainOptions, Explanation, Finished, explain};
use relimit_core::descent::{
    DescentOptions, Event, EventLog, FlowOptions, History, Initial, Limit, Observer, Problem, Start, StartError,
    Status, Unobserved, Weights, descend, flow, reference, start,
};
use relimit_core::net::Network;
use relimit_core::num::Mat;
use relimit_core::num::mat::{max_abs, norm2};

use crate::answer::{
    Certificates, CompareSteps, DataFacts, Gap, Interval, LimitAnswer, MinNorm, OneStep, Settings, Trajectory,
};
use crate::min_norm::{self, MinNormOptions};
use crate::plan::{Bias, DEFAULT_MAX_NODES, LimitPlan, StartRule};
use pace::Resolved;

/// What is asked: a checked plan, the data, and the settings of the reader to be echoed.
pub struct LimitQuestion<'a> {
    /// The plan.
    pub plan: &'a LimitPlan,
    /// The scaled data and the maps that led to them, with or without the bias column that the plan may ask for: with
    /// it (`Scaled::push_bias`) the features are not copied.
    pub scaled: &'a Scaled,
    /// The raw features when the features were centred: an impossible start is then proved for the exactly centred rows.
    pub centred_from: Option<&'a Mat>,
    /// Starting weights, m x D, when the plan names a file.
    pub weights: Option<Mat>,
    /// Exact effective dimensions of the generator's population.
    pub population: Option<Dimensions>,
    /// Short name of the data, and what was noticed while reading.
    pub name: String,
    /// Notices of the reader.
    pub notices: Vec<String>,
    /// Settings of the reader (data, target, columns, ...); the rest is filled in here.
    pub settings: Settings,
}

/// The answer and what files are written from.
pub struct LimitOutcome {
    /// Everything that is printed.
    pub answer: LimitAnswer,
    /// Preactivations along the run, when the plan asks for a figure.
    pub trajectory: Option<Trajectory>,
    /// Weights of the limit on the scaled inputs, m x D; formed when first looked at.
    pub weights: Weights,
    /// Output weights, m.
    pub c: Vec<f64>,
    /// What a certificate is made from.
    pub proposed: Proposed,
}

/// What stands behind the minimum norm, and where the run started.
pub struct Proposed {
    /// The solver's multipliers.
    pub evidence: Evidence,
    /// Preactivations of the start, m x n.
    pub start: Mat,
    /// Half-sum step; none for flow.
    pub step: Option<f64>,
    /// tr(XX')/n.
    pub tau: f64,
    /// The one-step certificate, whether it holds or not.
    pub one_step: Certificate,
}

impl LimitOutcome {
    /// The network of the limit for raw inputs and labels; `scaled` are the data of the question.
    pub fn network(&self, scaled: &Scaled) -> Network {
        let (w, d) = (&*self.weights, scaled.dataset.d());
        let bias = w.cols() > d;
        let net = Network::scalar(
            if bias { Mat::from_fn(w.rows(), d, |j, k| w[(j, k)]) } else { w.clone() },
            (0..w.rows()).map(|j| if bias { w[(j, d)] } else { 0.0 }).collect(),
            self.c.clone(),
            0.0,
        );
        let identity = scaled.inputs.is_identity() && scaled.target.is_identity();
        if identity { net } else { fold(&net, &scaled.inputs, &scaled.target) }
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, thiserror::Error)]
pub enum LimitError {
    /// The start cannot exist.
    #[error("{0}")]
    Start(String),
    /// A bias outside the penalty has no meaning for descent.
    #[error(
        "--bias free: descent has no penalty that a bias could be free of; give --bias penalised (a column of ones)"
    )]
    FreeBias,
    /// Labels whose squares leave the range of f64.
    #[error(
        "the largest label is {0:e} in size: its square leaves the range of double precision (labels between 1e-140 \
         and 1e140 are accepted). Rescale, for example with --target-scale standardise"
    )]
    LabelRange(f64),
}

/// Sizes of the largest label whose square stays in the range of f64.
const LABELS: std::ops::Range<f64> = 1e-140..1e140;

/// Largest radius of the ball around a limit with ties, relative to the labels, where only signs and fits are asked.
const ANY_RADIUS: f64 = 1e-2;

/// Events shown in the answer.
const SHOWN: usize = 20;

/// Answers the question. `observer` sees every event of the run (for a log on disk); `stop` ends early with a partial answer.
///
/// # Errors
/// [`LimitError`]: a start that cannot exist, with its proof, and data out of range.
pub fn limit(
    question: &LimitQuestion<'_>,
    observer: &mut dyn Observer,
    stop: &dyn Fn() -> bool,
) -> Result<LimitOutcome, LimitError> {
    limit_within(question, observer, stop, stop)
}

/// [`limit`] in two parts: `enough` ends the run itself, before `stop` ends everything, so that something is left to
/// look from where the run was stopped.
///
/// # Errors
/// As [`limit`].
pub fn limit_within(
    question: &LimitQuestion<'_>,
    observer: &mut dyn Observer,
    enough: &dyn Fn() -> bool,
    stop: &dyn Fn() -> bool,
) -> Result<LimitOutcome, LimitError> {
    let plan = question.plan;
    let problem = problem(question)?;
    let spectrum = spectrum(problem.x(), problem.gram());
    let resolved = pace::resolve(plan, &spectrum, &problem);
    let initial = initial(question, &problem, 0)?;
    let job = Job { question, problem: &problem, spectrum: &spectrum, resolved };
    let ran = job.run(&initial, observer, enough);
    Ok(job.answer(&initial, ran, stop))
}

/// X with its bias column, y and the output weights as a problem.
fn problem(question: &LimitQuestion<'_>) -> Result<Problem, LimitError> {
    let (plan, data) = (question.plan, &question.scaled.dataset);
    let mut x = Arc::clone(&data.x);
    assert!(!data.has_bias() || plan.bias == Bias::Penalised, "a bias column for --bias {}", plan.bias.name());
    match plan.bias {
        Bias::None => {}
        Bias::Penalised if data.has_bias() => {}
        Bias::Penalised => {
            let d = x.cols();
            x = Arc::new(Mat::from_fn(x.rows(), d + 1, |i, k| if k < d { x[(i, k)] } else { 1.0 }));
        }
        Bias::Free => return Err(LimitError::FreeBias),
    }
    let label = max_abs(&data.y);
    if label > 0.0 && !LABELS.contains(&label) {
        return Err(LimitError::LabelRange(label));
    }
    let problem = Problem::new(x, data.y.clone(), plan.signs.weights().to_vec(), plan.relu_at_zero);
    match problem.out_of_range() {
        Some(largest) => Err(LimitError::Start(StartError::Range { largest }.to_string())),
        None => Ok(problem),
    }
}

/// Start number k (random starts differ by their seed).
fn initial(question: &LimitQuestion<'_>, problem: &Problem, k: u64) -> Result<Initial, LimitError> {
    let plan = question.plan;
    let rule = match &plan.start {
        StartRule::Orthant(eps) => Start::Orthant(*eps),
        StartRule::Disjoint(delta) => Start::Disjoint(*delta),
        StartRule::Gaussian(scale) => Start::Gaussian { scale: *scale, seed: plan.seed.wrapping_add(k) },
        StartRule::Zero => Start::Zero,
        StartRule::File(path) => Start::Weights(
            question.weights.clone().unwrap_or_else(|| panic!("weights of {} were not read", path.display())),
        ),
    };
    let rows = &question.scaled.dataset.rows;
    start(problem, &rule, question.centred_from).map_err(|e| {
        let told = e.describe(&|i| format!("row {}", rows[i]));
        LimitError::Start(match &plan.start {
            StartRule::File(path) => format!("--start {}: {told}", path.display()),
            _ => told,
        })
    })
}

/// Mask changes of a flow that cost as much as `steps` plain steps. Where examples are many, an event is about five
/// passes over the data and the decomposition of a matrix of order m D; else about five steps for each of its min(n, D)
/// rows.
fn events(problem: &Problem, steps: u64) -> u64 {
    let (n, order) = (problem.n() as u64, (problem.m() * problem.dim()) as u64);
    let price = if n >= 4 * order { 5 + 8 * order * order / n } else { 5 * n.min(problem.dim() as u64).max(1) };
    (steps / price).clamp(100, 1_000_000)
}

/// One question with what does not depend on the start.
struct Job<'a> {
    question: &'a LimitQuestion<'a>,
    problem: &'a Problem,
    spectrum: &'a Spectrum,
    resolved: Resolved,
}

/// A finished run.
struct Ran {
    limit: Limit,
    history: History,
    log: EventLog,
    /// Step or time of each neuron's last event.
    last_of_neuron: Vec<f64>,
}

/// Notes when each neuron last changed.
struct NeuronClock(Vec<f64>);

impl Observer for NeuronClock {
    fn event(&mut self, event: &Event) {
        self.0[event.neuron as usize] = event.at;
    }
}

impl Job<'_> {
    /// Runs descent (at most `cap` plain steps) or flow from a start, to the limit.
    fn simulate(
        &self,
        problem: &Problem,
        initial: &Initial,
        eta: Option<f64>,
        cap: u64,
        observer: &mut dyn Observer,
        stop: &dyn Fn() -> bool,
    ) -> Limit {
        if let Some(eta) = eta {
            let horizon = self.question.plan.steps;
            // a number of steps that was asked for is taken
            let max_steps = cap.max(horizon.unwrap_or(0));
            let options = DescentOptions { max_steps, horizon, ..DescentOptions::to_limit(eta) };
            descend(problem, initial, &options, observer, stop)
        } else {
            let options = FlowOptions { max_events: self.event_budget() };
            flow(problem, initial, &options, observer, stop)
        }
    }

    /// Plain steps allowed: about 10^11 operations, at least 10^5 steps; a tenth of that where n > D, as steps in
    /// weights cost several times their operations. At most 10^8 steps.
    fn step_budget(&self) -> u64 {
        match self.problem.gram() {
            Some(_) => self.plain_steps(1e11).clamp(1e5, 1e8) as u64,
            None => self.plain_steps(1e10).clamp(1e4, 1e8) as u64,
        }
    }

    /// Mask changes of the flow allowed: about 10^11 operations.
    fn event_budget(&self) -> u64 {
        events(self.problem, self.plain_steps(1e11).clamp(1e5, 1e8) as u64)
    }

    /// Plain steps that take so many operations.
    fn plain_steps(&self, operations: f64) -> f64 {
        let p = self.problem;
        operations / (4 * p.m() * p.n() * p.n().min(p.dim())).max(1) as f64
    }

    /// A run with one thing changed, to see which rows it fits and where its neurons are active.
    ///
    /// Both are known once its ties are certified, however wide the ball in which the limit lies: the limit has
    /// residual 0 wherever the centre has, and every other pair keeps its sign in the ball. So the run need not go on
    /// until the ball is small.
    fn counterfactual(&self, p: &Problem, start: &Initial, eta: Option<f64>, stop: &dyn Fn() -> bool) -> Limit {
        let cap = (self.step_budget() / 4).max(10_000);
        let Some(eta) = eta else {
            return flow(p, start, &FlowOptions { max_events: events(p, cap) }, &mut Unobserved, stop);
        };
        let horizon = self.question.plan.steps;
        let options = DescentOptions { eta, max_steps: cap, horizon, tolerance: ANY_RADIUS };
        descend(p, start, &options, &mut Unobserved, stop)
    }

    /// The cap of the main run: plain steps of descent, mask changes of the flow.
    fn cap(&self) -> u64 {
        match self.resolved.eta {
            Some(_) => self.step_budget(),
            None => self.event_budget(),
        }
    }

    fn run(&self, initial: &Initial, observer: &mut dyn Observer, stop: &dyn Fn() -> bool) -> Ran {
        let mut history = History::new(self.problem, initial);
        let mut log = EventLog::with_cap(SHOWN);
        let mut outside = track::Forward(observer);
        let mut clock = NeuronClock(vec![0.0; self.problem.m()]);
        let mut inner = (&mut history, &mut log);
        let mut inner = (&mut inner, &mut clock);
        let limit = self.simulate(
            self.problem,
            initial,
            self.resolved.eta,
            self.step_budget(),
            &mut (&mut inner, &mut outside),
            stop,
        );
        Ran { limit, history, log, last_of_neuron: clock.0 }
    }

    fn answer(&self, initial: &Initial, ran: Ran, stop: &dyn Fn() -> bool) -> LimitOutcome {
        let (plan, p, limit) = (self.question.plan, self.problem, &ran.limit);
        let rows = &self.question.scaled.dataset.rows;
        let rest = facts::stationary(self, initial, limit, stop);
        let explanation = self.explain(initial, &ran, stop);
        let best = self.min_norm(stop);
        let one = one_step(p, initial, self.resolved.eta.unwrap_or(1.0), Some(self.spectrum.tau).filter(|t| *t > 0.0));
        let gap = self.gap(initial, limit, &best);
        let one_step = self.one_step_facts(&one);
        let hypotheses =
            theory::hypotheses(p, self.spectrum, self.question.population.as_ref(), &one, self.resolved.eta, limit);
        let trajectory = plan.plot.as_ref().map(|_| self.trajectory(initial, &ran, stop));
        let facts = facts::limit_facts(self, initial, &ran, &explanation, rest, stop);
        let answer = LimitAnswer {
            schema: LimitAnswer::SCHEMA.into(),
            command: "limit".into(),
            settings: self.resolved.settings(self.question, self.spectrum, self.cap(), self.node_budget()),
            data: self.data_facts(),
            limit: facts,
            events: facts::event_facts(self, &ran),
            min_norm: min_norm_facts(&best, rows),
            gap,
            certificates: Certificates { one_step },
            hypotheses,
            starts: plan.starts.map(|k| shares::shares(self, k, stop)),
            compare_steps: plan.compare_steps.and_then(|k| self.compare(initial, k)),
        };
        let proposed = Proposed {
            evidence: best.evidence,
            start: initial.z.clone(),
            step: self.resolved.eta,
            tau: self.spectrum.tau,
            one_step: one,
        };
        LimitOutcome { answer, trajectory, weights: ran.limit.w, c: p.c().to_vec(), proposed }
    }

    /// Reasons for unfitted rows, each confirmed by a run; nothing when the run did not come to rest.
    fn explain(&self, initial: &Initial, ran: &Ran, stop: &dyn Fn() -> bool) -> Explanation {
        if ran.limit.status != Status::Converged {
            return Explanation::default();
        }
        let done = Finished {
            problem: self.problem,
            start: initial,
            eta: self.resolved.eta,
            limit: &ran.limit,
            history: &ran.history,
        };
        let mut run = |p: &Problem, s: &Initial, eta: Option<f64>| self.counterfactual(p, s, eta, stop);
        // runs on all examples: many for small data, none beyond 2,000 rows
        let options = ExplainOptions { max_runs: (2000 / self.problem.n()).min(100) };
        explain(done, options, &mut run, stop)
    }

    fn node_budget(&self) -> usize {
        let size = MinNormOptions::for_size(self.problem.n(), self.question.plan.gap).max_nodes;
        if self.question.plan.max_nodes == DEFAULT_MAX_NODES { size } else { self.question.plan.max_nodes as usize }
    }

    fn min_norm(&self, stop: &dyn Fn() -> bool) -> min_norm::MinNorm {
        let options = MinNormOptions { max_nodes: self.node_budget(), gap: self.question.plan.gap };
        min_norm::min_norm(self.problem, &options, stop)
    }

    fn gap(&self, initial: &Initial, limit: &Limit, best: &min_norm::MinNorm) -> Gap {
        if limit.status != Status::Converged || best.checked.norm.is_none() {
            return Gap::default();
        }
        let reached = Reached { alpha: &limit.alpha, z: &limit.z, w: &limit.w, offset: &initial.offset };
        let d2 = self.question.population.map(|d| d.d2);
        let outlook = Outlook { eta: self.resolved.eta.unwrap_or(0.0), d2 };
        let gap = gap::gap(self.problem, &reached, &best.duals, &outlook);
        Gap {
            absolute: Some(gap.absolute),
            relative: gap.relative,
            bound: gap.bound,
            predicted: self.resolved.eta.map(|_| gap.predicted),
            identity_error: gap.identity_disagreement,
        }
    }

    fn one_step_facts(&self, one: &Certificate) -> OneStep {
        if self.resolved.eta.is_none() {
            let why = "the certificate speaks of steps, not of flow".to_owned();
            return OneStep { rho: one.rho, left: None, right: None, holds: None, why_not: Some(why) };
        }
        let left = one.left.filter(|v| v.is_finite());
        let applies = one.holds || left.is_some();
        OneStep {
            rho: one.rho,
            left,
            right: Some(one.right),
            holds: applies.then_some(one.holds),
            why_not: one.obstacle.as_ref().map(ToString::to_string),
        }
    }

    fn data_facts(&self) -> DataFacts {
        let (s, data) = (self.spectrum, &self.question.scaled.dataset);
        let some = |v: f64| v.is_finite().then_some(v);
        DataFacts {
            name: self.question.name.clone(),
            n: s.n,
            d: data.d(),
            dim: s.dim,
            rank: Some(s.rank),
            tau: some(s.tau),
            d2: s.d2,
            d_inf: s.d_inf,
            d2_population: s.d2_population.map(|e| Interval {
                value: some(e.value),
                low: e.interval.map(|i| i.0),
                high: e.interval.map(|i| i.1),
            }),
            d2_exact: self.question.population.map(|d| d.d2),
            rows: data.rows.clone(),
            labels: data.y.clone(),
            notices: self.question.notices.iter().chain(&self.question.plan.notices).cloned().collect(),
        }
    }

    fn trajectory(&self, initial: &Initial, ran: &Ran, stop: &dyn Fn() -> bool) -> Trajectory {
        let grid = track::grid(self, &ran.limit);
        let mut track = track::Track::new(grid);
        let eta = self.resolved.eta;
        let end = self.simulate(self.problem, initial, eta, self.step_budget(), &mut track, stop);
        track.into_trajectory(self, end)
    }

    /// Distance of the engine's iterate K to K plain steps, relative to the weights' norm.
    fn compare(&self, initial: &Initial, steps: u64) -> Option<CompareSteps> {
        let eta = self.resolved.eta?;
        let plain = reference(self.problem, initial, eta, steps, &mut Unobserved);
        let options = DescentOptions { horizon: Some(steps), ..DescentOptions::to_limit(eta) };
        let exact = descend(self.problem, initial, &options, &mut Unobserved, &|| false);
        let difference: Vec<f64> = plain.w.as_slice().iter().zip(exact.w.as_slice()).map(|(a, b)| a - b).collect();
        let size = norm2(plain.w.as_slice());
        let distance = (exact.last == plain.last && size > 0.0).then(|| norm2(&difference) / size);
        Some(CompareSteps { steps, distance })
    }
}

/// The minimum norm in the words of the answer.
fn min_norm_facts(best: &min_norm::MinNorm, rows: &[usize]) -> MinNorm {
    let point = best.checked.norm.is_some();
    let mixed = best.patterns.iter().zip(rows).filter(|(p, _)| **p == min_norm::Pattern::Both).map(|(_, r)| *r);
    MinNorm {
        status: best.status(),
        norm: best.checked.norm,
        lower: point.then_some(best.checked.lower),
        upper: best.checked.upper,
        reason: message::min_norm(best, rows),
        nodes: Some(best.nodes as u64),
        multipliers: point.then(|| best.multipliers.to_rows()),
        mixed_patterns: point.then(|| mixed.collect()),
    }
}
