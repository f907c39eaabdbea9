//! Stage `readme`: every command that README.md shows is run and must end with 0.
//!
//! Commands are the lines that begin with `$ ` in blocks fenced as `console`, and all lines of blocks fenced as `sh`;
//! a block marked `no-run` (as in "```sh no-run") is left alone. A trailing backslash continues a line. They run in
//! `target/readme`, which holds copies of `examples/` and `gallery/`, so that what they write stays out of the repository;
//! cargo finds the workspace from there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::stage::Outcome;
use crate::workspace::{Workspace, children, read};

/// Runs the README's commands.
pub(crate) fn stage(workspace: &Workspace) -> Outcome {
    Outcome::from_check(run(workspace))
}

fn run(workspace: &Workspace) -> Result<(), String> {
    let commands = commands(&read(&workspace.root.join("README.md"))?);
    if commands.is_empty() {
        return Err("README.md shows no command".into());
    }
    let scratch = scratch(workspace, "target/readme")?;
    for command in &commands {
        println!("$ {command}");
        if is_this(command) {
            println!("(this run)");
            continue;
        }
        let status = Command::new("bash").args(["-euo", "pipefail", "-c", command]).current_dir(&scratch).status();
        match status {
            Ok(status) if status.success() => {}
            Ok(status) => return Err(format!("`{command}`: {status}")),
            Err(e) => return Err(format!("bash does not start: {e}")),
        }
    }
    Ok(())
}

/// An empty folder with copies of `examples/` and `gallery/`.
pub(crate) fn scratch(workspace: &Workspace, folder: &str) -> Result<PathBuf, String> {
    let scratch = workspace.root.join(folder);
    if scratch.exists() {
        fs::remove_dir_all(&scratch).map_err(|e| format!("{}: {e}", scratch.display()))?;
    }
    for folder in ["examples", "gallery"] {
        copy(&workspace.root.join(folder), &scratch.join(folder))?;
    }
    Ok(scratch)
}

/// Whether the command is the one that is running.
fn is_this(command: &str) -> bool {
    let words: Vec<&str> = command.split_whitespace().collect();
    words.starts_with(&["cargo", "xtask", "test"])
}

/// The commands of a Markdown text, in order.
fn commands(markdown: &str) -> Vec<String> {
    #[derive(Clone, Copy, PartialEq)]
    enum Block {
        None,
        Console,
        Shell,
        Other,
    }
    let mut block = Block::None;
    let mut commands = Vec::new();
    let mut open: Option<String> = None;
    for line in markdown.lines() {
        if let Some(info) = line.trim_start().strip_prefix("```") {
            let words: Vec<&str> = info.split_whitespace().collect();
            block = match (block, words.as_slice()) {
                (Block::None, [_, rest @ ..]) if rest.contains(&"no-run") => Block::Other,
                (Block::None, ["console", ..]) => Block::Console,
                (Block::None, ["sh", ..]) => Block::Shell,
                (Block::None, _) => Block::Other,
                _ => Block::None,
            };
            continue;
        }
        let text = match (block, open.is_some()) {
            (Block::Console | Block::Shell, true) => line.trim(),
            (Block::Console, false) => match line.trim().strip_prefix("$ ") {
                Some(rest) => rest,
                None => continue,
            },
            (Block::Shell, false) if !line.trim().is_empty() && !line.trim().starts_with('#') => line.trim(),
            _ => continue,
        };
        let whole = open.take().map_or_else(|| text.to_owned(), |before| format!("{before}{text}"));
        match whole.strip_suffix('\\') {
            Some(before) => open = Some(before.to_owned()),
            None => commands.push(whole),
        }
    }
    commands
}

/// Copies a folder; a missing one is left out.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<(), String> {
    fs::create_dir_all(to).map_err(|e| format!("{}: {e}", to.display()))?;
    if !from.is_dir() {
        return Ok(());
    }
    for path in children(from)? {
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            copy(&path, &target)?;
        } else {
            fs::copy(&path, &target).map_err(|e| format!("{}: {e}", path.display()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_come_from_marked_blocks_only() {
        let text = "Text `$ not this`\n```console\n$ one --flag\nits output\n$ two \\\n    more\n```\n\n```rust\n$ no\n```\n\
                    ```sh\n# a remark\nthree\n```\n```sh no-run\nfour\n```\n";
        assert_eq!(commands(text), ["one --flag", "two more", "three"]);
    }

    #[test]
    fn the_test_command_is_recognised() {
        assert!(is_this("cargo xtask test"));
        assert!(is_this("cargo  xtask test --all"));
        assert!(!is_this("cargo xtask tidy"));
        assert!(!is_this("cargo run --release -- limit data.csv"));
    }
}
