//! Stage `python`: the Python package as people use it: formatted, typed, tested, and the README's example.
//!
//! The extension is built with the whole workspace, so that its dependencies are those of the other stages, and laid into
//! virtual environments below `target`. `cargo xtask wheel` builds the wheel that is given away, by maturin, which
//! compiles the dependencies with fewer features once more.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::cargo::cargo;
use crate::readme;
use crate::stage::{Outcome, Tally};
use crate::workspace::{Workspace, children, read};

const PACKAGE: &str = "crates/relimit-py";

/// Formatting, types and tests of the package, then the README's example with numpy alone.
pub(crate) fn stage(workspace: &Workspace) -> Outcome {
    if output(Command::new("python3").args(["-m", "venv", "--help"])).is_err() {
        return Outcome::NotRun("needs python3 with venv".into());
    }
    match check(workspace) {
        Ok(tally) if tally.failed == 0 => Outcome::Passed(tally),
        Ok(tally) => {
            let message = format!("{} tests failed", tally.failed);
            Outcome::Failed(tally, message)
        }
        Err(message) => Outcome::Failed(Tally::default(), message),
    }
}

/// A wheel by maturin, tried in a bare environment.
pub(crate) fn wheel(workspace: &Workspace) -> Outcome {
    Outcome::from_check(build_wheel(workspace))
}

fn check(workspace: &Workspace) -> Result<Tally, String> {
    let package = workspace.root.join(PACKAGE);
    let full = environment(workspace, "py-venv", &read(&package.join("tests/requirements.txt"))?)?;
    cargo(workspace, &["build", "--release", "--workspace", "--lib", "--bins"], &[])?;
    install(workspace, &full)?;
    for words in [
        &["ruff", "format", "--check", "."][..],
        &["ruff", "check", "."],
        &["mypy", "python/relimit"],
        &["mypy.stubtest", "relimit._relimit", "--ignore-missing-stub"],
    ] {
        println!("{}", words.join(" "));
        run(full.python().arg("-m").args(words).current_dir(&package))?;
    }
    let tally = pytest(full.python().current_dir(&package))?;
    let bare = environment(workspace, "py-bare", "numpy\n")?;
    install(workspace, &bare)?;
    example(workspace, &bare)?;
    Ok(tally)
}

fn build_wheel(workspace: &Workspace) -> Result<(), String> {
    let package = workspace.root.join(PACKAGE);
    let full = environment(workspace, "py-venv", &read(&package.join("tests/requirements.txt"))?)?;
    let out = workspace.root.join("target/wheels");
    if out.exists() {
        fs::remove_dir_all(&out).map_err(|e| format!("{}: {e}", out.display()))?;
    }
    let maturin = ["-m", "maturin", "build", "--release", "--out"];
    run(full.python().args(maturin).arg(&out).arg("--manifest-path").arg(package.join("Cargo.toml")))?;
    let wheels = children(&out)?;
    let [wheel] = wheels.as_slice() else { return Err(format!("{} wheels in {}", wheels.len(), out.display())) };
    let bare = environment(workspace, "py-wheel", "numpy\n")?;
    run(bare.python().args(["-m", "pip", "install", "--quiet", "--force-reinstall"]).arg(wheel))?;
    example(workspace, &bare)?;
    println!("{}", wheel.display());
    Ok(())
}

/// A virtual environment.
struct Environment {
    folder: PathBuf,
}

impl Environment {
    /// Its interpreter, which does not see packages of the user.
    fn python(&self) -> Command {
        let mut command = Command::new(self.folder.join("bin/python"));
        command.env("PYTHONNOUSERSITE", "1").env("PYTHONDONTWRITEBYTECODE", "1").env("MPLBACKEND", "Agg");
        command
    }
}

/// The environment below `target` with what is required; made again when that has changed.
fn environment(workspace: &Workspace, name: &str, required: &str) -> Result<Environment, String> {
    let folder = workspace.root.join("target").join(name);
    let (mark, made) = (folder.join("required"), Environment { folder: folder.clone() });
    if fs::read_to_string(&mark).is_ok_and(|there| there == required) {
        return Ok(made);
    }
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    println!("installing target/{name}");
    run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
    let words = required.lines().filter(|line| !line.is_empty());
    run(made.python().args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(words))?;
    fs::write(&mark, required).map_err(|e| format!("{}: {e}", mark.display()))?;
    Ok(made)
}

