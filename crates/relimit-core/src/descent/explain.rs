//! Why an example is left unfitted at the end of a run: one reason each, confirmed by running the counterfactual.
//!
//! An example is *fitted* when `|r_i|` is within [`Problem::fitted_within`]. A neuron is *its own* when its output weight has the sign of
//! the label, *opposite* otherwise. Unfitted examples on which no neuron of their own is active at the end are
//! explained here; the others are only listed (`balanced`).
//!
//! A cause in the set-up comes before a cause in the data, and the first confirmed one is reported:
//!
//! ```text
//! no_neuron_of_sign         no neuron of its own exists             fitted alone once a neuron of its sign is added
//! dead_start                its own were silent at the start and    fitted when the start of the nearest own neuron moves by the
//!                           never woke                              least weight that makes it active (if need be with step / 10)
//! silenced_by_step          an own neuron was active                fitted with step / 10
//! tie                       a preactivation stays on 0              fitted alone
//! opposite_sign             an opposite neuron is active at the end fitted alone
//! label_below_interference  every neuron is silent on it            fitted alone
//! ```
//!
//! The last three say that the other examples are the cause: neither start nor step, as far as tried, and the row by
//! itself is fitted. An all-zero row counts as `dead_start`: no weights reach it; a bias column would. Where no run
//! confirms a reason, or none is left to make, the example stays `open`, with what was tried.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{History, Initial, Limit, Problem, Status};
use crate::net::mask;
use crate::num::Mat;
use crate::num::mat::{axpy, dot};

/// Why no neuron of an example's own sign is active on it; the module defines each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SilentReason {
    /// Silent for all neurons of its sign from the start.
    DeadStart,
    /// Silenced by a step that was too large.
    SilencedByStep,
    /// Silenced by the pull of the other examples, which exceeds its label.
    LabelBelowInterference,
    /// Held at the wrong sign by neurons that other examples need.
    OppositeSign,
    /// The network has no neuron that could produce the sign of its label.
    NoNeuronOfSign,
    /// Held at preactivation 0, where its own push and that of the others balance.
    Tie,
}

/// What was changed in the counterfactual.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum Change {
    /// The start of one neuron was moved along the row until it was active on the example.
    StartMoved {
        /// Preactivation before.
        from: f64,
        /// Preactivation after.
        to: f64,
        /// The step, if it had to be smaller too.
        step: Option<f64>,
    },
    /// A tenth of the step.
    SmallerStep {
        /// The step used.
        step: f64,
    },
    /// The example alone, an own neuron active at the start, a step that is stable for it.
    RowAlone,
    /// The example alone, with one more neuron of its sign.
    NeuronAdded {
        /// Output weight of that neuron.
        weight: f64,
    },
    /// The example alone, with a bias column.
    BiasAdded,
}

/// A counterfactual run and what it gave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// What was changed.
    #[serde(flatten)]
    pub change: Change,
    /// How the changed run ended.
    pub status: Status,
    /// Residual of the example in the run that is explained.
    pub before: f64,
    /// Residual of the example in the changed run.
    pub after: f64,
    /// Preactivation that the other examples cause at `neuron` in the run that is explained: `sum_{l != i} (x_i.x_l) alpha_jl`
    /// plus the start outside the row space.
    pub interference: f64,
    /// Counterfactuals that were run before and did not fit the example, with status and residual.
    pub rejected: Vec<(Change, Status, f64)>,
}

/// An unfitted example on which no neuron of its own sign is active.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Silent {
    /// Example, from 0.
    pub example: usize,
    /// The neuron concerned: the nearest of its own, the tied or strongest opposite one, none without one of its sign.
    pub neuron: Option<usize>,
    /// Step or time of the last change on the example (0: as at the start).
    pub since: f64,
    /// The reason.
    pub reason: SilentReason,
    /// The run that confirms it.
    pub evidence: Evidence,
}

/// An unfitted example on which no neuron of its own sign is active, without a confirmed reason.
#[derive(Clone, Debug, PartialEq)]
pub struct Unexplained {
    /// Example, from 0.
    pub example: usize,
    /// Step or time of the last change on the example (0: as at the start).
    pub since: f64,
    /// Runs with one thing changed that did not fit the example: the change, how the run ended, the residual.
    pub rejected: Vec<(Change, Status, f64)>,
    /// Whether the runs that would tell were not made (or did not finish) for want of budget.
    pub out_of_budget: bool,
}

