//! What is asked of a study: the data, read with the choices that a person left open.

use relimit_core::data::Dataset;
use relimit_core::data::scale::{Scale, Scaled, scale};
use relimit_run::read::Missing;
use relimit_solve::answer::{Choice, StudySettings};
use relimit_solve::optimum::FurtherLabels;
use relimit_solve::plan::{Bias, StudyOptions, StudyPlan};
use relimit_solve::study::{StudyQuestion, choose_scale, choose_target_scale};

use crate::load::{Beside, Loaded, load_any, load_labelled};
use crate::{AskError, DataWords};

/// The data with every choice made, as they were read, and a name of all that they are.
pub(super) struct Asked {
    pub(super) question: StudyQuestion,
    pub(super) data: Loaded,
    /// Targets after the first, as read.
    pub(super) more: Vec<(String, Vec<f64>)>,
    pub(super) key: String,
}

/// Reads the data and makes every choice.
pub(super) fn question(words: &DataWords, options: &StudyOptions, plan: &StudyPlan) -> Result<Asked, AskError> {
    let drops = words.source().is_some() && words.missing.is_none();
    let mut words = words.clone();
    if drops {
        words.missing = Some(Missing::Drop);
    }
    let (by_hand, target_by_hand) = (words.scale.take(), words.target_scale.take());
    let (mut data, beside) =
        if words.source().is_some() { load_labelled(&words, None)? } else { (load_any(&words)?, Beside::default()) };
    let more: Vec<(String, Vec<f64>)> = beside.further.into_iter().map(|t| (t.name, t.y)).collect();
    let mut choices = Vec::new();
    let (inputs, why) = choose_scale(&data.raw, plan.bias != Bias::None);
    let inputs = by_hand.unwrap_or_else(|| {
        choices.push(why);
        inputs
    });
    // one choice for all targets: that of the first which asks for something
    let column = |(name, y): &(String, Vec<f64>)| Dataset { y: y.clone(), target: name.clone(), ..data.raw.clone() };
    let mut wishes = std::iter::once(choose_target_scale(&data.raw))
        .chain(more.iter().map(|t| choose_target_scale(&column(t))))
        .collect::<Vec<_>>();
    let first = wishes.iter().position(|(wish, _)| *wish != Scale::None).unwrap_or(0);
    let (target, why) = wishes.swap_remove(first);
    let target = target_by_hand.unwrap_or_else(|| {
        choices.push(why);
        target
    });
    let further: Result<Vec<FurtherLabels>, AskError> = more
        .iter()
        .map(|t| {
            let Scaled { dataset, target: map, .. } = scale(&column(t), Scale::None, target)?;
            Ok(FurtherLabels { name: dataset.target, y: dataset.y, map })
        })
        .collect();
    let beside = Beside { further: further?, weights: None };
    data.scaled = scale(&data.raw, inputs, target)?;
    choices.extend(defaults(options, drops, more.is_empty()));
    let settings = StudySettings {
        reader: DataWords { scale: Some(inputs), target_scale: Some(target), ..words }.settings(),
        bias: plan.bias.name().into(),
        lambda: plan.lambda.iter().map(ToString::to_string).collect(),
        beta: plan.beta.clone(),
        signs: plan.signs.to_string(),
        seed: plan.seed,
        budget: plan.budget.as_secs_f64(),
    };
    let centred = !data.scaled.inputs.is_identity();
    let key = beside.key(&data);
    let question = StudyQuestion {
        plan: plan.clone(),
        scaled: Scaled { dataset: data.scaled.dataset.clone(), ..data.scaled.clone() },
        further: beside.further,
        centred_from: centred.then(|| (*data.raw.x).clone()),
        name: data.name.clone(),
        notices: data.notices.clone(),
        choices,
        settings,
    };
    Ok(Asked { question, data, more, key })
}

/// Choices that do not depend on the data; with several targets there is neither descent nor law.
fn defaults(options: &StudyOptions, drops: bool, one: bool) -> Vec<Choice> {
    let made = |flag: &str, value: &str, reason: &str| Choice {
        flag: flag.into(),
        value: value.into(),
        reason: reason.into(),
    };
    let mut out = Vec::new();
    if drops {
        out.push(made(
            "--missing",
            "drop",
            "rows with missing values are left out, and named above where there are any",
        ));
    }
    if options.bias.is_none() {
        let reason = "weight decay then has an optimum and noise a stationary law";
        out.push(made("--bias", "penalised", if one { reason } else { "weight decay then holds every neuron" }));
    }
    if options.lambda.is_none() {
        out.push(made("--lambda", "0.5max to 0.01max", "from almost no neuron to a close fit"));
    }
    if options.beta.is_none() && one {
        out.push(made("--beta", "three", "beta times the optimal objective is 100, 1000 and 10000"));
    }
    if options.signs.is_none() && one {
        out.push(made("--signs", "+-", "two neurons, one of each sign: the least that can fit labels of both signs"));
    }
    out
}
