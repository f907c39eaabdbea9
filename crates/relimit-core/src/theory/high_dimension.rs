//! Gradient descent on high-dimensional data (Lai, Wang, Tao, Muthukumar 2026), and our finite statements beside it.

use crate::descent::Move;
use crate::num::mat::max_abs;

use super::conditions::{
    certified_minimum, converged, high_dimensional, in_row_space, neurons, orthant_start, plural, small_step_and_start,
};
use super::evidence::{DataFacts, Evidence, RunFacts};
use super::finding::{ClaimKind, Conclusion, Finding, Hypothesis, OURS, Paper, Read, Side, Statement};
use super::short;

const PAPER: Paper = Paper {
    authors: "Lai, Wang, Tao, Muthukumar",
    year: 2026,
    title: "How Does the ReLU Activation Affect the Implicit Bias of Gradient Descent on High-dimensional Neural Network \
            Regression?",
    place: "COLT 2026, arXiv 2603.04895",
};

const fn paper(
    key: &'static str,
    read: Read,
    kind: ClaimKind,
    claim: &'static str,
    meaning: &'static str,
) -> Statement {
    Statement { key, paper: &PAPER, read, kind, claim, meaning }
}

const fn ours(key: &'static str, claim: &'static str, meaning: &'static str) -> Statement {
    Statement { key, paper: &OURS, read: Read::Ours, kind: ClaimKind::Finite, claim, meaning }
}

const NO_DESCENT: &str = "no run of gradient descent";
const NO_GAP: &str = "the gap of descent was not measured";

/// Key `gap-rate`.
pub(super) fn gap_rate(e: &Evidence) -> Finding {
    const S: Statement = paper(
        "gap-rate",
        Read::Abstract,
        ClaimKind::Rate,
        "for sufficiently high-dimensional random data, with high probability, the limit of gradient descent approximates \
         the minimum-l2-norm interpolating solution with a gap of order Theta(sqrt(n / ||lambda||_1))",
        "gap |W(inf) - W*| over sqrt(n / tau), tau = tr(XX')/n in place of ||lambda||_1",
    );
    let (Some(data), Some(run)) = (&e.data, &e.descent) else { return S.absent(NO_DESCENT) };
    let Some(gap) = &e.gap else { return S.absent(NO_GAP) };
    let scaled = gap.absolute * (data.tau / data.n.max(1) as f64).sqrt();
    let words = format!("the gap is {} = {} sqrt(n/tau)", short(gap.absolute), short(scaled));
    let conclusion = Conclusion { measured: Some(scaled).filter(|v| v.is_finite()), words, ..Conclusion::default() };
    S.judge(vec![converged(run), high_dimensional(e, data)], conclusion)
}

/// Key `gap-at-least`.
pub(super) fn gap_at_least(e: &Evidence) -> Finding {
    const S: Statement = ours(
        "gap-at-least",
        "with rho < 1 and own labels fitted, the gap is at least sqrt(tau (1 - rho)) |v|, v the difference of the duals on \
         rejected examples",
        "gap |W(inf) - W*|; sqrt(tau (1 - rho)) |v|",
    );
    finite_gap(&S, e, Side::AtLeast)
}

/// Key `gap-at-most`.
pub(super) fn gap_at_most(e: &Evidence) -> Finding {
    const S: Statement = ours(
        "gap-at-most",
        "with rho < 1 and own labels fitted, the gap is at most sqrt(tau (1 + rho)) |v|, v the difference of the duals on \
         rejected examples",
        "gap |W(inf) - W*|; sqrt(tau (1 + rho)) |v|",
    );
    finite_gap(&S, e, Side::AtMost)
}

fn finite_gap(s: &Statement, e: &Evidence, side: Side) -> Finding {
    let Some(run) = &e.descent else { return s.absent(NO_DESCENT) };
    let Some(gap) = &e.gap else { return s.absent(NO_GAP) };
    let Some(certificate) = &e.one_step else { return s.absent("rho was not computed") };
    let fits = Hypothesis::new(
        "limit and minimum-norm solution fit the own labels of every neuron, one neuron a sign",
        gap.v_norm.is_some(),
        if gap.v_norm.is_some() { "they do" } else { "the identity for the gap does not apply" },
    );
    let rho = match certificate.rho {
        Some(rho) => Hypothesis::new("rho < 1", rho < 1.0, format!("rho is {}", short(rho))),
        None => Hypothesis::new("rho < 1", false, "more examples than inputs, so rho is at least 1"),
    };
    let hypotheses = vec![converged(run), in_row_space(run), certified_minimum(e), fits, rho];
    let conclusion = match (gap.v_norm, certificate.rho) {
        (Some(v), Some(rho)) => {
            let edge = if matches!(side, Side::AtMost) { 1.0 + rho } else { 1.0 - rho };
            let bound = (certificate.tau * edge).max(0.0).sqrt() * v;
            let words = format!("the gap is {}, the bound {}", short(gap.absolute), short(bound));
            let slack = rounding(gap.absolute, e) + run.radius;
            within(Conclusion::compare(gap.absolute, side, bound, words), slack)
        }
        _ => Conclusion::unknown("no bound"),
    };
    s.judge(hypotheses, conclusion)
}

