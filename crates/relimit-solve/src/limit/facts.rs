//! The end state in the words of the answer: rows, reasons, events.

use relimit_core::descent::explain::{Explanation, SilentReason as Why};
use relimit_core::descent::{FlowOptions, Initial, Limit, Status, Unobserved, flow, settled_spectrum};
use relimit_core::net::mask;
use relimit_core::num::Mat;
use relimit_core::num::mat::norm2;

use super::{Job, Ran, message};
use crate::answer::{
    DeadNeuron, DivergenceFacts, EventFact, EventFacts, LimitFacts, SilentPair, SilentReason, Stationary, TiePair,
};

/// Everything about the end state.
pub(super) fn limit_facts(
    job: &Job<'_>,
    initial: &Initial,
    ran: &Ran,
    explanation: &Explanation,
    rest: Option<Stationary>,
    stop: &dyn Fn() -> bool,
) -> LimitFacts {
    let (p, limit, rows) = (job.problem, &ran.limit, &job.question.scaled.dataset.rows);
    let residual = p.residual(&limit.z);
    let within = p.fitted_within(initial);
    let fitted = |i: &usize| residual[*i].abs() <= within;
    let on = |j: usize, i: usize| mask(limit.z[(j, i)], p.at_zero()) && !limit.ties.contains(&(j, i));
    let masks: Vec<Vec<u8>> = (0..p.m()).map(|j| (0..p.n()).map(|i| u8::from(on(j, i))).collect()).collect();
    let contraction = settled_spectrum(p, &limit.z).filter(|_| limit.status == Status::Converged).map(|(low, high)| {
        match job.resolved.eta {
            Some(eta) => (1.0 - eta * low).abs().max((1.0 - eta * high).abs()),
            None => low * job.resolved.factor,
        }
    });
    let some = |v: f64| v.is_finite().then_some(v);
    let mut facts = LimitFacts {
        status: limit.status,
        reason: limit.reason,
        message: String::new(),
        loss: some(job.resolved.loss(p.loss(&limit.z))),
        loss_scaling: job.question.plan.loss.name().into(),
        fitted: (0..p.n()).filter(fitted).map(|i| rows[i]).collect(),
        balanced: explanation.balanced.iter().map(|&i| rows[i]).collect(),
        silent: silent(job, explanation),
        dead: dead(job, initial, ran, &masks, explanation, stop),
        ties: limit.ties.iter().map(|&(neuron, i)| TiePair { neuron, row: rows[i] }).collect(),
        alpha: Some(limit.alpha.to_rows()),
        preactivations: limit.z.to_rows(),
        masks,
        norm: some(weight_norm(job, initial, limit)),
        offset_norm: some(norm2(initial.offset.as_slice())),
        radius: (limit.status == Status::Converged).then_some(limit.radius),
        contraction,
        divergence: limit.divergence.as_ref().map(|d| DivergenceFacts {
            step_times_eigenvalue: some(d.step_times_eigenvalue),
            stable_below: some(job.resolved.named(d.stable_below)),
            rows: d.examples.iter().map(|&i| rows[i]).collect(),
        }),
        stationary: rest,
    };
    facts.message = message::limit(job, ran, &facts);
    facts
}

/// Silent examples in data order: with their reason, or undecided.
fn silent(job: &Job<'_>, explanation: &Explanation) -> Vec<SilentPair> {
    let rows = &job.question.scaled.dataset.rows;
    let since = |at: f64| Some(job.resolved.instant(at)).filter(|v| v.is_finite());
    let told = explanation.silent.iter().map(|s| {
        let (reason, evidence) = (reason(s.reason), Some(s.evidence.to_string()));
        let pair = SilentPair { row: rows[s.example], neuron: s.neuron, since: since(s.since), reason, evidence };
        (s.example, pair)
    });
    let open = explanation.open.iter().map(|u| {
        let (reason, evidence) = (SilentReason::Undecided, Some(u.to_string()));
        (u.example, SilentPair { row: rows[u.example], neuron: None, since: since(u.since), reason, evidence })
    });
    let mut all: Vec<(usize, SilentPair)> = told.chain(open).collect();
    all.sort_by_key(|(i, _)| *i);
    all.into_iter().map(|(_, pair)| pair).collect()
}

/// `|W|`, all neurons: from the duals when n <= D (`w_j = X' alpha_j + offset_j`, the offset orthogonal to the rows).
fn weight_norm(job: &Job<'_>, initial: &Initial, limit: &Limit) -> f64 {
    let p = job.problem;
    if p.gram().is_none() {
        return norm2(limit.w.as_slice());
    }
    let lengths = p.row_lengths();
    let within = (0..p.m()).map(|j| p.row_space(&lengths, limit.alpha.row(j)).length);
    norm2(&within.collect::<Vec<_>>()).hypot(norm2(initial.offset.as_slice()))
}

