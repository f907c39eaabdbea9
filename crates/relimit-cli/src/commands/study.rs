//! `relimit study`: read, choose, ask every engine within the budget, write one page.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use relimit_core::data::scale::{Scale, Scaled, scale};
use relimit_report::json::json;
use relimit_report::page;
use relimit_report::text::{self, Style};
use relimit_run::clock::{self, Stopwatch};
use relimit_run::key;
use relimit_run::write::{self, Opened, Provenance, RunDir, write_atomic};
use relimit_solve::answer::{
    Choice, Fitted, Part, Section, SectionFact, SectionStatus, StudyAnswer, StudyData, StudySettings,
};
use relimit_solve::plan::{Bias, StudyPlan};
use relimit_solve::study::{Found, StudyQuestion, Until, choose_scale, choose_target_scale, ledger};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json as object};

use super::data::{Loaded, load_any, settings};
use crate::args::{MissingWord, ReportArgs, ScaleWord, StudyArgs};
use crate::exit::{Exit, Failure};
use crate::output;
use crate::progress::Progress;
use crate::stop::{Cause, Stop};

const PAGE: &str = "report.html";
/// Features of at most so many columns are kept for the pictures.
const DRAWN: usize = 2;
/// Share of a section's time that it may overrun before it is left behind.
const GRACE: f64 = 0.25;

/// Runs the command.
pub(crate) fn run(args: &StudyArgs) -> Result<Exit, Failure> {
    let plan = args.plan()?;
    let watch = Stopwatch::start();
    let stop = Stop::listen(None)?;
    let progress = Progress::start("reading");
    let (question, data) = ask(args, &plan)?;
    let dir = plan.out.clone().unwrap_or_else(|| directory(&question.name));
    let run = match write::open(&dir, &identity(&question))? {
        Opened::Done(run, result) => match reuse(&result) {
            Some(answer) => {
                progress.finish();
                output::note(&format!("{} holds this study already; nothing was run again", dir.display()));
                return say(args, &answer, &dir);
            }
            None => run,
        },
        Opened::Fresh(run) | Opened::Unfinished(run) => run,
    };
    let started = clock::utc();
    let mut answer = empty(&question, &data);
    let question = Arc::new(question);
    for (k, section) in Section::ALL.into_iter().enumerate() {
        let kept = kept(&run, section);
        let (part, fact) = if let Some(kept) = kept {
            (kept.part, kept.fact)
        } else {
            progress.say(section.name());
            let left = (plan.budget.as_secs_f64() - watch.seconds()).max(0.0);
            let share = left * weight(section) / Section::ALL[k..].iter().map(|s| weight(*s)).sum::<f64>();
            let found = within(&question, section, &answer.optimum, Duration::from_secs_f64(share), &stop);
            let (part, fact) = judged(section, found);
            if fact.status == SectionStatus::Done {
                run.write_json(&file(section), &Kept { part: part.clone(), fact: fact.clone() })?;
            }
            (part, fact)
        };
        take(&mut answer, part);
        answer.sections.push(fact);
        write_page(run.path(), &answer)?;
    }
    answer.ledger = ledger(&answer, &question.scaled);
    write_page(run.path(), &answer)?;
    progress.finish();
    let command = std::env::args().collect();
    run.finish(&answer, &Provenance { command, started, seconds: watch.seconds() })?;
    let told = say(args, &answer, &dir)?;
    Ok(if stop.cause() == Some(Cause::Interrupted) { Exit::Cut } else { told })
}

/// Writes the page of a directory again from its result.
pub(crate) fn report(args: &ReportArgs) -> Result<Exit, Failure> {
    let path = args.dir.join("result.json");
    let refuse = |why: String| Failure::usage(format!("{}: {why}", path.display()));
    let bytes =
        std::fs::read(&path).map_err(|e| refuse(format!("cannot be read: {e}; give the directory of a study")))?;
    let answer: StudyAnswer = serde_json::from_slice(&bytes)
        .map_err(|e| refuse(format!("is not the result of a study ({e}); run relimit study first")))?;
    write_page(&args.dir, &answer)?;
    output::print(&format!("Page      {}\n", args.dir.join(PAGE).display()))?;
    Ok(Exit::Answer)
}

