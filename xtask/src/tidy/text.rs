//! Files: opening sentence, size, stray spaces, words that must not occur.

use std::path::{Path, PathBuf};

use crate::workspace::{children, read};

/// Lines of code (tests, comments and empty lines not counted) from which a file is named in a warning.
const LONG: usize = 600;

/// Words that no file may contain, with the reason; written in two halves so that this file passes its own test.
const FORBIDDEN: &[(&str, &str)] = &[
    (concat!("../sh", "ared"), "the project stands alone: copy the value in"),
    (concat!("/wor", "k/"), "a path of one machine"),
    (concat!("/ho", "me/"), "a path of one machine"),
    (concat!("\"/t", "mp"), "a path of one machine: std::env::temp_dir()"),
];

/// Words that no Rust file may contain.
const FORBIDDEN_IN_RUST: &[(&str, &str)] = &[
    (concat!("Hash", "Map"), "iteration order varies: BTreeMap"),
    (concat!("Hash", "Set"), "iteration order varies: BTreeSet"),
];

/// Findings in all files below `root`; build output and hidden folders (but `.ci`, `.cargo`) are not visited.
pub(super) fn check(root: &Path) -> Result<Vec<String>, String> {
    let mut findings = Vec::new();
    for path in files(root, &["rs", "md", "toml", "yml", "py", "sh"])? {
        let shown = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        let rust = path.extension().is_some_and(|e| e == "rs");
        findings.extend(judge(&shown, &read(&path)?, rust));
    }
    Ok(findings)
}

/// Rust files below a folder, sorted.
pub(super) fn sources(folder: &Path) -> Result<Vec<PathBuf>, String> {
    files(folder, &["rs"])
}

/// Numbered lines of code: comment lines left out, cut at the first `#[cfg(test)]` that opens a module.
pub(super) fn code_of_tests_cut(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines: Vec<&str> = text.lines().collect();
    let opens_tests = |at: usize| {
        let next = lines.get(at + 1).map_or("", |l| l.trim_start());
        lines[at].trim() == "#[cfg(test)]" && next.starts_with("mod ") && next.ends_with('{')
    };
    let end = (0..lines.len()).find(|at| opens_tests(*at)).unwrap_or(lines.len());
    lines
        .into_iter()
        .take(end)
        .enumerate()
        .map(|(at, line)| (at + 1, line))
        .filter(|(_, line)| !line.trim().is_empty() && !line.trim_start().starts_with("//"))
}

fn judge(shown: &str, text: &str, rust: bool) -> Vec<String> {
    let mut findings = Vec::new();
    if rust && !text.lines().next().is_some_and(|l| l.starts_with("//! ")) {
        findings.push(format!("{shown}:1: the first line must be a sentence: //! What the file is about."));
    }
    for (at, line) in text.lines().enumerate() {
        let number = at + 1;
        if line.ends_with([' ', '\t']) {
            findings.push(format!("{shown}:{number}: space at the end of the line"));
        }
        let rust_words = if rust { FORBIDDEN_IN_RUST } else { &[] };
        for (word, why) in FORBIDDEN.iter().chain(rust_words).filter(|(word, _)| contains(line, word)) {
            findings.push(format!("{shown}:{number}: `{word}`: {why}"));
        }
    }
    let code = code_of_tests_cut(text).count();
    if rust && code > LONG {
        findings.push(format!("warning: {shown}: {code} lines of code; split it by concept"));
    }
    findings
}

/// Whether the line contains `word` where it does not continue a longer path or name.
fn contains(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
}

fn files(folder: &Path, endings: &[&str]) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    for path in children(folder)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let visited = name == ".ci" || name == ".cargo" || !(name.starts_with('.') || name == "target");
        if path.is_dir() && visited {
            found.extend(files(&path, endings)?);
        } else if path.is_file() && path.extension().is_some_and(|e| endings.iter().any(|end| e == *end)) {
            found.push(path);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clean_text_gives_no_finding() {
        assert!(judge("a.rs", "//! A file.\n\nfn main() {}\n", true).is_empty());
        assert!(judge("a.md", "# Title\n\nA net/work/flow.\n", false).is_empty());
    }

    #[test]
    fn each_habit_is_checked_with_its_line() {
        let text =
            format!("fn main() {{}} \nlet m = {}::new();\n// see {}/x\n", FORBIDDEN_IN_RUST[0].0, FORBIDDEN[0].0);
        let findings = judge("a.rs", &text, true);
        let starts: Vec<&str> = findings.iter().filter_map(|f| f.get(..7)).collect();
        assert_eq!(starts, ["a.rs:1:", "a.rs:1:", "a.rs:2:", "a.rs:3:"].map(|s| &s[..7]), "{findings:?}");
    }

    #[test]
    fn long_files_are_warned_about_and_tests_do_not_count() {
        let long = format!("//! A file.\n{}", "let a = 1;\n".repeat(LONG + 1));
        let findings = judge("a.rs", &long, true);
        assert!(findings.len() == 1 && findings[0].starts_with("warning: a.rs: 601 lines"), "{findings:?}");
        let tested = format!("//! A file.\n#[cfg(test)]\nmod tests {{\n{}}}\n", "let a = 1;\n".repeat(LONG + 1));
        assert!(judge("a.rs", &tested, true).is_empty());
    }
}
