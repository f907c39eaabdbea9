//! `certify`: a given network against the best possible, what blocks it, and the verdict in words.

mod bounds;
mod levels;
mod words;

use relimit_core::certify::optimum::Objective as ClaimedObjective;
use relimit_core::certify::stationary::{Stationarity, stationarity};
use relimit_core::collapse::{Kind, Seen, kinds, seen};
use relimit_core::data::scale::{Scaled, unfold};
use relimit_core::net::Network;
use relimit_core::num::Mat;
use relimit_core::num::mat::max_abs;

use crate::answer::{
    CertifyAnswer, CertifyNeuron, CertifySettings, DataFacts, Ended, FloorFact, Judgement, LevelFact, NetworkFacts,
    StationaryFact,
};
use crate::convention::{ConventionError, Translation, translate};
use crate::optimum::{
    Effort, FurtherLabels, OptimumError, VectorObjective, claim, exact_fit, in_range, lambda_max, target_maps,
    vector_lambda_max, within,
};
use crate::plan::{Bias, CertifyPlan, Lambda, Loss, Units};
use bounds::{Bounds, bounds};
use levels::Levels;

/// A residual above this share of its scale means that descent still moves the network.
pub const MOVES: f64 = 1e-6;
/// A gap above this share means that a stationary network is stuck.
pub const STUCK: f64 = 0.01;

/// What is asked.
pub struct CertifyQuestion<'a> {
    /// The plan.
    pub plan: &'a CertifyPlan,
    /// The network, for raw inputs.
    pub network: &'a Network,
    /// Its file name without the folder.
    pub network_name: String,
    /// The scaled data and the maps that led to them.
    pub scaled: &'a Scaled,
    /// Targets after the first: one for each further output.
    pub further: &'a [FurtherLabels],
    /// Short name of the data.
    pub name: String,
    /// Notices of the readers.
    pub notices: Vec<String>,
    /// Settings of the readers; the rest is filled in here.
    pub settings: CertifySettings,
}

