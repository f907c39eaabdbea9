//! `cargo xtask bench`: runs the benchmark crate; `--peers` also prepares a Python with numpy and scipy for it.

use std::path::PathBuf;
use std::process::Command;

use crate::cargo::cargo;
use crate::workspace::Workspace;

/// Pinned, so that a committed record says what was measured against.
const PEERS: &[&str] = &["numpy==2.4.6", "scipy==1.17.1", "threadpoolctl==3.6.0"];

/// Runs `relimit-bench limit`; true when it succeeded.
pub(crate) fn run(workspace: &Workspace, peers: bool) -> bool {
    match try_run(workspace, peers) {
        Ok(()) => true,
        Err(message) => {
            eprintln!("bench: {message}");
            false
        }
    }
}

fn try_run(workspace: &Workspace, peers: bool) -> Result<(), String> {
    if workspace.member("relimit-bench").is_none() {
        return Err("the workspace has no member relimit-bench".into());
    }
    let mut arguments = vec!["run", "--release", "-p", "relimit-bench", "--", "limit"];
    let python = if peers { Some(python(workspace)?) } else { None };
    let python = python.as_ref().map(|p| p.display().to_string());
    let mut env = vec![("OMP_NUM_THREADS", "1"), ("OPENBLAS_NUM_THREADS", "1")];
    if let Some(python) = &python {
        arguments.push("--peers");
        env.push(("RELIMIT_BENCH_PYTHON", python));
    }
    cargo(workspace, &arguments, &env)
}

/// The interpreter of `target/bench-venv`, made on first use.
fn python(workspace: &Workspace) -> Result<PathBuf, String> {
    let folder = workspace.root.join("target/bench-venv");
    let program = folder.join("bin/python");
    if !program.is_file() {
        call(Command::new("python3").args(["-m", "venv"]).arg(&folder), "python3 -m venv")?;
    }
    let mut pip = Command::new(&program);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(PEERS);
    call(&mut pip, "pip install")?;
    Ok(program)
}

fn call(command: &mut Command, what: &str) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{what}: {status}")),
        Err(e) => Err(format!("{what} does not start: {e}")),
    }
}
