//! `relimit study`: read, choose, ask every engine within the budget, write one page.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use relimit_ask::{Keeper, Kept, Study};
use relimit_report::json::json;
use relimit_report::page;
use relimit_report::text::{self, Style};
use relimit_run::clock::{self, Stopwatch};
use relimit_run::write::{self, Opened, Provenance, RunDir, write_atomic};
use relimit_solve::answer::{Section, SectionStatus, StudyAnswer};
use serde_json::Value;

use crate::args::{ReportArgs, StudyArgs};
use crate::exit::{Exit, Failure};
use crate::output;
use crate::progress::Progress;
use crate::stop::{Cause, Stop};

const PAGE: &str = "report.html";

/// Runs the command.
pub(crate) fn run(args: &StudyArgs) -> Result<Exit, Failure> {
    let watch = Stopwatch::start();
    let stop = Stop::listen(None)?;
    let progress = Progress::start("reading");
    let study = Study::of(&args.data.words(), &args.options())?;
    let dir = args.out.clone().unwrap_or_else(|| directory(study.name()));
    let run = match write::open(&dir, &study.identity())? {
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
    let answer = study.run(&|| stop.now(), &mut Directory { run: &run, progress: &progress })?;
    progress.finish();
    let command = std::env::args().collect();
    run.finish(&answer, &Provenance { command, started, seconds: watch.seconds() })?;
    let told = say(args, &answer, &dir)?;
    Ok(if stop.cause() == Some(Cause::Interrupted) { Exit::Cut } else { told })
}

/// A directory with a file for each finished section, and the page so far.
struct Directory<'a> {
    run: &'a RunDir,
    progress: &'a Progress,
}

impl Keeper for Directory<'_> {
    type Error = Failure;

    fn begins(&mut self, section: Section) {
        self.progress.say(section.name());
    }

    fn kept(&mut self, section: Section) -> Option<Kept> {
        let bytes = std::fs::read(self.run.path().join(file(section))).ok()?;
        match serde_json::from_slice(&bytes) {
            Ok(kept) => Some(kept),
            Err(e) => {
                output::note(&format!("{} cannot be read ({e}); the section is done again", file(section)));
                None
            }
        }
    }

    fn keep(&mut self, kept: &Kept) -> Result<(), Failure> {
        Ok(self.run.write_json(&file(kept.fact.section), kept)?)
    }

    fn show(&mut self, so_far: &StudyAnswer) -> Result<(), Failure> {
        write_page(self.run.path(), so_far)
    }
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

fn file(section: Section) -> String {
    format!("section-{}.json", section.name())
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