/// The unfitted examples of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Explanation {
    /// Examples with no active neuron of their own, each with a confirmed reason, in order of example.
    pub silent: Vec<Silent>,
    /// Unfitted examples with an active neuron of their own: dependent rows in a compromise, or a run not at its limit.
    pub balanced: Vec<usize>,
    /// Silent examples left open: runs or time ran out, or no counterfactual fitted the example.
    pub open: Vec<Unexplained>,
    /// The end of the run with a tenth of the step, where one was made.
    pub slower: Option<Limit>,
}

/// What is explained, and how far to go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExplainOptions {
    /// Largest number of counterfactual runs on all examples together (runs of one row are not counted).
    pub max_runs: usize,
}

impl Default for ExplainOptions {
    fn default() -> Self {
        Self { max_runs: 100 }
    }
}

/// Runs a problem from a start with a half-sum step (`None`: gradient flow).
pub type Runner<'a> = dyn FnMut(&Problem, &Initial, Option<f64>) -> Limit + 'a;

/// A finished run that is to be explained.
#[derive(Clone, Copy, Debug)]
pub struct Finished<'a> {
    /// The problem.
    pub problem: &'a Problem,
    /// Its start.
    pub start: &'a Initial,
    /// Half-sum step; `None` for gradient flow.
    pub eta: Option<f64>,
    /// Its end.
    pub limit: &'a Limit,
    /// What it did to each example.
    pub history: &'a History,
}

/// Explains every unfitted example of `done`; `run` makes the counterfactual runs, `stop` is polled between them.
///
/// One run with a tenth of the step serves all examples; a dead start costs one or two runs, the rest one run of one row.
pub fn explain(
    done: Finished<'_>,
    options: ExplainOptions,
    run: &mut Runner<'_>,
    stop: &dyn Fn() -> bool,
) -> Explanation {
    let (p, limit) = (done.problem, done.limit);
    assert_eq!((limit.z.rows(), limit.z.cols()), (p.m(), p.n()), "limit and problem differ in shape");
    let residual = p.residual(&limit.z);
    let mut out = Explanation::default();
    let within = p.fitted_within(done.start);
    let mut inquiry = Inquiry { done, options, within, run, runs: 0, smaller: None };
    for i in 0..p.n() {
        if residual[i].abs() <= within {
            continue;
        }
        let zero_row = p.x().row(i).iter().all(|v| *v == 0.0);
        let active = |j: usize| mask(limit.z[(j, i)], p.at_zero()) && !limit.ties.contains(&(j, i));
        let own_active = (0..p.m()).any(|j| p.c()[j] * p.y()[i] >= 0.0 && active(j));
        if own_active && !zero_row {
            out.balanced.push(i);
        } else {
            let mut rejected = vec![];
            match if stop() { None } else { inquiry.ask(i, residual[i], zero_row, &mut rejected) } {
                Some(Ok(silent)) => out.silent.push(silent),
                told => {
                    let since = done.history.last_change(i);
                    let unfinished = |s: &Status| !matches!(s, Status::Converged | Status::Diverged | Status::Cycle);
                    let out_of_budget = told.is_none() || rejected.iter().any(|(_, s, _)| unfinished(s));
                    out.open.push(Unexplained { example: i, since, rejected, out_of_budget });
                }
            }
        }
    }
    out.slower = inquiry.smaller.map(|(end, _)| end);
    out
}

/// No run fitted the example.
struct NothingHelps;

struct Inquiry<'a, 'b, 'c> {
    done: Finished<'a>,
    options: ExplainOptions,
    within: f64,
    run: &'b mut Runner<'c>,
    runs: usize,
    /// The run with a tenth of the step, once it has been needed, and its residuals.
    smaller: Option<(Limit, Vec<f64>)>,
}

