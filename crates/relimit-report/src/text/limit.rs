//! The screenful of `relimit limit`: the answer, the number, how sure, then details.

use relimit_core::descent::{Reason, Status};
use relimit_solve::answer::{Claim, Interval, LimitAnswer};

use super::layout::{Style, at_most, wrap};
use super::names::{many, short};
use super::{culprits, hint};
use crate::number::{align, count, four, four_or, four_up, gap, instant, interval, percent};

/// The answer as text: at most a screen, lines of at most 80 columns, a newline at the end.
///
/// The first line says where training ends, the second gives the loss, the third always how sure that is.
pub fn limit(answer: &LimitAnswer, style: Style) -> String {
    const SCREEN: usize = 40;
    let before = [head(answer, style), distance(answer, style), theory(answer, style)];
    let after = [extras(answer), settings(answer), try_next(answer)];
    let render = |(findings, evidence): (usize, bool)| {
        let blocks = before.iter().cloned().chain([rows(answer, findings, evidence)]).chain(after.iter().cloned());
        let blocks: Vec<String> = blocks.filter(|b| !b.is_empty()).map(|b| b.join("\n")).collect();
        format!("{}\n", blocks.join("\n\n"))
    };
    let fits = |text: &String| text.lines().count() <= SCREEN;
    // What does not fit is left out in this order: evidence, then the last findings.
    let levels = [(5, true), (5, false), (4, false), (3, false)];
    levels.into_iter().map(render).find(fits).unwrap_or_else(|| render((2, false)))
}

/// The answer in one sentence, also used as the headline of figures.
pub(crate) fn sentence(answer: &LimitAnswer) -> String {
    let who = who(answer);
    let (n, fitted) = (answer.data.n, answer.limit.fitted.len());
    let fits = match fitted {
        0 => format!("fits none of {}", many(n, "row")),
        k if k == n && n == 1 => "fits the only row".to_owned(),
        k if k == n => format!("fits all {}", many(n, "row")),
        k => format!("fits {} of {}", count(k as u64), many(n, "row")),
    };
    match (answer.limit.status, answer.limit.reason) {
        (Status::Converged, Reason::AllSilent) => {
            format!("{who} stops: every neuron is silent, nothing moves any more, and it {fits}.")
        }
        (Status::Converged, _) => format!("{who} converges and {fits}."),
        (Status::Diverged, _) => format!("{who} diverges: the residual grows without bound."),
        (Status::Cycle, _) => format!("{who} ends in a cycle: the same states recur."),
        (Status::Undecided, _) => format!("Where {} ends is undecided; the state reached {fits}.", lower(&who)),
        (Status::Budget, _) => format!("The budget ended before {} did; the state reached {fits}.", lower(&who)),
        (Status::Interrupted, _) => format!("Interrupted before {} ended; the state reached {fits}.", lower(&who)),
    }
}

fn who(answer: &LimitAnswer) -> String {
    if is_flow(answer) { "Gradient flow".to_owned() } else { "Gradient descent".to_owned() }
}

fn lower(who: &str) -> String {
    who.to_lowercase()
}

fn is_flow(answer: &LimitAnswer) -> bool {
    answer.settings.dynamics == "flow"
}

/// `after 76,358 mask changes, the last at step 328,282`.
pub(crate) fn changes(answer: &LimitAnswer) -> String {
    let events = &answer.events;
    let last = match (events.last_step, events.last_time) {
        (Some(k), _) => format!("step {}", count(k)),
        (None, Some(t)) => format!("time {}", four(t)),
        (None, None) => "an unknown step".to_owned(),
    };
    match events.count {
        0 => "with no mask change".to_owned(),
        1 => format!("after one mask change at {last}"),
        k => format!("after {} mask changes, the last at {last}", count(k)),
    }
}

