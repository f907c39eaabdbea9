//! `relimit train`: plan, then read, run in pieces with checkpoints, and report.

use std::io;
use std::path::Path;
use std::thread;

use relimit_ask::load::{Beside, Loaded, load_labelled};
use relimit_core::langevin::{Particles, Status};
use relimit_report::csv;
use relimit_report::figure::{self, Fit};
use relimit_report::json::json;
use relimit_report::text::{self, Style};
use relimit_run::clock::{self, Stopwatch};
use relimit_run::read::NetworkFile;
use relimit_run::state::{State, read_state, write_state};
use relimit_run::write::{self, Opened, Provenance, RunDir};
use relimit_solve::answer::{TrainAnswer, TrainSettings, TrainStatus};
use relimit_solve::plan::{Picture, TrainPlan};
use relimit_solve::train::{Reached, TrainQuestion, Training, prepare};
use serde_json::{Value, json as object};

use super::picture;
use crate::args::TrainArgs;
use crate::exit::{Exit, Failure};
use crate::output;
use crate::progress::Progress;
use crate::stop::{Cause, Stop};

/// Name of the checkpoint in a run directory.
const STATE: &str = "state.bin";
/// Seconds that a piece of the run is to take.
const PIECE: f64 = 0.2;

/// Runs the command.
pub(crate) fn run(args: &TrainArgs) -> Result<Exit, Failure> {
    let plan = args.plan()?;
    let watch = Stopwatch::start();
    let stop = Stop::listen(plan.budget)?;
    let progress = Progress::start("reading");
    let words = args.data.words();
    let (data, beside) = load_labelled(&words, None)?;
    let question = TrainQuestion {
        plan: &plan,
        scaled: &data.scaled,
        further: beside.further.clone(),
        name: data.name.clone(),
        notices: data.notices.clone(),
        settings: TrainSettings { reader: words.settings(), ..TrainSettings::default() },
    };
    let training = prepare(&question, &|| stop.now())?;
    if let Some(dir) = args.resume.as_ref().filter(|dir| !dir.join("plan.json").exists()) {
        return Err(Failure::usage(format!("--resume {}: holds no run; give --out to begin one", dir.display())));
    }
    let run_dir = match &plan.out {
        None => None,
        Some(dir) => match write::open(dir, &identity(&training, &data, &beside))? {
            Opened::Done(_, result) => {
                progress.finish();
                return reuse(args, &plan, dir, &result);
            }
            Opened::Fresh(run) | Opened::Unfinished(run) => Some(run),
        },
    };
    let started = clock::utc();
    let mut reached = match &run_dir {
        Some(run) => continued(&training, run)?.unwrap_or_else(|| training.begin()),
        None => training.begin(),
    };
    let threads = plan.threads.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from));
    go(&plan, &training, &mut reached, run_dir.as_ref(), (threads, &stop, &progress))?;
    let unfinished =
        reached.ended == Some(Status::Interrupted) || (reached.ended.is_none() && reached.step < plan.steps);
    let cut = unfinished.then(|| match stop.cause() {
        Some(Cause::Budget) => TrainStatus::Budget,
        _ => TrainStatus::Interrupted,
    });
    if plan.starts.is_some() && cut.is_none() {
        progress.say("running the other starts");
    }
    let answer = training.answer(&reached, cut, threads, &|| stop.now());
    progress.finish();
    let finite = reached.particles.all_finite();
    if let Some(path) = &plan.save {
        if finite {
            save(path, &training, &reached, (&data, &beside))?;
        } else {
            output::note(&format!("--save {}: not written, as the weights are not finite", path.display()));
        }
    }
    if let Some(to) = &plan.plot {
        if finite {
            plot(to, &answer, &training, &reached, (&data, &beside))?;
        } else {
            output::note(&format!("--plot {}: not drawn, as the weights are not finite", to.path().display()));
        }
    }
    if let Some(run) = &run_dir {
        if finite {
            save(&run.path().join("network.npz"), &training, &reached, (&data, &beside))?;
        }
        let from = Provenance { command: std::env::args().collect(), started, seconds: watch.seconds() };
        if cut.is_some() {
            keep(run, &reached)?;
            run.write_json("partial.json", &answer)?;
            run.provenance(&from)?;
        } else {
            run.finish(&answer, &from)?;
            run.remove(STATE)?;
        }
    } else if cut.is_some() {
        output::note("the state is not kept: with --out DIR the same command goes on where it was cut");
    }
    say(args, &answer)?;
    Ok(exit(&answer, &plan))
}

/// Runs to the end, in pieces of a fraction of a second; the bits do not depend on the pieces.
fn go(
    plan: &TrainPlan,
    training: &Training<'_>,
    reached: &mut Reached,
    run: Option<&RunDir>,
    (threads, stop, progress): (usize, &Stop, &Progress),
) -> Result<(), Failure> {
    let (watch, first) = (Stopwatch::start(), reached.step);
    let (mut kept, mut piece) = (0.0, 1u64);
    while reached.step < plan.steps && reached.ended.is_none() {
        let before = watch.seconds();
        training.advance(reached, reached.step.saturating_add(piece), threads, &|| stop.now());
        let now = watch.seconds();
        piece = if now - before < PIECE { piece.saturating_mul(2) } else { (piece / 2).max(1) };
        progress.steps(reached.step - first, plan.steps - first, plan.width, now);
        if let Some(run) = run.filter(|_| now - kept >= plan.checkpoint.as_secs_f64()) {
            keep(run, reached)?;
            kept = now;
        }
    }
    Ok(())
}

