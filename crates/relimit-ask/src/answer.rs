//! One function a command: the plan is checked, the data are read, the engine is asked.

use std::num::NonZero;
use std::thread;

use relimit_core::data::scale::fold;
use relimit_core::descent::{Event, Observer, Status};
use relimit_core::langevin;
use relimit_core::net::Network;
use relimit_run::read::{NetworkFile, weights};
use relimit_solve::answer::{
    CertifySettings, Ended, GibbsSettings, GibbsStatus, OptimumSettings, PatternsSettings, ReaderSettings, Section,
    Settings, Stopped, StudyAnswer, TrainSettings, TrainStatus,
};
use relimit_solve::certify::{CertifyQuestion, certify_answer};
use relimit_solve::gibbs::{GibbsQuestion, gibbs_answer};
use relimit_solve::limit::{LimitQuestion, limit_within};
use relimit_solve::optimum::{OptimumQuestion, optimum_answer};
use relimit_solve::patterns::{PatternsQuestion, patterns};
use relimit_solve::plan::{
    Bias, CertifyOptions, GibbsOptions, LimitOptions, OptimumOptions, PatternsOptions, StartRule, StudyOptions,
    TrainOptions,
};
use relimit_solve::train::{TrainQuestion, prepare};
use serde::Serialize;
use serde_json::Value;

use crate::load::{Loaded, features, load, load_any, load_examples, load_labelled};
use crate::patience::Patience;
use crate::study::Study;
use crate::{AskError, CollapseOptions, DataWords, Keeper, Kept, Meter, NetworkGiven};

/// Seconds after which the steps so far are told.
const PIECE: f64 = 0.05;

/// An answer, and the network for raw inputs that results, where it was wanted and there is one.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The JSON object of the command.
    pub answer: Value,
    /// The network.
    pub network: Option<NetworkFile>,
}

/// The caller's part in a question.
#[derive(Clone, Copy)]
pub struct Caller<'a> {
    /// Whether to stop: polled by the engines.
    pub stop: &'a (dyn Fn() -> bool + Sync),
    /// Whether the network that results is wanted.
    pub network: bool,
    /// Told how far the work is.
    pub meter: Option<&'a Meter>,
}

impl Caller<'_> {
    /// Tells how far the work is; `all` is 0 where nobody knows.
    fn tell(&self, done: u64, all: u64) {
        if let Some(meter) = self.meter {
            meter.set(done, all);
        }
    }
}

/// Follows a run by its mask changes.
struct Told<'a> {
    caller: Caller<'a>,
    all: u64,
}

impl Observer for Told<'_> {
    fn event(&mut self, event: &Event) {
        self.caller.tell(event.at as u64, self.all);
    }
}

pub(crate) fn value(answer: &impl Serialize) -> Value {
    serde_json::to_value(answer).expect("answers are plain data with string keys")
}

fn threads() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// A network with the names of its inputs; a file of a network names one output.
fn named(network: Network, data: &Loaded) -> NetworkFile {
    let target = (network.outputs() == 1).then(|| data.raw.target.clone());
    NetworkFile { network, features: Some(data.raw.features.clone()), target }
}

pub(crate) fn limit(words: &DataWords, options: &LimitOptions, caller: Caller<'_>) -> Result<Asked, AskError> {
    let plan = options.check()?;
    let patience = Patience::new(caller.stop, plan.budget);
    let mut data = load(words)?;
    let start = match &plan.start {
        StartRule::File(path) => Some(weights(path, &data.raw.features, plan.bias != Bias::None)?),
        _ => None,
    };
    let centred = !data.scaled.inputs.is_identity();
    if plan.bias == Bias::Penalised {
        data.scaled.push_bias();
    }
    let question = LimitQuestion {
        plan: &plan,
        scaled: &data.scaled,
        centred_from: centred.then_some(&data.raw.x),
        weights: start,
        population: data.population,
        name: data.name.clone(),
        notices: data.notices.clone(),
        settings: Settings { reader: words.settings(), ..Settings::default() },
    };
    let mut told = Told { caller, all: plan.steps.unwrap_or(0) };
    let mut outcome = limit_within(&question, &mut told, &|| patience.enough(), &|| patience.now())?;
    let status = &mut outcome.answer.limit.status;
    if *status == Status::Interrupted && patience.out_of_budget() {
        *status = Status::Budget;
    }
    let network = caller.network.then(|| named(outcome.network(&data.scaled), &data));
    Ok(Asked { answer: value(&outcome.answer), network })
}

