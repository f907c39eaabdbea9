//! Which rows and neurons went silent, and why, in the words of the data.

use std::collections::{BTreeMap, BTreeSet};

use relimit_solve::answer::{DeadNeuron, LimitAnswer, SilentReason};

use super::layout::{at_most, wrap};
use super::names::{many, neuron_name, neurons, rows};
use crate::number::{count, four, instant};

/// What was found, and what shows it.
struct Finding {
    sentence: String,
    evidence: Option<String>,
}

impl Finding {
    fn plain(sentence: String) -> Self {
        Self { sentence, evidence: None }
    }

    /// At most two lines; evidence only where it fits.
    fn lines(&self, with_evidence: bool) -> Vec<String> {
        if let Some(evidence) = self.evidence.as_ref().filter(|_| with_evidence) {
            let lines = wrap("  - ", &format!("{} ({evidence})", self.sentence));
            if lines.len() <= 2 {
                return lines;
            }
        }
        at_most(wrap("  - ", &self.sentence), 2)
    }
}

/// One bulleted sentence a finding, dead neurons first; at most `most` of them, with or without evidence.
pub(super) fn lines(answer: &LimitAnswer, most: usize, with_evidence: bool) -> Vec<String> {
    let mut findings = dead(answer);
    findings.extend(never_fitted(answer));
    findings.extend(ties(answer).map(Finding::plain));
    findings.extend(balanced(answer).map(Finding::plain));
    findings.extend(diverging(answer).map(Finding::plain));
    findings.extend(silent_by_right(answer).into_iter().map(Finding::plain));
    let hidden = findings.len().saturating_sub(most);
    let mut out: Vec<String> = findings.iter().take(most).flat_map(|f| f.lines(with_evidence)).collect();
    if hidden > 0 {
        out.push(format!("  + {} in the JSON output", many(hidden, "more finding")));
    }
    out
}

/// Rows with one reason, and the first evidence with its row.
#[derive(Default)]
struct Unfitted<'a> {
    rows: Vec<usize>,
    evidence: Option<(usize, &'a str)>,
}

/// Rows that are silent for the neurons that should fit them, by reason.
fn never_fitted(answer: &LimitAnswer) -> Vec<Finding> {
    let fitted: BTreeSet<usize> = answer.limit.fitted.iter().copied().collect();
    let mut groups: BTreeMap<SilentReason, Unfitted<'_>> = BTreeMap::new();
    for pair in &answer.limit.silent {
        let by_right = matches!(pair.reason, SilentReason::OppositeSign | SilentReason::Tie);
        if !by_right && !fitted.contains(&pair.row) {
            let group = groups.entry(pair.reason).or_default();
            group.rows.push(pair.row);
            group.evidence = group.evidence.or(pair.evidence.as_deref().map(|e| (pair.row, e)));
        }
    }
    let sentence = |(reason, group): (SilentReason, Unfitted<'_>)| {
        let one = group.rows.iter().all(|r| *r == group.rows[0]);
        let evidence = group.evidence.map(|(row, e)| {
            let whose = if one { String::new() } else { format!("row {row}: ") };
            format!("{whose}{}", e.trim_end_matches('.'))
        });
        let is = if one { "is" } else { "are" };
        Finding {
            sentence: format!("{} {is} never fitted: {}", rows(&group.rows), cause(answer, reason, one)),
            evidence,
        }
    };
    groups.into_iter().map(sentence).collect()
}

fn cause(answer: &LimitAnswer, reason: SilentReason, one: bool) -> String {
    let (its, label, it) = if one { ("its", "its label is", "it") } else { ("their", "their labels are", "them") };
    let step = answer.settings.step.map_or_else(String::new, |s| format!(" for step {}", four(s)));
    match reason {
        SilentReason::DeadStart => format!("no neuron of {its} sign sees {it} at the start"),
        SilentReason::SilencedByStep => {
            let step = answer.settings.step.map_or_else(|| "the flow".to_owned(), |s| format!("step {}", four(s)));
            format!("{step} throws {it} below 0, a smaller step does not")
        }
        SilentReason::LabelBelowInterference => format!("{label} too small against the pull of the other rows{step}"),
        SilentReason::NoNeuronOfSign => format!("no neuron has the sign of {its} label{}", if one { "" } else { "s" }),
        SilentReason::OppositeSign => format!("{label} of the other sign"),
        SilentReason::Tie => "the preactivation never settles".to_owned(),
        SilentReason::Undecided => "the reason is undecided".to_owned(),
    }
}