/// Writes the checkpoint.
fn keep(run: &RunDir, reached: &Reached) -> Result<(), Failure> {
    let record = serde_json::to_value(&reached.record).map_err(|e| Failure::usage(format!("{STATE}: {e}")))?;
    let numbers = reached.particles.values().chain(reached.particles.offset().iter().copied()).collect();
    let state = State { plan: run.key().to_owned(), step: reached.step, record, numbers };
    Ok(write_state(&run.path().join(STATE), &state)?)
}

/// The run at its last checkpoint, if there is one.
fn continued(training: &Training<'_>, run: &RunDir) -> Result<Option<Reached>, Failure> {
    let path = run.path().join(STATE);
    let Some(state) = read_state(&path, run.key())? else { return Ok(None) };
    let fits =
        |e: &str| Failure::usage(format!("{}: does not fit this run ({e}); remove it to start again", path.display()));
    let record = serde_json::from_value(state.record).map_err(|e| fits(&e.to_string()))?;
    let (_, d, k) = training.plan.shape();
    let count = training.plan.options().width * (k + d + 1);
    if state.numbers.len() != count + k {
        return Err(fits("another number of weights"));
    }
    let (values, offset) = state.numbers.split_at(count);
    let particles = Particles::from_values(&training.plan, values.iter().copied(), offset);
    output::note(&format!("going on from step {}", state.step));
    Ok(Some(Reached { particles, step: state.step, record, ended: None }))
}

/// What determines the result: the effective settings and the data themselves.
fn identity(training: &Training<'_>, data: &Loaded, beside: &Beside) -> Value {
    let mut settings = TrainSettings { budget: None, ..training.settings() };
    settings.reader.data = None;
    object!({ "command": "train", "data": beside.key(data), "settings": settings })
}

/// The answer of a directory that already holds it.
fn reuse(args: &TrainArgs, plan: &TrainPlan, dir: &Path, result: &Value) -> Result<Exit, Failure> {
    let answer: TrainAnswer = serde_json::from_value(result.clone()).map_err(|e| {
        Failure::usage(format!("--out {}: result.json cannot be read ({e}); give another directory", dir.display()))
    })?;
    output::note(&format!("{} holds this answer already; nothing was run again", dir.display()));
    if plan.save.is_some() || plan.plot.is_some() {
        output::note("--save and --plot need a run: the network is network.npz in the directory");
    }
    say(args, &answer)?;
    Ok(exit(&answer, plan))
}

fn plot(
    to: &Picture,
    answer: &TrainAnswer,
    training: &Training<'_>,
    reached: &Reached,
    (data, beside): (&Loaded, &Beside),
) -> Result<(), Failure> {
    let trained = reached.particles.network(&training.plan);
    let network = beside.raw(trained.clone(), data);
    let d = &data.raw;
    let back =
        |t: &relimit_solve::optimum::FurtherLabels| t.y.iter().map(|y| y * t.map.factor[0] + t.map.shift[0]).collect();
    let more: Vec<Vec<f64>> = beside.further.iter().map(back).collect();
    let labels = std::iter::once((&d.target, &d.y)).chain(beside.further.iter().map(|t| &t.name).zip(&more));
    let fits: Vec<Fit<'_>> = labels
        .enumerate()
        .map(|(output, (target, y))| Fit { x: &d.x, y, features: &d.features, target, network: &network, output })
        .collect();
    let drawn = figure::train(answer, &fits, &trained);
    picture::write(to, &drawn.svg, Some(&csv::train(answer, &fits, &trained)))
}

fn save(path: &Path, training: &Training<'_>, reached: &Reached, data: (&Loaded, &Beside)) -> Result<(), Failure> {
    let network = data.1.raw(reached.particles.network(&training.plan), data.0);
    let raw = &data.0.raw;
    let file = NetworkFile {
        features: Some(raw.features.clone()),
        // a file of a network names one output
        target: (network.outputs() == 1).then(|| raw.target.clone()),
        network,
    };
    Ok(write::network(path, &file)?)
}

fn exit(answer: &TrainAnswer, plan: &TrainPlan) -> Exit {
    match answer.status {
        TrainStatus::Budget | TrainStatus::Interrupted => Exit::Cut,
        TrainStatus::Converged => Exit::Answer,
        _ if plan.require.is_some() => Exit::NotMet,
        _ => Exit::Answer,
    }
}

fn say(args: &TrainArgs, answer: &TrainAnswer) -> Result<(), Failure> {
    if args.json {
        return output::print(&json(answer));
    }
    let no_colour = std::env::var("NO_COLOR").ok();
    let style = Style::choose(io::IsTerminal::is_terminal(&io::stdout()), no_colour.as_deref());
    output::print(&text::train(answer, style))
}
