//! `cargo xtask bench`: prepares the peers' Python, then runs the benchmark crate, which measures both sides in one run.

use std::path::Path;
use std::process::Command;

use crate::cargo::cargo;
use crate::clock;
use crate::workspace::Workspace;

/// Runs `relimit-bench limit` with today's date and the questions named (none: all); `--peers` adds those whose peers
/// need torch, which comes from Debian's python3-torch; true when it succeeded.
pub(crate) fn run(workspace: &Workspace, questions: &[&str]) -> bool {
    match try_run(workspace, questions) {
        Ok(()) => true,
        Err(message) => {
            eprintln!("bench: {message}");
            false
        }
    }
}

fn try_run(workspace: &Workspace, questions: &[&str]) -> Result<(), String> {
    let bench = workspace.member("relimit-bench").ok_or("the workspace has no member relimit-bench")?;
    peers(&workspace.root.join("target/bench-venv"), &bench.path.join("peers/requirements.txt"), None)?;
    if questions.contains(&"--peers") {
        let requirements = bench.path.join("peers/requirements-torch.txt");
        peers(&workspace.root.join("target/bench-venv-torch"), &requirements, Some(SYSTEM))?;
    }
    let date = clock::date();
    let mut arguments = vec!["run", "--release", "-p", "relimit-bench", "--", "limit", &date];
    arguments.extend(questions);
    cargo(workspace, &arguments, &[])
}

/// The Python whose packages the heavy peers add to: PyPI's torch brings gigabytes of CUDA, Debian's does not.
const SYSTEM: &str = "/usr/bin/python3";

/// The virtual environment of the peers, made on first use, with the pinned packages; those of a system's Python are
/// seen too, and then the list is complete and nothing else is installed.
fn peers(folder: &Path, requirements: &Path, system: Option<&str>) -> Result<(), String> {
    let python = folder.join("bin/python");
    if !python.is_file() {
        let mut venv = Command::new(system.unwrap_or("python3"));
        venv.args(["-m", "venv"]).args(system.map(|_| "--system-site-packages")).arg(folder);
        call(&mut venv, "python3 -m venv (needs python3 with venv)")?;
    }
    let mut pip = Command::new(&python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    pip.args(system.map(|_| "--no-deps")).arg("-r").arg(requirements);
    call(&mut pip, "pip install")
}

fn call(command: &mut Command, what: &str) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{what}: {status}")),
        Err(e) => Err(format!("{what}: does not start: {e}")),
    }
}
