//! Step and flow time: from the plan's words to the half-sum step, and the settings that are echoed.

use std::collections::BTreeMap;

use relimit_core::data::spectrum::Spectrum;
use relimit_core::descent::Problem;

use super::LimitQuestion;
use crate::answer::Settings;
use crate::plan::{DEFAULT_MAX_NODES, LimitPlan, Pace};

/// The dynamics with every number known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resolved {
    /// Half-sum step; `None` for the flow.
    pub(super) eta: Option<f64>,
    /// Half-sum step (or time) per step (or time) of the named loss; named loss per half-sum loss.
    pub(super) factor: f64,
    /// Largest eigenvalue of `sum_j c_j^2 G`.
    mu_max: f64,
}

/// The half-sum step of a plan.
pub(super) fn resolve(plan: &LimitPlan, spectrum: &Spectrum, problem: &Problem) -> Resolved {
    let factor = plan.loss.factor(problem.n());
    let mu_max = spectrum.mu_max * problem.c().iter().map(|c| c * c).sum::<f64>();
    // data of zeros alone never move: any step does
    let of = |scale: f64| if scale > 0.0 { 1.0 / scale } else { 1.0 };
    let eta = match plan.pace {
        Pace::StableStep => Some(of(mu_max)),
        Pace::Step(eta) => Some(eta * factor),
        Pace::StepConstant(c) => Some(of(c * spectrum.tau)),
        Pace::Flow => None,
    };
    Resolved { eta, factor, mu_max }
}

impl Resolved {
    /// A half-sum step, or a time of half-sum flow, in the named loss.
    pub(super) fn named(&self, value: f64) -> f64 {
        value / self.factor
    }

    /// A half-sum loss in the named loss.
    pub(super) fn loss(&self, half_sum: f64) -> f64 {
        half_sum * self.factor
    }

    /// A step count as it is, a flow time in the named loss.
    pub(super) fn instant(&self, at: f64) -> f64 {
        if self.eta.is_some() { at } else { self.named(at) }
    }

    /// Fills in the settings that the plan and the data decide.
    pub(super) fn settings(
        &self,
        question: &LimitQuestion<'_>,
        spectrum: &Spectrum,
        cap: u64,
        nodes: usize,
    ) -> Settings {
        let plan = question.plan;
        let mut sources: BTreeMap<String, String> = question.settings.sources.clone();
        let step = match plan.pace {
            Pace::StableStep => "default: 1/mu_max of sum_j c_j^2 G",
            Pace::Step(_) => "flag --step",
            Pace::StepConstant(_) => "flag --step-constant",
            Pace::Flow => "flag --flow",
        };
        sources.insert("step".into(), step.into());
        if plan.steps.is_none() {
            let cap = match self.eta {
                Some(_) => "default: about 1e11 operations of plain steps; leaps are free",
                None => "default: mask changes, about 1e11 operations",
            };
            sources.insert("max_steps".into(), cap.into());
        }
        if plan.max_nodes == DEFAULT_MAX_NODES {
            sources.insert("max_nodes".into(), "default: about 3e8/n^3, at most 1e5".into());
        }
        Settings {
            bias: plan.bias.name().into(),
            loss: plan.loss.name().into(),
            dynamics: if self.eta.is_some() { "descent" } else { "flow" }.into(),
            signs: plan.signs.to_string(),
            start: plan.start.to_string(),
            relu_at_zero: u8::from(plan.relu_at_zero),
            step: self.eta.map(|eta| self.named(eta)),
            step_constant: self.eta.map(|eta| 1.0 / (eta * spectrum.tau)).filter(|c| c.is_finite()),
            stable_step: (self.eta.is_some() && self.mu_max > 0.0).then(|| self.named(2.0 / self.mu_max)),
            seed: matches!(plan.start, crate::plan::StartRule::Gaussian(_)).then_some(plan.seed),
            starts: plan.starts,
            gap: plan.gap,
            max_nodes: Some(nodes as u64),
            max_steps: Some(plan.steps.unwrap_or(cap)),
            budget: plan.budget.map(|b| b.as_secs_f64()),
            threads: Some(1),
            compare_steps: plan.compare_steps,
            sources,
            ..question.settings.clone()
        }
    }
}