/// A comparison that misses by at most `room` is open, not contradicted.
pub(super) fn within(c: Conclusion, room: f64) -> Conclusion {
    match (c.measured, c.bound, c.seen) {
        (Some(m), Some(b), Some(false)) if (m - b).abs() <= room => c.seen(None),
        _ => c,
    }
}

/// Rounding of a measured distance: weights are known to about n D eps of themselves.
fn rounding(value: f64, e: &Evidence) -> f64 {
    let size = e.data.as_ref().map_or(1.0, |d| (d.n * d.dim) as f64);
    let norm = e.min_norm.and_then(|m| m.norm).unwrap_or(0.0);
    size * f64::EPSILON * value.max(norm)
}

/// Key `gap-without-solver`.
pub(super) fn gap_without_solver(e: &Evidence) -> Finding {
    const S: Statement = ours(
        "gap-without-solver",
        "where the limit fits the own labels, rejected examples are silent and their duals nu = -alpha are not negative, \
         the squared gap is at most sum nu_i |z_i|",
        "gap |W(inf) - W*|; sqrt(sum nu_i |z_i|)",
    );
    let Some(run) = &e.descent else { return S.absent(NO_DESCENT) };
    let Some(gap) = &e.gap else { return S.absent(NO_GAP) };
    let applies = Hypothesis::new(
        "own labels fitted, rejected examples silent, nu >= 0, W* keeps the neurons apart",
        gap.bound.is_some(),
        if gap.bound.is_some() { "each is" } else { "some is not" },
    );
    let conclusion = gap.bound.map_or_else(
        || Conclusion::unknown("no bound"),
        |bound| {
            let words = format!("the gap is {}, the bound {}", short(gap.absolute), short(bound));
            let room = rounding(gap.absolute, e) + run.radius;
            within(Conclusion::compare(gap.absolute, Side::AtMost, bound, words), room)
        },
    );
    S.judge(vec![converged(run), certified_minimum(e), applies], conclusion)
}

/// Key `fits-positives`.
pub(super) fn fits_positives(e: &Evidence) -> Finding {
    const S: Statement = paper(
        "fits-positives",
        Read::Summary,
        ClaimKind::Finite,
        "one neuron: the limit fits the positive labels exactly and outputs 0 on the negative ones (the mirror image for a \
         negative output weight)",
        "examples on which the limit does otherwise; 0",
    );
    let (Some(data), Some(run)) = (&e.data, &e.descent) else { return S.absent(NO_DESCENT) };
    split(&S, e, data, run, neurons(run, "one neuron", run.m() == 1))
}

/// Key `decouples`.
pub(super) fn decouples(e: &Evidence) -> Finding {
    const S: Statement = paper(
        "decouples",
        Read::Summary,
        ClaimKind::Finite,
        "two neurons of opposite sign decouple: in the limit one fits the positive labels, the other the negative ones, and \
         each is silent on the rest",
        "examples on which the limit does otherwise; 0",
    );
    let (Some(data), Some(run)) = (&e.data, &e.descent) else { return S.absent(NO_DESCENT) };
    let two = run.m() == 2 && run.c[0] * run.c[1] < 0.0;
    split(&S, e, data, run, neurons(run, "two neurons of opposite sign", two))
}

/// Own labels fitted, the rest silent, for every neuron.
fn split(s: &Statement, e: &Evidence, data: &DataFacts, run: &RunFacts, shape: Hypothesis) -> Finding {
    let mut hypotheses = vec![shape, converged(run), high_dimensional(e, data)];
    hypotheses.extend([orthant_start(run), in_row_space(run), small_step_and_start(run, data)]);
    let own = |j: usize, i: usize| run.c[j] * data.labels[i] > 0.0;
    let wrong = (0..data.n)
        .filter(|&i| (0..run.m()).any(|j| if own(j, i) { !run.fitted[i] } else { run.z[(j, i)] > 0.0 }))
        .count();
    let words = format!("{} of {} do otherwise", plural(wrong, "example"), data.n);
    s.judge(hypotheses, Conclusion::compare(wrong as f64, Side::AtMost, 0.0, words))
}

/// Key `active-stays-active`.
pub(super) fn active_stays_active(e: &Evidence) -> Finding {
    const S: Statement = paper(
        "active-stays-active",
        Read::Summary,
        ClaimKind::Finite,
        "if the signs of neuron and label agree and the example is active, it stays active after the next step",
        "times that such an example was switched off; 0",
    );
    switched(&S, e, Move::Off, 1.0, "an example with a label of the neuron's sign was switched off")
}

/// Key `negative-duals-freeze`.
pub(super) fn negative_duals_freeze(e: &Evidence) -> Finding {
    const S: Statement = paper(
        "negative-duals-freeze",
        Read::Summary,
        ClaimKind::Finite,
        "once the dual of an example is sufficiently negative, the example is silent and its dual stays as it is",
        "times that a silenced example with a label against the neuron's sign was switched on again; 0",
    );
    switched(&S, e, Move::On, -1.0, "a silenced example with a label against the neuron's sign was switched on again")
}

