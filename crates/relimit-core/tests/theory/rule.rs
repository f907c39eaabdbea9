//! Keys, order and the rule that makes verdicts.

use std::collections::BTreeSet;

use relimit_core::theory::{Entry, Evidence, Finding, Read, Verdict, entries, ledger};

#[test]
fn without_evidence_everything_is_undecided() {
    for f in ledger(&Evidence::default()) {
        assert_eq!(f.verdict, Verdict::Undecided, "{}", f.theorem);
        assert!(f.why.starts_with("no evidence: "), "{}: {}", f.theorem, f.why);
        assert!(f.measured.is_none() && f.slack.is_none());
    }
}

#[test]
fn keys_are_distinct_and_every_statement_is_complete() {
    let findings: Vec<Finding> = entries().iter().map(Entry::statement).collect();
    let keys: BTreeSet<&str> = findings.iter().map(|f| f.theorem.as_str()).collect();
    assert_eq!(keys.len(), findings.len());
    for f in &findings {
        let plain = f.theorem.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        assert!(plain, "{}", f.theorem);
        assert!(f.claim.len() > 20 && f.meaning.len() > 10, "{}", f.theorem);
        // what a paper says is never marked as ours, nor the other way round
        assert_eq!(f.source.authors == "relimit", f.source.read == Read::Ours, "{}", f.theorem);
    }
    assert_eq!(ledger(&Evidence::default()), findings);
}

#[test]
fn the_four_verdicts_have_four_names() {
    let all = [Verdict::Holds, Verdict::Fails, Verdict::NotMet, Verdict::Undecided];
    let words = ["holds", "fails", "hypotheses not met", "undecided"];
    for (verdict, word) in all.into_iter().zip(words) {
        assert_eq!(verdict.words(), word);
        assert_eq!(serde_json::to_string(&verdict).unwrap(), format!("\"{word}\""));
    }
}
