//! `relimit limit`: plan, then read, answer and report.

use relimit_solve::plan::LimitPlan;

use super::data::{Loaded, load};
use crate::args::LimitArgs;
use crate::exit::{Exit, Failure};
use crate::progress::Progress;
use crate::stop::Stop;

/// Everything that a run needs: what is asked for, the data, and what may end it early.
struct Job {
    plan: LimitPlan,
    data: Loaded,
    stop: Stop,
    progress: Progress,
}

/// Checks the arguments first, so that a slip costs no reading; then Ctrl-C and the budget count, then data are read.
fn prepare(args: &LimitArgs) -> Result<Job, Failure> {
    let plan = args.plan()?;
    let stop = Stop::listen(plan.budget)?;
    let progress = Progress::start("reading");
    let data = load(&args.data)?;
    Ok(Job { plan, data, stop, progress })
}

/// Runs the command.
pub(crate) fn run(args: &LimitArgs) -> Result<Exit, Failure> {
    let job = prepare(args)?;
    job.progress.finish();
    Err(Failure::usage("limit: this build holds no engine"))
}