pub(crate) fn patterns_of(words: &DataWords, options: &PatternsOptions, caller: Caller<'_>) -> Result<Asked, AskError> {
    let plan = options.check()?;
    let patience = Patience::new(caller.stop, plan.budget);
    let data = features(words)?;
    let question = PatternsQuestion {
        plan: &plan,
        x: &data.x,
        threads: plan.threads.unwrap_or_else(threads),
        data: data.facts,
        settings: PatternsSettings { reader: words.settings(), ..PatternsSettings::default() },
    };
    let mut answer = patterns(&question, None, &|| patience.now())?;
    if answer.stopped == Some(Stopped::Interrupted) && patience.out_of_budget() {
        answer.stopped = Some(Stopped::Budget);
    }
    Ok(Asked { answer: value(&answer), network: None })
}

pub(crate) fn optimum(
    words: &DataWords,
    weight: Option<&str>,
    options: &OptimumOptions,
    caller: Caller<'_>,
) -> Result<Asked, AskError> {
    let plan = options.check()?;
    let patience = Patience::new(caller.stop, plan.budget);
    let (data, beside) = load_labelled(words, weight)?;
    let question = OptimumQuestion {
        plan: &plan,
        scaled: &data.scaled,
        further: beside.further,
        weights: beside.weights,
        name: data.name.clone(),
        notices: data.notices.clone(),
        settings: OptimumSettings {
            reader: words.settings(),
            weight: weight.map(str::to_owned),
            ..OptimumSettings::default()
        },
        clock: &|| patience.seconds(),
    };
    let mut outcome = optimum_answer(&question, &|| patience.now())?;
    if outcome.answer.ended == Ended::Interrupted && patience.out_of_budget() {
        outcome.answer.ended = Ended::Budget;
    }
    let network = caller.network.then(|| named(outcome.network.clone(), &data));
    Ok(Asked { answer: value(&outcome.answer), network })
}

pub(crate) fn gibbs(words: &DataWords, options: &GibbsOptions, caller: Caller<'_>) -> Result<Asked, AskError> {
    let plan = options.check()?;
    let patience = Patience::new(caller.stop, plan.budget);
    let data = load_any(words)?;
    let question = GibbsQuestion {
        plan: &plan,
        scaled: &data.scaled,
        name: data.name.clone(),
        notices: data.notices.clone(),
        settings: GibbsSettings { reader: words.settings(), ..GibbsSettings::default() },
    };
    let mut answer = gibbs_answer(&question, &|| patience.now())?;
    if answer.status == GibbsStatus::Interrupted && patience.out_of_budget() {
        answer.status = GibbsStatus::Budget;
    }
    let drawn = || answer.network().map(|net| fold(&net, &data.scaled.inputs, &data.scaled.target));
    let network = if caller.network { drawn().map(|net| named(net, &data)) } else { None };
    Ok(Asked { answer: value(&answer), network })
}

