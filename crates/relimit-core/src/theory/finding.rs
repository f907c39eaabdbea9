//! A finding: one theorem's claim against one data set, and the one rule that turns evidence into a verdict.

use serde::{Deserialize, Serialize};

/// Whether a claim has explicit constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClaimKind {
    /// Explicit constants: one data set decides.
    Finite,
    /// An order of growth or a limit: only a sweep decides, one data set never does.
    Rate,
}

/// Whether a theorem's claim is seen on these data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// Every hypothesis is met and the conclusion is seen.
    #[serde(rename = "holds")]
    Holds,
    /// Every hypothesis is met and the conclusion is contradicted.
    #[serde(rename = "fails")]
    Fails,
    /// The theorem does not speak about these data.
    #[serde(rename = "hypotheses not met")]
    NotMet,
    /// Not known.
    #[serde(rename = "undecided")]
    Undecided,
}

impl Verdict {
    /// The verdict as it is printed.
    pub fn words(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Fails => "fails",
            Self::NotMet => "hypotheses not met",
            Self::Undecided => "undecided",
        }
    }
}

/// One hypothesis of a theorem on these data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hypothesis {
    /// What the theorem assumes.
    pub what: String,
    /// Whether it is met; `None` where this is not known.
    pub met: Option<bool>,
    /// The numbers behind that.
    pub evidence: String,
}

impl Hypothesis {
    /// A hypothesis with its standing.
    pub fn new(what: impl Into<String>, met: impl Into<Option<bool>>, evidence: impl Into<String>) -> Self {
        Self { what: what.into(), met: met.into(), evidence: evidence.into() }
    }
}

/// How much of a source the wording rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Read {
    /// Its full text.
    #[serde(rename = "full text")]
    FullText,
    /// Most of its text, without the appendices.
    #[serde(rename = "most of the text")]
    MostOfTheText,
    /// Its abstract.
    #[serde(rename = "abstract")]
    Abstract,
    /// Other people's accounts of it.
    #[serde(rename = "summary")]
    Summary,
    /// Nothing: the statement is derived and tested in this project.
    #[serde(rename = "ours")]
    Ours,
}

/// Where a claim comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Authors.
    pub authors: String,
    /// Year.
    pub year: u16,
    /// Title.
    pub title: String,
    /// Where it appeared.
    #[serde(rename = "where")]
    pub where_: String,
    /// How much of it was read.
    pub read: Read,
}

/// One entry of the ledger.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Stable key.
    pub theorem: String,
    /// Where the claim comes from.
    pub source: Source,
    /// The claim in words: the source's where its text was read, else ours.
    pub claim: String,
    /// Whether one data set can decide it.
    pub claim_kind: ClaimKind,
    /// The hypotheses on these data.
    pub hypotheses: Vec<Hypothesis>,
    /// What was measured.
    pub measured: Option<f64>,
    /// What the theorem says about it.
    pub bound: Option<f64>,
    /// What the two numbers are, units included.
    pub meaning: String,
    /// Relative distance of the measurement to the bound, positive on the side where the claim holds.
    pub slack: Option<f64>,
    /// The verdict.
    pub verdict: Verdict,
    /// The verdict's reason with its numbers, in a sentence.
    pub why: String,
}

/// A paper, as the entries of one file share it.
pub(super) struct Paper {
    pub(super) authors: &'static str,
    pub(super) year: u16,
    pub(super) title: &'static str,
    pub(super) place: &'static str,
}

/// Statements of this project.
pub(super) const OURS: Paper =
    Paper { authors: "relimit", year: 2026, title: "derived and tested in this project", place: "docs/theory.md" };

/// The fixed part of an entry.
pub(super) struct Statement {
    pub(super) key: &'static str,
    pub(super) paper: &'static Paper,
    pub(super) read: Read,
    pub(super) kind: ClaimKind,
    pub(super) claim: &'static str,
    pub(super) meaning: &'static str,
}

/// On which side of the bound a claim holds.
#[derive(Clone, Copy)]
pub(super) enum Side {
    AtMost,
    AtLeast,
}