/// Gradient flow from where a restless descent was stopped, for at most a quarter of what a flow may cost.
pub(super) fn stationary(
    job: &Job<'_>,
    initial: &Initial,
    limit: &Limit,
    stop: &dyn Fn() -> bool,
) -> Option<Stationary> {
    let restless = matches!(limit.status, Status::Cycle | Status::Budget | Status::Undecided | Status::Interrupted);
    if job.resolved.eta.is_none() || !restless || stop() {
        return None;
    }
    let (p, rows) = (job.problem, &job.question.scaled.dataset.rows);
    let here = if p.gram().is_some() {
        Initial { alpha: limit.alpha.clone(), z: limit.z.clone(), offset: initial.offset.clone() }
    } else {
        Initial { alpha: Mat::zeros(p.m(), p.n()), z: limit.z.clone(), offset: Mat::clone(&limit.w) }
    };
    let options = FlowOptions { max_events: (job.event_budget() / 4).max(300) };
    let rest = flow(p, &here, &options, &mut Unobserved, stop);
    if rest.status != Status::Converged {
        return None;
    }
    let shift: Vec<f64> = rest.w.as_slice().iter().zip(limit.w.as_slice()).map(|(a, b)| a - b).collect();
    Some(Stationary {
        loss: Some(job.resolved.loss(p.loss(&rest.z))).filter(|v| v.is_finite()),
        distance: Some(norm2(&shift)).filter(|v| v.is_finite()),
        held: rest.ties.iter().map(|&(neuron, i)| TiePair { neuron, row: rows[i] }).collect(),
    })
}

/// Events in rows and named units.
pub(super) fn event_facts(job: &Job<'_>, ran: &Ran) -> EventFacts {
    let rows = &job.question.scaled.dataset.rows;
    let shown = ran.log.events.iter().map(|e| {
        let mut fact = EventFact::new(e, rows);
        fact.at = job.resolved.instant(fact.at);
        fact
    });
    let descent = job.resolved.eta.is_some();
    EventFacts {
        count: ran.limit.work.events,
        last_step: descent.then_some(ran.limit.last_event as u64),
        last_time: (!descent).then(|| job.resolved.instant(ran.limit.last_event)),
        shown: shown.collect(),
        truncated: ran.log.dropped > 0,
    }
}

/// Neurons without an active row, each with what a run with a tenth of the step shows.
fn dead(
    job: &Job<'_>,
    initial: &Initial,
    ran: &Ran,
    masks: &[Vec<u8>],
    explanation: &Explanation,
    stop: &dyn Fn() -> bool,
) -> Vec<DeadNeuron> {
    let (p, limit) = (job.problem, &ran.limit);
    let silent: Vec<usize> = (0..p.m()).filter(|&j| masks[j].iter().all(|on| *on == 0)).collect();
    let ever = |j: usize| (0..p.n()).any(|i| ran.history.ever_active(j, i));
    let mut slower: Option<Limit> = None;
    silent
        .into_iter()
        .map(|neuron| {
            let since = Some(job.resolved.instant(ran.last_of_neuron[neuron]));
            if !ever(neuron) {
                let evidence = Some("its start has no positive preactivation, and a silent neuron never moves".into());
                return DeadNeuron { neuron, since: Some(0.0), reason: SilentReason::DeadStart, evidence };
            }
            if limit.status != Status::Converged {
                let evidence = Some("the run did not come to rest, so no reason was tested".into());
                return DeadNeuron { neuron, since, reason: SilentReason::Undecided, evidence };
            }
            let Some(eta) = job.resolved.eta else {
                return DeadNeuron { neuron, since, reason: SilentReason::LabelBelowInterference, evidence: None };
            };
            let other = explanation.slower.as_ref().unwrap_or_else(|| {
                slower.get_or_insert_with(|| job.counterfactual(p, initial, Some(eta / 10.0), stop))
            });
            let lives = (0..p.n()).filter(|&i| other.z[(neuron, i)] > 0.0).count();
            let (reason, evidence) = if lives > 0 {
                // its ties may settle either way
                let least = if other.ties.iter().any(|t| t.0 == neuron) { "at least " } else { "" };
                (
                    SilentReason::SilencedByStep,
                    format!("with a tenth of the step it ends active on {least}{lives} rows"),
                )
            } else {
                let told = "with a tenth of the step it dies too: the pull of the other rows silences it".to_owned();
                (SilentReason::LabelBelowInterference, told)
            };
            DeadNeuron { neuron, since, reason, evidence: Some(evidence) }
        })
        .collect()
}

fn reason(why: Why) -> SilentReason {
    match why {
        Why::DeadStart => SilentReason::DeadStart,
        Why::SilencedByStep => SilentReason::SilencedByStep,
        Why::LabelBelowInterference => SilentReason::LabelBelowInterference,
        Why::OppositeSign => SilentReason::OppositeSign,
        Why::NoNeuronOfSign => SilentReason::NoNeuronOfSign,
        Why::Tie => SilentReason::Tie,
    }
}
