//! The screenful of `relimit collapse`: how many neurons are needed, how far the narrow network is off, which can go.

use relimit_core::collapse::{Counted, Kind};
use relimit_solve::answer::{Claim, CollapseAnswer, Ended};

use super::layout::{Style, at_most, wrap};
use super::names::{many, neurons, short};
use crate::number::{count, four, four_up};

/// The answer as text: at most a screen, lines of at most 80 columns, a newline at the end.
pub fn collapse(answer: &CollapseAnswer, style: Style) -> String {
    let blocks = [head(answer, style), width(answer), data(answer), line(answer), settings(answer), hint(answer)];
    let blocks: Vec<String> = blocks.iter().filter(|b| !b.is_empty()).map(|b| b.join("\n")).collect();
    format!("{}\n", blocks.join("\n\n"))
}

fn head(answer: &CollapseAnswer, style: Style) -> Vec<String> {
    let mut lines: Vec<String> = wrap("", &sentence(answer)).iter().map(|l| style.bold(l)).collect();
    lines.extend(wrap("", &distance(answer)));
    let (word, why) = match answer.status {
        Claim::Certified if answer.on == "rows" => ("certified", "Compared row by row in exact arithmetic."),
        Claim::Certified => ("certified", "Compared kink by kink in exact arithmetic, not on samples."),
        _ => ("undecided", "A bound left the range of double precision."),
    };
    lines.push(format!("Certainty: {}. {why}", style.verdict(word)));
    if answer.ended == Ended::Interrupted {
        lines.extend(wrap(
            "",
            "Ctrl-C ended the search: the difference is proved, but a narrower network may have been missed.",
        ));
    }
    lines
}

fn sentence(answer: &CollapseAnswer) -> String {
    let (given, narrow) = (answer.width, answer.effective_width);
    let nearly = if answer.merged.is_empty() { "the same function" } else { "nearly the same function" };
    if narrow < given && answer.on == "rows" {
        return format!("{} give the same outputs on the rows as all {}.", many(narrow, "neuron"), count(given as u64));
    }
    if narrow < given {
        return format!("{} compute {nearly} as all {}.", many(narrow, "neuron"), count(given as u64));
    }
    match (answer.narrowest.exact, given) {
        (true, 0) => "The network has no neurons: it is a constant.".into(),
        (true, 1) => "The only neuron is needed.".into(),
        (true, _) => format!("All {} are needed.", many(given, "neuron")),
        (false, _) => format!("No way was found to do with fewer than {}.", many(given, "neuron")),
    }
}

fn distance(answer: &CollapseAnswer) -> String {
    let place = match (&answer.r#box, answer.settings.r#box.as_str()) {
        (None, _) if answer.on == "rows" => "on the rows, whatever lies between".to_owned(),
        (None, _) => "everywhere".to_owned(),
        (Some(_), "data") => "on the data's ranges".to_owned(),
        (Some(_), given) => format!("on the box {given}"),
    };
    if answer.identical {
        return format!("The narrow network is equal {place}: largest difference 0.");
    }
    let bound = answer.max_difference.map_or_else(|| "not known".to_owned(), four_up);
    match &answer.difference {
        Some(g) => format!(
            "Largest difference {bound} for inputs within [-1, 1]; everywhere at most {} + {} max|x|.",
            four_up(g.constant),
            four_up(g.slope)
        ),
        None => format!("Largest difference {bound} {place}."),
    }
}

fn width(answer: &CollapseAnswer) -> Vec<String> {
    let w = &answer.narrowest;
    let domain = match answer.on.as_str() {
        "box" => " on the box",
        "rows" => " on the rows",
        _ => "",
    };
    let mut lines = vec!["Neurons".to_owned()];
    let known = if w.exact { format!("{}, exactly", w.upper) } else { format!("{} to {}", w.lower, w.upper) };
    let label = match (answer.merged.is_empty(), answer.on.as_str()) {
        (false, _) => "narrowest once merged",
        (true, "rows") => "narrowest equal on the rows",
        (true, _) => "narrowest equal network",
    };
    lines.push(format!("  {label:<28} {known} (with output biases)"));
    lines.push(format!("  kinks / rays                 {} / {}", w.kinks, w.rays));
    lines.push(format!("  regions of input space       {}", counted(&answer.regions)));
    let list = |of: fn(&Kind) -> bool| -> Vec<usize> {
        answer.neurons.iter().filter(|n| of(&n.kind)).map(|n| n.neuron).collect()
    };
    let groups = [
        (list(|k| matches!(k, Kind::Dead)), format!("never active{domain}")),
        (list(|k| matches!(k, Kind::Constant)), "constant, folded into the output bias".to_owned()),
        (list(|k| matches!(k, Kind::AlwaysOn)), format!("always active{domain}, affine there")),
        (list(|k| matches!(k, Kind::Unused)), "output weights 0".to_owned()),
        (list(|k| matches!(k, Kind::Duplicate { .. })), "a positive multiple of an earlier neuron".to_owned()),
        (list(|k| matches!(k, Kind::Opposite { .. })), "the other side of an earlier neuron's kink".to_owned()),
    ];
    for (members, what) in groups.iter().filter(|g| !g.0.is_empty()) {
        let counted = if members.len() > 1 { format!("{} in all: ", members.len()) } else { String::new() };
        lines.extend(at_most(wrap("  ", &format!("{counted}{}: {what}", neurons(members))), 2));
    }
    for group in answer.merged.iter().take(4) {
        lines.extend(at_most(wrap("  ", &format!("{}: merged to one ray", neurons(group))), 2));
    }
    if answer.merged.len() > 4 {
        lines.push(format!("  + {} merged", many(answer.merged.len() - 4, "more group")));
    }
    lines
}

