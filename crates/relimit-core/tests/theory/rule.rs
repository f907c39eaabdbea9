//! Keys, order and the rule that makes verdicts.

use relimit_core::theory::{Evidence, Verdict, ledger};

#[test]
fn without_evidence_everything_is_undecided() {
    for f in ledger(&Evidence::default()) {
        assert_eq!(f.verdict, Verdict::Undecided, "{}", f.theorem);
        assert!(f.why.starts_with("no evidence: "), "{}: {}", f.theorem, f.why);
        assert!(f.measured.is_none() && f.slack.is_none());
    }
}
