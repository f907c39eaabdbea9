//! `relimit limit`: plan, then read, answer and report.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use relimit_ask::load::{Loaded, load};
use relimit_core::certify::limit::{LimitCertificate, Started, least_norm_part, one_step_part};
use relimit_core::descent::{Event, Observer, Status};
use relimit_report::csv;
use relimit_report::figure::preactivations;
use relimit_report::json::json;
use relimit_report::text::{self, Style};
use relimit_run::clock::{self, Stopwatch};
use relimit_run::key;
use relimit_run::read::{Array, NetworkFile, Values, weights};
use relimit_run::write::{self, AtomicFile, EventWriter, Opened, Provenance, RunDir, Unit, npz, write_atomic};
use relimit_solve::answer::{Claim, LimitAnswer, Settings};
use relimit_solve::limit::{LimitOutcome, LimitQuestion, limit_within};
use relimit_solve::plan::{Bias, LimitPlan, Pace, StartRule};
use serde_json::{Value, json as object};

use super::picture;
use crate::args::LimitArgs;
use crate::exit::{Exit, Failure};
use crate::output;
use crate::progress::Progress;
use crate::stop::{Cause, Stop};

/// Runs the command.
pub(crate) fn run(args: &LimitArgs) -> Result<Exit, Failure> {
    let plan = args.plan()?;
    let watch = Stopwatch::start();
    let stop = Stop::listen(plan.budget)?;
    let progress = Progress::start("reading");
    let words = args.data.words();
    let mut data = load(&words)?;
    let settings = Settings { reader: words.settings(), ..Settings::default() };
    let start_weights = match &plan.start {
        StartRule::File(path) => Some(weights(path, &data.raw.features, plan.bias != Bias::None)?),
        _ => None,
    };
    let run_dir = match &plan.out {
        None => None,
        Some(dir) => match write::open(dir, &identity(&plan, &settings, &data))? {
            Opened::Done(_, result) => return reuse(args, &plan, dir, &result, progress),
            Opened::Fresh(run) | Opened::Unfinished(run) => Some(run),
        },
    };
    progress.say("following the run to its end");
    let centred = !data.scaled.inputs.is_identity();
    if plan.bias == Bias::Penalised {
        // Nothing below asks for the raw features unless they were centred: let the scaled ones be the only copy.
        if !centred {
            data.raw.x = std::sync::Arc::default();
        }
        data.scaled.push_bias();
    }
    let question = LimitQuestion {
        plan: &plan,
        scaled: &data.scaled,
        centred_from: centred.then_some(&data.raw.x),
        weights: start_weights,
        population: data.population,
        name: data.name.clone(),
        notices: data.notices.clone(),
        settings,
    };
    let started = clock::utc();
    let mut events =
        run_dir.as_ref().map(|run| EventFile::create(run, &plan, &data.scaled.dataset.rows)).transpose()?;
    let mut watched = Watched { progress: &progress, count: 0, file: events.as_mut() };
    let outcome = limit_within(&question, &mut watched, &|| stop.enough(), &|| stop.now())?;
    let outcome = labelled(outcome, &stop);
    progress.finish();
    if let Some(path) = &plan.save {
        save(path, &outcome, &data)?;
    }
    if let (Some(to), Some(trajectory)) = (&plan.plot, &outcome.trajectory) {
        let svg = preactivations(&outcome.answer, trajectory).svg;
        picture::write(to, &svg, Some(&csv::trajectory(trajectory)))?;
    }
    if let Some(run) = &run_dir {
        if let Some(file) = events {
            file.finish()?;
        }
        arrays(&run.path().join("weights.npz"), &outcome, &data)?;
        let command = std::env::args().collect();
        let from = Provenance { command, started, seconds: watch.seconds() };
        // a cut run keeps what it reached, and is not done
        if matches!(outcome.answer.limit.status, Status::Budget | Status::Interrupted) {
            run.write_json("partial.json", &outcome.answer)?;
            run.provenance(&from)?;
        } else {
            run.finish(&outcome.answer, &from)?;
        }
    }
    say(args, &outcome.answer)?;
    if let Some(path) = &args.certificate {
        certificate(path, &outcome, &data)?;
    }
    Ok(exit(&outcome.answer, &plan))
}

