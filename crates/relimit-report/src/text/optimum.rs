//! The screenful of `relimit optimum`: the minimum, how sure, the network that attains it, then details.

use relimit_solve::answer::{CellFact, Claim, Ended, OptimumAnswer, PerTarget, TracePoint};

use super::layout::{Style, at_most, wrap};
use super::names::{many, short};
use crate::number::{align, certified, count, four, gap, interval, percent};

/// Points of the trace that are listed.
const TRACED: usize = 6;
/// Neurons or kinks that are listed.
const LISTED: usize = 12;
/// The same beside a path.
const LISTED_WITH_PATH: usize = 4;

/// The answer as text: at most a screen, lines of at most 80 columns, a newline at the end.
///
/// The first line says how large the best network is, the second what it costs, the third how sure that is.
pub fn optimum(answer: &OptimumAnswer, style: Style) -> String {
    let listed = if answer.path.is_some() || answer.trace.is_some() { LISTED_WITH_PATH } else { LISTED };
    let blocks = [
        head(answer, style),
        facts(answer, style),
        shape(answer, listed),
        path(answer),
        trace(answer),
        settings(answer),
    ];
    let blocks: Vec<String> = blocks.iter().filter(|b| !b.is_empty()).map(|b| b.join("\n")).collect();
    format!("{}\n", blocks.join("\n\n"))
}

/// The answer in one sentence.
pub(crate) fn optimum_sentence(answer: &OptimumAnswer) -> String {
    let best = match answer.status {
        Claim::Certified => "The best network of any width",
        _ => "The best network found",
    };
    match (answer.width, &answer.cells) {
        (0, _) => format!("{best} has no neuron: at this lambda none pays for itself."),
        (_, Some(cells)) => {
            let rank: usize = cells.iter().map(|c| c.rank).sum();
            format!("{best} has rank {rank} on {}.", many(cells.len(), "cell"))
        }
        (k, None) => format!("{best} has {}.", many(k, "neuron")),
    }
}

fn head(answer: &OptimumAnswer, style: Style) -> Vec<String> {
    let mut lines: Vec<String> = wrap("", &optimum_sentence(answer)).iter().map(|l| style.bold(l)).collect();
    let offset = match &answer.offset {
        offset if offset.size() == 0.0 => String::new(),
        PerTarget::One(v) => format!(", output bias {}", four(*v)),
        PerTarget::Several(all) => {
            let all: Vec<String> = all.iter().take(LISTED_WITH_PATH).map(|v| four(*v)).collect();
            format!(", output biases {}", all.join(", "))
        }
    };
    lines.extend(wrap(
        "",
        &format!(
            "Objective {} = {} loss {} + lambda {} x norm {}{offset}.",
            four(answer.objective),
            answer.settings.loss,
            four(answer.loss),
            four(answer.lambda),
            four(answer.norm)
        ),
    ));
    let word = word(answer.status);
    let text = match answer.status {
        Claim::Certified => {
            format!("Certainty: {word}. No network does better than {}.", certified(answer.dual, answer.gap))
        }
        Claim::Bound => format!(
            "Certainty: {word}. The minimum lies in {}, {} of the objective.{}",
            interval(answer.dual, answer.objective),
            percent(answer.gap_relative),
            cut(answer)
        ),
        _ => format!("Certainty: {word}. No lower bound above 0 was reached.{}", cut(answer)),
    };
    let certainty = wrap("", &text);
    lines.extend(
        certainty.iter().enumerate().map(
            |(k, l)| {
                if k == 0 { l.replacen(word, &style.verdict(word), 1) } else { l.clone() }
            },
        ),
    );
    lines
}

/// Why the work ended before the gap closed.
fn cut(answer: &OptimumAnswer) -> String {
    match answer.ended {
        Ended::Finished => String::new(),
        Ended::Nodes => format!(" Ended at {} nodes: --max-nodes gives more.", count(answer.nodes)),
        Ended::Budget => " The budget ended the search.".to_owned(),
        Ended::Interrupted => " Interrupted.".to_owned(),
    }
}

