//! One neuron and gradient flow in the worst case (Vardi, Shamir 2021).

use crate::num::mat::max_abs;

use super::conditions::{converged, in_row_space, neurons};
use super::evidence::{DataFacts, Evidence, MinNormFacts, RunFacts};
use super::family::Family;
use super::finding::{ClaimKind, Conclusion, Finding, Hypothesis, Paper, Read, Side, Statement};
use super::short;

const PAPER: Paper = Paper {
    authors: "Vardi, Shamir",
    year: 2021,
    title: "Implicit Regularization in ReLU Networks with the Square Loss",
    place: "COLT 2021, arXiv 2012.05156",
};

const fn paper(key: &'static str, claim: &'static str, meaning: &'static str) -> Statement {
    Statement { key, paper: &PAPER, read: Read::FullText, kind: ClaimKind::Finite, claim, meaning }
}

const NO_FLOW: &str = "no run of gradient flow";
const NO_MIN_NORM: &str = "no minimum-norm solution";

/// Key `nearest-zero-loss`.
pub(super) fn nearest_zero_loss(e: &Evidence) -> Finding {
    const S: Statement = paper(
        "nearest-zero-loss",
        "theorem 1: one neuron with a strictly monotone activation, realizable data: gradient flow converges to the \
         zero-loss point nearest to the start",
        "|w(inf) - w(0)| over the distance of the start to the nearest zero-loss point; 1",
    );
    let (Some(data), Some(flow)) = (&e.data, &e.flow) else { return S.absent(NO_FLOW) };
    let strict = Hypothesis::new("a strictly monotone activation", false, "a ReLU is flat below 0");
    let mut hypotheses = vec![strict];
    hypotheses.extend(realizable(data, flow));
    let conclusion = match e.min_norm.as_ref().and_then(|m| ratio(flow, m)) {
        Some(r) => Conclusion::compare(r.middle, Side::AtMost, 1.0, format!("the ratio is {}", short(r.middle))),
        None => Conclusion::unknown("the ratio is known for a start at 0 only"),
    };
    S.judge(hypotheses, conclusion)
}

/// Key `factor-two`.
pub(super) fn factor_two(e: &Evidence) -> Finding {
    const S: Statement = paper(
        "factor-two",
        "theorem 8: one neuron with a non-decreasing activation, realizable data: gradient flow converges to a point with \
         |w(inf) - w(0)| <= 2 |w* - w(0)|, w* the zero-loss point nearest to the start",
        "|w(inf) - w(0)| over |w* - w(0)|; 2",
    );
    let (Some(data), Some(flow)) = (&e.data, &e.flow) else { return S.absent(NO_FLOW) };
    let Some(min_norm) = &e.min_norm else { return S.absent(NO_MIN_NORM) };
    let conclusion = match ratio(flow, min_norm) {
        Some(r) => {
            let words = format!("the ratio lies in [{}, {}]", short(r.low), short(r.high));
            let seen = if r.high <= 2.0 { Some(true) } else { (r.low > 2.0).then_some(false) };
            Conclusion::compare(r.middle, Side::AtMost, 2.0, words).seen(seen)
        }
        None => Conclusion::unknown("the ratio is known for a start at 0, and a minimum norm above 0, only"),
    };
    S.judge(realizable(data, flow), conclusion)
}

/// Key `flow-not-minimum-norm`.
pub(super) fn not_minimum_norm(e: &Evidence) -> Finding {
    const S: Statement = paper(
        "flow-not-minimum-norm",
        "theorem 3: on the data X_gamma with gamma > 0, gradient flow from w = 0 with relu'(0) = 1 does not end at the \
         minimum-norm zero-loss point",
        "gap of the limit of the flow to the minimum-norm solution; above the certified radius of the limit",
    );
    let (Some(data), Some(flow)) = (&e.data, &e.flow) else { return S.absent(NO_FLOW) };
    let gamma = match data.family {
        Some(Family::VardiShamir { gamma }) => Some(gamma),
        _ => None,
    };
    let family = Hypothesis::new(
        "rows (3,-1,0), (4,2,0), (0,gamma,gamma) with gamma > 0, labels alpha (16,18,0)",
        gamma.is_some_and(|g| g > 0.0),
        gamma.map_or_else(|| "other data".to_owned(), |g| format!("gamma = {}", short(g))),
    );
    let zero = from_zero(flow);
    let start = Hypothesis::new("w(0) = 0 with relu'(0) = 1", zero && flow.at_zero, "");
    let mut hypotheses = vec![family, start];
    hypotheses.extend(realizable(data, flow));
    let conclusion = match &e.flow_gap {
        Some(gap) => {
            let size = (data.n * data.dim) as f64 * f64::EPSILON * e.min_norm.and_then(|m| m.norm).unwrap_or(0.0);
            let floor = flow.radius + size;
            let words = format!("the gap is {}, above 0 by more than {}", short(gap.absolute), short(floor));
            let conclusion = Conclusion::compare(gap.absolute, Side::AtLeast, floor, words);
            if conclusion.seen == Some(false) {
                let words = format!("the gap is {}, no more than {}", short(gap.absolute), short(floor));
                Conclusion { words, ..conclusion }
            } else {
                conclusion
            }
        }
        None => Conclusion::unknown("the gap of the flow was not measured"),
    };
    S.judge(hypotheses, conclusion)
}

/// One neuron, a limit, and labels that one neuron of its sign attains.
fn realizable(data: &DataFacts, flow: &RunFacts) -> Vec<Hypothesis> {
    let one = flow.m() == 1;
    let against = data.labels.iter().filter(|y| flow.c.first().is_some_and(|c| c * **y < 0.0)).count();
    let room = f64::EPSILON.sqrt() * max_abs(&data.labels) * max_abs(&data.labels);
    let attained = flow.converged() && flow.loss <= room;
    // Zero loss reached shows that the data are realizable; labels against the sign of the neuron that they are not.
    let met = if against > 0 { Some(false) } else { attained.then_some(true) };
    let evidence =
        format!("{against} labels against the sign of the neuron; the flow ends with loss {}", short(flow.loss));
    vec![
        neurons(flow, "one neuron", one),
        Hypothesis::new("realizable data: some weights have loss 0", met, evidence),
        converged(flow),
        in_row_space(flow),
    ]
}

fn from_zero(run: &RunFacts) -> bool {
    run.offset == 0.0 && run.start_z.as_slice().iter().all(|z| *z == 0.0)
}

/// `|w(inf) - w(0)| / |w* - w(0)|` within its bounds.
struct Ratio {
    low: f64,
    middle: f64,
    high: f64,
}

/// From the minimum norm, hence for a start at 0 only.
fn ratio(flow: &RunFacts, min_norm: &MinNormFacts) -> Option<Ratio> {
    let (moved, norm) = (flow.distance?, min_norm.norm?);
    let (lower, upper) = (min_norm.lower?, min_norm.upper?);
    (from_zero(flow) && lower > 0.0).then(|| Ratio {
        low: (moved - flow.radius).max(0.0) / upper,
        middle: moved / norm,
        high: (moved + flow.radius) / lower,
    })
}