pub(crate) fn train(words: &DataWords, options: &TrainOptions, caller: Caller<'_>) -> Result<Asked, AskError> {
    let plan = options.check()?;
    let patience = Patience::new(caller.stop, plan.budget);
    let (data, beside) = load_labelled(words, None)?;
    let question = TrainQuestion {
        plan: &plan,
        scaled: &data.scaled,
        further: beside.further.clone(),
        name: data.name.clone(),
        notices: data.notices.clone(),
        settings: TrainSettings { reader: words.settings(), ..TrainSettings::default() },
    };
    let training = prepare(&question, &|| patience.now())?;
    let mut reached = training.begin();
    let threads = plan.threads.unwrap_or_else(threads);
    // in pieces of growing length, which change no bit
    let mut piece = 1u64;
    while reached.step < plan.steps && reached.ended.is_none() {
        let before = patience.seconds();
        let until = reached.step.saturating_add(piece);
        training.advance(&mut reached, until, threads, &|| patience.now());
        caller.tell(reached.step, plan.steps);
        piece = if patience.seconds() - before < PIECE { piece.saturating_mul(2) } else { (piece / 2).max(1) };
    }
    let unfinished =
        reached.ended == Some(langevin::Status::Interrupted) || (reached.ended.is_none() && reached.step < plan.steps);
    let cut = match (unfinished, patience.out_of_budget()) {
        (false, _) => None,
        (true, true) => Some(TrainStatus::Budget),
        (true, false) => Some(TrainStatus::Interrupted),
    };
    let answer = training.answer(&reached, cut, threads, &|| patience.now());
    let finite = caller.network && reached.particles.all_finite();
    let network = finite.then(|| named(beside.raw(reached.particles.network(&training.plan), &data), &data));
    Ok(Asked { answer: value(&answer), network })
}

pub(crate) fn certify(
    given: &NetworkGiven,
    words: &DataWords,
    options: &CertifyOptions,
    caller: Caller<'_>,
) -> Result<Asked, AskError> {
    let plan = options.check()?;
    let patience = Patience::new(caller.stop, plan.budget);
    let (data, further) = load_examples(words, &given.file)?;
    let mut notices: Vec<String> = given.notices.iter().map(ToString::to_string).collect();
    notices.extend(data.notices.iter().cloned());
    let names = std::iter::once(&data.raw.target).chain(further.iter().map(|t| &t.name));
    let targets: Vec<&str> = names.map(String::as_str).collect();
    let question = CertifyQuestion {
        plan: &plan,
        network: &given.file.network,
        network_name: given.short_name(),
        scaled: &data.scaled,
        further: &further,
        name: data.name.clone(),
        notices,
        settings: CertifySettings {
            net: given.name.clone(),
            reader: ReaderSettings { target: Some(targets.join(",")), ..words.settings() },
            lambda: options.lambda.clone().unwrap_or_else(|| "0".to_owned()),
            batch: options.batch.clone(),
            ..CertifySettings::default()
        },
    };
    let mut answer = certify_answer(&question, &|| patience.now())?.answer;
    if answer.ended == Ended::Interrupted && patience.out_of_budget() {
        answer.ended = Ended::Budget;
    }
    Ok(Asked { answer: value(&answer), network: None })
}

pub(crate) fn collapse(
    given: &NetworkGiven,
    words: &DataWords,
    options: &CollapseOptions,
    caller: Caller<'_>,
) -> Result<Asked, AskError> {
    let outcome = crate::collapse(given, words, options, caller.stop)?.outcome;
    let network = caller.network.then(|| NetworkFile { network: outcome.network.clone(), ..given.file.clone() });
    Ok(Asked { answer: value(&outcome.answer), network })
}

/// Keeps no section; tells which it is.
struct Forgetful<'a> {
    caller: Caller<'a>,
    begun: u64,
}

impl Keeper for Forgetful<'_> {
    type Error = AskError;

    fn begins(&mut self, _: Section) {
        self.caller.tell(self.begun, Section::ALL.len() as u64);
        self.begun += 1;
    }

    fn kept(&mut self, _: Section) -> Option<Kept> {
        None
    }

    fn keep(&mut self, _: &Kept) -> Result<(), AskError> {
        Ok(())
    }

    fn show(&mut self, _: &StudyAnswer) -> Result<(), AskError> {
        Ok(())
    }
}

pub(crate) fn study(words: &DataWords, options: &StudyOptions, caller: Caller<'_>) -> Result<Asked, AskError> {
    let answer = Study::of(words, options)?.run(caller.stop, &mut Forgetful { caller, begun: 0 })?;
    Ok(Asked { answer: value(&answer), network: None })
}
