//! Stage `examples`: every example of every crate runs, ends with 0 and prints something.

use std::path::PathBuf;
use std::process::Command;

use crate::cargo::cargo;
use crate::stage::Outcome;
use crate::workspace::{Workspace, children};

/// Builds all examples at once (the feature set of the tests, so nothing is built twice), then runs each.
pub(crate) fn stage(workspace: &Workspace) -> Outcome {
    Outcome::from_check(run(workspace))
}

fn run(workspace: &Workspace) -> Result<(), String> {
    let names = names(workspace)?;
    if names.is_empty() {
        println!("no examples");
        return Ok(());
    }
    if let Some((twice, _)) = names.iter().zip(&names[1..]).find(|(a, b)| a == b) {
        return Err(format!("two examples are called {twice}: the second overwrites the first"));
    }
    cargo(workspace, &["build", "--release", "--workspace", "--examples"], &[])?;
    let mut failed = Vec::new();
    for name in &names {
        let program = target_folder(workspace).join("release/examples").join(name);
        let output = Command::new(&program)
            .current_dir(&workspace.root)
            .output()
            .map_err(|e| format!("{}: {e}", program.display()))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let verdict = match (output.status.success(), text.trim().is_empty()) {
            (true, false) => "ok",
            (true, true) => "printed nothing",
            (false, _) => "failed",
        };
        println!("example {name}: {verdict}");
        if verdict != "ok" {
            println!("{text}{}", String::from_utf8_lossy(&output.stderr));
            failed.push(name.as_str());
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(format!("examples {}", failed.join(", "))) }
}

/// Where cargo puts what it builds.
fn target_folder(workspace: &Workspace) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace.root.join("target"), PathBuf::from)
}

/// Names of `examples/*.rs` of all members, sorted.
fn names(workspace: &Workspace) -> Result<Vec<String>, String> {
    let mut names = Vec::new();
    for member in &workspace.members {
        let folder = member.path.join("examples");
        if folder.is_dir() {
            let files = children(&folder)?.into_iter().filter(|p| p.extension().is_some_and(|e| e == "rs"));
            names.extend(files.filter_map(|p| Some(p.file_stem()?.to_string_lossy().into_owned())));
        }
    }
    names.sort();
    Ok(names)
}
