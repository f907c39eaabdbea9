//! Below the levels of `relimit train --starts`: dead neurons at the start, and what stuck runs have in common.

use relimit_solve::answer::{Census, Level, Trait, TraitFact};

use super::layout::wrap;
use super::names::many;
use crate::number::{count, four, percent};

/// Levels above the lowest that are explained.
const SHOWN: usize = 3;

/// Dead neurons at the start; for each stuck level the commonest property that is rarer among the lowest level's runs.
pub(super) fn remarks(census: &Census, width: usize) -> Vec<String> {
    let mut lines = vec![];
    let dead = &census.dead_start;
    if let (Some(neuron), Some(network), Some(counted)) = (dead.neuron, dead.network, dead.counted) {
        let text = format!(
            "a neuron is silent on every row with chance {} (counted {}), all {width} with {} ({} of {})",
            percent(neuron),
            percent(counted),
            percent(network),
            count(dead.networks),
            many(census.ended as usize, "start")
        );
        lines.extend(wrap("  Dead at start  ", &text));
    }
    let Some((lowest, stuck)) = census.levels.split_first() else { return lines };
    for level in stuck.iter().take(SHOWN) {
        let share = |part: u64, of: &Level| part as f64 / of.runs as f64;
        let telling = |t: &&TraitFact| share(t.runs, level) > share(t.lowest, lowest);
        if let Some(found) = level.traits.iter().find(telling) {
            let text = format!(
                "{} of {} runs: {} (at the lowest level: {} of {})",
                count(found.runs),
                count(level.runs),
                sentence(found.name),
                count(found.lowest),
                count(lowest.runs)
            );
            lines.extend(wrap(&format!("  At {:<12}", four(level.objective)), &text));
        }
    }
    lines
}

fn sentence(which: Trait) -> &'static str {
    match which {
        Trait::NoneAlive => "no neuron is active on any row",
        Trait::UnseenRow => "some row is seen by no neuron",
        Trait::NoKink => "no kink is among the rows, f is affine on them",
        Trait::OneActiveSet => "all living neurons are active on the same rows",
        Trait::OneAlive => "one neuron is alive",
        Trait::OneSign => "the output weights of all living neurons have one sign",
    }
}