impl Inquiry<'_, '_, '_> {
    /// `None` when no runs are left; `tried` takes the runs that did not fit the example.
    fn ask(
        &mut self,
        i: usize,
        before: f64,
        zero_row: bool,
        tried: &mut Vec<(Change, Status, f64)>,
    ) -> Option<Result<Silent, NothingHelps>> {
        let (p, z) = (self.done.problem, &self.done.limit.z);
        let own: Vec<usize> = (0..p.m()).filter(|&j| p.c()[j] * p.y()[i] > 0.0).collect();
        let nearest = |z: &Mat| own.iter().copied().max_by(|&a, &b| z[(a, i)].total_cmp(&z[(b, i)]));
        let (done, since) = (self.done, self.done.history.last_change(i));
        let case = |reason, neuron: Option<usize>, change, (status, after), rejected: &[_]| Silent {
            example: i,
            neuron,
            since,
            reason,
            evidence: Evidence {
                change,
                status,
                before,
                after,
                interference: neuron.map_or(0.0, |j| interference(done, j, i)),
                rejected: rejected.to_vec(),
            },
        };

        let Some(closest) = nearest(&self.done.start.z) else {
            let weight = p.y()[i].signum() * p.c().iter().map(|c| c.abs()).fold(f64::INFINITY, f64::min);
            let result = self.alone(i, None, Some(weight), zero_row);
            let change = Change::NeuronAdded { weight };
            if self.fits(result.1) {
                return Some(Ok(case(SilentReason::NoNeuronOfSign, None, change, result, tried)));
            }
            tried.push((change, result.0, result.1));
            return Some(Err(NothingHelps));
        };
        if zero_row {
            let result = self.alone(i, Some(closest), None, true);
            let change = Change::BiasAdded;
            if self.fits(result.1) {
                return Some(Ok(case(SilentReason::DeadStart, Some(closest), change, result, tried)));
            }
            tried.push((change, result.0, result.1));
            return Some(Err(NothingHelps));
        }

        let woke = own.iter().any(|&j| self.done.history.ever_active(j, i));
        let smaller = self.done.eta.map(|eta| eta / 10.0);
        if woke {
            if let Some(step) = smaller {
                let result = self.smaller_step(i, step)?;
                let change = Change::SmallerStep { step };
                if self.fits(result.1) {
                    return Some(Ok(case(SilentReason::SilencedByStep, nearest(z), change, result, tried)));
                }
                tried.push((change, result.0, result.1));
            }
        } else {
            for step in std::iter::once(None).chain(smaller.map(Some)) {
                let (result, from, to) = self.moved_start(i, closest, step)?;
                let change = Change::StartMoved { from, to, step };
                if self.fits(result.1) {
                    return Some(Ok(case(SilentReason::DeadStart, Some(closest), change, result, tried)));
                }
                tried.push((change, result.0, result.1));
            }
        }

        let tied = self.done.limit.ties.iter().find(|(_, e)| *e == i).map(|(j, _)| *j);
        let strongest = (0..p.m())
            .filter(|&j| p.c()[j] * p.y()[i] < 0.0 && mask(z[(j, i)], false))
            .max_by(|&a, &b| (p.c()[a].abs() * z[(a, i)]).total_cmp(&(p.c()[b].abs() * z[(b, i)])));
        let (reason, neuron) = match (tied, strongest) {
            (Some(j), _) => (SilentReason::Tie, Some(j)),
            (None, Some(j)) => (SilentReason::OppositeSign, Some(j)),
            (None, None) => (SilentReason::LabelBelowInterference, nearest(z)),
        };
        let result = self.alone(i, Some(closest), None, false);
        if self.fits(result.1) {
            return Some(Ok(case(reason, neuron, Change::RowAlone, result, tried)));
        }
        tried.push((Change::RowAlone, result.0, result.1));
        Some(Err(NothingHelps))
    }

    fn fits(&self, r: f64) -> bool {
        r.abs() <= self.within
    }

    /// Status and residual of example i with a tenth of the step; `None` when no runs are left.
    fn smaller_step(&mut self, i: usize, step: f64) -> Option<(Status, f64)> {
        let p = self.done.problem;
        if self.smaller.is_none() {
            self.count()?;
            let end = (self.run)(p, self.done.start, Some(step));
            let residual = p.residual(&end.z);
            self.smaller = Some((end, residual));
        }
        self.smaller.as_ref().map(|(end, r)| (end.status, r[i]))
    }

    /// The run whose start makes neuron j active on example i by the least change of its weights, `w_j + t x_i`.
    fn moved_start(&mut self, i: usize, j: usize, step: Option<f64>) -> Option<((Status, f64), f64, f64)> {
        self.count()?;
        let p = self.done.problem;
        let row = p.x().row(i);
        let (from, to) = (self.done.start.z[(j, i)], small_start(p, i, j));
        let t = (to - from) / dot(row, row);
        let mut start = self.done.start.clone();
        start.alpha[(j, i)] += t;
        axpy(t, &p.x().mul_vec(row), start.z.row_mut(j));
        start.z[(j, i)] = to;
        let end = (self.run)(p, &start, step.or(self.done.eta));
        Some(((end.status, p.residual(&end.z)[i]), from, to))
    }

    /// The row alone: neuron `j` (or one added with `weight`) is active at its start, the others start as they did.
    fn alone(&mut self, i: usize, j: Option<usize>, weight: Option<f64>, bias: bool) -> (Status, f64) {
        let p = self.done.problem;
        // One row moves by its length alone: an input of that length stands for it, with 1 added for a bias.
        let square = square(p, i) + if bias { 1.0 } else { 0.0 };
        let mut c = p.c().to_vec();
        let mut z: Vec<f64> = (0..p.m()).map(|k| self.done.start.z[(k, i)]).collect();
        if let Some(weight) = weight {
            c.push(weight);
            z.push(1e-3 * p.y()[i].abs() / weight.abs());
        }
        if let Some(j) = j {
            z[j] = z[j].max(small_start(p, i, j));
        }
        let m = c.len();
        // Monotone for one row: 1/(sum c^2 |x|^2), or the step of the run if that is smaller.
        let safe = 1.0 / (square * c.iter().map(|c| c * c).sum::<f64>());
        let step = self.done.eta.map(|eta| eta.min(safe));
        let single = Problem::new(Mat::from_rows(&[[square.sqrt()]]), vec![p.y()[i]], c, p.at_zero());
        let start = Initial {
            alpha: Mat::from_vec(m, 1, z.iter().map(|z| z / square).collect()),
            z: Mat::from_vec(m, 1, z),
            offset: Mat::zeros(m, 1),
        };
        let end = (self.run)(&single, &start, step);
        (end.status, single.residual(&end.z)[0])
    }

    fn count(&mut self) -> Option<()> {
        self.runs += 1;
        (self.runs <= self.options.max_runs).then_some(())
    }
}

