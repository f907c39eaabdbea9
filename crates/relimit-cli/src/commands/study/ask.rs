//! What is asked of a study: the data, read with the choices that a person left open.

use relimit_core::data::scale::{Scale, Scaled, scale};
use relimit_solve::answer::{Choice, StudySettings};
use relimit_solve::plan::{Bias, StudyPlan};
use relimit_solve::study::{StudyQuestion, choose_scale, choose_target_scale};

use crate::args::{MissingWord, ScaleWord, StudyArgs};
use crate::commands::data::{Loaded, load_any, settings};
use crate::exit::Failure;

/// The data with every choice made.
pub(super) fn ask(args: &StudyArgs, plan: &StudyPlan) -> Result<(StudyQuestion, Loaded), Failure> {
    let mut flags = args.data.clone();
    if flags.data.is_some() && flags.select.missing.is_none() {
        flags.select.missing = Some(MissingWord::Drop);
    }
    let (by_hand, target_by_hand) = (flags.scale, flags.target_scale);
    flags.scale = None;
    flags.target_scale = None;
    let mut data = load_any(&flags)?;
    let mut choices = Vec::new();
    let (inputs, why) = choose_scale(&data.raw, plan.bias != Bias::None);
    let inputs = by_hand.map_or_else(
        || {
            choices.push(why);
            inputs
        },
        by_word,
    );
    let (target, why) = choose_target_scale(&data.raw);
    let target = target_by_hand.map_or_else(
        || {
            choices.push(why);
            target
        },
        by_word,
    );
    data.scaled = scale(&data.raw, inputs, target)?;
    choices.extend(defaults(args));
    let s = settings(&flags);
    let settings = StudySettings {
        data: s.data,
        synthetic: s.synthetic,
        target: s.target,
        columns: s.columns,
        drop: s.drop,
        rows: s.rows,
        missing: s.missing,
        scale: scale_name(inputs).into(),
        target_scale: scale_name(target).into(),
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
fn defaults(args: &StudyArgs) -> Vec<Choice> {
    let made = |flag: &str, value: &str, reason: &str| Choice {
        flag: flag.into(),
        value: value.into(),
        reason: reason.into(),
    };
    let mut out = Vec::new();
    if args.data.data.is_some() && args.data.select.missing.is_none() {
        out.push(made(
            "--missing",
            "drop",
            "rows with missing values are left out, and named above where there are any",
        ));
    }
    if args.bias.is_none() {
        out.push(made("--bias", "penalised", "weight decay then has an optimum and noise a stationary law"));
    }
    if args.lambda.is_none() {
        out.push(made("--lambda", "0.5max to 0.01max", "from almost no neuron to a close fit"));
    }
    if args.beta.is_none() {
        out.push(made("--beta", "three", "beta times the optimal objective is 100, 1000 and 10000"));
    }
    if args.signs.is_none() {
        out.push(made("--signs", "+-", "two neurons, one of each sign: the least that can fit labels of both signs"));
    }
    out
}

fn by_word(word: ScaleWord) -> Scale {
    match word {
        ScaleWord::None => Scale::None,
        ScaleWord::Centre => Scale::Centre,
        ScaleWord::Standardise => Scale::Standardise,
    }
}

fn scale_name(scale: Scale) -> &'static str {
    match scale {
        Scale::None => "none",
        Scale::Centre => "centre",
        Scale::Standardise => "standardise",
    }
}
