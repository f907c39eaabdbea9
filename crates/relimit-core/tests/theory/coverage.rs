//! Every entry gives every verdict that it declares in some case, and no other in any; what is not known never holds.

use std::collections::{BTreeMap, BTreeSet};

use relimit_core::certify::Claim;
use relimit_core::descent::Status;
use relimit_core::theory::{ClaimKind, Evidence, Verdict, entries, ledger};

use super::case::Case;
use super::{collapse, high_dimension, knots, orthogonal, ours, single_neuron};

/// The cases of all sources.
pub(crate) fn all_cases() -> Vec<Case> {
    [
        high_dimension::cases(),
        single_neuron::cases(),
        orthogonal::cases(),
        collapse::cases(),
        knots::cases(),
        ours::cases(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[test]
fn every_declared_verdict_has_a_case_and_no_other_occurs() {
    let mut seen: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for case in all_cases() {
        seen.entry(case.key).or_default().insert(case.verdict.words());
    }
    assert_eq!(seen.len(), entries().len());
    for entry in entries() {
        let key = entry.statement().theorem;
        let declared: BTreeSet<&str> = entry.verdicts().iter().map(|v| v.words()).collect();
        assert_eq!(declared.len(), entry.verdicts().len(), "{key} declares a verdict twice");
        assert_eq!(seen.get(key.as_str()), Some(&declared), "{key}: cases on the left, declared on the right");
    }
}

/// Each case is evidence for all the other entries too.
#[test]
fn no_evidence_brings_about_a_verdict_that_is_not_declared() {
    for case in all_cases() {
        for (entry, finding) in entries().iter().zip(ledger(&case.evidence)) {
            let label = format!("{} on {} ({}): {}", finding.theorem, case.key, case.name, finding.why);
            assert!(entry.verdicts().contains(&finding.verdict), "{label}");
            let decided = matches!(finding.verdict, Verdict::Holds | Verdict::Fails);
            assert!(!(decided && finding.claim_kind == ClaimKind::Rate), "{label}");
        }
    }
}

/// The same evidence before anything was settled: no run has ended, nothing is certified, nothing was measured.
fn unsettled(e: &Evidence) -> Evidence {
    let mut e = e.clone();
    for run in e.descent.iter_mut().chain(e.flow.iter_mut()) {
        run.status = Status::Undecided;
        run.events_complete = false;
        run.events.clear();
    }
    if let Some(m) = e.min_norm.as_mut() {
        m.status = Claim::Undecided;
    }
    for o in &mut e.optima {
        o.status = Claim::Undecided;
        o.lower_bound = f64::NEG_INFINITY;
    }
    for law in &mut e.laws {
        law.objective = f64::NAN;
        law.fitted.clear();
        law.virial = None;
    }
    e
}

#[test]
fn what_is_not_settled_neither_holds_nor_fails() {
    for case in all_cases() {
        for f in ledger(&unsettled(&case.evidence)) {
            let decided = matches!(f.verdict, Verdict::Holds | Verdict::Fails);
            assert!(!decided, "{} on {} ({}): {}", f.theorem, case.key, case.name, f.why);
        }
    }
}

/// A finding with an open hypothesis, or of a rate, prints and serialises as undecided and nothing else.
#[test]
fn undecided_never_prints_as_holds() {
    let mut open = 0;
    for f in all_cases().iter().map(Case::finding) {
        let json = serde_json::to_value(&f).unwrap();
        assert_eq!(json["verdict"], f.verdict.words());
        if f.verdict == Verdict::Undecided {
            open += 1;
            assert_eq!(f.verdict.words(), "undecided");
            for word in ["holds", "fails"] {
                assert!(!f.why.contains(word), "{}: {}", f.theorem, f.why);
            }
        }
        assert_eq!(serde_json::from_value::<relimit_core::theory::Finding>(json).unwrap(), f);
    }
    assert!(open >= entries().len(), "{open} undecided cases");
}
