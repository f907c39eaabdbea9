//! The screenful of `relimit gibbs`: where the law is, how sure, its rays, the way down the temperatures.

use relimit_solve::answer::{GibbsAnswer, GibbsPoint, GibbsStatus, VanishingNoise};

use super::layout::{Style, at_most, wrap};
use super::names::{many, short};
use super::optimum::table;
use crate::number::{align, count, four, percent};

/// Groups that are listed.
const LISTED: usize = 8;

/// The answer as text: at most a screen, lines of at most 80 columns, a newline at the end.
pub fn gibbs(answer: &GibbsAnswer, style: Style) -> String {
    let blocks = [head(answer, style), rays(answer), path(answer), near(answer), limit(answer), settings(answer)];
    let blocks: Vec<String> = blocks.iter().filter(|b| !b.is_empty()).map(|b| b.join("\n")).collect();
    format!("{}\n", blocks.join("\n\n"))
}

fn head(answer: &GibbsAnswer, style: Style) -> Vec<String> {
    let sentence = match (answer.effective_width, answer.covered) {
        (Some(width), Some(covered)) => format!(
            "At beta {} the law of noisy training acts like {}, which carry {} of the coefficient.",
            four(answer.beta),
            many(width, "neuron"),
            percent(covered)
        ),
        _ => format!("The law at beta {} was not reached.", four(answer.beta)),
    };
    let mut lines: Vec<String> = wrap("", &sentence).iter().map(|l| style.bold(l)).collect();
    if let (Some(free), Some(objective), Some(loss)) = (answer.free_energy, answer.objective, answer.loss) {
        let text = format!(
            "Free energy {} = objective {} - entropy/beta; {} loss {}.",
            four(free),
            four(objective),
            answer.settings.loss,
            four(loss)
        );
        lines.extend(wrap("", &text));
    }
    let certainty = match (answer.outputs_error, &answer.why) {
        (Some(error), None) if answer.points.is_some() => format!(
            "Certainty: {}. The outputs are within {} (95 %), estimated from {} points on the sphere of directions.",
            word(answer.status),
            four(error),
            count(answer.points.unwrap_or(0) as u64)
        ),
        (_, Some(why)) => format!("Certainty: {}. {why}.", word(answer.status)),
        (Some(error), None) => format!(
            "Certainty: {}. The outputs are exact to {}, of which {} is rounding of the closed forms.",
            word(answer.status),
            four(error),
            four(answer.quadrature_error.unwrap_or(0.0))
        ),
        _ => format!("Certainty: {}.", word(answer.status)),
    };
    lines.extend(wrap("", &certainty));
    lines
}

fn rays(answer: &GibbsAnswer) -> Vec<String> {
    if answer.groups.is_empty() {
        return vec![];
    }
    let shown = &answer.groups[..answer.groups.len().min(LISTED)];
    let kinks = answer.data.d == 1 && answer.settings.bias != "none";
    let mut titles = vec!["coefficient", "of all", "of the neurons"];
    let mut columns = vec![
        align(&shown.iter().map(|g| four(g.c)).collect::<Vec<_>>()),
        shown.iter().map(|g| percent(g.share)).collect(),
        shown.iter().map(|g| percent(g.mass)).collect(),
    ];
    if kinks {
        titles.push("kink at");
        columns.push(align(&shown.iter().map(|g| g.kink.map_or_else(|| "none".into(), four)).collect::<Vec<_>>()));
    }
    let mut lines = table(&format!("Rays within {} degrees", four(answer.settings.angle)), &titles, &columns);
    let more = answer.groups.len() - shown.len();
    lines.extend((more > 0).then(|| format!("  + {more} more")));
    lines
}

fn path(answer: &GibbsAnswer) -> Vec<String> {
    if answer.path.len() < 2 {
        return vec![];
    }
    let p = &answer.path;
    let mut columns = vec![
        p.iter().map(|p| four(p.beta)).collect(),
        p.iter().map(|p| four(p.free_energy)).collect(),
        p.iter().map(|p| four(p.objective)).collect(),
        p.iter().map(|p| four(p.norm)).collect(),
        p.iter().map(|p| p.effective_width.to_string()).collect(),
        p.iter().map(|p| percent(p.covered)).collect(),
        p.iter().map(|p| word(p.status).to_owned()).collect::<Vec<_>>(),
    ];
    let mut titles = vec!["beta", "free energy", "objective", "norm", "width", "covered", "status"];
    if p.iter().any(|p| p.measured.is_some()) {
        titles.push("particles");
        let width = |p: &GibbsPoint| p.measured.as_ref().map_or_else(|| "-".into(), |m| m.effective_width.to_string());
        columns.push(p.iter().map(width).collect());
    }
    table("Temperatures", &titles, &columns)
}

