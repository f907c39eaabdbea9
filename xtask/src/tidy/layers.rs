//! Crates: direct dependencies against the list, and inherited lints.

use super::lists::Arrow;
use crate::workspace::Member;

/// Findings about the members, given the arrows that are allowed.
pub(super) fn check(members: &[Member], arrows: &[Arrow]) -> Vec<String> {
    let mut findings = Vec::new();
    for member in members {
        let Some(arrow) = arrows.iter().find(|a| a.name == member.name) else {
            findings.push(format!("{}: not in the list of crates in ARCHITECTURE.md", member.name));
            continue;
        };
        for used in member.uses.iter().filter(|u| !arrow.may_use.contains(u)) {
            findings.push(format!("{}: depends on {used}, which ARCHITECTURE.md does not allow", member.name));
        }
        if !member.inherits_lints {
            findings.push(format!("{}: Cargo.toml lacks [lints] workspace = true", member.name));
        }
    }
    for arrow in arrows.iter().filter(|a| !members.iter().any(|m| m.name == a.name)) {
        findings.push(format!("{}: listed in ARCHITECTURE.md, but the workspace has no such crate", arrow.name));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn member(name: &str, uses: &[&str], inherits_lints: bool) -> Member {
        let uses = uses.iter().map(|u| (*u).to_owned()).collect();
        Member { name: name.into(), path: PathBuf::new(), uses, inherits_lints }
    }

    fn arrow(name: &str, may_use: &[&str]) -> Arrow {
        Arrow { name: name.into(), may_use: may_use.iter().map(|u| (*u).to_owned()).collect() }
    }

    #[test]
    fn allowed_members_give_no_finding() {
        let members = [member("core", &[], true), member("solve", &["core"], true)];
        assert!(check(&members, &[arrow("core", &[]), arrow("solve", &["core"])]).is_empty());
    }

    #[test]
    fn each_breach_is_named() {
        let members = [member("core", &["solve"], true), member("solve", &["core"], false), member("extra", &[], true)];
        let findings = check(&members, &[arrow("core", &[]), arrow("solve", &["core"]), arrow("gone", &[])]);
        assert_eq!(findings.len(), 4, "{findings:?}");
        assert!(findings[0].starts_with("core: depends on solve"));
        assert!(findings[1].starts_with("solve: Cargo.toml lacks"));
        assert!(findings[2].starts_with("extra: not in the list"));
        assert!(findings[3].starts_with("gone: listed"));
    }
}
