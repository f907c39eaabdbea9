//! `relimit optimum`: plan, then read, minimise, certify and report.

use std::io::{self, Write as _};
use std::path::Path;

use relimit_ask::load::{Beside, Loaded, load_labelled};
use relimit_core::certify::optimum::Objective;
use relimit_core::certify::optimum::certificate::optimum_certificate;
use relimit_core::data::Dataset;
use relimit_core::net::Network;
use relimit_report::csv;
use relimit_report::figure::{self, Fit};
use relimit_report::json::json;
use relimit_report::text::{self, Style};
use relimit_run::clock::{self, Stopwatch};
use relimit_run::key;
use relimit_run::read::NetworkFile;
use relimit_run::write::{self, Opened, Provenance};
use relimit_solve::answer::{Claim, Ended, OptimumAnswer, OptimumSettings};
use relimit_solve::optimum::{OptimumOutcome, OptimumQuestion, optimum_answer};
use relimit_solve::plan::{OptimumPlan, Picture, Require};
use serde_json::{Value, json as object};

use super::picture;
use crate::args::OptimumArgs;
use crate::exit::{Exit, Failure};
use crate::output;
use crate::progress::Progress;
use crate::stop::{Cause, Stop};

/// Nodes of each tree of a certificate: a file of some megabytes.
const MOST_NODES: usize = 5000;

/// Runs the command.
pub(crate) fn run(args: &OptimumArgs) -> Result<Exit, Failure> {
    let plan = args.plan()?;
    let watch = Stopwatch::start();
    let stop = Stop::listen(plan.budget)?;
    let progress = Progress::start("reading");
    let words = args.data.words();
    let (data, beside) = load_labelled(&words, args.weight.as_deref())?;
    if args.certificate.is_some() && !beside.further.is_empty() {
        return Err(Failure::usage("--certificate: proves the optimum of one target; name one --target"));
    }
    let settings =
        OptimumSettings { reader: words.settings(), weight: args.weight.clone(), ..OptimumSettings::default() };
    let run_dir = match &plan.out {
        None => None,
        Some(dir) => match write::open(dir, &identity(&plan, &settings, &data, &beside))? {
            Opened::Done(_, result) => {
                progress.finish();
                return reuse(args, &plan, dir, &result);
            }
            Opened::Fresh(run) | Opened::Unfinished(run) => Some(run),
        },
    };
    progress.say("looking for the best network and the proof that there is no better");
    let question = OptimumQuestion {
        plan: &plan,
        scaled: &data.scaled,
        further: beside.further.clone(),
        weights: beside.weights.clone(),
        name: data.name.clone(),
        notices: data.notices.clone(),
        settings,
        clock: &|| watch.seconds(),
    };
    let started = clock::utc();
    let outcome = labelled(optimum_answer(&question, &|| stop.now())?, &stop);
    progress.finish();
    if let Some(path) = &plan.save {
        save(path, &outcome, &data)?;
    }
    if let Some(picture) = &plan.plot {
        plot(picture, &outcome, &data)?;
    }
    if let Some(run) = &run_dir {
        save(&run.path().join("network.npz"), &outcome, &data)?;
        let command = std::env::args().collect();
        let from = Provenance { command, started, seconds: watch.seconds() };
        if cut(&outcome.answer) {
            run.write_json("partial.json", &outcome.answer)?;
            run.provenance(&from)?;
        } else {
            run.finish(&outcome.answer, &from)?;
        }
    }
    say(args, &outcome.answer)?;
    if let (Some(path), Some(proposed)) = (&args.certificate, &outcome.proposed) {
        let about = (&proposed.objective, Some(&proposed.network));
        write_optimum(path, about, (&proposed.dual, proposed.sup), &data, &|| stop.now())?;
    }
    Ok(exit(&outcome.answer, &plan))
}