/// What can be proved of the minimum norm and of the first step, about the data as they were used.
fn certificate(path: &Path, outcome: &LimitOutcome, data: &Loaded) -> Result<(), Failure> {
    let (of, used) = (&outcome.proposed, &data.scaled.dataset);
    let about = (&*used.x, used.y.as_slice(), outcome.c.as_slice());
    let min_norm = match outcome.answer.min_norm.status {
        Claim::Infeasible => Err("no network has the least loss, so that there is no least norm".to_owned()),
        _ => least_norm_part(about, &of.evidence).map_err(|e| e.to_string()),
    };
    let flow = || "the inequality speaks of steps, not of flow".to_owned();
    let one_step = of
        .step
        .ok_or_else(flow)
        .and_then(|step| one_step_part(about, Started { z: &of.start, step, tau: of.tau }).map_err(|e| e.to_string()));
    let none = match (&min_norm, &one_step) {
        (Err(norm), Err(step)) => {
            let why = format!("minimum norm: {norm}; one step: {step}");
            return Err(Failure::cut(format!("--certificate {}: not written: {why}", path.display())));
        }
        (Err(norm), Ok(_)) => Some(format!("minimum norm: {norm}")),
        (Ok(_), Err(step)) => Some(format!("one step: {step}")),
        (Ok(_), Ok(_)) => None,
    };
    if let Some(why) = none {
        output::note(&format!("the certificate has one part; {why}"));
    }
    let found = LimitCertificate::new(about.0, about.1, about.2, min_norm.ok(), one_step.ok());
    Ok(write_atomic(path, |file| file.write_all(json(&found).as_bytes()))?)
}

/// What determines the result: the command's effective settings and the data themselves.
fn identity(plan: &LimitPlan, settings: &Settings, data: &Loaded) -> Value {
    object!({
        "command": "limit",
        "data": key::of_dataset(&data.scaled.dataset),
        "scale": settings.reader.scale,
        "target_scale": settings.reader.target_scale,
        "bias": plan.bias.name(),
        "loss": plan.loss.name(),
        "signs": plan.signs.to_string(),
        "pace": match plan.pace {
            Pace::StableStep => "stable step".to_owned(),
            Pace::Step(eta) => format!("step {eta:e}"),
            Pace::StepConstant(c) => format!("step constant {c:e}"),
            Pace::Flow => "flow".to_owned(),
        },
        "start": plan.start.to_string(),
        "seed": plan.seed,
        "starts": plan.starts,
        "relu_at_zero": plan.relu_at_zero,
        "steps": plan.steps,
        "compare_steps": plan.compare_steps,
        "gap": plan.gap,
        "max_nodes": plan.max_nodes,
    })
}

/// The answer of a directory that already holds it.
fn reuse(args: &LimitArgs, plan: &LimitPlan, dir: &Path, result: &Value, progress: Progress) -> Result<Exit, Failure> {
    progress.finish();
    let answer: LimitAnswer = serde_json::from_value(result.clone()).map_err(|e| {
        Failure::usage(format!("--out {}: result.json cannot be read ({e}); give another directory", dir.display()))
    })?;
    output::note(&format!("{} holds this answer already; nothing was run again", dir.display()));
    if plan.save.is_some() || plan.plot.is_some() || args.certificate.is_some() {
        output::note("--save, --plot and --certificate need a run: leave out --out, or give a new directory");
    }
    say(args, &answer)?;
    Ok(exit(&answer, plan))
}

fn exit(answer: &LimitAnswer, plan: &LimitPlan) -> Exit {
    Exit::of(answer.limit.status, answer.min_norm.status == Claim::Certified, plan.require)
}

fn say(args: &LimitArgs, answer: &LimitAnswer) -> Result<(), Failure> {
    if args.output.json {
        return output::print(&(json(answer) + "\n"));
    }
    let no_colour = std::env::var("NO_COLOR").ok();
    let style = Style::choose(io::IsTerminal::is_terminal(&io::stdout()), no_colour.as_deref());
    output::print(&text::limit(answer, style))
}

