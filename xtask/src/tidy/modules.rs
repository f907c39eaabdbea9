//! Modules of relimit-core: each uses only itself and those listed above it (tests may use any).

use std::path::Path;

use super::text::{code_of_tests_cut, sources};
use crate::workspace::{Workspace, read};

/// Findings about relimit-core, given its modules in order.
pub(super) fn check(workspace: &Workspace, order: &[String]) -> Result<Vec<String>, String> {
    let core = workspace.member("relimit-core").ok_or("no member relimit-core")?;
    let folder = core.path.join("src");
    let mut findings = declared(&read(&folder.join("lib.rs"))?, order);
    for path in sources(&folder)? {
        let Some(own) = module_of(&folder, &path) else { continue };
        let text = read(&path)?;
        let shown = path.strip_prefix(&workspace.root).unwrap_or(&path).display().to_string();
        findings.extend(upward(&text, &own, order).into_iter().map(|finding| format!("{shown}:{finding}")));
    }
    Ok(findings)
}

/// The top module that a file belongs to; none for lib.rs and for files of tests.
fn module_of(folder: &Path, path: &Path) -> Option<String> {
    if path.file_stem()?.to_string_lossy().ends_with("tests") {
        return None;
    }
    let first = path.strip_prefix(folder).ok()?.components().next()?.as_os_str().to_string_lossy().into_owned();
    let name = first.strip_suffix(".rs").unwrap_or(&first).to_owned();
    (name != "lib").then_some(name)
}

/// Modules declared in lib.rs but not listed, and the reverse.
fn declared(lib: &str, order: &[String]) -> Vec<String> {
    let modules: Vec<&str> = lib
        .lines()
        .filter_map(|l| l.strip_prefix("pub mod ").or_else(|| l.strip_prefix("mod ")))
        .map(|l| l.trim_end_matches(';'))
        .collect();
    let missing = modules.iter().filter(|m| !order.iter().any(|o| o == *m));
    let extra = order.iter().filter(|o| !modules.contains(&o.as_str()));
    missing
        .map(|m| format!("relimit-core: module {m} is not in the order of ARCHITECTURE.md"))
        .chain(extra.map(|o| format!("relimit-core: ARCHITECTURE.md lists a module {o} that does not exist")))
        .collect()
}

/// Uses of `crate::NAME` outside tests where NAME is not above `own`, as `line: finding`.
fn upward(text: &str, own: &str, order: &[String]) -> Vec<String> {
    let place = order.iter().position(|o| o == own).unwrap_or(order.len());
    let mut findings = Vec::new();
    for (number, line) in code_of_tests_cut(text) {
        for used in names_after_crate(line) {
            let allowed = used == own || order.iter().position(|o| o == used).is_none_or(|at| at < place);
            if !allowed {
                findings.push(format!("{number}: {own} uses {used}, which stands below it in ARCHITECTURE.md"));
            }
        }
    }
    findings
}

/// The names that follow `crate::` in a line, those in braces included.
fn names_after_crate(line: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for (at, found) in line.match_indices("crate::") {
        let before = line[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '$') {
            continue;
        }
        let rest = &line[at + found.len()..];
        match rest.strip_prefix('{') {
            Some(list) => names.extend(list.split(',').map(|part| identifier(part.trim()))),
            None => names.push(identifier(rest)),
        }
    }
    names.retain(|n| !n.is_empty());
    names
}

fn identifier(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order() -> Vec<String> {
        ["num", "data", "descent", "certify"].map(str::to_owned).to_vec()
    }

    #[test]
    fn a_use_that_points_down_the_list_is_found_with_its_line() {
        let text = "//! Doc: crate::certify may be named here.\nuse crate::num::Mat;\nuse crate::certify::Gap;\n";
        let findings = upward(text, "data", &order());
        assert_eq!(findings, ["3: data uses certify, which stands below it in ARCHITECTURE.md"]);
        assert!(upward(text, "certify", &order()).is_empty());
    }

    #[test]
    fn braces_and_inline_paths_are_seen_and_tests_are_free() {
        let text = "use crate::{num::Mat, descent::Limit};\nfn f() -> crate::certify::Gap {}\n#[cfg(test)]\nmod tests {\n    \
                    use crate::certify::x;\n}\n";
        assert_eq!(upward(text, "data", &order()).len(), 2);
    }

    #[test]
    fn modules_and_the_list_agree_in_both_directions() {
        let lib = "//! Doc.\n\npub mod num;\npub mod data;\nmod descent;\npub mod zoo;\n";
        let findings = declared(lib, &order());
        assert_eq!(findings.len(), 2, "{findings:?}");
        assert!(findings[0].contains("module zoo") && findings[1].contains("module certify"));
    }

    #[test]
    fn a_file_belongs_to_its_top_module() {
        let folder = Path::new("src");
        assert_eq!(module_of(folder, Path::new("src/num/mat.rs")).as_deref(), Some("num"));
        assert_eq!(module_of(folder, Path::new("src/zoo.rs")).as_deref(), Some("zoo"));
        assert_eq!(module_of(folder, Path::new("src/lib.rs")), None);
        assert_eq!(module_of(folder, Path::new("src/num/tests.rs")), None);
    }
}
