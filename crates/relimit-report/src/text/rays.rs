//! The run beside the optimum: how far it is, which rays there are, and what of the coefficient is on each.

use relimit_solve::answer::{Claim, TrainAnswer, TrainRays};

use super::layout::wrap;
use super::names::many;
use super::optimum::table;
use crate::number::{align, count, four, four_down, four_up, percent};

/// Rays that are listed.
const SHOWN: usize = 8;

/// The optimum's rays and what the run has of each.
pub(super) fn rays(r: &TrainRays, answer: &TrainAnswer) -> Vec<String> {
    let sure = match r.status {
        Claim::Certified => "certified".to_owned(),
        _ => format!("between {} and it", four_down(r.lower_bound)),
    };
    let excess = r.excess.map_or_else(String::new, |e| format!("; the run is at most {} above", four_up(e)));
    let mut lines = wrap("Optimum   ", &format!("objective {} ({sure}){excess}.", four(r.objective)));
    let near: Vec<String> =
        r.near.iter().map(|n| format!("{} within {}", percent(n.coefficient), four(n.degrees))).collect();
    let bound = match (r.ray_bound_proved.or(r.ray_bound), r.patterns) {
        (Some(bound), Some(p)) => format!("; no optimum has more than {} ({} patterns)", count(bound), count(p)),
        _ => String::new(),
    };
    let unique = match r.unique {
        Some(true) => "one network alone attains it",
        Some(false) => "several networks attain it",
        None => "other networks may attain it",
    };
    let text = format!(
        "{}, {unique}{bound}. Of the run's coefficient are {} degrees of them.",
        many(r.rays.len(), "ray"),
        near.join(", ")
    );
    lines.extend(wrap("Rays      ", &text));
    let shown = &r.rays[..r.rays.len().min(SHOWN)];
    let mut titles = vec!["ray", "optimum c", "run c", "of all", "neurons", "degrees off"];
    let mut columns = vec![
        (1..=shown.len()).map(|k| k.to_string()).collect(),
        align(&shown.iter().map(|t| four(t.c)).collect::<Vec<_>>()),
        align(&shown.iter().map(|t| four(t.run)).collect::<Vec<_>>()),
        shown.iter().map(|t| percent(t.share)).collect(),
        shown.iter().map(|t| count(t.neurons as u64)).collect(),
        align(&shown.iter().map(|t| t.degrees.map_or_else(|| "-".into(), four)).collect::<Vec<_>>()),
    ];
    if answer.data.d == 1 && answer.settings.bias != "none" {
        titles.push("kink at");
        columns.push(align(&shown.iter().map(|t| t.kink.map_or_else(|| "none".into(), four)).collect::<Vec<_>>()));
    }
    lines.extend(table(&format!("Neurons within {} degrees of a ray", four(r.angle)), &titles, &columns));
    let more = r.rays.len() - shown.len();
    lines.extend((more > 0).then(|| format!("  + {more} more in the JSON output")));
    lines
}
