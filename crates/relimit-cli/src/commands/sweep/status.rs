//! `relimit sweep status`: what is there, and why runs have failed.

use std::fmt::Write as _;

use relimit_report::number::count;
use relimit_run::sweep::{Overview, Saved};
use serde_json::{Map, Value, json};

use crate::args::SweepStatusArgs;
use crate::exit::{Exit, Failure};
use crate::output;

/// Messages of failures that are shown.
const SHOWN: usize = 5;

/// Runs the command.
pub(super) fn run(args: &SweepStatusArgs) -> Result<Exit, Failure> {
    let saved = Saved::open(&args.dir)?;
    let over = saved.overview()?;
    if args.json {
        let statuses: Map<String, Value> =
            over.statuses.iter().map(|(s, k)| (s.name().to_owned(), Value::from(*k))).collect();
        let failures: Vec<Value> =
            over.failures.iter().map(|(message, k)| json!({ "message": message, "runs": k })).collect();
        let answer = json!({
            "schema": "relimit/sweep-status/1",
            "runs": over.runs,
            "done": over.done,
            "failed": over.failed,
            "missing": missing(&over),
            "statuses": statuses,
            "failures": failures,
            "damaged": over.notes,
            "busy": over.busy,
        });
        output::print(&format!("{answer}\n"))?;
        return Ok(Exit::Answer);
    }
    let mut text = String::new();
    if let Some(title) = &saved.plan.title {
        let _ = writeln!(text, "{title}");
    }
    let _ = writeln!(
        text,
        "{} of {} runs done, {} failed, {} missing{}",
        count(over.done),
        count(over.runs),
        count(over.failed),
        count(missing(&over)),
        if over.busy { "; a process works on it" } else { "" }
    );
    for (status, k) in &over.statuses {
        let _ = writeln!(text, "  {:<10} {}", status.name(), count(*k));
    }
    for (message, k) in over.failures.iter().take(SHOWN) {
        let _ = writeln!(text, "failed {}: {message}", count(*k));
    }
    if over.failures.len() > SHOWN {
        let _ = writeln!(text, "and {} other messages (--json has them all)", over.failures.len() - SHOWN);
    }
    for note in &over.notes {
        let _ = writeln!(text, "damaged: {note}");
    }
    if missing(&over) > 0 && !over.busy {
        text.push_str("run the sweep again: only missing runs are computed\n");
    }
    output::print(&text)?;
    Ok(Exit::Answer)
}

fn missing(over: &Overview) -> u64 {
    over.runs.saturating_sub(over.done + over.failed)
}
