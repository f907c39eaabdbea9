//! Hypotheses that several theorems share.

use crate::certify::Claim;
use crate::descent::Status;
use crate::num::mat::max_abs;

use super::evidence::{DataFacts, Evidence, OptimumFacts, RunFacts};
use super::finding::Hypothesis;
use super::short;

/// Below this ratio of d_2 to n the data do not count as high-dimensional (measured on Gaussian data: at 8 masks settle in
/// one step in .60 of the draws with n = 20, in none with n = 100).
pub const TOO_FEW_PER_EXAMPLE: f64 = 8.0;

/// From this ratio on they do: every measured draw settled in one step (n = 20: 40 of 40, n = 100: 15 of 15, C = 2).
pub const ENOUGH_PER_EXAMPLE: f64 = 32.0;

/// The run has a limit.
pub(super) fn converged(run: &RunFacts) -> Hypothesis {
    let met = match run.status {
        Status::Converged => Some(true),
        Status::Diverged | Status::Cycle => Some(false),
        Status::Undecided | Status::Budget | Status::Interrupted => None,
    };
    let word = format!("{:?}", run.status).to_lowercase();
    Hypothesis::new("training has a limit", met, format!("status {word}"))
}

/// "Sufficiently high-dimensional": by certificate, else by d_2 of the population against n; the source's constants are not
/// known, so the two thresholds are measurements of this project.
pub(super) fn high_dimensional(e: &Evidence, data: &DataFacts) -> Hypothesis {
    let (what, n) = ("the data are sufficiently high-dimensional", data.n as f64);
    if let Some(certificate) = e.one_step.as_ref().filter(|c| c.holds) {
        let left = short(certificate.left.unwrap_or(f64::NAN));
        let proof = format!("proved by the one-step certificate, {left} < {}", short(certificate.right));
        return Hypothesis::new(what, true, proof);
    }
    let Some(d2) = data.d2 else { return Hypothesis::new(what, None, "d_2 of the population is not known") };
    let numbers = format!("d_2 is {} for n = {} examples", short(d2.value), data.n);
    if d2.high < TOO_FEW_PER_EXAMPLE * n {
        Hypothesis::new(what, false, numbers)
    } else if d2.low >= ENOUGH_PER_EXAMPLE * n {
        Hypothesis::new(what, true, format!("{numbers}, and from d_2 = 32 n on every measured draw settled"))
    } else {
        Hypothesis::new(what, None, format!("{numbers}, and no certificate says that this is enough"))
    }
}

/// Every example is active for every neuron at the start.
pub(super) fn orthant_start(run: &RunFacts) -> Hypothesis {
    let silent = run.start_z.as_slice().iter().filter(|z| !(**z > 0.0)).count();
    let evidence = if silent == 0 { "each is".to_owned() } else { format!("{silent} pairs are not") };
    Hypothesis::new("every example is active for every neuron at the start", silent == 0, evidence)
}

/// Step 1/(C tau) with C > 1 and a start small enough for it: (C - 1) eps < y_min for one neuron, C eps < y_min for more.
pub(super) fn small_step_and_start(run: &RunFacts, data: &DataFacts) -> Hypothesis {
    let c = max_abs(&run.c);
    let constant = run.eta.map_or(f64::NAN, |eta| 1.0 / (eta * c * c * data.tau));
    let eps = c * max_abs(run.start_z.as_slice());
    let smallest = data.labels.iter().fold(f64::INFINITY, |a: f64, y| a.min(y.abs()));
    let left = if run.m() == 1 { (constant - 1.0) * eps } else { constant * eps };
    let met = constant > 1.0 && left < smallest;
    let numbers = format!("C is {}, eps {}, the smallest |y| {}", short(constant), short(eps), short(smallest));
    Hypothesis::new("step 1/(C tau) with C > 1, no label 0, and a start that is small beside the labels", met, numbers)
}

/// The start has no part that never moves.
pub(super) fn in_row_space(run: &RunFacts) -> Hypothesis {
    Hypothesis::new(
        "the start lies in the span of the rows",
        run.offset == 0.0,
        format!("its part outside has norm {}", short(run.offset)),
    )
}

/// Output weights as a theorem wants them.
pub(super) fn neurons(run: &RunFacts, what: &str, met: bool) -> Hypothesis {
    let signs: String = run.c.iter().map(|c| if *c > 0.0 { '+' } else { '-' }).take(16).collect();
    Hypothesis::new(what, met, format!("{} with output signs {signs}", plural(run.m(), "neuron")))
}

/// The minimum-norm solution is what it is called.
pub(super) fn certified_minimum(e: &Evidence) -> Hypothesis {
    let what = "the minimum-norm solution is certified";
    match e.min_norm.map(|m| m.status) {
        Some(Claim::Certified) => Hypothesis::new(what, true, ""),
        Some(Claim::Infeasible) => Hypothesis::new(what, false, "no network of these signs fits the data"),
        Some(Claim::Bound) => Hypothesis::new(what, None, "its norm is known within bounds only"),
        Some(Claim::Undecided) | None => Hypothesis::new(what, None, "it is not"),
    }
}

/// One output, as the theorems on rays need.
pub(super) fn scalar(o: &OptimumFacts) -> Hypothesis {
    Hypothesis::new("one output", o.outputs == 1, plural(o.outputs, "output"))
}

/// Hidden biases are decayed with the weights, lambda > 0.
pub(super) fn penalised(o: &OptimumFacts) -> Hypothesis {
    let met = o.penalised_bias && o.lambda > 0.0;
    let bias = if o.penalised_bias { "biases are decayed" } else { "biases are absent or not decayed" };
    Hypothesis::new("weight decay on weights and biases", met, format!("lambda = {}, {bias}", short(o.lambda)))
}

/// The network is a global optimum.
pub(super) fn optimal(o: &OptimumFacts) -> Hypothesis {
    let met = (o.status == Claim::Certified).then_some(true);
    Hypothesis::new("the network is a global optimum", met, format!("gap {}", short(o.objective - o.lower_bound)))
}

/// `3 rays`, `1 ray`.
pub(super) fn plural(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}
