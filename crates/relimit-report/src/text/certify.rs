//! The screenful of `relimit certify`: the verdict, the objective against its bound, what blocks the network.

use relimit_core::collapse::Kind;
use relimit_solve::answer::{CertifyAnswer, Claim, Ended, Judgement, LevelName};

use super::layout::{Style, at_most, wrap};
use super::names::{many, neurons, rows, short};
use crate::number::{certified, count, four, four_up, interval};

/// The answer as text: at most a screen, lines of at most 80 columns, a newline at the end.
pub fn certify(answer: &CertifyAnswer, style: Style) -> String {
    let blocks = [
        head(answer, style),
        descent(answer),
        neurons_of(answer),
        levels(answer),
        floor(answer),
        settings(answer),
        hint(answer),
    ];
    let blocks: Vec<String> = blocks.iter().filter(|b| !b.is_empty()).map(|b| b.join("\n")).collect();
    format!("{}\n", blocks.join("\n\n"))
}

fn head(answer: &CertifyAnswer, style: Style) -> Vec<String> {
    let mut letters = answer.verdict.chars();
    let first: String = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    let sentence = format!("{first}{}.", letters.as_str());
    let mut lines: Vec<String> = wrap("", &sentence).iter().map(|l| style.bold(l)).collect();
    let loss = &answer.settings.loss;
    let objective = if answer.lambda == 0.0 {
        format!("Objective {} = {loss} loss, without weight decay.", four(answer.objective))
    } else {
        let penalty = answer.objective - answer.loss;
        let (shown, balanced) = (four(answer.objective), four(answer.objective_balanced));
        let balanced =
            if shown == balanced { String::new() } else { format!("; {balanced} with every neuron balanced") };
        format!("Objective {shown} = {loss} loss {} + penalty {}{balanced}.", four(answer.loss), four(penalty))
    };
    lines.extend(wrap("", &objective));
    let word = word(answer.status);
    let text = match answer.status {
        Claim::Certified => {
            format!("Certainty: {word}. No network does better than {}.", certified(answer.lower_bound, answer.gap))
        }
        Claim::Bound => format!(
            "Certainty: {word}. The best possible lies in {}; this network is above it by {}.{}",
            interval(answer.lower_bound, answer.best_known),
            interval((answer.objective - answer.best_known).max(0.0), answer.gap),
            cut(answer)
        ),
        _ => format!(
            "Certainty: {word}. The best possible is at most {}; no bound above 0 was reached.{}",
            four_up(answer.best_known),
            cut(answer)
        ),
    };
    let text = if answer.floor.is_some() && answer.status != Claim::Certified { floor_sentence(answer) } else { text };
    let certainty = wrap("", &text);
    lines.extend(certainty.iter().map(|l| l.replacen(word, &style.verdict(word), 1)));
    lines
}

/// Without weight decay: the floor instead of a dual bound.
fn floor_sentence(answer: &CertifyAnswer) -> String {
    let word = word(answer.status);
    let floor = four(answer.lower_bound);
    if answer.floor.as_ref().is_some_and(|f| f.width.is_some()) {
        format!("Certainty: {word}. The best possible is {floor}: wide networks reach it.")
    } else {
        let best = four_up(answer.best_known);
        format!("Certainty: {word}. No network gets below {floor}, some get to {best}; what lies between is open.")
    }
}

fn cut(answer: &CertifyAnswer) -> &'static str {
    match answer.ended {
        Ended::Finished => "",
        Ended::Nodes => " --max-nodes ended the search.",
        Ended::Budget => " --budget ended the search.",
        Ended::Interrupted => " Ctrl-C ended the search.",
    }
}

fn descent(answer: &CertifyAnswer) -> Vec<String> {
    let at = &answer.stationarity;
    let moves = if at.moves { "descent still moves it" } else { "descent does not move it (to 1e-6)" };
    let kinks =
        if at.kinks == 0 { String::new() } else { format!("; {} on a kink", many(at.kinks, "neuron-row pair")) };
    let mut lines = wrap(
        "Descent   ",
        &format!("{moves}: gradient {}, {} of its scale{kinks}", four(at.residual), four(at.relative)),
    );
    if answer.judgement == Judgement::StoppedEarly
        && answer.lambda == 0.0
        && let Some(level) = answer.levels.iter().find(|l| l.name == LevelName::Affine)
        && level.loss < answer.loss
    {
        lines.extend(wrap(
            "          ",
            &format!("two neurons do better: the best affine fit has loss {}", four(level.loss)),
        ));
    }
    lines
}

fn neurons_of(answer: &CertifyAnswer) -> Vec<String> {
    let mut lines = vec![format!("Neurons   {}", count(answer.width as u64))];
    let list = |of: fn(&Kind) -> bool| -> Vec<usize> {
        answer.neurons.iter().filter(|n| of(&n.kind)).map(|n| n.neuron).collect()
    };
    let decayed = answer.lambda > 0.0;
    let dead = if decayed { "active on no row, moved by the decay alone" } else { "active on no row, never moved" };
    let groups = [
        (answer.dead_neurons.clone(), dead),
        (answer.always_on_neurons.clone(), "active on every row, so affine on these data"),
        (list(|k| matches!(k, Kind::Duplicate { .. })), "a positive multiple of an earlier neuron"),
        (list(|k| matches!(k, Kind::Opposite { .. })), "the other side of an earlier neuron's kink"),
        (list(|k| matches!(k, Kind::Unused)), "of output weight 0"),
    ];
    for (members, what) in groups.iter().filter(|g| !g.0.is_empty()) {
        lines.extend(at_most(wrap("  ", &format!("{} {what}: {}", count(members.len() as u64), neurons(members))), 2));
    }
    let unseen = &answer.dead_examples;
    if !unseen.is_empty() {
        let text = format!("{} of {} seen by no neuron: {}", unseen.len(), many(answer.data.n, "row"), rows(unseen));
        lines.extend(at_most(wrap("  ", &text), 2));
    }
    lines
}