fn head(answer: &LimitAnswer, style: Style) -> Vec<String> {
    let limit = &answer.limit;
    let mut lines: Vec<String> = wrap("", &sentence(answer)).iter().map(|l| style.bold(l)).collect();
    let loss = format!("Loss {} ({})", four_or(limit.loss), limit.loss_scaling);
    let offset = limit
        .offset_norm
        // rounding of the start's decomposition is not worth a word
        .filter(|v| *v > 1e-12 * limit.norm.unwrap_or(0.0))
        .map_or_else(String::new, |v| format!(" (of it {} outside the data's row space, as at the start)", four(v)));
    lines.extend(wrap("", &format!("{loss}, weight norm {}{offset}, {}.", four_or(limit.norm), changes(answer))));
    let word = word(claim(answer));
    let text = format!("Certainty: {word}. {}", certainty(answer));
    let certainty = at_most(wrap("", text.trim_end()), 3);
    lines.extend(certainty.iter().enumerate().map(|(k, l)| if k == 0 { colour(l, word, style) } else { l.clone() }));
    lines
}

/// How sure the end state is.
fn claim(answer: &LimitAnswer) -> Claim {
    match (answer.limit.status, answer.limit.reason) {
        (Status::Converged, Reason::Ties) => Claim::Bound,
        (Status::Converged, _) if answer.limit.radius.is_some_and(|r| r > 0.0) => Claim::Bound,
        (Status::Converged, _) => Claim::Certified,
        _ => Claim::Undecided,
    }
}

fn certainty(answer: &LimitAnswer) -> String {
    let limit = &answer.limit;
    let message = limit.message.trim();
    let message = if message.is_empty() { default_message(limit.reason) } else { message };
    let mut text = capital(message);
    if !text.ends_with(['.', '!', '?']) {
        text.push('.');
    }
    if let Some(radius) = limit.radius.filter(|r| *r > 0.0) {
        text = format!("{text} The weights are within {} of the limit.", four_up(radius));
    }
    text
}

fn default_message(reason: Reason) -> &'static str {
    match reason {
        Reason::ClosedForm => "No mask can change any more; the limit is a closed form",
        Reason::Ties => "Some pairs cross 0 for ever with vanishing amplitude",
        Reason::AllSilent => "No neuron is active on any row",
        Reason::Growth => "The growth was observed, not proved",
        Reason::Recurrence => "The recurrence was observed, not proved",
        Reason::GrowingModeUnresolved => "A growing direction starts too close to 0 to tell",
        Reason::SignUnresolved => "A sign could not be told from 0",
        Reason::NonUnique => "The flow has more than one continuation from here",
        Reason::NotFinite => "A number left the range of double precision",
        Reason::OutOfBudget => "Steps, events or time ran out",
        Reason::Stopped => "Stopped on request",
    }
}

fn distance(answer: &LimitAnswer, style: Style) -> Vec<String> {
    if matches!(answer.limit.status, Status::Diverged) && answer.min_norm.norm.is_none() {
        return vec![];
    }
    let (min, g) = (&answer.min_norm, &answer.gap);
    let rows = answer.min_norm.mixed_patterns.as_ref().map_or(0, Vec::len);
    let mixed = if rows > 0 { format!("; both signs active on {}", many(rows, "row")) } else { String::new() };
    let reason = min.reason.as_deref().map_or_else(String::new, |r| format!(": {r}"));
    let word = word(min.status);
    let (value, note) = match (min.status, min.lower, min.upper) {
        (Claim::Certified, low, high) => {
            let width = low.zip(high).map_or(0.0, |(a, b)| (b - a).max(0.0));
            (four_or(min.norm), format!("{word}, {}{mixed}", gap(width)))
        }
        (Claim::Bound, Some(a), Some(b)) => {
            (four(b), format!("{word}: the true one lies in {}{mixed}", interval(a, b)))
        }
        (Claim::Infeasible, ..) => ("none".to_owned(), format!("{word}{reason}")),
        _ => (min.norm.map_or_else(|| "not known".to_owned(), four), format!("{word}{reason}")),
    };
    let mut table = vec![
        ("weight norm of the end state", four_or(answer.limit.norm), String::new()),
        ("minimum norm that fits", value, note),
    ];
    if let Some(absolute) = g.absolute {
        let share = g.relative.map_or_else(String::new, |r| format!("{} of the minimum norm", percent(r)));
        table.push(("distance between the two", four(absolute), share));
    }
    if let Some(p) = g.predicted {
        table.push(("  theory, leading order", four(p), "|y_silent| / (C sqrt(tau))".to_owned()));
    }
    if let Some(b) = g.bound {
        table.push(("  upper bound, no solver", four(b), String::new()));
    }
    let numbers = align(&table.iter().map(|t| t.1.clone()).collect::<Vec<_>>());
    let width = numbers.iter().map(|s| s.chars().count()).max().unwrap_or(0);
    let mut lines = vec!["Distance to the minimum-norm network".to_owned()];
    for ((label, _, note), number) in table.iter().zip(&numbers) {
        let first = format!("  {label:<29} {number:<width$}  ");
        lines.extend(at_most(wrap(&first, note), 2).iter().map(|l| colour(l, word, style).trim_end().to_owned()));
    }
    lines
}