/// A start that is active and small: a thousandth of the preactivation that fits the label alone.
fn small_start(p: &Problem, i: usize, j: usize) -> f64 {
    1e-3 * p.y()[i].abs() / p.c()[j].abs()
}

/// The part of `z_ji` at the end that example i has not caused itself: `z_ji - |x_i|^2 alpha_ji`. O(1), O(D) when n > D.
fn interference(done: Finished<'_>, j: usize, i: usize) -> f64 {
    done.limit.z[(j, i)] - square(done.problem, i) * done.limit.alpha[(j, i)]
}

/// `|x_i|^2`.
fn square(p: &Problem, i: usize) -> f64 {
    p.gram().map_or_else(|| dot(p.x().row(i), p.x().row(i)), |g| g[(i, i)])
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StartMoved { from, to, step: None } => write!(f, "started at {to:.3e} instead of {from:.3e}"),
            Self::StartMoved { from, to, step: Some(step) } => {
                write!(f, "started at {to:.3e} instead of {from:.3e} and with step {step:.3e}")
            }
            Self::SmallerStep { step } => write!(f, "with step {step:.3e}, a tenth"),
            Self::RowAlone => write!(f, "alone, without the other rows"),
            Self::NeuronAdded { weight } => write!(f, "alone, with a neuron of output weight {weight}"),
            Self::BiasAdded => write!(f, "alone, with a bias column"),
        }
    }
}

impl fmt::Display for Unexplained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.rejected.len(), self.out_of_budget) {
            (0, _) => write!(f, "the runs that would tell are beyond the budget"),
            (k, true) => {
                write!(f, "the {k} runs with one thing changed that were made do not fit it within the budget")
            }
            (1, false) => write!(f, "the run with one thing changed does not fit it either: {}", self.rejected[0].0),
            (k, false) => write!(f, "none of the {k} runs with one thing changed fits it"),
        }
    }
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} the row is fitted: |r| = {:.1e}, was {:.3e}", self.change, self.after.abs(), self.before.abs())
    }
}

#[cfg(test)]
#[path = "explain_tests.rs"]
mod tests;