fn levels(answer: &CertifyAnswer) -> Vec<String> {
    let mut lines = vec![format!("Levels    ({} loss without penalty)", answer.settings.loss)];
    for level in &answer.levels {
        let here = match answer.level == Some(level.name) {
            true if !answer.level_shrunk => "  <- this network".to_owned(),
            true => format!("  <- this network, shrunk: {}", four(answer.loss)),
            false => String::new(),
        };
        lines.push(format!("  {:>10}  {}{here}", four(level.loss), level.name.words()));
    }
    if answer.level.is_none() {
        lines.push(format!("  {:>10}  this network", four(answer.loss)));
    }
    lines
}

fn floor(answer: &CertifyAnswer) -> Vec<String> {
    let Some(floor) = &answer.floor else { return vec![] };
    let mut text = match floor.conflicts.len() {
        0 if floor.loss > 0.0 => format!("{}: rows of zeros get the output 0", four(floor.loss)),
        0 => "0: no equal inputs with different labels".to_owned(),
        k => format!("{}: {} of equal inputs with different labels", four(floor.loss), many(k, "group")),
    };
    if let Some(first) = floor.conflicts.first() {
        text += ", the first ";
        text += &rows(first);
    }
    let kinks = floor.kinks.map_or_else(String::new, |k| format!(" ({} in the function)", many(k, "kink")));
    if let Some(width) = floor.width {
        let reach = if width == 1 { "reaches" } else { "reach" };
        text = format!("{text}; {} certainly {reach} it{kinks}", many(width, "neuron"));
    }
    at_most(wrap("Floor     ", &text), 3)
}

fn settings(answer: &CertifyAnswer) -> Vec<String> {
    let (data, net, s) = (&answer.data, &answer.network, &answer.settings);
    let mut shape = vec![many(net.inputs, "input"), many(answer.width, "neuron")];
    shape.extend((net.outputs > 1).then(|| many(net.outputs, "output")));
    let shape = shape.join(", ");
    let mut lines = at_most(wrap("Network   ", &format!("{}: {shape}", short(&net.name, 32))), 2);
    let mut facts = vec![format!("{} x {}", many(data.n, "row"), many(data.d, "feature"))];
    let word = if net.outputs == 1 { "target" } else { "targets" };
    facts.extend(s.reader.target.as_ref().map(|t| format!("{word} {}", t.replace(',', ", "))));
    lines.extend(at_most(wrap("Data      ", &format!("{}: {}", short(&data.name, 32), facts.join(", "))), 2));
    let mut parts = vec![format!("loss {}", s.loss), format!("lambda {}", s.lambda)];
    parts.extend(s.convention.as_ref().map(|v| format!("convention {v}")));
    parts.extend(s.batch.as_ref().map(|v| format!("batch {v}")));
    parts.extend([
        format!("bias {}", s.bias),
        format!("offset {}", s.offset),
        format!("scale {}", s.reader.scale),
        format!("target scale {}", s.reader.target_scale),
        format!("takes {}", s.takes),
        format!("missing {}", s.reader.missing),
        format!("gap {}", four(s.gap)),
        format!("max nodes {}", count(s.max_nodes)),
        format!("seed {}", s.seed),
        format!("threads {}", s.threads),
    ]);
    parts.extend(s.reader.columns.as_ref().map(|v| format!("columns {v}")));
    parts.extend(s.reader.drop.as_ref().map(|v| format!("drop {v}")));
    parts.extend(s.reader.rows.as_ref().map(|v| format!("rows {v}")));
    parts.extend(s.budget.map(|v| format!("budget {}s", four(v))));
    lines.extend(at_most(wrap("Settings  ", &parts.join(", ")), 3));
    if answer.lambda > 0.0 {
        let nodes = many(answer.nodes as usize, "node");
        lines.push(format!("Work      lambda {}, {nodes} of the sign trees", four(answer.lambda)));
    }
    if !answer.translation.is_empty() {
        lines.extend(at_most(wrap("Meaning   ", &answer.translation.join(" ")), 5));
    }
    for notice in data.notices.iter().take(2) {
        lines.extend(at_most(wrap("Note      ", notice), 2));
    }
    lines
}

fn hint(answer: &CertifyAnswer) -> Vec<String> {
    let text = match answer.judgement {
        Judgement::StoppedEarly if answer.lambda == 0.0 => {
            "train on from these weights; was there weight decay? then --lambda, and --convention for the library's number"
        }
        Judgement::StoppedEarly => "train on from these weights, with smaller steps at the end",
        Judgement::Stuck if !answer.dead_neurons.is_empty() => {
            "relimit collapse drops dead neurons; a new start or more width wakes them"
        }
        Judgement::Stuck => "another start or more neurons; relimit optimum --save writes the best network",
        Judgement::Open => "--max-nodes or --budget with more work tighten the bound",
        Judgement::Best => return vec![],
    };
    wrap("Try       ", text)
}

fn word(claim: Claim) -> &'static str {
    match claim {
        Claim::Certified => "certified",
        Claim::Bound => "bound",
        Claim::Infeasible => "infeasible",
        Claim::Undecided => "undecided",
    }
}
