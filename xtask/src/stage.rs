//! Stages of `cargo xtask test`: run in order, printed live, summed up in one table.

use std::fmt::Write;
use std::time::Duration;

use crate::clock;
use crate::workspace::Workspace;

/// Tests that a stage counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
}

/// How a stage ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// All went well; the tests counted (zero for a stage that has none).
    Passed(Tally),
    /// Something failed: the tests counted and one line that says what.
    Failed(Tally, String),
    /// The stage cannot run on this machine, for example `needs root for two network namespaces`. A failure under --all.
    NotRun(String),
}

impl Outcome {
    /// Passed without tests, or failed with `message`.
    pub(crate) fn from_check(result: Result<(), String>) -> Self {
        match result {
            Ok(()) => Self::Passed(Tally::default()),
            Err(message) => Self::Failed(Tally::default(), message),
        }
    }

    /// Tests that were counted, or why there are none.
    pub(crate) fn of_tests(result: Result<Tally, String>) -> Self {
        match result {
            Ok(tally) if tally.failed == 0 => Self::Passed(tally),
            Ok(tally) => Self::Failed(tally, format!("{} tests failed", tally.failed)),
            Err(message) => Self::Failed(Tally::default(), message),
        }
    }
}

/// One check with a name.
#[derive(Clone, Copy)]
pub(crate) struct Stage {
    pub(crate) name: &'static str,
    pub(crate) run: fn(&Workspace) -> Outcome,
}

/// Runs every stage, also after a failure, and prints the summary. True when nothing failed.
pub(crate) fn run_all(stages: &[Stage], workspace: &Workspace, all: bool) -> bool {
    let mut results = Vec::new();
    for stage in stages {
        println!("== {}", stage.name);
        let (outcome, time) = clock::timed(|| (stage.run)(workspace));
        println!("== {}\n", line(stage.name, &outcome, time));
        results.push((stage.name, outcome, time));
    }
    let summary = Summary::new(&results, all);
    print!("{}", summary.text);
    summary.failed == 0
}

/// The closing table and its counts.
struct Summary {
    text: String,
    failed: usize,
}

impl Summary {
    /// Stages that ran, then those that could not, then `N passed, N failed`: cargo's own counts, and 1 failed for each
    /// stage that failed without a failing test (under `all` also for each that could not run).
    fn new(results: &[(&str, Outcome, Duration)], all: bool) -> Self {
        let mut text = String::new();
        let mut total = Tally::default();
        let not_run = |outcome: &Outcome| matches!(outcome, Outcome::NotRun(_));
        let ran = results.iter().filter(|(_, outcome, _)| !not_run(outcome));
        let left = results.iter().filter(|(_, outcome, _)| not_run(outcome));
        for (name, outcome, time) in ran.chain(left) {
            let _ = writeln!(text, "{}", line(name, outcome, *time));
            match outcome {
                Outcome::Passed(tally) => total.passed += tally.passed,
                Outcome::Failed(tally, _) => {
                    total.passed += tally.passed;
                    total.failed += tally.failed.max(1);
                }
                Outcome::NotRun(_) => total.failed += usize::from(all),
            }
        }
        let _ = writeln!(text, "\n{} passed, {} failed", total.passed, total.failed);
        Self { text, failed: total.failed }
    }
}

fn line(name: &str, outcome: &Outcome, time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match outcome {
        Outcome::Passed(Tally { passed: 0, .. }) => format!("{name:<10}{seconds:>8.1} s  passed"),
        Outcome::Passed(tally) => format!("{name:<10}{seconds:>8.1} s  passed  {} tests", tally.passed),
        Outcome::Failed(_, why) => format!("{name:<10}{seconds:>8.1} s  FAILED  {why}"),
        Outcome::NotRun(why) => format!("{name:<10}{:>8}    not run: {why}", "-"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results() -> Vec<(&'static str, Outcome, Duration)> {
        let second = Duration::from_secs(1);
        vec![
            ("wheel", Outcome::NotRun("needs root for a mount".into()), second),
            ("format", Outcome::Passed(Tally::default()), second),
            ("tests", Outcome::Passed(Tally { passed: 7, failed: 0 }), second),
        ]
    }

    #[test]
    fn a_stage_that_cannot_run_is_listed_last_and_fails_only_under_all() {
        let here = Summary::new(&results(), false);
        assert_eq!(here.failed, 0);
        let lines: Vec<&str> = here.text.lines().collect();
        assert!(lines[2].starts_with("wheel") && lines[2].ends_with("not run: needs root for a mount"), "{lines:?}");
        assert_eq!(lines.last(), Some(&"7 passed, 0 failed"));
        let everywhere = Summary::new(&results(), true);
        assert_eq!(everywhere.failed, 1);
        assert!(everywhere.text.ends_with("\n7 passed, 1 failed\n"));
    }

    #[test]
    fn a_failed_stage_counts_its_failed_tests_or_itself() {
        let mut results = results();
        results.push(("clippy", Outcome::Failed(Tally::default(), "exit status 101".into()), Duration::ZERO));
        results.push(("more", Outcome::Failed(Tally { passed: 2, failed: 3 }, "3 tests".into()), Duration::ZERO));
        let summary = Summary::new(&results, false);
        assert_eq!(summary.failed, 4);
        assert!(summary.text.ends_with("\n9 passed, 4 failed\n"), "{}", summary.text);
    }
}
