//! `relimit sweep`: plans of many runs, and questions to their rows.

mod estimate;
mod local;
mod query;
mod schema;
mod status;

use std::fs;
use std::path::{Path, PathBuf};

use relimit_ask::{Caller, Held, ask};
use relimit_run::sweep::{Plan, RunSpec, Stop, SweepError};
use serde_json::Value;

use crate::args::{SweepArgs, SweepCommand};
use crate::exit::{Exit, Failure};

/// Runs the command.
pub(crate) fn run(args: &SweepArgs) -> Result<Exit, Failure> {
    match &args.what {
        None => local::run(&args.run),
        Some(SweepCommand::Status(args)) => status::run(args),
        Some(SweepCommand::Query(args)) => query::run(args),
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

/// Asks one run, with one thread unless the plan says otherwise.
fn one(spec: &RunSpec, stop: Stop<'_>) -> Result<Value, String> {
    const WITH_THREADS: [&str; 5] = ["limit", "patterns", "optimum", "train", "certify"];
    let mut words = spec.words.clone();
    if WITH_THREADS.contains(&spec.command.as_str()) && !words.contains_key("threads") {
        words.insert("threads".into(), 1.into());
    }
    let caller = Caller { stop, network: false, meter: None };
    ask(&spec.command, &words, &Held::default(), caller).map(|asked| asked.answer).map_err(|e| e.to_string())
}

impl From<SweepError> for Failure {
    fn from(error: SweepError) -> Self {
        Self::usage(error.to_string())
    }
}