fn facts(answer: &OptimumAnswer, style: Style) -> Vec<String> {
    let mut lines = Vec::new();
    let share = if answer.lambda_max > 0.0 {
        format!("{} of lambda_max {}", percent(answer.lambda / answer.lambda_max), four(answer.lambda_max))
    } else {
        "lambda_max 0".to_owned()
    };
    let sure = match (answer.lambda_max_status, answer.lambda_max_upper) {
        (Claim::Certified, _) => " (certified)".to_owned(),
        (_, Some(upper)) => format!(" (at most {})", four(upper)),
        _ => String::new(),
    };
    lines.extend(wrap("lambda    ", &format!("{} = {share}{sure}", four(answer.lambda))));
    if let Some(bound) = answer.width_bound {
        let from = if answer.width_bound_exact { "patterns of these data" } else { "rows in general position" };
        let text = format!("{} of at most {} = 2(P - 1), {from}", count(answer.width as u64), count(bound));
        lines.extend(wrap("Width     ", &text));
    }
    if let Some(why) = &answer.unique_why {
        let verdict = answer.unique.map_or("open", |unique| if unique { "yes" } else { "no" });
        lines.extend(at_most(wrap("Unique    ", &format!("{verdict}: {why}")), 3));
    }
    if let Some(found) = &answer.selected {
        let shown = found.rays.iter().take(LISTED).map(|t| format!("{}{}", plus(t.c), four(t.c)));
        let more = if found.rays.len() > LISTED { ", ..." } else { "" };
        let list = shown.collect::<Vec<_>>().join(", ");
        let text = format!("vanishing noise selects c = {list}{more} ({} rule)", found.rule);
        lines.extend(at_most(wrap("Selected  ", &text), 3));
    }
    if let Some(fit) = &answer.exact_fit {
        let text = format!(
            "{} at least, total slope change {} (biases free)",
            many(fit.fewest_kinks, "kink"),
            four(fit.slope_change)
        );
        lines.extend(wrap("Exact fit ", &text));
    }
    lines.iter().map(|l| l.replacen("certified", &style.verdict("certified"), 1)).collect()
}

/// Cells for several targets, kinks and slopes for one feature, neurons otherwise.
fn shape(answer: &OptimumAnswer, most: usize) -> Vec<String> {
    if let Some(cells) = &answer.cells {
        return of_cells(cells, most);
    }
    match &answer.slopes {
        Some(slopes) if slopes.is_empty() => vec!["No kink: the function is affine.".to_owned()],
        Some(slopes) => {
            let shown = &slopes[..slopes.len().min(most)];
            let columns = [
                align(&shown.iter().map(|k| four(k.at)).collect::<Vec<_>>()),
                align(&shown.iter().map(|k| four(k.left)).collect::<Vec<_>>()),
                align(&shown.iter().map(|k| four(k.right)).collect::<Vec<_>>()),
            ];
            let mut lines = table("Kinks", &["at", "slope left", "slope right"], &columns);
            lines.extend((slopes.len() > most).then(|| format!("  + {}", many(slopes.len() - most, "more kink"))));
            lines
        }
        None if answer.neurons.is_empty() => vec![],
        None => {
            let shown = &answer.neurons[..answer.neurons.len().min(most)];
            let columns = [
                align(&shown.iter().map(|t| format!("{}{}", plus(t.c.size()), four(t.c.size()))).collect::<Vec<_>>()),
                align(&shown.iter().map(|t| count_of(&t.pattern, 1)).collect::<Vec<_>>()),
                align(&shown.iter().map(|t| count_of(&t.pattern, 0)).collect::<Vec<_>>()),
            ];
            let mut lines = table("Neurons", &["c", "active rows", "rows on the kink"], &columns);
            lines.extend(
                (answer.neurons.len() > most)
                    .then(|| format!("  + {}", many(answer.neurons.len() - most, "more neuron"))),
            );
            lines
        }
    }
}

/// Rank and size of the map on each cell.
fn of_cells(cells: &[CellFact], most: usize) -> Vec<String> {
    if cells.is_empty() {
        return vec![];
    }
    let shown = &cells[..cells.len().min(most)];
    let columns = [
        shown.iter().map(|c| c.rank.to_string()).collect(),
        align(&shown.iter().map(|c| four(c.singular_values.iter().sum())).collect::<Vec<_>>()),
        shown.iter().map(|c| c.neurons.len().to_string()).collect(),
        align(&shown.iter().map(|c| count_of(&c.pattern, 1)).collect::<Vec<_>>()),
        align(&shown.iter().map(|c| count_of(&c.pattern, 0)).collect::<Vec<_>>()),
    ];
    let titles = ["rank", "nuclear norm", "neurons here", "active rows", "rows on the wall"];
    let mut lines = table("Cells", &titles, &columns);
    lines.extend((cells.len() > most).then(|| format!("  + {}", many(cells.len() - most, "more cell"))));
    lines
}

fn plus(c: f64) -> &'static str {
    if c > 0.0 { "+" } else { "" }
}

fn count_of(pattern: &[i8], sign: i8) -> String {
    count(pattern.iter().filter(|s| **s == sign).count() as u64)
}

