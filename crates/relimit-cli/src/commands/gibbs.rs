//! `relimit gibbs`: plan, then read, solve and report.

use std::io::{self, Write as _};
use std::path::Path;

use relimit_ask::DataWords;
use relimit_ask::load::{Loaded, load_any};
use relimit_core::data::scale::fold;
use relimit_core::num::Mat;
use relimit_report::csv;
use relimit_report::figure;
use relimit_report::json::json;
use relimit_report::text::{self, Style};
use relimit_run::clock::{self, Stopwatch};
use relimit_run::key;
use relimit_run::read::{Array, NetworkFile, Values};
use relimit_run::write::{self, Opened, Provenance, RunDir};
use relimit_solve::answer::{GibbsAnswer, GibbsSettings, GibbsStatus};
use relimit_solve::gibbs::{GibbsQuestion, gibbs_answer};
use relimit_solve::plan::{GibbsPlan, Picture};

use serde_json::{Value, json as object};

use super::picture;
use crate::args::GibbsArgs;
use crate::exit::{Exit, Failure};
use crate::output;
use crate::progress::Progress;
use crate::stop::{Cause, Stop};

/// Runs the command.
pub(crate) fn run(args: &GibbsArgs) -> Result<Exit, Failure> {
    let plan = args.plan()?;
    let watch = Stopwatch::start();
    let stop = Stop::listen(plan.budget)?;
    let progress = Progress::start("reading");
    let words = args.data.words();
    let data = load_any(&words)?;
    progress.say("solving for the law, temperature by temperature");
    let question = GibbsQuestion {
        plan: &plan,
        scaled: &data.scaled,
        name: data.name.clone(),
        notices: data.notices.clone(),
        settings: GibbsSettings { reader: words.settings(), ..GibbsSettings::default() },
    };
    let run_dir = match &plan.out {
        None => None,
        Some(dir) => match write::open(dir, &identity(&plan, &words, &data))? {
            Opened::Done(_, result) => {
                progress.finish();
                return reuse(args, &plan, dir, &result);
            }
            Opened::Fresh(run) | Opened::Unfinished(run) => Some(run),
        },
    };
    let started = clock::utc();
    let mut answer = gibbs_answer(&question, &|| stop.now())?;
    if answer.status == GibbsStatus::Interrupted && stop.cause() == Some(Cause::Budget) {
        answer.status = GibbsStatus::Budget;
    }
    progress.finish();
    if let Some(picture) = &plan.plot {
        plot(picture, &answer, &data)?;
    }
    if let Some(path) = &plan.save {
        save(path, &answer, &data)?;
    }
    if let Some(run) = &run_dir {
        let from = Provenance { command: std::env::args().collect(), started, seconds: watch.seconds() };
        keep(run, &answer, &data, &from)?;
    }
    say(args, &answer)?;
    Ok(exit(&answer, &plan))
}

/// What determines the result: the plan and the data.
fn identity(plan: &GibbsPlan, words: &DataWords, data: &Loaded) -> Value {
    let s = words.settings();
    object!({
        "command": "gibbs",
        "data": key::of_dataset(&data.scaled.dataset),
        "scale": s.scale,
        "target_scale": s.target_scale,
        "bias": plan.bias.name(),
        "loss": plan.loss.name(),
        "lambda": plan.lambda.to_string(),
        "beta": plan.beta,
        "angle": plan.angle,
        "samples": plan.samples,
        "grid": plan.grid,
        "particles": plan.particles,
        "seed": plan.seed,
    })
}

/// The answer of a directory that already holds it.
fn reuse(args: &GibbsArgs, plan: &GibbsPlan, dir: &Path, result: &Value) -> Result<Exit, Failure> {
    let answer: GibbsAnswer = serde_json::from_value(result.clone()).map_err(|e| {
        Failure::usage(format!("--out {}: result.json cannot be read ({e}); give another directory", dir.display()))
    })?;
    output::note(&format!("{} holds this answer already; nothing was run again", dir.display()));
    if plan.save.is_some() || plan.plot.is_some() {
        output::note("--save and --plot need a run: leave out --out, or give a new directory");
    }
    say(args, &answer)?;
    Ok(exit(&answer, plan))
}

/// Writes the run directory.
fn keep(run: &RunDir, answer: &GibbsAnswer, data: &Loaded, from: &Provenance) -> Result<(), Failure> {
    if let Some(outputs) = &answer.outputs {
        let fitted = data.scaled.target.invert(&Mat::from_vec(outputs.len(), 1, outputs.clone())).into_vec();
        let text = csv::outputs(&data.raw.target, &answer.data.rows, &data.raw.y, &fitted);
        run.write("outputs.csv", |file| file.write_all(text.as_bytes()))?;
    }
    if let Some(grid) = &answer.grid {
        let text = csv::grid(&data.raw.features, &data.raw.target, grid);
        run.write("grid.csv", |file| file.write_all(text.as_bytes()))?;
    }
    if let Some(draws) = &answer.samples {
        let d = data.raw.d();
        let numbers = draws.iter().flat_map(|t| t.w.iter().copied().chain([t.b, t.c])).collect();
        let array = Array { shape: vec![draws.len(), d + 2], values: Values::Numbers(numbers) };
        run.write("samples.npy", |file| write::npy(file, &array))?;
    }
    if matches!(answer.status, GibbsStatus::Budget | GibbsStatus::Interrupted) {
        run.write_json("partial.json", answer)?;
        run.provenance(from)?;
    } else {
        run.finish(answer, from)?;
    }
    Ok(())
}

/// The mean-field network of the samples, for raw inputs.
fn save(path: &Path, answer: &GibbsAnswer, data: &Loaded) -> Result<(), Failure> {
    let Some(net) = answer.network() else {
        output::note(&format!("--save {}: not written, as there is no law to draw from", path.display()));
        return Ok(());
    };
    let file = NetworkFile {
        network: fold(&net, &data.scaled.inputs, &data.scaled.target),
        features: Some(data.raw.features.clone()),
        target: Some(data.raw.target.clone()),
    };
    Ok(write::network(path, &file)?)
}

fn plot(to: &Picture, answer: &GibbsAnswer, data: &Loaded) -> Result<(), Failure> {
    let raw = &data.raw;
    let Some(drawn) = figure::gibbs(answer, (&raw.x, &raw.y), (&raw.features[0], &raw.target)) else {
        output::note("--plot: there is no law to draw");
        return Ok(());
    };
    picture::write(to, &drawn.svg, Some(&csv::gibbs(answer)))
}

fn exit(answer: &GibbsAnswer, plan: &GibbsPlan) -> Exit {
    match answer.status {
        GibbsStatus::Budget | GibbsStatus::Interrupted => Exit::Cut,
        GibbsStatus::Undecided if plan.require.is_some() => Exit::NotMet,
        GibbsStatus::Undecided | GibbsStatus::Converged => Exit::Answer,
    }
}

fn say(args: &GibbsArgs, answer: &GibbsAnswer) -> Result<(), Failure> {
    if args.json {
        return output::print(&json(answer));
    }
    let no_colour = std::env::var("NO_COLOR").ok();
    let style = Style::choose(io::IsTerminal::is_terminal(&io::stdout()), no_colour.as_deref());
    output::print(&text::gibbs(answer, style))
}
