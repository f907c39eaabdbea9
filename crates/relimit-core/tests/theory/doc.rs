//! docs/theory.md: its tables are the entries of the ledger, and every statement of ours has its reason there.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use relimit_core::theory::{ClaimKind, Entry, Finding, Read, entries};

use super::coverage::all_cases;

const DOCUMENT: &str = include_str!("../../../../docs/theory.md");
const BEGIN: &str = "<!-- entries -->\n";
const END: &str = "<!-- end of entries -->\n";

/// What each entry assumes, in its own order, over all cases.
fn hypotheses() -> BTreeMap<String, Vec<String>> {
    let mut out: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for f in all_cases().iter().map(super::case::Case::finding) {
        let known = out.entry(f.theorem).or_default();
        for h in f.hypotheses {
            if !known.contains(&h.what) {
                known.push(h.what);
            }
        }
    }
    out
}

fn read(read: Read) -> &'static str {
    match read {
        Read::FullText => "full text",
        Read::MostOfTheText => "most of the text",
        Read::Abstract => "abstract only",
        Read::Summary => "summary only",
        Read::Ours => "ours",
    }
}

/// One section a source, one line an entry.
fn tables() -> String {
    let hypotheses = hypotheses();
    let statements: Vec<(&Entry, Finding)> = entries().iter().map(|e| (e, e.statement())).collect();
    let mut sources: Vec<_> = statements.iter().map(|(_, f)| source(f)).collect();
    sources.dedup();
    let mut first: Vec<String> = Vec::new();
    for s in sources {
        if !first.contains(&s) {
            first.push(s);
        }
    }
    // papers in the order of the ledger, then ours
    first.sort_by_key(|s| s.starts_with("### relimit"));
    let mut out = String::new();
    for heading in first {
        let _ = write!(out, "\n{heading}\n\n");
        out.push_str("| key | wording from | kind | hypotheses | claim | measured; bound | verdicts |\n");
        out.push_str("|---|---|---|---|---|---|---|\n");
        for (entry, f) in statements.iter().filter(|(_, f)| source(f) == heading) {
            let kind = match f.claim_kind {
                ClaimKind::Finite => "finite",
                ClaimKind::Rate => "rate",
            };
            let assumed = hypotheses.get(&f.theorem).map_or_else(String::new, |h| h.join("; "));
            let verdicts: Vec<&str> = entry.verdicts().iter().map(|v| v.words()).collect();
            let cells = [read(f.source.read), kind, &assumed, &f.claim, &f.meaning, &verdicts.join(", ")];
            let cells: Vec<String> = cells.iter().map(|c| c.replace('|', "\\|")).collect();
            let _ = writeln!(out, "| `{}` | {} |", f.theorem, cells.join(" | "));
        }
    }
    out.push('\n');
    out
}

fn source(f: &Finding) -> String {
    if f.source.read == Read::Ours {
        return "### relimit\n\nDerived and tested in this project; the reasons are below.".to_owned();
    }
    format!("### {} {}\n\n*{}*, {}.", f.source.authors, f.source.year, f.source.title, f.source.where_)
}

#[test]
fn the_document_lists_the_entries_as_they_are() {
    let (head, rest) = DOCUMENT.split_once(BEGIN).expect("a line that begins the entries");
    let (found, tail) = rest.split_once(END).expect("a line that ends the entries");
    let expected = tables();
    if found != expected {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("theory.md");
        fs::write(&path, format!("{head}{BEGIN}{expected}{END}{tail}")).unwrap();
        panic!("docs/theory.md is not what the ledger says; its text is now in {}", path.display());
    }
}

#[test]
fn the_document_names_every_key_once_and_no_other() {
    let keys: Vec<String> = entries().iter().map(|e| e.statement().theorem).collect();
    let first = |line: &str| line.strip_prefix("| `").and_then(|l| l.split_once('`')).map(|(key, _)| key.to_owned());
    let mut listed: Vec<String> = DOCUMENT.lines().filter_map(first).collect();
    listed.sort();
    let mut expected = keys.clone();
    expected.sort();
    assert_eq!(listed, expected);
}

#[test]
fn every_statement_of_ours_has_its_reason() {
    let (_, reasons) = DOCUMENT.split_once("## Why our statements hold\n").expect("the reasons");
    for f in entries().iter().map(Entry::statement) {
        let marked = reasons.lines().any(|l| l.starts_with("**") && l.contains(&format!("`{}`", f.theorem)));
        assert_eq!(marked, f.source.read == Read::Ours, "{}", f.theorem);
    }
}