fn theory(answer: &LimitAnswer, style: Style) -> Vec<String> {
    let h = &answer.hypotheses;
    let mut lines = vec![format!("High-dimensional theory: {}", style.verdict(h.verdict.words()))];
    lines.extend(at_most(wrap("  ", &h.why), 3));
    let one = &answer.certificates.one_step;
    if let (Some(left), Some(right)) = (one.left, one.right) {
        let verdict = if one.holds == Some(true) { "holds" } else { "does not hold" };
        let relation = if left < right { "<" } else { ">=" };
        let rho = one.rho.map_or_else(String::new, |r| format!(", rho {}", four(r)));
        let text = format!("One-step certificate {verdict} ({} {relation} {}{rho})", four(left), four(right));
        lines.extend(at_most(wrap("  ", &text), 2));
    } else if let Some(why) = &one.why_not {
        lines.extend(at_most(wrap("  ", &format!("One-step certificate does not apply: {why}")), 2));
    }
    lines.extend(dimensions(answer));
    lines
}

fn dimensions(answer: &LimitAnswer) -> Vec<String> {
    let data = &answer.data;
    let population = match data.d2_population {
        Some(Interval { value: Some(v), low: Some(a), high: Some(b) }) => format!("{} {}", four(v), interval(a, b)),
        Some(Interval { value: Some(v), .. }) => four(v),
        _ => "not known".to_owned(),
    };
    let exact = data.d2_exact.map_or_else(String::new, |v| format!(", exact {}", four(v)));
    let sample = match (data.d2, data.d_inf) {
        (Some(a), Some(b)) => format!("; sample {}, d_inf {} (at most n)", four(a), four(b)),
        _ => String::new(),
    };
    wrap("  ", &format!("d_2 population {population}{exact}{sample}"))
}

fn rows(answer: &LimitAnswer, most: usize, evidence: bool) -> Vec<String> {
    let findings = culprits::lines(answer, most, evidence);
    if findings.is_empty() {
        findings
    } else {
        std::iter::once("Rows and neurons".to_owned()).chain(findings).collect()
    }
}

fn extras(answer: &LimitAnswer) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(shares) = &answer.starts {
        let total: u64 = shares.iter().map(|s| s.count).sum();
        lines.push(format!("End states over {} (95 % intervals)", many(total as usize, "random start")));
        for s in shares.iter().take(5) {
            let status = serde_json::to_value(s.status).ok().and_then(|v| v.as_str().map(str::to_owned));
            let range = format!("[{}, {}]", percent(s.low), percent(s.high));
            let share = percent(s.share);
            let loss = s.loss.map_or_else(String::new, |l| format!(", loss {}", four(l)));
            lines.push(format!("  {share:>8}  {range:<22}{}{loss}", status.unwrap_or_default()));
        }
        if shares.len() > 5 {
            lines.push(format!("  + {} more", many(shares.len() - 5, "end state")));
        }
    }
    if let Some(c) = &answer.compare_steps {
        let steps = many(c.steps as usize, "plain step");
        let text = format!("Against {steps}: relative distance of the weights {}", four_or(c.distance));
        lines.extend(wrap("", &text));
    }
    lines
}

