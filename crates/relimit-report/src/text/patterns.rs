//! The screenful of `relimit patterns`: how many, how sure, which rows are degenerate, how many rows are active.

use relimit_solve::answer::{Degeneracy, DegeneracyKind, PatternsAnswer, PatternsStatus, Stopped};

use super::layout::{Style, at_most, wrap};
use super::names::{many, rows, short};
use crate::number::{align, count, instant, percent, whole};

/// Most groups of degenerate rows that are named, and most lines of the histogram.
const GROUPS: usize = 6;
const BARS: usize = 11;
/// Columns of the longest bar.
const BAR: usize = 40;

/// The answer as text: at most a screen, lines of at most 80 columns, a newline at the end.
///
/// The first line says how many patterns there are, the second what they are compared with, the third how sure that is.
pub fn patterns(answer: &PatternsAnswer, style: Style) -> String {
    let blocks = [head(answer, style), table(answer), degenerate_rows(answer), bars(answer), check(answer, style)];
    let blocks = blocks.into_iter().chain([settings(answer)]);
    let blocks: Vec<String> = blocks.filter(|b| !b.is_empty()).map(|b| b.join("\n")).collect();
    format!("{}\n", blocks.join("\n\n"))
}

/// The answer in one sentence, also used as the headline of figures.
pub(crate) fn headline(answer: &PatternsAnswer) -> String {
    let of = format!("different sets of {}", many(answer.n, "row"));
    match &answer.patterns_text {
        Some(p) if p == "1" => format!("A ReLU neuron sees no row of {}: all are zero.", many(answer.n, "row")),
        Some(p) => format!("A ReLU neuron can be active on exactly {} {of}.", whole(p)),
        None => format!("A ReLU neuron can be active on at least {} {of}.", whole(&answer.lower)),
    }
}

fn head(answer: &PatternsAnswer, style: Style) -> Vec<String> {
    let mut lines: Vec<String> = wrap("", &headline(answer)).iter().map(|l| style.bold(l)).collect();
    let cover = whole(&answer.cover_bound_text);
    let position = match answer.general_position {
        Some(true) => "That is the most possible: the rows are in general position.".to_owned(),
        Some(false) => format!("Rows in general position would give {cover}."),
        None => format!("Rows in general position give {cover}; whether these are is not known."),
    };
    lines.extend(wrap("", &position));
    let word = answer.status.name();
    let text = format!("Certainty: {word}. {}", certainty(answer));
    let told = wrap("", &text);
    lines.extend(
        told.iter().enumerate().map(
            |(k, l)| {
                if k == 0 { l.replacen(word, &style.verdict(word), 1) } else { l.clone() }
            },
        ),
    );
    lines
}

fn certainty(answer: &PatternsAnswer) -> String {
    let interval = format!("P lies in [{}, {}]", whole(&answer.lower), whole(&answer.upper));
    let limit = count(answer.settings.limit);
    let after = match answer.stopped {
        Some(Stopped::Limit) => format!("after {limit} patterns"),
        Some(Stopped::Budget) => "when the budget ended".to_owned(),
        Some(Stopped::Interrupted) => "at Ctrl-C".to_owned(),
        None => String::new(),
    };
    match (answer.status, &answer.patterns_text) {
        (PatternsStatus::Exact, _) => {
            "Every sign was decided in exact arithmetic; a pattern and its complement count as two.".to_owned()
        }
        (PatternsStatus::Bound, _) => {
            format!("{interval}: more than the {limit} patterns that are enumerated here (--limit K).")
        }
        (PatternsStatus::Partial, Some(_)) => {
            format!("The number is exact, the list and the counts below are not complete: stopped {after}.")
        }
        (PatternsStatus::Partial, None) => format!("Stopped {after}; {interval}."),
    }
}

fn table(answer: &PatternsAnswer) -> Vec<String> {
    let mut table = vec![];
    let exact = answer.patterns_text.as_deref();
    if let Some(p) = exact {
        table.push(("patterns P", whole(p), String::new()));
    } else {
        table.push(("patterns P, at least", whole(&answer.lower), "seen or proved".to_owned()));
        table.push(("patterns P, at most", whole(&answer.upper), String::new()));
    }
    table.push(("Cover bound", whole(&answer.cover_bound_text), "P in general position".to_owned()));
    let note = if exact.is_some() { "directions suffice" } else { "directions suffice, by the upper bound" };
    table.push(("2P-1", whole(&answer.ray_bound_text), note.to_owned()));
    if let Some(c) = &answer.covectors {
        let note = if c.complete { "zero vector included" } else { "seen, not complete" };
        table.push(("with zeros (ternary)", whole(&c.count_text), note.to_owned()));
    }
    let bias = if answer.settings.bias == "none" { "features" } else { "features and bias" };
    table.push(("rows", count(answer.n as u64), format!("{} different directions", count(answer.distinct as u64))));
    table.push(("inputs of a neuron D", count(answer.dim as u64), format!("{bias}, rank {}", answer.rank)));
    let numbers: Vec<String> = table.iter().map(|t| t.1.clone()).collect();
    let width = numbers.iter().map(|s| s.chars().count()).max().unwrap_or(0);
    let line = |(label, number, note): &(&str, String, String)| {
        let first = format!("  {label:<22} {number:>width$}   ");
        at_most(wrap(&first, note), 2).iter().map(|l| l.trim_end().to_owned()).collect::<Vec<_>>()
    };
    table.iter().flat_map(line).collect()
}

