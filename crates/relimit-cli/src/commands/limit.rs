//! `relimit limit`: plan, then read, answer and report.

use relimit_solve::plan::LimitPlan;

use crate::args::LimitArgs;
use crate::exit::{Exit, Failure};
use crate::progress::Progress;
use crate::stop::Stop;

/// Everything that a run needs before data are read.
struct Job {
    plan: LimitPlan,
    stop: Stop,
    progress: Progress,
}

/// Checks the arguments first, so that a slip costs no reading; then Ctrl-C and the budget count.
fn prepare(args: &LimitArgs) -> Result<Job, Failure> {
    let plan = args.plan()?;
    let stop = Stop::listen(plan.budget)?;
    Ok(Job { plan, stop, progress: Progress::start("reading") })
}

/// Runs the command.
pub(crate) fn run(args: &LimitArgs) -> Result<Exit, Failure> {
    let job = prepare(args)?;
    job.progress.finish();
    Err(Failure::usage("limit: this build holds no engine"))
}