/// A run that the budget stopped is `budget`, not `interrupted`.
fn labelled(mut outcome: LimitOutcome, stop: &Stop) -> LimitOutcome {
    if outcome.answer.limit.status == Status::Interrupted && stop.cause() == Some(Cause::Budget) {
        outcome.answer.limit.status = Status::Budget;
    }
    outcome
}

fn save(path: &Path, outcome: &LimitOutcome, data: &Loaded) -> Result<(), Failure> {
    let file = NetworkFile {
        network: outcome.network(&data.scaled),
        features: Some(data.raw.features.clone()),
        target: Some(data.raw.target.clone()),
    };
    Ok(write::network(path, &file)?)
}

/// Weights, duals, preactivations and the network for raw inputs, as numpy arrays.
fn arrays(path: &Path, outcome: &LimitOutcome, data: &Loaded) -> Result<(), Failure> {
    let table = |rows: &[Vec<f64>]| Array {
        shape: vec![rows.len(), rows.first().map_or(0, Vec::len)],
        values: Values::Numbers(rows.concat()),
    };
    let list = |v: &[f64]| Array { shape: vec![v.len()], values: Values::Numbers(v.to_vec()) };
    let (limit, net) = (&outcome.answer.limit, outcome.network(&data.scaled));
    let rows: Vec<f64> = data.scaled.dataset.rows.iter().map(|r| *r as f64).collect();
    let named = [
        ("scaled_weights", table(&outcome.weights.to_rows())),
        ("alpha", table(limit.alpha.as_deref().unwrap_or(&[]))),
        ("preactivations", table(&limit.preactivations)),
        ("rows", list(&rows)),
        ("w", table(&net.w.to_rows())),
        ("b", list(&net.b)),
        ("c", list(net.c.as_slice())),
        ("offset", Array { shape: vec![], values: Values::Numbers(net.offset.clone()) }),
    ];
    Ok(npz(path, named.iter().map(|(name, array)| (*name, array)))?)
}

/// Shows how far the run is, and passes every event on to the run directory.
struct Watched<'a, 'b> {
    progress: &'a Progress,
    count: u64,
    file: Option<&'a mut EventFile<'b>>,
}

impl Observer for Watched<'_, '_> {
    fn event(&mut self, event: &Event) {
        self.count += 1;
        if self.count.is_multiple_of(1024) {
            self.progress.count(event.at, self.count);
        }
        if let Some(file) = &mut self.file {
            file.event(event);
        }
    }
}

/// Streams every event to events.csv of a run directory.
struct EventFile<'a> {
    writer: EventWriter<'a, BufWriter<AtomicFile>>,
    failed: Option<io::Error>,
    scale: f64,
}

impl<'a> EventFile<'a> {
    fn create(run: &RunDir, plan: &LimitPlan, rows: &'a [usize]) -> Result<Self, Failure> {
        let flow = plan.pace == Pace::Flow;
        let unit = if flow { Unit::Time } else { Unit::Step };
        let scale = if flow { 1.0 / plan.loss.factor(rows.len()) } else { 1.0 };
        let file = BufWriter::new(run.stream("events.csv")?);
        let writer = EventWriter::new(file, unit, rows).map_err(|e| Failure::usage(format!("events.csv: {e}")))?;
        Ok(Self { writer, failed: None, scale })
    }

    fn finish(self) -> Result<(), Failure> {
        if let Some(e) = self.failed {
            return Err(Failure::usage(format!("events.csv: {e}")));
        }
        let file = self.writer.into_inner().into_inner().map_err(|e| Failure::usage(format!("events.csv: {e}")))?;
        Ok(file.commit()?)
    }
}

impl Observer for EventFile<'_> {
    fn event(&mut self, event: &Event) {
        if self.failed.is_none() {
            self.failed = self.writer.push(&Event { at: event.at * self.scale, ..*event }).err();
        }
    }
}
