//! What is asked of a study: the data, read with the choices that a person left open.

use relimit_core::data::scale::{Scaled, scale};
use relimit_run::read::Missing;
use relimit_solve::answer::{Choice, StudySettings};
use relimit_solve::plan::{Bias, StudyOptions, StudyPlan};
use relimit_solve::study::{StudyQuestion, choose_scale, choose_target_scale};

use crate::load::{Loaded, load_any};
use crate::{AskError, DataWords};

/// The data with every choice made.
pub(super) fn question(
    words: &DataWords,
    options: &StudyOptions,
    plan: &StudyPlan,
) -> Result<(StudyQuestion, Loaded), AskError> {
    let drops = words.source().is_some() && words.missing.is_none();
    let mut words = words.clone();
    if drops {
        words.missing = Some(Missing::Drop);
    }
    let (by_hand, target_by_hand) = (words.scale.take(), words.target_scale.take());
    let mut data = load_any(&words)?;
    let mut choices = Vec::new();
    let (inputs, why) = choose_scale(&data.raw, plan.bias != Bias::None);
    let inputs = by_hand.unwrap_or_else(|| {
        choices.push(why);
        inputs
    });
    let (target, why) = choose_target_scale(&data.raw);
    let target = target_by_hand.unwrap_or_else(|| {
        choices.push(why);
        target
    });
    data.scaled = scale(&data.raw, inputs, target)?;
    choices.extend(defaults(options, drops));
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
    let question = StudyQuestion {
        plan: plan.clone(),
        scaled: Scaled { dataset: data.scaled.dataset.clone(), ..data.scaled.clone() },
        centred_from: centred.then(|| (*data.raw.x).clone()),
        name: data.name.clone(),
        notices: data.notices.clone(),
        choices,
        settings,
    };
    Ok((question, data))
}

/// Choices that do not depend on the data.
fn defaults(options: &StudyOptions, drops: bool) -> Vec<Choice> {
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
        out.push(made("--bias", "penalised", "weight decay then has an optimum and noise a stationary law"));
    }
    if options.lambda.is_none() {
        out.push(made("--lambda", "0.5max to 0.01max", "from almost no neuron to a close fit"));
    }
    if options.beta.is_none() {
        out.push(made("--beta", "three", "beta times the optimal objective is 100, 1000 and 10000"));
    }
    if options.signs.is_none() {
        out.push(made("--signs", "+-", "two neurons, one of each sign: the least that can fit labels of both signs"));
    }
    out
}
