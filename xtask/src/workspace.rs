//! The workspace as its manifests describe it: members, names, direct dependencies among members.

use std::fs;
use std::path::{Path, PathBuf};

/// The repository: its root and its member crates, sorted by name.
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    pub(crate) members: Vec<Member>,
}

/// One member crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    /// Package name.
    pub(crate) name: String,
    /// Folder.
    pub(crate) path: PathBuf,
    /// Other members that it names in any dependency table, sorted.
    pub(crate) uses: Vec<String>,
    /// Whether it inherits the workspace's lints.
    pub(crate) inherits_lints: bool,
}

/// The root of the repository: the parent of xtask's folder.
pub(crate) fn root() -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from("xtask"), PathBuf::from);
    here.parent().map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

impl Workspace {
    /// Reads the root manifest and those of the members.
    pub(crate) fn read(root: PathBuf) -> Result<Self, String> {
        let manifest = read(&root.join("Cargo.toml"))?;
        let mut folders = Vec::new();
        for pattern in members(&manifest) {
            match pattern.strip_suffix("/*") {
                Some(parent) => folders.extend(children(&root.join(parent))?),
                None => folders.push(root.join(pattern)),
            }
        }
        let mut found = Vec::new();
        for folder in folders.into_iter().filter(|f| f.join("Cargo.toml").is_file()) {
            found.push((read(&folder.join("Cargo.toml"))?, folder));
        }
        let names: Vec<String> = found.iter().filter_map(|(text, _)| name(text)).collect();
        if names.len() != found.len() || names.is_empty() {
            return Err("a member's Cargo.toml has no package name".into());
        }
        let mut members: Vec<Member> = found
            .into_iter()
            .zip(&names)
            .map(|((text, path), own)| Member {
                name: own.clone(),
                path,
                uses: dependencies(&text).into_iter().filter(|d| names.contains(d)).collect(),
                inherits_lints: section_has(&text, "lints", "workspace = true"),
            })
            .collect();
        members.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Self { root, members })
    }

    /// The member called `name`.
    pub(crate) fn member(&self, name: &str) -> Option<&Member> {
        self.members.iter().find(|m| m.name == name)
    }
}

/// The file as text, or an error that names it.
pub(crate) fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

/// The entries of a folder, sorted.
pub(crate) fn children(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    paths.sort();
    Ok(paths)
}

/// The strings of `members = [...]`, which may span lines.
fn members(manifest: &str) -> Vec<String> {
    let Some((_, after)) = manifest.split_once("\nmembers = [") else { return Vec::new() };
    let list = after.split(']').next().unwrap_or_default();
    list.split(',').map(|s| s.trim().trim_matches('"').to_owned()).filter(|s| !s.is_empty()).collect()
}

fn name(manifest: &str) -> Option<String> {
    let line = section(manifest, "package").find(|l| l.starts_with("name"))?;
    Some(line.split('"').nth(1)?.to_owned())
}

/// Names in `[dependencies]`, `[dev-dependencies]` and `[build-dependencies]`, sorted, each once.
fn dependencies(manifest: &str) -> Vec<String> {
    let tables = ["dependencies", "dev-dependencies", "build-dependencies"];
    let mut names: Vec<String> = tables
        .iter()
        .flat_map(|table| section(manifest, table))
        .filter_map(|line| line.split(['.', '=', ' ']).next())
        .map(str::to_owned)
        .collect();
    names.sort();
    names.dedup();
    names
}

fn section_has(manifest: &str, header: &str, line: &str) -> bool {
    section(manifest, header).any(|l| l == line)
}

/// The lines below `[header]` up to the next table, comments and empty lines left out.
fn section<'a>(manifest: &'a str, header: &str) -> impl Iterator<Item = &'a str> {
    let title = format!("[{header}]");
    manifest
        .lines()
        .map(str::trim)
        .skip_while(move |l| *l != title)
        .skip(1)
        .take_while(|l| !l.starts_with('['))
        .filter(|l| !l.is_empty() && !l.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "\
[package]
name = \"relimit-run\"

[dependencies]
relimit-core.workspace = true
# relimit-report.workspace = true
csv = \"1\"

[dev-dependencies]
relimit-solve = { path = \"../relimit-solve\" }

[lints]
workspace = true
";

    #[test]
    fn a_manifest_gives_name_dependencies_and_lints() {
        assert_eq!(name(MANIFEST).as_deref(), Some("relimit-run"));
        assert_eq!(dependencies(MANIFEST), ["csv", "relimit-core", "relimit-solve"]);
        assert!(section_has(MANIFEST, "lints", "workspace = true"));
        assert!(!section_has(&MANIFEST.replace("[lints]", "[other]"), "lints", "workspace = true"));
    }

    #[test]
    fn members_may_span_lines() {
        let manifest = "[workspace]\nmembers = [\n  \"crates/*\",\n  \"xtask\",\n]\n";
        assert_eq!(members(manifest), ["crates/*", "xtask"]);
    }
}