/// No mask change `to` on pairs whose sign of weight times label is `side`.
fn switched(s: &Statement, e: &Evidence, to: Move, side: f64, what: &str) -> Finding {
    let (Some(data), Some(run)) = (&e.data, &e.descent) else { return s.absent(NO_DESCENT) };
    let mut hypotheses = vec![high_dimensional(e, data), orthant_start(run), small_step_and_start(run, data)];
    if matches!(to, Move::On) {
        hypotheses.push(converged(run));
    }
    let seen = run.count(to, |j, i| side * run.c[j] * data.labels[i] > 0.0);
    let words = format!("{what} {}", plural(seen, "time"));
    let conclusion = Conclusion::compare(seen as f64, Side::AtMost, 0.0, words);
    let known = seen > 0 || run.events_complete;
    let conclusion = if known { conclusion } else { Conclusion::unknown("the mask changes are not all recorded") };
    s.judge(hypotheses, conclusion)
}

/// Key `disjoint-subsets`.
pub(super) fn disjoint_subsets(e: &Evidence) -> Finding {
    const S: Statement = paper(
        "disjoint-subsets",
        Read::Summary,
        ClaimKind::Finite,
        "more than two neurons from a disjoint start: each neuron keeps its own exclusive set of examples and fits it, so \
         the limit is near the minimum-norm solutions restricted to these sets",
        "pairs of neuron and example whose final mask is not that of the start, and examples not fitted; 0",
    );
    let (Some(data), Some(run)) = (&e.data, &e.descent) else { return S.absent(NO_DESCENT) };
    let active = |j: usize, i: usize| run.starts_active(j, i);
    let owners = |i: usize| (0..run.m()).filter(|&j| active(j, i)).collect::<Vec<_>>();
    let exclusive = (0..data.n).all(|i| matches!(owners(i)[..], [j] if run.c[j] * data.labels[i] > 0.0));
    let silent = (0..run.m()).flat_map(|j| (0..data.n).map(move |i| (j, i))).filter(|&(j, i)| !active(j, i));
    let margin = silent.map(|(j, i)| -run.start_z[(j, i)]).fold(f64::INFINITY, f64::min);
    let needed = data.d2.map(|d2| max_abs(&data.labels) * (data.n as f64 / d2.value).sqrt());
    let hypotheses = vec![
        neurons(run, "more than two neurons", run.m() > 2),
        Hypothesis::new("each example is active at the start for one neuron alone, of its sign", exclusive, ""),
        converged(run),
        high_dimensional(e, data),
        Hypothesis::new(
            "silent examples start below 0 by more than the interference, |y| sqrt(n/d_2) (ours)",
            needed.map(|v| margin > v),
            needed.map_or_else(
                || "d_2 of the population is not known".to_owned(),
                |v| format!("margin {}, interference {}", short(margin), short(v)),
            ),
        ),
    ];
    let moved = (0..run.m()).flat_map(|j| (0..data.n).map(move |i| (j, i)));
    let moved = moved.filter(|&(j, i)| active(j, i) != run.ends_active(j, i)).count();
    let unfitted = run.fitted.iter().filter(|f| !**f).count();
    let words = format!("{} changed, {} not fitted", plural(moved, "mask"), plural(unfitted, "example"));
    S.judge(hypotheses, Conclusion::compare((moved + unfitted) as f64, Side::AtMost, 0.0, words))
}

/// Key `one-step`.
pub(super) fn one_step(e: &Evidence) -> Finding {
    const S: Statement = ours(
        "one-step",
        "rho C R/(1 - rho) + (C - 1) eps < y_min for one neuron, ... + C eps < y_min for two of opposite weight: from step 1 \
         on every mask is the sign pattern of the labels",
        "step of the last mask change; 1",
    );
    let (Some(data), Some(run)) = (&e.data, &e.descent) else { return S.absent(NO_DESCENT) };
    let Some(certificate) = &e.one_step else { return S.absent("the certificate was not computed") };
    let (left, right) = (certificate.left, certificate.right);
    let evidence = match (left, &certificate.obstacle) {
        (Some(left), _) => format!("left side {}, right side {}", short(left), short(right)),
        (None, Some(obstacle)) => obstacle.to_string(),
        (None, None) => "there is no left side".to_owned(),
    };
    let hypotheses = vec![
        Hypothesis::new("the inequality of the one-step certificate", certificate.holds, evidence),
        converged(run),
    ];
    let wrong = (0..run.m())
        .flat_map(|j| (0..data.n).map(move |i| (j, i)))
        .filter(|&(j, i)| run.ends_active(j, i) != (run.c[j] * data.labels[i] > 0.0))
        .count();
    let words = format!(
        "the last mask changed at step {}, and {} of the limit differ from the signs of the labels",
        run.last_event,
        plural(wrong, "mask")
    );
    let conclusion = Conclusion::compare(run.last_event, Side::AtMost, 1.0, words);
    let seen = conclusion.seen.map(|settled| settled && wrong == 0);
    S.judge(hypotheses, conclusion.seen(seen))
}