fn data(answer: &CollapseAnswer) -> Vec<String> {
    let Some(p) = &answer.pattern_facts else { return vec![] };
    let mut lines = vec!["On the data".to_owned()];
    let relation = if p.incomparable { "none arises from another by zeros" } else { "some arise from others by zeros" };
    let text = format!(
        "{} of {} (signs -, 0, + over the rows); {relation}; at most {} with the same active rows",
        many(p.distinct, "distinct pattern"),
        many(answer.effective_width, "neuron"),
        p.most_per_binary
    );
    lines.extend(wrap("  ", &text));
    let seen = if p.saturated {
        format!("regions seen: {}, one for every row, which is no count of the regions there are", p.regions_seen)
    } else {
        format!("regions seen: {}, a lower bound of those there are", p.regions_seen)
    };
    lines.extend(wrap("  ", &seen));
    if let Some(bound) = &answer.ray_bound {
        let text = format!("2P - 1 = {}, with P active sets of a neuron with bias on these rows", counted(bound));
        lines.extend(at_most(wrap("  ", &text), 2));
    }
    lines
}

/// A number, or an interval; digits beyond 15 give way to a power of ten.
fn counted(c: &Counted) -> String {
    let short = |digits: &str| match digits.len() {
        0..=15 => digits.parse().map_or_else(|_| digits.to_owned(), count),
        n => format!("{}.{}e{}", &digits[..1], &digits[1..4], n - 1),
    };
    if c.lower == c.upper { short(&c.lower) } else { format!("{} to {}", short(&c.lower), short(&c.upper)) }
}

fn line(answer: &CollapseAnswer) -> Vec<String> {
    let Some(line) = &answer.line else { return vec![] };
    let some = |all: &[f64]| {
        let shown: Vec<String> = all.iter().take(8).map(|v| four(*v)).collect();
        let more = all.len().saturating_sub(8);
        if more > 0 { format!("{} + {more} more", shown.join(", ")) } else { shown.join(", ") }
    };
    let pieces = many(line.slopes.len(), "linear piece");
    if line.joints.is_empty() {
        return vec![format!("{pieces}, slope {}", some(&line.slopes))];
    }
    let mut lines = vec![pieces];
    lines.extend(wrap("  joints  ", &some(&line.joints)));
    lines.extend(wrap("  slopes  ", &some(&line.slopes)));
    lines
}

fn settings(answer: &CollapseAnswer) -> Vec<String> {
    let (net, s) = (&answer.network, &answer.settings);
    let shape = [many(net.inputs, "input"), many(answer.width, "neuron"), many(net.outputs, "output")].join(", ");
    let mut lines = at_most(wrap("Network   ", &format!("{}: {shape}", short(&net.name, 32))), 2);
    let mut parts = vec![format!("box {}", s.r#box), format!("tolerance {}", four(s.tolerance))];
    parts.extend(s.data.as_ref().map(|v| format!("data {v}")));
    parts.extend(s.data.as_ref().map(|_| format!("missing {}", s.missing)));
    parts.extend(s.columns.as_ref().map(|v| format!("columns {v}")));
    parts.extend(s.drop.as_ref().map(|v| format!("drop {v}")));
    parts.extend(s.rows.as_ref().map(|v| format!("rows {v}")));
    lines.extend(at_most(wrap("Settings  ", &parts.join(", ")), 3));
    for notice in answer.notices.iter().take(3) {
        lines.extend(at_most(wrap("Note      ", notice), 2));
    }
    if answer.notices.len() > 3 {
        lines.push(format!("Note      + {} in the JSON output", many(answer.notices.len() - 3, "more notice")));
    }
    lines
}

fn hint(answer: &CollapseAnswer) -> Vec<String> {
    let text = if answer.effective_width < answer.width {
        "--save narrow.safetensors (or .onnx, .npz) writes the narrow network"
    } else if answer.settings.tolerance == 0.0 && answer.width > 1 {
        "--tolerance 0.01 merges neurons that are nearly equal and bounds the change"
    } else {
        return vec![];
    };
    wrap("Try       ", text)
}