fn degenerate_rows(answer: &PatternsAnswer) -> Vec<String> {
    let mut found: Vec<String> = vec![];
    if !answer.zero_rows.is_empty() {
        let verb = if answer.zero_rows.len() == 1 { "is" } else { "are" };
        found.push(format!("{} {verb} zero: never active", rows(&answer.zero_rows)));
    }
    // The most special first: small ranks, and of those the largest groups.
    let mut groups: Vec<&Degeneracy> = answer.degeneracies.iter().collect();
    groups.sort_by_key(|d| (d.rank, std::cmp::Reverse(d.rows.len())));
    found.extend(groups.into_iter().map(|d| degenerate(answer, d)));
    if found.is_empty() {
        return vec![];
    }
    let total = found.len();
    let mut lines = vec!["Degenerate rows".to_owned()];
    lines.extend(found.iter().take(GROUPS).flat_map(|text| at_most(wrap("  - ", text), 2)));
    if total > GROUPS || answer.more_degeneracies {
        let more = if answer.more_degeneracies { "and more" } else { "more" };
        lines.push(format!("  + {} {more}, {} in the JSON output", total - GROUPS.min(total), many(total, "group")));
    }
    lines
}

/// How rows are degenerate, in words of geometry.
pub(crate) fn degenerate(answer: &PatternsAnswer, d: &Degeneracy) -> String {
    let who = rows(&d.rows);
    let bias = answer.settings.bias != "none";
    match (d.kind, d.rank, bias) {
        (DegeneracyKind::Equal, ..) => format!("{who} are equal: always active together"),
        (DegeneracyKind::Proportional, ..) => format!("{who} are positive multiples: always active together"),
        (DegeneracyKind::Opposite, ..) if d.rows.len() == 2 => {
            format!("{who} point in opposite directions: exactly one of them is active")
        }
        (DegeneracyKind::Opposite, ..) => format!("{who} are multiples, some of them negative"),
        (DegeneracyKind::Dependent, 2, true) => format!("{who} lie on a line"),
        (DegeneracyKind::Dependent, 3, true) => format!("{who} lie in a plane"),
        (DegeneracyKind::Dependent, r, true) => format!("{who} lie in a flat of dimension {}", r - 1),
        (DegeneracyKind::Dependent, 2, false) => format!("{who} lie in a plane through 0"),
        (DegeneracyKind::Dependent, r, false) => format!("{who} lie in a subspace of dimension {r}"),
    }
}

/// The histogram of active rows, in at most [`BARS`] lines of nearly equal width.
fn bars(answer: &PatternsAnswer) -> Vec<String> {
    let Some(counts) = &answer.active_counts else { return vec![] };
    let total: u64 = counts.iter().sum();
    if total == 0 {
        return vec![];
    }
    // Of the widths that give few lines, the one that fills the last line best.
    let least = counts.len().div_ceil(BARS);
    let width = (least..=least + 3).min_by_key(|w| w * counts.len().div_ceil(*w) - counts.len()).unwrap_or(least);
    let bins: Vec<(usize, usize, u64)> = (0..counts.len())
        .step_by(width)
        .map(|from| {
            let to = (from + width).min(counts.len());
            (from, to - 1, counts[from..to].iter().sum())
        })
        .collect();
    let most = bins.iter().map(|b| b.2).max().unwrap_or(1);
    let numbers = align(&bins.iter().map(|b| count(b.2)).collect::<Vec<_>>());
    let column = numbers.iter().map(|s| s.chars().count()).max().unwrap_or(0);
    let names: Vec<String> =
        bins.iter().map(|(a, b, _)| if a == b { a.to_string() } else { format!("{a}-{b}") }).collect();
    let name = names.iter().map(String::len).max().unwrap_or(0);
    let seen = if answer.status == PatternsStatus::Exact { "" } else { " seen" };
    let mut lines = vec![format!("Patterns{seen} by number of active rows")];
    for ((bin, text), number) in bins.iter().zip(&names).zip(&numbers) {
        let length = if bin.2 == 0 { 0 } else { ((BAR as f64 * bin.2 as f64 / most as f64).round() as usize).max(1) };
        let share = percent(bin.2 as f64 / total as f64);
        lines.push(format!("  {text:>name$}  {number:>column$}  {:<BAR$} {share}", "#".repeat(length)));
    }
    lines
}