/// The proof of a network's gap, or of the lower bound alone, about the data as they were used.
pub(super) fn write_optimum(
    path: &Path,
    (objective, network): (&Objective, Option<&Network>),
    dual: (&[f64], f64),
    data: &Loaded,
    stop: &dyn Fn() -> bool,
) -> Result<(), Failure> {
    let used = (&*data.scaled.dataset.x, data.scaled.dataset.y.as_slice());
    let made = optimum_certificate(objective, used, network, dual, MOST_NODES, stop);
    let found = made.map_err(|e| Failure::cut(format!("--certificate {}: not written: {e}", path.display())))?;
    Ok(write::write_atomic(path, |file| file.write_all(json(&found).as_bytes()))?)
}

/// What determines the result: the command's effective settings and the data themselves.
fn identity(plan: &OptimumPlan, settings: &OptimumSettings, data: &Loaded, beside: &Beside) -> Value {
    let dataset = &data.scaled.dataset;
    let column = |y: &[f64]| key::of_dataset(&Dataset { y: y.to_vec(), target: String::new(), ..dataset.clone() });
    object!({
        "command": "optimum",
        "data": beside.key(data),
        "weights": beside.weights.as_ref().map(|w| column(w)),
        "scale": settings.reader.scale,
        "target_scale": settings.reader.target_scale,
        "bias": plan.bias.name(),
        "offset": plan.offset.name(),
        "loss": plan.loss.name(),
        "lambda": plan.lambda.to_string(),
        "path": plan.path,
        "trace": plan.trace,
        "seed": plan.seed,
        "gap": plan.gap,
        "max_nodes": plan.max_nodes,
    })
}

/// The answer of a directory that already holds it.
fn reuse(args: &OptimumArgs, plan: &OptimumPlan, dir: &Path, result: &Value) -> Result<Exit, Failure> {
    let answer: OptimumAnswer = serde_json::from_value(result.clone()).map_err(|e| {
        Failure::usage(format!("--out {}: result.json cannot be read ({e}); give another directory", dir.display()))
    })?;
    output::note(&format!("{} holds this answer already; nothing was run again", dir.display()));
    if plan.save.is_some() || plan.plot.is_some() || args.certificate.is_some() {
        output::note("--save, --plot and --certificate need a run: leave out --out, or give a new directory");
    }
    say(args, &answer)?;
    Ok(exit(&answer, plan))
}

fn cut(answer: &OptimumAnswer) -> bool {
    matches!(answer.ended, Ended::Budget | Ended::Interrupted)
}

fn exit(answer: &OptimumAnswer, plan: &OptimumPlan) -> Exit {
    if cut(answer) {
        Exit::Cut
    } else if plan.require == Some(Require::Certified) && answer.status != Claim::Certified {
        Exit::NotMet
    } else {
        Exit::Answer
    }
}

fn say(args: &OptimumArgs, answer: &OptimumAnswer) -> Result<(), Failure> {
    if args.output.json {
        return output::print(&json(answer));
    }
    let no_colour = std::env::var("NO_COLOR").ok();
    let style = Style::choose(io::IsTerminal::is_terminal(&io::stdout()), no_colour.as_deref());
    output::print(&text::optimum(answer, style))
}

/// A search that the budget stopped is `budget`, not `interrupted`.
fn labelled(mut outcome: OptimumOutcome, stop: &Stop) -> OptimumOutcome {
    if outcome.answer.ended == Ended::Interrupted && stop.cause() == Some(Cause::Budget) {
        outcome.answer.ended = Ended::Budget;
    }
    outcome
}

/// The picture, and its numbers beside it.
fn plot(to: &Picture, outcome: &OptimumOutcome, data: &Loaded) -> Result<(), Failure> {
    let raw = &data.raw;
    let fit = Fit {
        x: &raw.x,
        y: &raw.y,
        features: &raw.features,
        target: &raw.target,
        network: &outcome.network,
        output: 0,
    };
    let drawn = figure::optimum(&outcome.answer, &fit);
    picture::write(to, &drawn.svg, Some(&csv::optimum(&outcome.answer, &fit)))
}

fn save(path: &Path, outcome: &OptimumOutcome, data: &Loaded) -> Result<(), Failure> {
    let file = NetworkFile {
        network: outcome.network.clone(),
        features: Some(data.raw.features.clone()),
        // a file of a network names one output
        target: (outcome.network.outputs() == 1).then(|| data.raw.target.clone()),
    };
    Ok(write::network(path, &file)?)
}
