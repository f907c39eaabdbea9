//! A case: one entry, evidence made by hand, and what the entry must find there.

use relimit_core::theory::{ClaimKind, Evidence, Finding, Verdict, ledger};

/// What one entry must say about one piece of evidence.
pub(crate) struct Case {
    pub(crate) key: &'static str,
    pub(crate) name: &'static str,
    pub(crate) verdict: Verdict,
    pub(crate) evidence: Evidence,
    /// Words that the reason must contain.
    pub(crate) why: &'static str,
    /// Measurement and bound, where they are known in closed form.
    pub(crate) numbers: Option<(f64, f64)>,
}

/// A case without numbers.
pub(crate) fn case(
    key: &'static str,
    verdict: Verdict,
    name: &'static str,
    evidence: Evidence,
    why: &'static str,
) -> Case {
    Case { key, name, verdict, evidence, why, numbers: None }
}

impl Case {
    /// The same with its measurement and bound.
    pub(crate) fn numbers(self, measured: f64, bound: f64) -> Self {
        Self { numbers: Some((measured, bound)), ..self }
    }

    /// What the ledger says.
    pub(crate) fn finding(&self) -> Finding {
        let found = ledger(&self.evidence).into_iter().find(|f| f.theorem == self.key);
        found.unwrap_or_else(|| panic!("no entry {}", self.key))
    }

    /// What is not as expected.
    fn complaints(&self) -> Vec<String> {
        let f = self.finding();
        let mut out = Vec::new();
        if f.verdict != self.verdict {
            out.push(format!("expected {}", self.verdict.words()));
        }
        if !f.why.contains(self.why) {
            out.push(format!("expected the words {}", self.why));
        }
        if let Some((measured, bound)) = self.numbers {
            for (found, expected) in [(f.measured, measured), (f.bound, bound)] {
                if !found.is_some_and(|v| close(v, expected)) {
                    out.push(format!("{found:?}, expected {expected}"));
                }
            }
            if !f.slack.is_some_and(|s| f.verdict != Verdict::Holds || s >= 0.0) {
                out.push(format!("slack {:?}", f.slack));
            }
        }
        let open = f.hypotheses.iter().filter(|h| h.met.is_none()).count();
        let broken = f.hypotheses.iter().filter(|h| h.met == Some(false)).count();
        let consistent = match f.verdict {
            Verdict::Holds | Verdict::Fails => (open, broken, f.claim_kind) == (0, 0, ClaimKind::Finite),
            Verdict::NotMet => broken > 0,
            Verdict::Undecided => broken == 0,
        };
        if !consistent {
            out.push(format!("{open} open and {broken} broken hypotheses"));
        }
        let label = format!("{} ({}): {} because {}", self.key, self.name, f.verdict.words(), f.why);
        out.into_iter().map(|complaint| format!("{label}; {complaint}\n")).collect()
    }
}

/// To the eight digits that references have.
fn close(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 2e-8 * expected.abs().max(1e-6)
}

/// Every case as expected.
pub(crate) fn check(cases: &[Case]) {
    let complaints: Vec<String> = cases.iter().flat_map(Case::complaints).collect();
    assert!(!cases.is_empty() && complaints.is_empty(), "{}", complaints.concat());
}