fn path(answer: &OptimumAnswer) -> Vec<String> {
    let Some(points) = &answer.path else { return vec![] };
    let size = if answer.cells.is_some() { "rank" } else { "width" };
    let columns = [
        points.iter().map(|p| percent(p.lambda / answer.lambda_max)).collect(),
        points.iter().map(|p| four(p.objective)).collect(),
        points.iter().map(|p| gap(p.gap)).collect(),
        points.iter().map(|p| p.rank.unwrap_or(p.width).to_string()).collect(),
        points.iter().map(|p| format!("+{} -{}", p.entered, p.left)).collect(),
        points.iter().map(|p| word(p.status).to_owned()).collect::<Vec<_>>(),
    ];
    table("Path", &["of lambda_max", "objective", "gap", size, "patterns", "status"], &columns)
}

/// The last points of the trace.
fn trace(answer: &OptimumAnswer) -> Vec<String> {
    let Some(points) = &answer.trace else { return vec![] };
    let points = &points[points.len().saturating_sub(TRACED)..];
    let share = |p: &TracePoint| if p.upper > 0.0 { (p.upper - p.lower).max(0.0) / p.upper } else { 0.0 };
    let columns = [
        points.iter().map(|p| count(p.nodes)).collect(),
        align(&points.iter().map(|p| four(p.seconds)).collect::<Vec<_>>()),
        points.iter().map(|p| interval(p.lower, p.upper)).collect(),
        points.iter().map(|p| percent(share(p))).collect::<Vec<_>>(),
    ];
    table("Trace", &["nodes", "seconds", "objective in", "gap"], &columns)
}

/// A table with a heading; columns aligned on the right under their titles.
pub(super) fn table(heading: &str, titles: &[&str], columns: &[Vec<String>]) -> Vec<String> {
    let width = |k: usize| {
        let longest = columns[k].iter().map(|s| s.chars().count()).max().unwrap_or(0);
        longest.max(titles[k].chars().count())
    };
    let row = |cells: &mut dyn Iterator<Item = &str>| {
        cells.enumerate().map(|(k, c)| format!("  {c:>w$}", w = width(k))).collect::<Vec<_>>().concat()
    };
    let mut lines = vec![heading.to_owned(), row(&mut titles.iter().copied())];
    lines.extend((0..columns[0].len()).map(|i| row(&mut columns.iter().map(|c| c[i].as_str()))));
    lines
}

fn settings(answer: &OptimumAnswer) -> Vec<String> {
    let (data, s) = (&answer.data, &answer.settings);
    let mut facts = vec![format!("{} x {}", many(data.n, "row"), many(data.d, "feature"))];
    facts.extend(s.reader.target.as_ref().map(|t| format!("target {t}")));
    facts.extend(s.weight.as_ref().map(|w| format!("weight {w}")));
    let mut lines = at_most(wrap("Data      ", &format!("{}: {}", short(&data.name, 32), facts.join(", "))), 2);
    let mut parts = vec![
        format!("loss {}", s.loss),
        format!("lambda {}", s.lambda),
        format!("bias {}", s.bias),
        format!("offset {}", s.offset),
        format!("scale {}", s.reader.scale),
        format!("target scale {}", s.reader.target_scale),
        format!("missing {}", s.reader.missing),
        format!("gap {}", four(s.gap)),
        format!("max nodes {}", count(s.max_nodes)),
        format!("seed {}", s.seed),
        format!("threads {}", s.threads),
    ];
    parts.extend(s.reader.columns.as_ref().map(|v| format!("columns {v}")));
    parts.extend(s.reader.drop.as_ref().map(|v| format!("drop {v}")));
    parts.extend(s.reader.rows.as_ref().map(|v| format!("rows {v}")));
    parts.extend(s.budget.map(|v| format!("budget {}s", four(v))));
    lines.extend(at_most(wrap("Settings  ", &parts.join(", ")), 3));
    lines.extend(at_most(wrap("Work      ", &work(answer)), 2));
    for notice in data.notices.iter().take(2) {
        lines.extend(at_most(wrap("Note      ", notice), 2));
    }
    lines
}

fn work(answer: &OptimumAnswer) -> String {
    let found = match answer.returns {
        0 => String::new(),
        k => format!("; {} that local search had missed", many(k as usize, "direction")),
    };
    format!("{} of the sign trees{found}", many(answer.nodes as usize, "node"))
}

/// The word for a status.
pub(crate) fn word(claim: Claim) -> &'static str {
    match claim {
        Claim::Certified => "certified",
        Claim::Bound => "bound",
        Claim::Infeasible => "infeasible",
        Claim::Undecided => "undecided",
    }
}