/// What was seen of a conclusion.
#[derive(Default)]
pub(super) struct Conclusion {
    pub(super) measured: Option<f64>,
    pub(super) bound: Option<f64>,
    pub(super) slack: Option<f64>,
    /// Whether the conclusion is seen; `None` where this is not known.
    pub(super) seen: Option<bool>,
    /// What decides, in a sentence without its full stop.
    pub(super) words: String,
}

impl Conclusion {
    /// A measured number against its bound; a number that is not finite decides nothing.
    pub(super) fn compare(measured: f64, side: Side, bound: f64, words: impl Into<String>) -> Self {
        if !(measured.is_finite() && bound.is_finite()) {
            return Self::unknown(words);
        }
        let distance = match side {
            Side::AtMost => bound - measured,
            Side::AtLeast => measured - bound,
        };
        let scale = measured.abs().max(bound.abs());
        let slack = if scale > 0.0 { distance / scale } else { 0.0 };
        Self {
            measured: Some(measured),
            bound: Some(bound),
            slack: Some(slack),
            seen: Some(distance >= 0.0),
            words: words.into(),
        }
    }

    /// The same numbers with another standing.
    pub(super) fn seen(self, seen: Option<bool>) -> Self {
        Self { seen, ..self }
    }

    /// Whether this speaks more against the claim than `other` does.
    pub(super) fn worse_than(&self, other: &Self) -> bool {
        let rank = |c: &Self| match c.seen {
            Some(false) => 0,
            None => 1,
            Some(true) => 2,
        };
        let slack = |c: &Self| c.slack.unwrap_or(f64::INFINITY);
        rank(self).cmp(&rank(other)).then(slack(self).total_cmp(&slack(other))).is_lt()
    }

    /// Nothing was measured.
    pub(super) fn unknown(words: impl Into<String>) -> Self {
        Self { words: words.into(), ..Self::default() }
    }
}

impl Statement {
    /// The rule: a hypothesis known to be false ends it; then one that is open; then a rate stays open on one data set;
    /// then the conclusion decides.
    pub(super) fn judge(&self, hypotheses: Vec<Hypothesis>, conclusion: Conclusion) -> Finding {
        let list = |met: Option<bool>| -> Option<String> {
            let all: Vec<String> = hypotheses
                .iter()
                .filter(|h| h.met == met)
                .map(|h| if h.evidence.is_empty() { h.what.clone() } else { format!("{} ({})", h.what, h.evidence) })
                .collect();
            (!all.is_empty()).then(|| all.join("; "))
        };
        let Conclusion { measured, bound, slack, seen, words } = conclusion;
        let (verdict, why) = if let Some(broken) = list(Some(false)) {
            (Verdict::NotMet, format!("not met: {broken}"))
        } else if let Some(open) = list(None) {
            (Verdict::Undecided, format!("not known: {open}; measured: {words}"))
        } else if self.kind == ClaimKind::Rate && measured.is_some() {
            (Verdict::Undecided, format!("one data set cannot judge a rate or a limit; measured: {words}"))
        } else {
            match seen.filter(|_| self.kind == ClaimKind::Finite) {
                Some(true) => (Verdict::Holds, words),
                Some(false) => (Verdict::Fails, words),
                None => (Verdict::Undecided, words),
            }
        };
        Finding {
            theorem: self.key.to_owned(),
            source: Source {
                authors: self.paper.authors.to_owned(),
                year: self.paper.year,
                title: self.paper.title.to_owned(),
                where_: self.paper.place.to_owned(),
                read: self.read,
            },
            claim: self.claim.to_owned(),
            claim_kind: self.kind,
            hypotheses,
            measured,
            bound,
            meaning: self.meaning.to_owned(),
            slack,
            verdict,
            why,
        }
    }

    /// The entry when there is nothing to judge it by.
    pub(super) fn absent(&self, missing: &str) -> Finding {
        self.judge(Vec::new(), Conclusion::unknown(format!("no evidence: {missing}")))
    }
}