/// Why there is no answer.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CertifyError {
    /// Outputs and targets that do not match.
    #[error("{file}: outputs: {outputs}, targets: {targets}; give --target once for each output, in their order")]
    Outputs {
        /// The network's file.
        file: String,
        /// Its outputs.
        outputs: usize,
        /// Targets.
        targets: usize,
    },
    /// Biases in an objective without.
    #[error(
        "{file}: neuron {neuron} has the bias {value}, and --bias none judges networks without; give --bias penalised or free"
    )]
    HiddenBias {
        /// The network's file.
        file: String,
        /// The first neuron with a bias.
        neuron: usize,
        /// Its bias on the scaled data.
        value: f64,
    },
    /// An output bias in an objective without.
    #[error(
        "{file}: the output bias is {value}, and --offset none judges networks without; give --offset penalised or free"
    )]
    Offset {
        /// The network's file.
        file: String,
        /// Its output bias on the scaled data.
        value: f64,
    },
    /// Outputs that are no numbers.
    #[error("{file}: the objective on these data leaves the range of double precision; rescale the network's weights")]
    Overflow {
        /// The network's file.
        file: String,
    },
    /// Data or lambda that no optimum is asked for.
    #[error(transparent)]
    Optimum(#[from] OptimumError),
    /// A training without an objective of this form.
    #[error("--convention: {0}")]
    Convention(#[from] ConventionError),
}

/// The answer, and what a certificate of its lower bound is made from.
pub struct CertifyOutcome {
    /// Everything that is printed.
    pub answer: CertifyAnswer,
    /// The lower bound's evidence; `None` without weight decay and for several outputs.
    pub evidence: Option<BoundEvidence>,
}

/// A dual point on the scaled data and a bound of its |q|: no network pays less than they prove.
pub struct BoundEvidence {
    /// The statement.
    pub objective: ClaimedObjective,
    /// The dual point, n.
    pub dual: Vec<f64>,
    /// Proved: |q| is at most this.
    pub sup: f64,
}

/// Judges a network; `stop` ends early with a weaker bound.
///
/// # Errors
/// A network with more or fewer outputs than targets or with biases that the objective has not, numbers out of range, a decay that is no
/// penalty.
pub fn certify_answer(
    question: &CertifyQuestion<'_>,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<CertifyOutcome, CertifyError> {
    let (plan, data) = (question.plan, &question.scaled.dataset);
    let file = || question.network_name.clone();
    let (outputs, targets) = (question.network.outputs(), 1 + question.further.len());
    if outputs != targets {
        return Err(CertifyError::Outputs { file: file(), outputs, targets });
    }
    in_range(data)?;
    for t in question.further {
        within("label", max_abs(&t.y))?;
    }
    let net = question.own_scale();
    let translation = match &plan.library {
        Some(library) => Some(translate(&library.convention, data.n(), outputs)?),
        None => None,
    };
    let (loss, bias, offset) = question.objective_words(&net, translation.as_ref())?;
    let threads = plan.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let effort =
        Effort { gap: plan.gap, max_nodes: plan.max_nodes, threads, seed: plan.seed, stop, ..Effort::default() };
    let unscaled = VectorObjective::new(claim(loss, bias, offset, 1.0), (*data.x).clone(), question.labels());
    let lambda = match (&translation, plan.lambda) {
        (Some(t), _) => t.lambda,
        (None, None) => 0.0,
        (None, Some(Lambda::Value(v))) => v,
        (None, Some(share @ Lambda::Share(s))) => {
            let largest = match outputs {
                1 => lambda_max(&unscaled.one, &effort),
                _ => vector_lambda_max(&unscaled, &effort),
            };
            if largest.value == 0.0 {
                return Err(OptimumError::NoScale { given: share.to_string() }.into());
            }
            s * largest.value
        }
    };
    let objective = unscaled.with_lambda(lambda);
    let seen = seen(&net, &data.x);
    let levels = Levels::of(&objective);
    let facts = levels.all(&seen);
    let at = stationarity(&objective.one.claim, &data.x, &objective.y, &net);
    let bounds = bounds(&objective, &net, &effort, &facts);
    if !bounds.objective.is_finite() {
        return Err(CertifyError::Overflow { file: file() });
    }
    let evidence = bounds.dual.clone().map(|(dual, sup)| {
        let objective = objective.one.claim.clone();
        BoundEvidence { objective, dual, sup }
    });
    let job = Job { question, net: &net, objective: &objective, bounds: &bounds, levels, facts, seen, at };
    let settings = CertifySettings {
        loss: loss.name().into(),
        bias: bias.name().into(),
        offset: offset.name().into(),
        takes: plan.takes.name().into(),
        gap: plan.gap,
        max_nodes: plan.max_nodes,
        seed: plan.seed,
        threads: threads as u64,
        budget: plan.budget.map(|b| b.as_secs_f64()),
        convention: plan.library.as_ref().map(|l| l.name.to_owned()),
        ..question.settings.clone()
    };
    let ended = if stop() {
        Ended::Interrupted
    } else if bounds.nodes >= plan.max_nodes {
        Ended::Nodes
    } else {
        Ended::Finished
    };
    let answer = job.answer(settings, ended, translation.map_or_else(Vec::new, |t| t.words));
    Ok(CertifyOutcome { answer, evidence })
}

impl CertifyQuestion<'_> {
    /// The scaled labels, n x k.
    fn labels(&self) -> Mat {
        let first = &self.scaled.dataset.y;
        let columns: Vec<&[f64]> = std::iter::once(&first[..]).chain(self.further.iter().map(|t| &t.y[..])).collect();
        Mat::from_fn(first.len(), columns.len(), |i, l| columns[l][i])
    }

    /// The network on the scaled data.
    fn own_scale(&self) -> Network {
        let (inputs, target) = (&self.scaled.inputs, &target_maps(&self.scaled.target, self.further));
        if self.plan.takes == Units::Scaled || inputs.is_identity() && target.is_identity() {
            self.network.clone()
        } else {
            unfold(self.network, inputs, target)
        }
    }

    /// A notice when the network fits far better with the other meaning of the scales.
    fn other_units(&self, net: &Network) -> Option<String> {
        let (inputs, target) = (&self.scaled.inputs, &target_maps(&self.scaled.target, self.further));
        if inputs.is_identity() && target.is_identity() {
            return None;
        }
        let (x, labels) = (&self.scaled.dataset.x, self.labels());
        let (other, word) = match self.plan.takes {
            Units::Raw => (self.network.clone(), "scaled"),
            Units::Scaled => (unfold(self.network, inputs, target), "raw"),
        };
        let squares = |net: &Network| -> f64 {
            net.forward(x).as_slice().iter().zip(labels.as_slice()).map(|(f, y)| (y - f) * (y - f)).sum()
        };
        let (here, there) = (squares(net), squares(&other));
        (there < 0.25 * here).then(|| {
            format!(
                "the network fits far better if it takes {word} numbers: was it trained on them? give --takes {word}"
            )
        })
    }

    /// Loss, hidden and output biases of the objective, which must have room for the network's.
    fn objective_words(
        &self,
        net: &Network,
        translation: Option<&Translation>,
    ) -> Result<(Loss, Bias, Bias), CertifyError> {
        let plan = self.plan;
        let file = || self.network_name.clone();
        let output_bias = net.offset.iter().copied().find(|o| *o != 0.0);
        let own = if output_bias.is_none() { Bias::None } else { Bias::Penalised };
        let (loss, bias, offset) = match translation {
            Some(t) => (Loss::HalfMean, t.bias, t.offset),
            None => (plan.loss, plan.bias, plan.offset.unwrap_or(own)),
        };
        // an unpenalised hidden bias makes constants for nothing
        let offset = if bias == Bias::Free { Bias::Free } else { offset };
        if bias == Bias::None
            && let Some(neuron) = net.b.iter().position(|b| *b != 0.0)
        {
            return Err(CertifyError::HiddenBias { file: file(), neuron, value: net.b[neuron] });
        }
        if let (Bias::None, Some(value)) = (offset, output_bias) {
            return Err(CertifyError::Offset { file: file(), value });
        }
        Ok((loss, bias, offset))
    }
}

