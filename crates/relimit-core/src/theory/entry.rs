//! An entry of the ledger: the function that judges it, and the verdicts that some evidence can bring about.

use super::evidence::Evidence;
use super::finding::{Finding, Verdict};

/// One theorem of the ledger.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    judge: fn(&Evidence) -> Finding,
    verdicts: &'static [Verdict],
}

/// A finite claim about a class of problems.
const ANY: &[Verdict] = &[Verdict::Holds, Verdict::Fails, Verdict::NotMet, Verdict::Undecided];
/// A finite claim about every problem.
const UNCONDITIONAL: &[Verdict] = &[Verdict::Holds, Verdict::Fails, Verdict::Undecided];
/// A finite claim of which a contradiction would show that the evidence is not exact, and nothing else.
const UNDENIABLE: &[Verdict] = &[Verdict::Holds, Verdict::NotMet, Verdict::Undecided];
/// A rate or a limit, or a claim about networks that are not looked at here.
const NEVER: &[Verdict] = &[Verdict::NotMet, Verdict::Undecided];

impl Entry {
    /// Finite, with hypotheses.
    pub(super) const fn any(judge: fn(&Evidence) -> Finding) -> Self {
        Self { judge, verdicts: ANY }
    }

    /// Finite, without hypotheses on the problem.
    pub(super) const fn unconditional(judge: fn(&Evidence) -> Finding) -> Self {
        Self { judge, verdicts: UNCONDITIONAL }
    }

    /// Finite, and no evidence contradicts it.
    pub(super) const fn undeniable(judge: fn(&Evidence) -> Finding) -> Self {
        Self { judge, verdicts: UNDENIABLE }
    }

    /// Never decided on one data set of a ReLU network.
    pub(super) const fn never(judge: fn(&Evidence) -> Finding) -> Self {
        Self { judge, verdicts: NEVER }
    }

    /// Every verdict that it can give; none is missing, and none is there for nothing.
    pub fn verdicts(&self) -> &'static [Verdict] {
        self.verdicts
    }

    /// What it finds.
    pub fn judge(&self, evidence: &Evidence) -> Finding {
        (self.judge)(evidence)
    }

    /// What it says, before any evidence: key, source, claim, meaning.
    pub fn statement(&self) -> Finding {
        self.judge(&Evidence::default())
    }
}
