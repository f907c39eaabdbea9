//! Stages that are one cargo command: format, lints, docs, tests. One profile and one target folder for all.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use crate::stage::{Outcome, Tally};
use crate::workspace::Workspace;

/// `cargo fmt --check`.
pub(crate) fn format(workspace: &Workspace) -> Outcome {
    Outcome::from_check(cargo(workspace, &["fmt", "--all", "--check"], &[]))
}

/// Clippy on everything that is built, warnings as errors (only for the workspace's own crates, so nothing is rebuilt).
pub(crate) fn clippy(workspace: &Workspace) -> Outcome {
    let arguments = ["clippy", "--release", "--workspace", "--all-targets", "--", "-D", "warnings"];
    Outcome::from_check(cargo(workspace, &arguments, &[]))
}

/// The documentation of every crate, private items excluded, warnings as errors.
pub(crate) fn docs(workspace: &Workspace) -> Outcome {
    let arguments = ["doc", "--release", "--workspace", "--no-deps"];
    Outcome::from_check(cargo(workspace, &arguments, &[("RUSTDOCFLAGS", "-D warnings")]))
}

/// Unit tests, integration tests and doctests; the examples are compiled too.
pub(crate) fn tests(workspace: &Workspace) -> Outcome {
    counted(workspace, &[])
}

/// The same tests with `RELIMIT_SOAK=1`: those that sample use their full counts.
pub(crate) fn soak(workspace: &Workspace) -> Outcome {
    let outcome = counted(workspace, &[("RELIMIT_SOAK", "1")]);
    if let Outcome::Passed(t) | Outcome::Failed(t, _) = &outcome {
        println!("{} passed, {} failed", t.passed, t.failed);
    }
    outcome
}

/// Runs cargo from the root with its output on this terminal; an error is one line.
pub(crate) fn cargo(workspace: &Workspace, arguments: &[&str], env: &[(&str, &str)]) -> Result<(), String> {
    let status = command(workspace, arguments, env).status().map_err(|e| format!("cargo does not start: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("cargo {}: {status}", arguments.join(" "))) }
}

fn command(workspace: &Workspace, arguments: &[&str], env: &[(&str, &str)]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).envs(env.iter().copied()).current_dir(&workspace.root);
    command
}

/// Runs the tests, passes cargo's output on line by line, and adds up its summaries.
fn counted(workspace: &Workspace, env: &[(&str, &str)]) -> Outcome {
    let arguments = ["test", "--release", "--workspace", "--no-fail-fast"];
    let mut child = match command(workspace, &arguments, env).stdout(Stdio::piped()).spawn() {
        Ok(child) => child,
        Err(e) => return Outcome::Failed(Tally::default(), format!("cargo does not start: {e}")),
    };
    let mut tally = Tally::default();
    if let Some(output) = child.stdout.take() {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            println!("{line}");
            let _ = std::io::stdout().flush();
            if let Some(one) = summary(&line) {
                tally.passed += one.passed;
                tally.failed += one.failed;
            }
        }
    }
    match child.wait() {
        Ok(status) if status.success() && tally.passed > 0 => Outcome::Passed(tally),
        Ok(status) if status.success() => Outcome::Failed(tally, "cargo test ran no test".into()),
        Ok(_) if tally.failed > 0 => Outcome::Failed(tally, format!("{} tests failed", tally.failed)),
        Ok(status) => Outcome::Failed(tally, format!("cargo test: {status}")),
        Err(e) => Outcome::Failed(tally, format!("cargo test: {e}")),
    }
}

/// Reads `test result: ok. 12 passed; 0 failed; ...`.
fn summary(line: &str) -> Option<Tally> {
    let rest = line.trim().strip_prefix("test result:")?;
    let count = |what: &str| -> Option<usize> {
        let words: Vec<&str> = rest.split_whitespace().collect();
        let at = words.iter().position(|w| w.trim_end_matches(';') == what)?;
        words.get(at.checked_sub(1)?)?.parse().ok()
    };
    Some(Tally { passed: count("passed")?, failed: count("failed")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_summaries_are_read() {
        let line = "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 3 filtered out; finished in 0.02s";
        assert_eq!(summary(line), Some(Tally { passed: 12, failed: 0 }));
        let line = "test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s";
        assert_eq!(summary(line), Some(Tally { passed: 3, failed: 2 }));
        assert_eq!(summary("test num::mat::tests::passed ... ok"), None);
        assert_eq!(summary("running 3 tests"), None);
    }
}