/// Shares of the coefficient near the rays of the optimum, those of the neurons in brackets.
fn near(answer: &GibbsAnswer) -> Vec<String> {
    let p: Vec<&GibbsPoint> = answer.path.iter().filter(|p| !p.near.is_empty()).collect();
    let Some(first) = p.first() else { return vec![] };
    let angles: Vec<String> = first.near.iter().map(|s| format!("{} degrees", four(s.degrees))).collect();
    let titles: Vec<&str> = std::iter::once("beta").chain(angles.iter().map(String::as_str)).collect();
    let mut columns = vec![p.iter().map(|p| four(p.beta)).collect::<Vec<_>>()];
    for k in 0..angles.len() {
        let share = |p: &&GibbsPoint| format!("{} ({})", percent(p.near[k].coefficient), percent(p.near[k].mass));
        columns.push(p.iter().map(share).collect());
    }
    table("Coefficient (neurons) near the rays of the optimum", &titles, &columns)
}

fn limit(answer: &GibbsAnswer) -> Vec<String> {
    let Some(limit) = &answer.limit else { return vec![] };
    let text =
        format!("objective {} with {}. {}", four(limit.objective), many(limit.rays.len(), "ray"), selection(limit));
    let mut lines = at_most(wrap("No noise  ", &text), 4);
    if limit.condensation {
        let text = "a ray with four or more independent rows on its kink: at every temperature its coefficient escapes \
                    to ever larger and rarer neurons (condensation)";
        lines.extend(wrap("Warning   ", text));
    }
    lines
}

fn selection(limit: &VanishingNoise) -> String {
    let coefficients: Vec<String> = limit.rays.iter().take(6).map(|t| four(t.c)).collect();
    let list = coefficients.join(", ");
    match limit.rule.as_deref() {
        Some("unique") => format!("One network alone attains it: coefficients {list}."),
        Some(rule) => format!("Several networks attain it; by the {rule} rule noise selects coefficients {list}."),
        None => "Several networks attain it, and no rule is known for what noise selects.".to_owned(),
    }
}

fn settings(answer: &GibbsAnswer) -> Vec<String> {
    let (data, s) = (&answer.data, &answer.settings);
    let mut facts = vec![format!("{} x {}", many(data.n, "row"), many(data.d, "feature"))];
    facts.extend(s.reader.target.as_ref().map(|t| format!("target {t}")));
    let mut lines = at_most(wrap("Data      ", &format!("{}: {}", short(&data.name, 32), facts.join(", "))), 2);
    let betas: Vec<String> = s.beta.iter().map(|b| four(*b)).collect();
    let mut parts = vec![
        format!("loss {}", s.loss),
        format!("lambda {}", s.lambda),
        format!("beta {}", betas.join(",")),
        format!("bias {}", s.bias),
        format!("scale {}", s.reader.scale),
        format!("target scale {}", s.reader.target_scale),
        format!("missing {}", s.reader.missing),
        format!("angle {}", four(s.angle)),
        format!("samples {}", s.samples),
        format!("grid {}", s.grid),
        format!("particles {}", s.particles),
        format!("seed {}", s.seed),
    ];
    parts.extend(s.reader.columns.as_ref().map(|v| format!("columns {v}")));
    parts.extend(s.reader.drop.as_ref().map(|v| format!("drop {v}")));
    parts.extend(s.reader.rows.as_ref().map(|v| format!("rows {v}")));
    parts.extend(s.budget.map(|v| format!("budget {}s", four(v))));
    lines.extend(at_most(wrap("Settings  ", &parts.join(", ")), 3));
    if s.lambda.ends_with("max") {
        lines.extend(wrap(
            "lambda    ",
            &format!("{} of lambda_max {}", four(answer.lambda), four(answer.lambda_max.unwrap_or(0.0))),
        ));
    }
    for notice in data.notices.iter().take(2) {
        lines.extend(at_most(wrap("Note      ", notice), 2));
    }
    lines
}

fn word(status: GibbsStatus) -> &'static str {
    match status {
        GibbsStatus::Converged => "converged",
        GibbsStatus::Undecided => "undecided",
        GibbsStatus::Budget => "budget",
        GibbsStatus::Interrupted => "interrupted",
    }
}