/// One network with its objective and what is proved.
struct Job<'a> {
    question: &'a CertifyQuestion<'a>,
    net: &'a Network,
    objective: &'a VectorObjective,
    bounds: &'a Bounds,
    levels: Levels<'a>,
    facts: Vec<LevelFact>,
    seen: Seen,
    at: Stationarity,
}

impl Job<'_> {
    fn answer(&self, settings: CertifySettings, ended: Ended, translation: Vec<String>) -> CertifyAnswer {
        let (question, net, bounds, lambda) = (self.question, self.net, self.bounds, self.objective.one.lambda);
        let data = &question.scaled.dataset;
        let (at, seen, levels) = (&self.at, &self.seen, &self.levels);
        let stationarity = StationaryFact {
            residual: at.residual,
            scale: at.scale,
            relative: at.relative,
            kinks: at.kinks,
            moves: !(at.relative <= MOVES),
        };
        let offset = levels.offset;
        let scale = if lambda > 0.0 { bounds.objective } else { levels.scale() };
        let share = |v: f64| if scale > 0.0 { Some(v / scale).filter(|v| v.is_finite()) } else { None };
        let gap_relative = if bounds.gap == 0.0 { Some(0.0) } else { share(bounds.gap) };
        let judgement = if stationarity.moves {
            Judgement::StoppedEarly
        } else if gap_relative.is_some_and(|g| g <= STUCK) {
            Judgement::Best
        } else if share(bounds.objective - bounds.best_known).is_some_and(|g| g > STUCK) {
            Judgement::Stuck
        } else {
            Judgement::Open
        };
        let level = levels.met(&self.facts, bounds.loss, &net.forward(&data.x), lambda > 0.0);
        let rows = |list: &[usize]| list.iter().map(|i| data.rows[*i]).collect::<Vec<usize>>();
        let everywhere = kinds(question.network, None);
        let notices: Vec<String> = question.other_units(net).into_iter().chain(question.notices.clone()).collect();
        let floor = bounds.floor.as_ref().map(|floor| {
            let (kinks, width) = self.width(floor.attained, offset);
            let conflicts = floor.conflicts.iter().map(|g| rows(g)).collect();
            FloorFact { loss: floor.value, conflicts, kinks, width }
        });
        let mut answer = CertifyAnswer {
            schema: CertifyAnswer::SCHEMA.into(),
            command: "certify".into(),
            settings,
            data: DataFacts::plain(&question.name, data, self.objective.one.dim(), &notices),
            network: NetworkFacts { name: question.network_name.clone(), inputs: net.inputs(), outputs: net.outputs() },
            width: net.width(),
            verdict: String::new(),
            judgement,
            status: bounds.status,
            ended,
            objective: bounds.objective,
            objective_balanced: bounds.balanced,
            loss: bounds.loss,
            lower_bound: bounds.lower,
            gap: bounds.gap,
            gap_relative,
            best_known: bounds.best_known,
            lambda,
            stationarity,
            dead_neurons: seen.dead.clone(),
            always_on_neurons: seen.always_on.clone(),
            neurons: everywhere
                .iter()
                .enumerate()
                .filter(|(_, kind)| **kind != Kind::Plain)
                .map(|(neuron, kind)| CertifyNeuron { neuron, kind: *kind })
                .collect(),
            dead_examples: rows(&seen.unseen),
            level: level.map(|met| met.level),
            level_shrunk: level.is_some_and(|met| met.shrunk),
            levels: self.facts.clone(),
            floor,
            translation,
            nodes: bounds.nodes,
        };
        answer.verdict = words::verdict(&answer);
        answer
    }

    /// Kinks (one feature) and neurons that certainly reach the floor.
    ///
    /// The kinks are counted for one output alone. Along a direction that tells all k distinct inputs apart, a broken line through them has at most k - 2 kinks. K
    /// kinks and an affine map are K + 1 neurons with an output bias, K + 2 without.
    fn width(&self, attained: bool, offset: bool) -> (Option<usize>, Option<usize>) {
        if !attained {
            return (None, None);
        }
        let (x, y) = (&self.objective.one.features, &self.objective.one.y);
        let mut order: Vec<usize> = (0..y.len()).collect();
        let compare = |a: &usize, b: &usize| {
            let pairs = x.row(*a).iter().zip(x.row(*b));
            pairs.map(|(u, v)| (u + 0.0).total_cmp(&(v + 0.0))).find(|o| o.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
        };
        order.sort_by(compare);
        let groups: Vec<&[usize]> = order.chunk_by(|a, b| compare(a, b).is_eq()).collect();
        let kinks = (x.cols() == 1 && self.objective.outputs() == 1).then(|| {
            let inputs: Vec<f64> = groups.iter().map(|g| x[(g[0], 0)]).collect();
            let mean = |g: &&[usize]| y[g[0]] + g.iter().map(|i| (y[*i] - y[g[0]]) / g.len() as f64).sum::<f64>();
            let labels: Vec<f64> = groups.iter().map(mean).collect();
            exact_fit(&inputs, &labels).map(|fit| fit.fewest_kinks)
        });
        let kinks = kinks.flatten();
        let most = kinks.unwrap_or(groups.len().saturating_sub(2));
        (kinks, Some(most + if offset { 1 } else { 2 }))
    }
}