/// Dead neurons by reason and first silent step; the evidence of the first of each group.
fn dead(answer: &LimitAnswer) -> Vec<Finding> {
    let mut groups: Vec<(&DeadNeuron, Vec<usize>)> = Vec::new();
    for d in &answer.limit.dead {
        match groups.iter_mut().find(|(first, _)| (first.reason, first.since) == (d.reason, d.since)) {
            Some((_, list)) => list.push(d.neuron),
            None => groups.push((d, vec![d.neuron])),
        }
    }
    let sentence = |(d, list): (&DeadNeuron, Vec<usize>)| {
        let one = list.len() == 1;
        let who = if one { neuron_name(&answer.settings.signs, d.neuron) } else { neurons(&list) };
        let (is, it, has) = if one { ("is", "it", "its") } else { ("are", "them", "their") };
        let since = d.since.map_or_else(String::new, |s| match (s == 0.0, answer.settings.step.is_some()) {
            (true, _) => " from the start".to_owned(),
            (false, true) => format!(" from step {} on", instant(s)),
            (false, false) => format!(" from time {} on", four(s)),
        });
        let why = match d.reason {
            SilentReason::DeadStart => ": below 0 everywhere at the start".to_owned(),
            SilentReason::SilencedByStep => format!(": a step threw {it} below 0 everywhere"),
            SilentReason::LabelBelowInterference => ": the pull of the other labels is stronger".to_owned(),
            SilentReason::NoNeuronOfSign | SilentReason::OppositeSign => format!(": no label has {has} sign"),
            SilentReason::Tie => String::new(),
            SilentReason::Undecided => ": the reason is undecided".to_owned(),
        };
        let evidence = d.evidence.as_deref().map(|e| e.trim_end_matches('.').to_owned());
        Finding { sentence: format!("{who} {is} dead, silent on every row{since}{why}"), evidence }
    };
    groups.into_iter().map(sentence).collect()
}

fn ties(answer: &LimitAnswer) -> Option<String> {
    let ties = &answer.limit.ties;
    let first = ties.first()?;
    let list: Vec<usize> = ties.iter().map(|t| t.row).collect();
    let (settles, cross) =
        if ties.len() == 1 { ("never settles", "it crosses") } else { ("never settle", "they cross") };
    let who = if ties.iter().all(|t| t.neuron == first.neuron) {
        neuron_name(&answer.settings.signs, first.neuron)
    } else {
        let mut set: Vec<usize> = ties.iter().map(|t| t.neuron).collect();
        set.sort_unstable();
        set.dedup();
        many(set.len(), "neuron")
    };
    Some(format!("{} {settles} for {who}: {cross} 0 for ever with vanishing amplitude (a tie)", rows(&list)))
}

fn balanced(answer: &LimitAnswer) -> Option<String> {
    let list = &answer.limit.balanced;
    let seen =
        if list.len() == 1 { "is seen but not fitted" } else { "are seen but not fitted: their residuals balance" };
    (!list.is_empty()).then(|| format!("{} {seen}", rows(list)))
}

fn diverging(answer: &LimitAnswer) -> Option<String> {
    let d = answer.limit.divergence.as_ref()?;
    let stable = d.stable_below.map_or_else(String::new, |s| format!("; steps below {} are stable there", four(s)));
    let size =
        d.step_times_eigenvalue.map_or_else(String::new, |s| format!(" (step times eigenvalue {}, limit 2)", four(s)));
    Some(format!("{} carry the growing direction{size}{stable}", rows(&d.rows)))
}

/// Pairs whose label has the other sign: expected, counted only.
fn silent_by_right(answer: &LimitAnswer) -> Vec<String> {
    let mut by_neuron: BTreeMap<usize, usize> = BTreeMap::new();
    for pair in answer.limit.silent.iter().filter(|p| p.reason == SilentReason::OppositeSign) {
        if let Some(j) = pair.neuron.filter(|j| !answer.limit.is_dead(*j)) {
            *by_neuron.entry(j).or_default() += 1;
        }
    }
    let signs = &answer.settings.signs;
    let sentence = |(j, k): (usize, usize)| {
        let sign = if signs.chars().nth(j) == Some('-') { "positive" } else { "negative" };
        let labels = if k == 1 { format!("a {sign} label") } else { format!("{sign} labels") };
        format!("{} is silent on {} with {labels}, by right", neuron_name(signs, j), many(k, "row"))
    };
    if by_neuron.len() > 2 {
        let pairs: usize = by_neuron.values().sum();
        return vec![format!("{} of a neuron and a row of the other sign are silent by right", count_pairs(pairs))];
    }
    by_neuron.into_iter().map(sentence).collect()
}

fn count_pairs(k: usize) -> String {
    format!("{} pair{}", count(k as u64), if k == 1 { "" } else { "s" })
}
