//! `relimit sweep PLAN`: the runs that are missing, on the threads of this machine or in units on others.

use std::fmt::Write as _;
use std::num::NonZero;
use std::path::PathBuf;
use std::thread;

use relimit_report::number::count;
use relimit_run::sweep::{Counts, Grid, Keep, Store, run_local};
use relimit_solve::plan::parse_duration;
use serde_json::json;

use super::{estimate, one, quiet, read, units};
use crate::args::{Engine, SweepRunArgs};
use crate::exit::{Exit, Failure};
use crate::output;
use crate::progress::Progress;
use crate::stop::Stop;

/// Runs the command.
pub(super) fn run(args: &SweepRunArgs) -> Result<Exit, Failure> {
    let path = args.plan.as_ref().expect("clap asks for the plan");
    let read = read(path)?;
    let budget = args.budget.as_deref().map(|text| parse_duration("--budget", text)).transpose()?;
    let threads = args.threads.unwrap_or_else(|| thread::available_parallelism().map_or(1, NonZero::get));
    if threads == 0 {
        return Err(Failure::usage("--threads 0: no run can begin; give at least 1"));
    }
    let grid = Grid::new(&read.plan, &read.folder)?;
    if grid.is_empty() {
        return Err(Failure::usage(format!("{}: the filter leaves no run; loosen it", path.display())));
    }
    if args.dry_run {
        return estimate::run(&grid, threads, args.json);
    }
    let dir =
        args.out.clone().unwrap_or_else(|| PathBuf::from(path.file_name().unwrap_or_default()).with_extension("sweep"));
    let keep = Keep { retry: args.retry, prune: args.prune, units: args.engine != Engine::Local };
    let mut store = Store::open(&dir, &grid, &read.text, &read.folder, keep)?;
    store.notes().iter().for_each(|note| output::note(note));
    let safe = |e: relimit_run::sweep::SweepError| {
        Failure::usage(format!("{e}; finished runs are safe: the same command goes on with the others"))
    };
    if args.engine == Engine::Local {
        let stop = Stop::listen(budget)?;
        let progress = Progress::start("running");
        let ended = quiet(|| run_local(&mut store, &one, threads, &|| stop.now(), &mut |p| progress.runs(p)));
        progress.finish();
        ended.map_err(safe)?;
    } else if !store.todo().is_empty() {
        let manifest = units::hand_out(&dir, &grid, &store, args.unit)?;
        if args.engine == Engine::Slurm {
            // others may look in meanwhile; rows of the units are collected after it
            drop(store);
            units::slurm(args, &dir, &manifest, threads)?;
            store = Store::open(&dir, &grid, &read.text, &read.folder, Keep { retry: false, ..keep })?;
        } else {
            units::tell(&dir, &manifest)?;
        }
    }
    let counts = store.finish().map_err(safe)?;
    if args.json {
        let answer = json!({
            "schema": "relimit/sweep/1",
            "runs": counts.runs,
            "done": counts.done,
            "failed": counts.failed,
            "reused": counts.reused,
            "status": if complete(counts) { "complete" } else { "interrupted" },
            "settings": {
                "plan": path.display().to_string(),
                "out": dir.display().to_string(),
                "engine": args.engine.name(),
                "threads": threads,
            },
        });
        output::print(&format!("{answer}\n"))?;
    } else {
        output::print(&told(counts, &dir.display().to_string()))?;
    }
    Ok(exit(counts))
}

/// The code of a sweep: cut first, then failed runs.
pub(super) fn exit(counts: Counts) -> Exit {
    match (complete(counts), counts.failed) {
        (false, _) => Exit::Cut,
        (true, 0) => Exit::Answer,
        (true, _) => Exit::NotMet,
    }
}

fn complete(counts: Counts) -> bool {
    counts.done + counts.failed == counts.runs
}

/// The counts in words.
pub(super) fn told(counts: Counts, dir: &str) -> String {
    let Counts { runs, done, failed, reused } = counts;
    let mut text = format!("{} of {} runs done", count(done), count(runs));
    if failed > 0 {
        let _ = write!(text, ", {} failed", count(failed));
    }
    if reused > 0 {
        let _ = write!(text, "; {} were there already", count(reused));
    }
    text.push('\n');
    if complete(counts) {
        let _ = writeln!(text, "rows: {dir}/rows.parquet");
        if failed > 0 {
            let _ = writeln!(text, "why runs failed: relimit sweep status {dir}");
        }
    } else {
        text.push_str("the same command goes on with the others\n");
    }
    text
}
