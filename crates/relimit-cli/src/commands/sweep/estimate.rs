//! `relimit sweep PLAN --dry-run`: how many runs, how long, how much room, judged by a few of them.

use relimit_report::number::{count, four};
use relimit_run::clock::{Seconds, Stopwatch};
use relimit_run::sweep::{Grid, Row, RunSpec};
use serde_json::json;

use super::one;
use crate::exit::{Exit, Failure};
use crate::output;

/// Runs that are timed, at most; none begins after this time.
const SAMPLE: u64 = 9;
const PATIENCE: Seconds = 5.0;

/// Runs a sample, spread over the plan, and keeps nothing.
pub(super) fn run(grid: &Grid<'_>, threads: usize, as_json: bool) -> Result<Exit, Failure> {
    let sample = SAMPLE.min(grid.len());
    let watch = Stopwatch::start();
    let (mut sampled, mut bytes, mut failures) = (0, 0, vec![]);
    for k in 0..sample {
        // the middle of each of `sample` equal stretches
        let run = (2 * k + 1) * grid.len() / (2 * sample);
        let spec = RunSpec { run, command: grid.plan().command.clone(), words: grid.call(run) };
        let answer = one(&spec, &|| false);
        bytes += Row::of(grid.key(run), &grid.plan().record, &answer).size();
        sampled += 1;
        if let Err(message) = answer {
            failures.push(message);
        }
        if watch.seconds() > PATIENCE {
            break;
        }
    }
    let seconds = watch.seconds() / sampled as f64;
    let total = seconds * grid.len() as f64 / threads as f64;
    let disk = bytes as f64 / sampled as f64 * grid.len() as f64;
    if as_json {
        let answer = json!({
            "schema": "relimit/sweep-estimate/1",
            "runs": grid.len(),
            "sampled": sampled,
            "seconds_per_run": seconds,
            "seconds": total,
            "bytes": disk,
            "failures": failures,
            "settings": { "threads": threads },
        });
        output::print(&format!("{answer}\n"))?;
        return Ok(Exit::Answer);
    }
    output::print(&format!(
        "{} runs, about {} s each: {} s on {threads} threads, {} MB while it runs\n(judged by {sampled} runs, of which {} \
         failed; nothing was kept)\n",
        count(grid.len()),
        four(seconds),
        four(total),
        four(disk / 1e6),
        failures.len(),
    ))?;
    if let Some(first) = failures.first() {
        output::note(&format!("a run failed: {first}"));
    }
    Ok(Exit::Answer)
}
