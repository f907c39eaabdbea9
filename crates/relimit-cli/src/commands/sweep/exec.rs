//! `relimit sweep exec DIR`: one unit, for whatever starts it: Slurm, HyperQueue, GNU parallel, Kubernetes, a shell.

use std::env;
use std::num::NonZero;
use std::thread;

use relimit_report::number::count;
use relimit_run::sweep::{Executed, Pace, Saved, exec};
use serde_json::json;

use super::{one, quiet};
use crate::args::SweepExecArgs;
use crate::exit::{Exit, Failure};
use crate::output;
use crate::progress::Progress;
use crate::stop::Stop;

/// Where a scheduler tells a task its number: arrays of Slurm, HyperQueue, indexed jobs of Kubernetes.
const TOLD_BY: [&str; 3] = ["SLURM_ARRAY_TASK_ID", "HQ_TASK_ID", "JOB_COMPLETION_INDEX"];

/// Runs the command: 0 when the unit is done, 1 when it is and runs have failed, 3 when something is left to do.
pub(super) fn run(args: &SweepExecArgs) -> Result<Exit, Failure> {
    let index = match args.index {
        Some(index) => index,
        None => told()?,
    };
    let threads = args.threads.unwrap_or_else(|| thread::available_parallelism().map_or(1, NonZero::get)).max(1);
    let saved = Saved::open(&args.dir)?;
    let stop = Stop::listen(None)?;
    let progress = Progress::start("running");
    let ended = quiet(|| {
        let mut watch = |p: &relimit_run::sweep::Progress| progress.runs(p);
        exec(&saved, index, &one, (threads, Pace::default()), &|| stop.now(), &mut watch)
    });
    progress.finish();
    let ended = ended?;
    if args.json {
        let answer = json!({
            "schema": "relimit/sweep-exec/1",
            "unit": index,
            "runs": ended.runs,
            "there": ended.there,
            "failed": ended.failed,
            "reused": ended.reused,
            "busy": ended.busy,
        });
        output::print(&format!("{answer}\n"))?;
    } else {
        output::print(&say(index, &ended))?;
    }
    Ok(match (ended.done(), ended.failed) {
        (false, _) => Exit::Cut,
        (true, 0) => Exit::Answer,
        (true, _) => Exit::NotMet,
    })
}

fn say(index: usize, ended: &Executed) -> String {
    let Executed { runs, reused, there, failed, busy } = ended;
    if let Some(who) = busy {
        return format!("unit {index}: {who} works on it\n");
    }
    if *runs == 0 {
        return format!("unit {index}: the sweep is complete\n");
    }
    let of = |n: &usize| count(*n as u64);
    format!(
        "unit {index}: {} of {} runs, {} were there already, {} failed\n",
        of(there),
        of(runs),
        of(reused),
        of(failed)
    )
}

/// The number of the unit from the environment.
fn told() -> Result<usize, Failure> {
    let Some((name, text)) = TOLD_BY.iter().find_map(|name| Some((name, env::var(name).ok()?))) else {
        let names = TOLD_BY.join(", ");
        return Err(Failure::usage(format!("which unit? give --index I, or set one of {names}")));
    };
    text.trim().parse().map_err(|_| Failure::usage(format!("{name}={text}: not the number of a unit; give --index I")))
}
