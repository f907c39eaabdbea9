//! Sentences about an end state and about a minimum-norm network.

use relimit_core::certify::Claim;
use relimit_core::descent::Reason;

use super::{Job, Ran};
use crate::answer::LimitFacts;
use crate::min_norm::{MinNorm, Obstruction};

/// Why the run ended as it did.
pub(super) fn limit(job: &Job<'_>, ran: &Ran, facts: &LimitFacts) -> String {
    let limit = &ran.limit;
    let descent = job.resolved.eta.is_some();
    let at = |v: f64| if descent { format!("step {v}") } else { format!("time {}", short(job.resolved.instant(v))) };
    let near = facts.stationary.as_ref().map_or(String::new(), |rest| {
        let show = |v: Option<f64>| v.map_or("?".to_owned(), |v| format!("{v:.4e}"));
        let (loss, distance) = (show(rest.loss), show(rest.distance));
        format!("; gradient flow from there comes to rest at loss {loss}, {distance} away in weights")
    });
    match limit.reason {
        Reason::ClosedForm if limit.work.events == 0 => "no mask ever changes; the limit is the closed form".into(),
        Reason::ClosedForm => {
            format!("no mask changes after {}; the limit is the closed form", at(limit.last_event))
        }
        Reason::Ties if descent => format!(
            "{} keep crossing 0 with vanishing amplitude; the limit is known within {:.1e}",
            pairs(facts.ties.len()),
            limit.radius
        ),
        Reason::Ties => format!("{} slide along 0 for ever; the limit is the closed form", pairs(facts.ties.len())),
        Reason::AllSilent => {
            format!("every neuron is silent on every row from {} on: nothing moves", at(limit.last_event))
        }
        Reason::Growth => "the residual grew 10^12-fold on masks for which the step is too large".into(),
        Reason::Recurrence => format!(
            "the state recurs: steps of this size keep crossing 0 on some rows without coming to rest (seen by {}){near}",
            at(limit.last)
        ),
        Reason::GrowingModeUnresolved => {
            "the step is too large for a direction whose content in the residual cannot be told from 0".into()
        }
        Reason::SignUnresolved => format!("a preactivation ends so near to 0 that its sign cannot be told{near}"),
        Reason::NonUnique => format!("at {} the flow has more than one continuation", at(limit.last)),
        Reason::NotFinite => "a number left the range of double precision".into(),
        Reason::OutOfBudget => format!("the budget ended at {}; masks still change{near}", at(limit.last)),
        Reason::Stopped => format!("stopped at {}{near}", at(limit.last)),
    }
}

/// Four digits, with a power of ten where they would be lost.
fn short(v: f64) -> String {
    if v == 0.0 || (1e-3..1e6).contains(&v) { format!("{v:.4}") } else { format!("{v:.3e}") }
}

fn pairs(count: usize) -> String {
    if count == 1 { "one (neuron, row) pair".into() } else { format!("{count} (neuron, row) pairs") }
}

/// Why the norm is not certified, or what makes the data infeasible, in file rows.
pub(super) fn min_norm(best: &MinNorm, rows: &[usize]) -> Option<String> {
    if let Some(o) = &best.obstruction {
        return Some(obstruction(o, rows));
    }
    match best.status() {
        Claim::Certified => None,
        Claim::Bound if best.cut_short => Some(format!("the search ended after {}", nodes(best))),
        Claim::Bound => Some("lower and upper bound do not meet".into()),
        Claim::Infeasible => Some("no network of this shape attains the labels".into()),
        Claim::Undecided if best.cut_short => Some(format!("no fitting network found within {}", nodes(best))),
        Claim::Undecided => Some("neither a fitting network nor a proof that there is none was found".into()),
    }
}

fn nodes(best: &MinNorm) -> String {
    format!("{} node{}", best.nodes, if best.nodes == 1 { "" } else { "s" })
}

fn obstruction(o: &Obstruction, rows: &[usize]) -> String {
    let list = |examples: &[usize]| {
        let mut text: Vec<String> = examples.iter().take(8).map(|&i| rows[i].to_string()).collect();
        if examples.len() > 8 {
            text.push(format!("{} more", examples.len() - 8));
        }
        text.join(", ")
    };
    match o {
        Obstruction::ZeroRow { row } => {
            format!("row {} is all zero, so every network outputs 0 there, but its label is not 0", rows[*row])
        }
        Obstruction::EqualRows { first, second } => {
            format!("rows {} and {} are equal but their labels differ", rows[*first], rows[*second])
        }
        Obstruction::ProportionalRows { first, second, factor } => format!(
            "row {} is {factor:.4} times row {}, but their labels are not in this ratio",
            rows[*second], rows[*first]
        ),
        Obstruction::DependentRows { rows: examples, weights, .. } => format!(
            "more constraints than the network can meet: rows {} are dependent in a way that excludes their labels \
             ({weights} weights)",
            list(examples)
        ),
        Obstruction::EveryPattern { rows: examples, cases } => format!(
            "more constraints than the network can meet: rows {} exclude every one of {cases} ways to share them",
            list(examples)
        ),
    }
}