/// The data with every choice made.
fn ask(args: &StudyArgs, plan: &StudyPlan) -> Result<(StudyQuestion, Loaded), Failure> {
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

/// `mcycle-study` for mcycle.csv.
fn directory(name: &str) -> PathBuf {
    let stem = Path::new(name).file_stem().map_or_else(|| "data".into(), |s| s.to_string_lossy().into_owned());
    let word: String = stem.chars().map(|c| if c.is_alphanumeric() || "._-".contains(c) { c } else { '-' }).collect();
    let word = word.trim_matches('-');
    PathBuf::from(format!("{}-study", if word.is_empty() { "data" } else { word }))
}

/// What determines the result; the budget does not, so that more time may go on where less has ended.
fn identity(question: &StudyQuestion) -> Value {
    let s = &question.settings;
    object!({
        "command": "study",
        "data": key::of_dataset(&question.scaled.dataset),
        "scale": s.scale,
        "target_scale": s.target_scale,
        "bias": s.bias,
        "lambda": s.lambda,
        "beta": s.beta,
        "signs": s.signs,
        "seed": s.seed,
    })
}

fn empty(question: &StudyQuestion, data: &Loaded) -> StudyAnswer {
    let raw = &data.raw;
    StudyAnswer {
        schema: StudyAnswer::SCHEMA.into(),
        command: "study".into(),
        settings: question.settings.clone(),
        choices: question.choices.clone(),
        data: StudyData {
            name: data.name.clone(),
            n: raw.n(),
            d: raw.d(),
            features: raw.features.clone(),
            target: raw.target.clone(),
            rows: raw.rows.clone(),
            points: (raw.d() <= DRAWN).then(|| raw.x.to_rows()),
            labels: raw.y.clone(),
            notices: data.notices.clone(),
        },
        sections: vec![],
        patterns: None,
        limit: None,
        flow: None,
        optimum: vec![],
        law: None,
        ledger: vec![],
    }
}

/// How the sections share the time that is left.
fn weight(section: Section) -> f64 {
    match section {
        Section::Patterns => 1.0,
        Section::Limit | Section::Flow => 2.0,
        Section::Optimum | Section::Law => 3.0,
    }
}

/// One section in its time. One that does not come back in time is left behind on its thread.
fn within(question: &Arc<StudyQuestion>, section: Section, optima: &[Fitted], share: Duration, stop: &Stop) -> Found {
    if stop.now() {
        return Err("interrupted before it began".into());
    }
    let own = stop.section(share);
    let (send, receive) = mpsc::channel();
    let (question, optima, inner) = (Arc::clone(question), optima.to_vec(), own.clone());
    thread::spawn(move || {
        let until = Until { enough: &|| inner.enough(), stop: &|| inner.now() };
        let _ = send.send(question.section(section, &optima, until));
    });
    let patience = share.mul_f64(1.0 + GRACE) + Duration::from_millis(200);
    match receive.recv_timeout(patience) {
        Ok(found) => found,
        Err(RecvTimeoutError::Timeout) => Err(format!(
            "it needs more than its share of the budget, {:.1} s; a longer --budget gives it more",
            share.as_secs_f64()
        )),
        // the panic has been told by the thread itself
        Err(RecvTimeoutError::Disconnected) => Err("it ended in a fault of ours, reported on standard error".into()),
    }
}

/// A section as the directory keeps it.
#[derive(Serialize, Deserialize)]
struct Kept {
    part: Option<Part>,
    fact: SectionFact,
}

fn file(section: Section) -> String {
    format!("section-{}.json", section.name())
}

/// A section that an earlier call has finished.
fn kept(run: &RunDir, section: Section) -> Option<Kept> {
    let bytes = std::fs::read(run.path().join(file(section))).ok()?;
    match serde_json::from_slice(&bytes) {
        Ok(kept) => Some(kept),
        Err(e) => {
            output::note(&format!("{} cannot be read ({e}); the section is done again", file(section)));
            None
        }
    }
}

fn judged(section: Section, found: Found) -> (Option<Part>, SectionFact) {
    match found {
        Ok((part, status, why)) => (Some(part), SectionFact { section, status, why }),
        Err(why) => (None, SectionFact { section, status: SectionStatus::Skipped, why: Some(why) }),
    }
}

fn take(answer: &mut StudyAnswer, part: Option<Part>) {
    match part {
        None => {}
        Some(Part::Patterns(found)) => answer.patterns = Some(*found),
        Some(Part::Limit(found)) => answer.limit = Some(*found),
        Some(Part::Flow(found)) => answer.flow = Some(*found),
        Some(Part::Optimum(found)) => answer.optimum = found,
        Some(Part::Law(found)) => answer.law = Some(*found),
    }
}

/// A result whose sections are all done needs nothing more.
fn reuse(result: &Value) -> Option<StudyAnswer> {
    let answer: StudyAnswer = serde_json::from_value(result.clone()).ok()?;
    answer.sections.iter().all(|s| s.status == SectionStatus::Done).then_some(answer)
}

fn write_page(dir: &Path, answer: &StudyAnswer) -> Result<(), Failure> {
    Ok(write_atomic(&dir.join(PAGE), |file| file.write_all(page::study(answer).as_bytes()))?)
}

fn say(args: &StudyArgs, answer: &StudyAnswer, dir: &Path) -> Result<Exit, Failure> {
    if args.json {
        output::print(&json(answer))?;
    } else {
        let no_colour = std::env::var("NO_COLOR").ok();
        let style = Style::choose(io::IsTerminal::is_terminal(&io::stdout()), no_colour.as_deref());
        output::print(&format!("{}\nPage      {}\n", text::study(answer, style), dir.join(PAGE).display()))?;
    }
    let cut = answer.sections.iter().any(|s| s.status == SectionStatus::Partial);
    Ok(if cut { Exit::Cut } else { Exit::Answer })
}
