//! The screenful of `relimit train`: where the run is, how it went, its levels over several starts.

use relimit_solve::answer::{Census, TrainAnswer, TrainStatus};

use super::cells::cells;
use super::census::remarks;
use super::layout::{Style, at_most, wrap};
use super::names::{many, short};
use super::optimum::table;
use super::rays::rays;
use crate::number::{align, count, four, percent};

/// Lines of the record that are shown.
const SHOWN: usize = 8;

/// The answer as text: at most a screen, lines of at most 80 columns, a newline at the end.
pub fn train(answer: &TrainAnswer, style: Style) -> String {
    let census = answer.census.as_ref().map_or_else(Vec::new, |census| levels(census, answer));
    let cells = answer.cells.as_ref().map_or_else(Vec::new, cells);
    let rays = answer.rays.as_ref().map_or_else(Vec::new, |r| rays(r, answer));
    let blocks = [head(answer, style), rays, cells, record(answer), census, settings(answer)];
    let blocks: Vec<String> = blocks.iter().filter(|b| !b.is_empty()).map(|b| b.join("\n")).collect();
    format!("{}\n", blocks.join("\n\n"))
}

fn head(answer: &TrainAnswer, style: Style) -> Vec<String> {
    let verb = match answer.status {
        TrainStatus::Completed => "is done",
        TrainStatus::Converged => "has converged",
        TrainStatus::Diverged => "diverged",
        TrainStatus::Budget => "was cut by the budget",
        TrainStatus::Interrupted => "was interrupted",
    };
    let width = match (answer.effective_width, answer.covered) {
        (Some(width), Some(covered)) => format!(
            "; its {} act like {}, which carry {} of the coefficient",
            many(answer.settings.width, "neuron"),
            width,
            percent(covered)
        ),
        _ => String::new(),
    };
    let sentence = format!("The run {verb} after {} steps{width}.", count(answer.steps));
    let mut lines: Vec<String> = wrap("", &sentence).iter().map(|l| style.bold(l)).collect();
    if let (Some(objective), Some(loss)) = (answer.objective, answer.loss) {
        let text = format!("Objective {}, {} loss {}.", four(objective), answer.settings.loss, four(loss));
        lines.extend(wrap("", &text));
    }
    let why = answer.why.as_ref().map_or_else(String::new, |why| format!(" {why}."));
    let noise = if answer.beta.is_some() {
        " One state of a random run: relimit gibbs has the law itself, relimit optimum the best possible."
    } else {
        " Nothing is proved about it: relimit certify bounds how far it is from the best possible (--save)."
    };
    lines.extend(wrap("", &format!("Certainty: {}.{why}{noise}", word(answer.status))));
    lines
}

fn word(status: TrainStatus) -> &'static str {
    match status {
        TrainStatus::Completed => "completed",
        TrainStatus::Converged => "converged",
        TrainStatus::Diverged => "diverged",
        TrainStatus::Budget => "budget",
        TrainStatus::Interrupted => "interrupted",
    }
}

/// A few lines of the record, spread over it, the last one among them.
fn record(answer: &TrainAnswer) -> Vec<String> {
    let all = &answer.record;
    if all.len() < 2 {
        return vec![];
    }
    let shown = all.len().min(SHOWN);
    let p: Vec<_> = (0..shown).map(|t| &all[t * (all.len() - 1) / (shown - 1)]).collect();
    let columns = [
        p.iter().map(|p| count(p.step)).collect(),
        align(&p.iter().map(|p| four(p.objective)).collect::<Vec<_>>()),
        align(&p.iter().map(|p| four(p.loss)).collect::<Vec<_>>()),
        align(&p.iter().map(|p| four(p.second_moment)).collect::<Vec<_>>()),
        align(&p.iter().map(|p| p.virial.map_or_else(|| "-".into(), four)).collect::<Vec<_>>()),
        p.iter().map(|p| p.effective_width.map_or_else(|| "-".into(), |w| w.to_string())).collect(),
        p.iter().map(|p| p.covered.map_or_else(|| "-".into(), percent)).collect::<Vec<String>>(),
    ];
    table("Steps", &["step", "objective", "loss", "E|theta|^2", "virial", "width", "covered"], &columns)
}

fn levels(census: &Census, answer: &TrainAnswer) -> Vec<String> {
    let p = &census.levels[..census.levels.len().min(SHOWN)];
    let columns = [
        align(&p.iter().map(|l| four(l.objective)).collect::<Vec<_>>()),
        align(&p.iter().map(|l| l.gap.map_or_else(|| "-".into(), four)).collect::<Vec<_>>()),
        p.iter().map(|l| count(l.runs)).collect(),
        p.iter().map(|l| percent(l.share)).collect(),
        p.iter().map(|l| format!("{} to {}", percent(l.low), percent(l.high))).collect(),
        p.iter().map(|l| l.alive.to_string()).collect(),
        p.iter().map(|l| l.seed.to_string()).collect::<Vec<String>>(),
    ];
    let title = format!("Levels that {} end at", many(census.starts as usize, "start"));
    let mut lines = table(&title, &["objective", "gap", "runs", "share", "95 % interval", "alive", "seed"], &columns);
    let more = census.levels.len() - p.len();
    lines.extend((more > 0).then(|| format!("  + {more} more in the JSON output")));
    lines.extend((census.diverged > 0).then(|| format!("  {} diverged", count(census.diverged))));
    lines.extend(remarks(census, answer.settings.width));
    lines
}

fn settings(answer: &TrainAnswer) -> Vec<String> {
    let (s, d) = (&answer.settings, &answer.data);
    let mut lines = wrap(
        "Data      ",
        &format!("{}: {} rows x {} features", short(&d.name, 40), count(d.n as u64), count(d.d as u64)),
    );
    for notice in &d.notices {
        lines.extend(at_most(wrap("Notice    ", notice), 3));
    }
    let anneal = s.anneal.map_or_else(String::new, |b| format!(" to {}", four(b)));
    let halved = s.halve_at.map_or_else(String::new, |h| format!(" (half at step {})", count(h)));
    let text = format!(
        "width {}, {}, {}, layers {}, lambda {} ({}), beta {}{anneal}, step {}{halved}, steps {}, batch {}, start {}, loss {}, \
         bias {}, offset {}, scale {}, target scale {}, missing {}, {}, seed {}",
        count(s.width as u64),
        s.scaling,
        s.unit,
        s.layers,
        four(answer.lambda),
        s.lambda,
        s.beta.map_or_else(|| "inf".into(), four),
        four(s.step),
        count(s.steps),
        s.batch,
        s.start,
        s.loss,
        s.bias,
        s.offset,
        s.reader.scale,
        s.reader.target_scale,
        s.reader.missing,
        s.precision,
        s.seed
    );
    lines.extend(wrap("Settings  ", &text));
    lines
}
