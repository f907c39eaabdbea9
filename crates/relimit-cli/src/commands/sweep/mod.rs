//! `relimit sweep`: plans of many runs, and questions to their rows.

mod estimate;
mod exec;
mod local;
mod query;
mod schema;
mod status;
mod units;

use std::fs;
use std::path::{Path, PathBuf};
use std::{panic, thread};

use relimit_run::sweep::{Plan, RunSpec, Stop, SweepError, WORKER};
use serde_json::Value;

use crate::args::{SweepArgs, SweepCommand};
use crate::exit::{Exit, Failure, explain_panic};

/// Runs the command.
pub(crate) fn run(args: &SweepArgs) -> Result<Exit, Failure> {
    match &args.what {
        None => local::run(&args.run),
        Some(SweepCommand::Status(args)) => status::run(args),
        Some(SweepCommand::Query(args)) => query::run(args),
        Some(SweepCommand::Exec(args)) => exec::run(args),
        Some(SweepCommand::Resubmit(args)) => units::resubmit(args),
        Some(SweepCommand::Schema) => schema::run(),
    }
}

/// A plan with its text and the folder where it stands.
struct Read {
    plan: Plan,
    text: String,
    folder: PathBuf,
}

fn read(path: &Path) -> Result<Read, Failure> {
    let name = path.display().to_string();
    let text = fs::read_to_string(path)
        .map_err(|e| Failure::usage(format!("{name}: cannot be read: {e}; give a plan, a TOML file")))?;
    let plan = Plan::read(&name, &text)?;
    let parent = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Ok(Read { plan, text, folder: parent.to_owned() })
}

/// Asks one run.
fn one(spec: &RunSpec, stop: Stop<'_>) -> Result<Value, String> {
    relimit_ask::run(spec.words.clone(), &spec.command, stop)
}

/// Works with panics of runs unprinted: each is a row with its message, not a page on the terminal.
fn quiet<T>(work: impl FnOnce() -> T) -> T {
    panic::set_hook(Box::new(|info| {
        if thread::current().name() != Some(WORKER) {
            explain_panic(info);
        }
    }));
    let out = work();
    panic::set_hook(Box::new(explain_panic));
    out
}

impl From<SweepError> for Failure {
    fn from(error: SweepError) -> Self {
        Self::usage(error.to_string())
    }
}