fn settings(answer: &LimitAnswer) -> Vec<String> {
    let (data, s) = (&answer.data, &answer.settings);
    let mut facts =
        vec![format!("{} x {}", many(data.n, "row"), many(data.d, "feature")), format!("tau {}", four_or(data.tau))];
    facts.extend(data.rank.map(|r| format!("rank {r}")));
    facts.extend(s.reader.target.as_ref().map(|t| format!("target {t}")));
    let mut lines = at_most(wrap("Data      ", &format!("{}: {}", short(&data.name, 32), facts.join(", "))), 2);
    let mut parts = vec![format!("signs {}", shorten(&s.signs)), format!("start {}", s.start)];
    parts.push(match (s.step, s.step_constant) {
        (Some(eta), Some(c)) => {
            let stable = s.stable_step.map_or_else(String::new, |v| format!(", stable below {}", four(v)));
            format!("step {} (C {}{stable})", four(eta), four(c))
        }
        (Some(eta), None) => format!("step {}", four(eta)),
        _ => "gradient flow".to_owned(),
    });
    parts.extend([format!("loss {}", s.loss), format!("bias {}", s.bias), format!("scale {}", s.reader.scale)]);
    parts.push(format!("target scale {}", s.reader.target_scale));
    parts.push(format!("missing {}", s.reader.missing));
    parts.push(format!("relu'(0) {}", s.relu_at_zero));
    parts.push(format!("gap {}", four(s.gap)));
    parts.extend(s.reader.columns.as_ref().map(|v| format!("columns {v}")));
    parts.extend(s.reader.drop.as_ref().map(|v| format!("drop {v}")));
    parts.extend(s.reader.rows.as_ref().map(|v| format!("rows {v}")));
    parts.extend(s.seed.map(|v| format!("seed {v}")));
    parts.extend(s.max_nodes.map(|v| format!("max nodes {}", count(v))));
    let capped = if s.dynamics == "flow" { "mask changes" } else { "steps" };
    parts.extend(s.max_steps.map(|v| format!("max {capped} {}", count(v))));
    parts.extend(s.budget.map(|v| format!("budget {}s", instant(v))));
    parts.extend(s.threads.map(|v| format!("threads {v}")));
    lines.extend(at_most(wrap("Settings  ", &parts.join(", ")), 4));
    for notice in data.notices.iter().take(3) {
        lines.extend(at_most(wrap("Note      ", notice), 2));
    }
    if data.notices.len() > 3 {
        lines.push(format!("Note      + {} in the JSON output", many(data.notices.len() - 3, "more notice")));
    }
    lines
}

/// A long list of signs with its ends alone.
fn shorten(signs: &str) -> String {
    let m = signs.chars().count();
    if m <= 16 { signs.to_owned() } else { format!("{}... ({m})", signs.chars().take(8).collect::<String>()) }
}

fn try_next(answer: &LimitAnswer) -> Vec<String> {
    hint::hint(answer).map_or_else(Vec::new, |h| at_most(wrap("Try       ", &h), 2))
}

fn word(claim: Claim) -> &'static str {
    match claim {
        Claim::Certified => "certified",
        Claim::Bound => "bound",
        Claim::Infeasible => "infeasible",
        Claim::Undecided => "undecided",
    }
}

/// Colours the first occurrence of a verdict word.
fn colour(line: &str, word: &str, style: Style) -> String {
    line.replacen(word, &style.verdict(word), 1)
}

pub(crate) fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |c| c.to_uppercase().chain(chars).collect())
}