fn check(answer: &PatternsAnswer, style: Style) -> Vec<String> {
    let Some(check) = &answer.check else { return vec![] };
    let pattern = short(&check.pattern, 40);
    if let Some(witness) = check.witness.as_ref().filter(|_| check.realisable) {
        let mut lines = wrap("", &format!("Pattern {pattern}: possible, {}", style.verdict("certified")));
        let names = answer.data.features.iter().map(String::as_str).chain(["bias"]);
        let parts: Vec<String> = names.zip(witness).map(|(name, w)| format!("{} {w}", short(name, 20))).collect();
        lines.extend(at_most(wrap("  weights ", &parts.join(", ")), 4));
        return lines;
    }
    let mut lines = wrap("", &format!("Pattern {pattern}: impossible, {}", style.verdict("certified")));
    let terms = check.proof.iter().flatten().enumerate().map(|(k, m)| {
        let (sign, size) = m.multiplier.strip_prefix('-').map_or(("+", m.multiplier.as_str()), |size| ("-", size));
        let lead = if k == 0 && sign == "+" { String::new() } else { format!("{sign} ") };
        let times = if size == "1" { String::new() } else { format!("{} ", whole(size)) };
        format!("{lead}{times}row {}", m.row)
    });
    let sum = terms.collect::<Vec<_>>().join(" ");
    let text = format!("{sum} = 0, but with these signs it would be positive");
    lines.extend(at_most(wrap("  proof   ", &text), 4));
    lines
}

fn settings(answer: &PatternsAnswer) -> Vec<String> {
    let (data, s) = (&answer.data, &answer.settings);
    let shape = format!("{} x {}", many(answer.n, "row"), many(data.features.len(), "feature"));
    let mut lines = at_most(wrap("Data      ", &format!("{}: {shape}", short(&data.name, 40))), 2);
    let mut parts =
        vec![format!("bias {}", s.bias), format!("scale {}", s.reader.scale), format!("missing {}", s.reader.missing)];
    parts.extend(s.decimals.then(|| "decimals".to_owned()));
    parts.extend(s.reader.target.as_ref().map(|v| format!("target {v}")));
    parts.extend(s.reader.columns.as_ref().map(|v| format!("columns {v}")));
    parts.extend(s.reader.drop.as_ref().map(|v| format!("drop {v}")));
    parts.extend(s.reader.rows.as_ref().map(|v| format!("rows {v}")));
    parts.push(format!("limit {} ({})", count(s.limit), s.limit_source));
    parts.push(format!("seed {}", s.seed));
    parts.push(format!("threads {}", s.threads));
    parts.extend(s.budget.map(|v| format!("budget {}s", instant(v))));
    lines.extend(at_most(wrap("Settings  ", &parts.join(", ")), 3));
    if let Some(list) = &answer.list {
        let complete = if list.complete { "complete" } else { "not complete" };
        let file = if list.file == "-" { "standard output" } else { &list.file };
        let text = format!("{file}: {} as {}, {complete}", many_u64(list.written, "pattern"), list.format);
        lines.extend(at_most(wrap("List      ", &text), 2));
    }
    for notice in data.notices.iter().take(2) {
        lines.extend(at_most(wrap("Note      ", notice), 2));
    }
    if data.notices.len() > 2 {
        lines.push(format!("Note      + {} in the JSON output", many(data.notices.len() - 2, "more notice")));
    }
    if let Some(hint) = hint(answer) {
        lines.push(String::new());
        lines.extend(at_most(wrap("Try       ", &hint), 2));
    }
    lines
}

fn many_u64(k: u64, thing: &str) -> String {
    format!("{} {thing}{}", count(k), if k == 1 { "" } else { "s" })
}

/// One thing to try next.
fn hint(answer: &PatternsAnswer) -> Option<String> {
    let s = &answer.settings;
    match answer.stopped {
        Some(Stopped::Limit) => {
            Some(format!("--limit {} (ten times as many), with --budget 60s to be safe", s.limit.saturating_mul(10)))
        }
        Some(Stopped::Budget | Stopped::Interrupted) => {
            let seconds = s.budget.map_or(60.0, |b| 10.0 * b);
            Some(format!("--budget {}s (the enumeration had not ended)", instant(seconds)))
        }
        None if s.bias == "none" && !answer.zero_rows.is_empty() => {
            Some("--bias (a zero row is then a row like any other)".to_owned())
        }
        None if answer.list.is_none() && answer.n <= 64 => {
            Some("--list - (every pattern), or --list patterns.npy".to_owned())
        }
        None => None,
    }
}
