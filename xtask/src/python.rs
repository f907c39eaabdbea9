//! Stage `python`: the Python package as people use it: formatted, typed, tested, and the examples of its pages.
//!
//! The extension is built with the whole workspace, so that its dependencies are those of the other stages, and laid into
//! virtual environments below `target`. Stage `wheel` is what a new user does: maturin compiles the package once more.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::call::{output, run};
use crate::cargo::cargo;
use crate::readme;
use crate::stage::{Outcome, Tally};
use crate::workspace::{Workspace, children, read};

const PACKAGE: &str = "crates/relimit-py";

/// Formatting, types and tests of the package, then the examples of docs/python.md.
pub(crate) fn stage(workspace: &Workspace) -> Outcome {
    if output(Command::new("python3").args(["-m", "venv", "--help"])).is_err() {
        return Outcome::NotRun("needs python3 with venv".into());
    }
    Outcome::of_tests(check(workspace))
}

/// The tests that need torch, with the one of the system: PyPI's brings gigabytes of CUDA, Debian's does not.
pub(crate) fn torch(workspace: &Workspace) -> Outcome {
    let checked = match system_torch() {
        Ok(true) => check_torch(workspace),
        Ok(false) => return Outcome::NotRun("needs root for python3-torch".into()),
        Err(message) => Err(message),
    };
    Outcome::of_tests(checked)
}

/// A source distribution, a wheel out of it as pip builds one, and the README's example with this and numpy alone.
pub(crate) fn wheel(workspace: &Workspace) -> Outcome {
    Outcome::from_check(build_wheel(workspace))
}

fn check(workspace: &Workspace) -> Result<Tally, String> {
    let package = workspace.root.join(PACKAGE);
    let full = environment(workspace, "py-venv", &read(&package.join("tests/requirements.txt"))?, None)?;
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
    let tally = pytest(&full, &package, &["--ignore=tests/test_torch.py"])?;
    examples(workspace, &full, "docs/python.md")?;
    Ok(tally)
}

fn check_torch(workspace: &Workspace) -> Result<Tally, String> {
    let package = workspace.root.join(PACKAGE);
    let with = environment(workspace, "py-torch", "pytest\n", Some(SYSTEM))?;
    cargo(workspace, &["build", "--release", "--workspace", "--lib", "--bins"], &[])?;
    install(workspace, &with)?;
    pytest(&with, &package, &["tests/test_torch.py"])
}

/// The system's Python, whose packages the environment with torch sees.
const SYSTEM: &str = "/usr/bin/python3";

/// Whether the system's Python has torch, after an installation if this is root.
fn system_torch() -> Result<bool, String> {
    let there = || output(Command::new(SYSTEM).args(["-c", "import torch, ensurepip"])).is_ok();
    if there() {
        return Ok(true);
    }
    if output(Command::new("id").arg("-u"))?.trim() != "0" {
        return Ok(false);
    }
    run(Command::new("apt-get").args(["update", "-qq"]))?;
    let words = ["install", "-y", "-qq", "--no-install-recommends", "python3-torch", "python3-venv"];
    run(Command::new("apt-get").args(words))?;
    if there() { Ok(true) } else { Err(format!("apt installed python3-torch, but {SYSTEM} does not find it")) }
}

fn build_wheel(workspace: &Workspace) -> Result<(), String> {
    let package = workspace.root.join(PACKAGE);
    let full = environment(workspace, "py-venv", &read(&package.join("tests/requirements.txt"))?, None)?;
    let out = workspace.root.join("target/wheels");
    if out.exists() {
        fs::remove_dir_all(&out).map_err(|e| format!("{}: {e}", out.display()))?;
    }
    run(full.python().args(["-m", "maturin", "sdist", "--out"]).arg(&out).current_dir(&package))?;
    // what was compiled for the other stages serves here where its features are the same
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace.root.join("target"), PathBuf::from);
    let pip = ["-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps", "--wheel-dir"];
    run(full.python().args(pip).arg(&out).arg(only(&out, "gz")?).env("CARGO_TARGET_DIR", target))?;
    let wheel = only(&out, "whl")?;
    let bare = environment(workspace, "py-wheel", "numpy\n", None)?;
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--force-reinstall"];
    run(bare.python().args(pip).arg(&wheel))?;
    examples(workspace, &bare, "README.md")?;
    println!("{}", wheel.display());
    Ok(())
}

/// The one file of a folder with this ending.
fn only(folder: &Path, ending: &str) -> Result<PathBuf, String> {
    let mut files = children(folder)?;
    files.retain(|file| file.extension().is_some_and(|e| e == ending));
    match files.as_slice() {
        [file] => Ok(file.clone()),
        other => Err(format!("{}: {} files .{ending}", folder.display(), other.len())),
    }
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

/// The environment below `target` with what is required; made again when that has changed. The packages of a system's
/// Python are seen too.
fn environment(workspace: &Workspace, name: &str, required: &str, system: Option<&str>) -> Result<Environment, String> {
    let folder = workspace.root.join("target").join(name);
    let (mark, made) = (folder.join("required"), Environment { folder: folder.clone() });
    if fs::read_to_string(&mark).is_ok_and(|there| there == required) {
        return Ok(made);
    }
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    println!("installing target/{name}");
    let mut venv = Command::new(system.unwrap_or("python3"));
    run(venv.args(["-m", "venv"]).args(system.map(|_| "--system-site-packages")).arg(&folder))?;
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
fn pytest(with: &Environment, package: &Path, words: &[&str]) -> Result<Tally, String> {
    let mut command = with.python();
    command.args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "--durations=5", "-rs"]).args(words);
    let done = command
        .current_dir(package)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|e| format!("python does not start: {e}"))?;
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

/// Runs the Python of a page, in one process.
fn examples(workspace: &Workspace, with: &Environment, page: &str) -> Result<(), String> {
    let program = blocks(&read(&workspace.root.join(page))?).join("\n");
    if program.is_empty() {
        return Err(format!("{page} shows no Python"));
    }
    let scratch = readme::scratch(workspace, "target/readme-python")?;
    println!("{page}, Python: {} lines", program.lines().count());
    run(with.python().arg("-c").arg(program).current_dir(&scratch))
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
