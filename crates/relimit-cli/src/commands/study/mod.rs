//! `relimit study`: read, choose, ask every engine within the budget, write one page.

mod ask;

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use relimit_ask::load::Loaded;
use relimit_report::json::json;
use relimit_report::page;
use relimit_report::text::{self, Style};
use relimit_run::clock::{self, Stopwatch};
use relimit_run::key;
use relimit_run::write::{self, Opened, Provenance, RunDir, write_atomic};
use relimit_solve::answer::{Fitted, Part, Section, SectionFact, SectionStatus, StudyAnswer, StudyData};
use relimit_solve::study::{Found, StudyQuestion, Until, ledger};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json as object};

use crate::args::{ReportArgs, StudyArgs};
use crate::exit::{Exit, Failure};
use crate::output;
use crate::patience::{Waited, Work};
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
    let (question, data) = ask::ask(args, &plan)?;
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
    let mut late = Vec::new();
    for (k, section) in Section::ALL.into_iter().enumerate() {
        let kept = kept(&run, section);
        let (part, fact) = if let Some(kept) = kept {
            (kept.part, kept.fact)
        } else {
            progress.say(section.name());
            let left = (plan.budget.as_secs_f64() - watch.seconds()).max(0.0);
            let weight = |s: Section| if question.wants_time(s) { weight(s) } else { 0.0 };
            let rest: f64 = Section::ALL[k..].iter().map(|s| weight(*s)).sum();
            let share = if rest > 0.0 { left * weight(section) / rest } else { left };
            let share = Duration::from_secs_f64(share);
            let found = within(&question, section, &answer.optimum, share, &stop, &mut late);
            keep(&run, judged(section, found))?
        };
        take(&mut answer, part);
        answer.sections.push(fact);
        write_page(run.path(), &answer)?;
    }
    for (section, mut work) in late {
        if let Waited::Ended(found @ Ok(_)) = work.wait(Duration::ZERO) {
            let (part, fact) = keep(&run, judged(section, found))?;
            take(&mut answer, part);
            answer.sections.iter_mut().filter(|s| s.section == section).for_each(|s| s.clone_from(&fact));
        }
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
        "scale": s.reader.scale,
        "target_scale": s.reader.target_scale,
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

/// One section in its time. One that does not come back in time is left behind on its thread, in `late`.
fn within(
    question: &Arc<StudyQuestion>,
    section: Section,
    optima: &[Fitted],
    share: Duration,
    stop: &Stop,
    late: &mut Vec<(Section, Work<Found>)>,
) -> Found {
    if stop.now() {
        return Err("interrupted before it began".into());
    }
    let own = stop.section(share);
    let (question, optima, inner) = (Arc::clone(question), optima.to_vec(), own.clone());
    let mut work = Work::start(move |reached| {
        let until = Until { enough: &|| inner.enough(), stop: &|| inner.now() };
        question.section(section, &optima, until, reached)
    });
    match work.wait(share.mul_f64(1.0 + GRACE) + Duration::from_millis(200)) {
        Waited::Ended(found) => found,
        Waited::Late(reached) => {
            late.push((section, work));
            reached.unwrap_or_else(|| {
                let share = share.as_secs_f64();
                Err(format!(
                    "it needs more than its share of the budget, {share:.1} s; a longer --budget gives it more"
                ))
            })
        }
        // the panic has been told by the thread itself
        Waited::Broken => Err("it ended in a fault of ours, reported on standard error".into()),
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

/// Leaves a finished section in the directory for a later call.
fn keep(run: &RunDir, (part, fact): (Option<Part>, SectionFact)) -> Result<(Option<Part>, SectionFact), Failure> {
    let kept = Kept { part, fact };
    if kept.fact.status == SectionStatus::Done {
        run.write_json(&file(kept.fact.section), &kept)?;
    }
    Ok((kept.part, kept.fact))
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
