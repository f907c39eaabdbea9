//! A run of several outputs by cells: what of the coefficient is on each, and the rank of the map there.

use relimit_solve::answer::{Claim, TrainCells};

use super::layout::wrap;
use super::names::many;
use super::optimum::table;
use crate::number::{align, count, four, four_down, four_up, percent};

/// Cells that are listed.
const SHOWN: usize = 8;
/// Singular values that are listed at each.
const VALUES: usize = 3;

/// The cells, beside the optimum where there is one.
pub(super) fn cells(c: &TrainCells) -> Vec<String> {
    let mut lines = vec![];
    if let Some(o) = &c.optimum {
        let sure = match o.status {
            Claim::Certified => "certified".to_owned(),
            _ => format!("between {} and it", four_down(o.lower_bound)),
        };
        let text = format!(
            "objective {} ({sure}), sum of ranks {}; the run is at most {} above.",
            four(o.objective),
            count(o.rank as u64),
            four_up(o.excess)
        );
        lines.extend(wrap("Optimum   ", &text));
    }
    let text = format!(
        "{} of {} occupied hold {} of the coefficient. On a cell the neurons are one linear map, and its rank is what the \
         optimum determines: with several targets no number of rays is.",
        many(c.list.len(), "cell"),
        count(c.occupied as u64),
        percent(c.covered)
    );
    lines.extend(wrap("Cells     ", &text));
    let shown = &c.list[..c.list.len().min(SHOWN)];
    let values = |all: &[f64]| {
        let first: Vec<String> = all.iter().take(VALUES).map(|v| four(*v)).collect();
        first.join(" ") + if all.len() > VALUES { " .." } else { "" }
    };
    let mut titles = vec!["active rows", "of all", "neurons", "rank"];
    let mut columns: Vec<Vec<String>> = vec![
        shown.iter().map(|t| count(t.pattern.iter().filter(|s| **s > 0).count() as u64)).collect(),
        shown.iter().map(|t| percent(t.share)).collect(),
        shown.iter().map(|t| count(t.neurons as u64)).collect(),
        shown.iter().map(|t| t.rank.to_string()).collect(),
    ];
    if c.optimum.is_some() {
        titles.push("optimum rank");
        columns.push(shown.iter().map(|t| t.optimum_rank.map_or_else(|| "-".into(), |r| r.to_string())).collect());
    }
    titles.push("singular values");
    columns.push(align(&shown.iter().map(|t| values(&t.singular_values)).collect::<Vec<_>>()));
    let title = format!("Ranks count singular values from {} of the largest", percent(c.rank_from));
    lines.extend(table(&title, &titles, &columns));
    let more = c.list.len() - shown.len();
    lines.extend((more > 0).then(|| format!("  + {more} more in the JSON output")));
    lines
}