/// Lays the package and the built extension into the environment.
fn install(workspace: &Workspace, into: &Environment) -> Result<(), String> {
    let place = output(into.python().args(["-c", "import sysconfig; print(sysconfig.get_path('platlib'))"]))?;
    let place = Path::new(place.trim()).join("relimit");
    if place.exists() {
        fs::remove_dir_all(&place).map_err(|e| format!("{}: {e}", place.display()))?;
    }
    readme::copy(&workspace.root.join(PACKAGE).join("python/relimit"), &place)?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace.root.join("target"), PathBuf::from);
    let library = if cfg!(target_os = "macos") { "lib_relimit.dylib" } else { "lib_relimit.so" };
    let library = target.join("release").join(library);
    fs::copy(&library, place.join("_relimit.abi3.so")).map_err(|e| format!("{}: {e}", library.display()))?;
    Ok(())
}

/// Runs the tests and counts them.
fn pytest(command: &mut Command) -> Result<Tally, String> {
    let command = command.args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "--durations=5", "-rs"]);
    let done = command.stderr(Stdio::inherit()).output().map_err(|e| format!("python does not start: {e}"))?;
    let text = String::from_utf8_lossy(&done.stdout);
    println!("{text}");
    match summary(&text) {
        Some(tally) if done.status.success() || tally.failed > 0 => Ok(tally),
        _ => Err(format!("pytest: {}", done.status)),
    }
}

/// Reads the last line of pytest: `2 failed, 12 passed, 1 skipped in 3.21s`; an error counts as a failure.
fn summary(text: &str) -> Option<Tally> {
    let last = text.lines().rev().find(|line| line.contains(" passed") || line.contains(" failed"))?;
    let words: Vec<&str> = last.split_whitespace().collect();
    let count = |what: &str| -> usize {
        let at = words.iter().position(|word| word.trim_end_matches([',', 's']) == what);
        at.and_then(|at| at.checked_sub(1)).and_then(|at| words[at].parse().ok()).unwrap_or(0)
    };
    Some(Tally { passed: count("passed"), failed: count("failed") + count("error") })
}

/// Runs the README's Python.
fn example(workspace: &Workspace, with: &Environment) -> Result<(), String> {
    let text = read(&workspace.root.join("README.md"))?;
    let blocks = blocks(&text);
    if blocks.is_empty() {
        return Err("README.md shows no Python".into());
    }
    let scratch = readme::scratch(workspace, "target/readme-python")?;
    for block in blocks {
        println!("README.md, Python: {} lines", block.lines().count());
        run(with.python().arg("-c").arg(block).current_dir(&scratch))?;
    }
    Ok(())
}

/// The blocks of a Markdown text that are fenced as `python` and not marked `no-run`.
fn blocks(markdown: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut open: Option<String> = None;
    let mut other = false;
    for line in markdown.lines() {
        if let Some(info) = line.strip_prefix("```") {
            match open.take() {
                Some(block) => blocks.push(block),
                None if other => other = false,
                None if info.trim() == "python" => open = Some(String::new()),
                None => other = true,
            }
        } else if let Some(block) = &mut open {
            block.push_str(line);
            block.push('\n');
        }
    }
    blocks
}

/// Runs a program with its output on this terminal; an error is one line.
fn run(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{name}: {status}")),
        Err(e) => Err(format!("{name} does not start: {e}")),
    }
}

/// Runs a program and takes what it prints.
fn output(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let done = command.stderr(Stdio::inherit()).output().map_err(|e| format!("{name} does not start: {e}"))?;
    if !done.status.success() {
        return Err(format!("{name}: {}", done.status));
    }
    Ok(String::from_utf8_lossy(&done.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_of_pytest_are_read() {
        let text = "...\n=== slowest ===\n12 passed, 3 skipped in 2.51s\n";
        assert_eq!(summary(text), Some(Tally { passed: 12, failed: 0 }));
        let text = "FAILED tests/a.py::b - 3 passed\n2 failed, 12 passed, 1 error in 0.10s";
        assert_eq!(summary(text), Some(Tally { passed: 12, failed: 3 }));
        assert_eq!(summary("no tests ran in 0.01s"), None);
    }

    #[test]
    fn python_comes_from_its_own_blocks() {
        let text = "```console\n$ python\n```\n```python\na = 1\nb = 2\n```\ntext\n```python no-run\nc\n```\n```python\nd\n```\n";
        assert_eq!(blocks(text), ["a = 1\nb = 2\n", "d\n"]);
    }
}
