//! One thing to try next, with the flag that does it.

use relimit_core::descent::{Reason, Status};
use relimit_solve::answer::{Claim, LimitAnswer, Settings, SilentReason, Verdict};

use crate::number::{four, four_down};

/// The one hint that changes most, or `None` when there is nothing to improve.
pub(super) fn hint(answer: &LimitAnswer) -> Option<String> {
    run(answer).or_else(|| rows(answer)).or_else(|| claims(answer))
}

/// Hints for a run that did not end in a limit worth having.
fn run(answer: &LimitAnswer) -> Option<String> {
    let (limit, settings) = (&answer.limit, &answer.settings);
    match limit.status {
        Status::Diverged => {
            let stable = limit.divergence.as_ref().and_then(|d| d.stable_below).or(settings.stable_step);
            smaller_step(settings, stable, "this one is too large")
        }
        Status::Budget | Status::Interrupted if limit.stationary.is_some() => {
            Some("--flow (gradient flow comes to rest; this run had not ended)".to_owned())
        }
        Status::Budget | Status::Interrupted => {
            let seconds = settings.budget.map_or(60.0, |b| 10.0 * b);
            Some(format!("--budget {}s (the run had not ended)", four(seconds)))
        }
        Status::Undecided | Status::Cycle => settings
            .step_constant
            .map(|c| format!("--step-constant {} (half the step: growing modes and cycles go away)", four(2.0 * c))),
        Status::Converged if limit.reason == Reason::AllSilent && !settings.start.starts_with("orthant") => {
            Some("--start orthant:0.001 (every neuron sees every row at the start)".to_owned())
        }
        Status::Converged if limit.reason == Reason::AllSilent => {
            smaller_step(settings, settings.stable_step, "this one silenced every neuron")
        }
        Status::Converged => None,
    }
}

/// Half the largest stable step when the step is above that, else a tenth of the step.
fn smaller_step(settings: &Settings, stable: Option<f64>, why: &str) -> Option<String> {
    let step = settings.step?;
    Some(match stable {
        Some(stable) if step > 0.5 * stable => {
            format!("--step {} (half the largest stable step: {why})", four_down(0.5 * stable))
        }
        _ => format!("--step {} (a tenth of this step: {why})", four(0.1 * step)),
    })
}

/// Hints for rows that could be fitted.
fn rows(answer: &LimitAnswer) -> Option<String> {
    let limit = &answer.limit;
    let unfitted =
        |reason: SilentReason| limit.silent.iter().any(|s| s.reason == reason && !limit.fitted.contains(&s.row));
    if unfitted(SilentReason::NoNeuronOfSign) {
        return Some("--signs +- (a neuron for the labels of the other sign)".to_owned());
    }
    if unfitted(SilentReason::SilencedByStep) {
        return smaller_step(&answer.settings, answer.settings.stable_step, "it may silence fewer rows");
    }
    if unfitted(SilentReason::DeadStart) && !answer.settings.start.starts_with("orthant") {
        return Some("--start orthant:0.001 (every neuron sees every row at the start)".to_owned());
    }
    if unfitted(SilentReason::LabelBelowInterference)
        && let Some(c) = answer.settings.step_constant
    {
        return Some(format!("--step-constant {} (a smaller step may silence fewer rows)", four(4.0 * c)));
    }
    None
}

/// Hints for claims that are less sure than they could be, or a gap that a smaller step would halve.
fn claims(answer: &LimitAnswer) -> Option<String> {
    let settings = &answer.settings;
    if answer.min_norm.status == Claim::Bound {
        let nodes = settings.max_nodes.or(answer.min_norm.nodes).unwrap_or(10_000);
        return Some(format!("--max-nodes {} (a longer search for the minimum norm)", nodes.saturating_mul(10)));
    }
    if answer.hypotheses.verdict == Verdict::Holds
        && answer.gap.relative.is_some_and(|g| g > 1e-3)
        && let Some(c) = settings.step_constant
    {
        return Some(format!("--step-constant {} (half the step about halves the gap)", four(2.0 * c)));
    }
    if !settings.dynamics.starts_with("flow") && answer.hypotheses.verdict == Verdict::NotMet {
        return Some("--plot limit.svg (every preactivation on its way)".to_owned());
    }
    None
}
