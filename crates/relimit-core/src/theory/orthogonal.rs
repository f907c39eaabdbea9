//! Orthogonal data (Boursier, Pillaud-Vivien, Flammarion 2022), and our finite statement for one trained layer.

use super::conditions::{certified_minimum, converged, in_row_space, neurons, orthant_start};
use super::evidence::{DataFacts, Evidence};
use super::finding::{ClaimKind, Conclusion, Finding, Hypothesis, OURS, Paper, Read, Side, Statement};
use super::high_dimension::within;
use super::short;
use crate::num::mat::{max_abs, norm2};

const PAPER: Paper = Paper {
    authors: "Boursier, Pillaud-Vivien, Flammarion",
    year: 2022,
    title: "Gradient flow dynamics of shallow ReLU networks for square loss and orthogonal inputs",
    place: "NeurIPS 2022, arXiv 2206.00939",
};

/// Key `variation-norm-limit`.
pub(super) fn variation_norm_limit(e: &Evidence) -> Finding {
    const S: Statement = Statement {
        key: "variation-norm-limit",
        paper: &PAPER,
        read: Read::Abstract,
        kind: ClaimKind::Rate,
        claim: "orthogonal inputs, both layers trained, small start: gradient flow reaches zero loss and is biased to the \
                minimum variation norm",
        meaning: "half the squared norm of all parameters; the minimum, sqrt(sum_pos y^2/|x|^2) + sqrt(sum_neg y^2/|x|^2) \
                  (ours)",
    };
    let Some(data) = &e.data else { return S.absent("no data") };
    let Some(t) = &e.training else { return S.absent("no run that trains both layers without weight decay") };
    let minimum = side(data, 1.0) + side(data, -1.0);
    let hypotheses = vec![
        orthogonal(data),
        Hypothesis::new("no bias", !t.bias, ""),
        Hypothesis::new("a balanced start, |c_j| = |w_j|", t.balanced, ""),
    ];
    let words = format!(
        "from a start of norm {}, half the squared norm is {} and the minimum {}, at loss {}",
        short(t.start_norm),
        short(t.half_square),
        short(minimum),
        short(t.loss)
    );
    let slack = (minimum > 0.0).then(|| (minimum - t.half_square) / minimum.max(t.half_square));
    let conclusion = Conclusion { measured: Some(t.half_square), bound: Some(minimum), slack, seen: None, words };
    S.judge(hypotheses, conclusion)
}

/// Key `orthogonal-flow`.
pub(super) fn orthogonal_flow(e: &Evidence) -> Finding {
    const S: Statement = Statement {
        key: "orthogonal-flow",
        paper: &OURS,
        read: Read::Ours,
        kind: ClaimKind::Finite,
        claim: "orthogonal rows, one neuron or two of opposite weight, every example active at the start with |c| z < |y|/2: \
                gradient flow of the inner layer ends exactly at the minimum-norm solution",
        meaning: "gap of the limit of the flow to the minimum-norm solution; 0, up to the orthogonality and rounding that \
                  floating point allows",
    };
    let (Some(data), Some(flow)) = (&e.data, &e.flow) else { return S.absent("no run of gradient flow") };
    let shape = flow.m() == 1 || (flow.m() == 2 && flow.c[0] == -flow.c[1]);
    let eps = max_abs(&flow.c) * max_abs(flow.start_z.as_slice());
    let smallest = data.labels.iter().fold(f64::INFINITY, |a: f64, y| a.min(y.abs()));
    let hypotheses = vec![
        orthogonal(data),
        neurons(flow, "one neuron, or two of weight c and -c", shape),
        orthant_start(flow),
        Hypothesis::new(
            "|c| z < |y|/2 at the start",
            eps < 0.5 * smallest,
            format!("largest |c| z {}, smallest |y| {}", short(eps), short(smallest)),
        ),
        in_row_space(flow),
        converged(flow),
        certified_minimum(e),
    ];
    let conclusion = match &e.flow_gap {
        Some(gap) => {
            let words = format!("the gap is {}", short(gap.absolute));
            let norm = e.min_norm.and_then(|m| m.norm).unwrap_or(0.0);
            // Inner products that vanish up to rounding move the limit by their relative size, n times over.
            let room = flow.radius + (data.n * data.n * data.dim) as f64 * f64::EPSILON * norm;
            // Up to half the digits the gap may still be rounding of the solution that it is measured to.
            within(Conclusion::compare(gap.absolute, Side::AtMost, room, words), f64::EPSILON.sqrt() * norm)
        }
        None => Conclusion::unknown("the gap of the flow was not measured"),
    };
    S.judge(hypotheses, conclusion)
}

fn orthogonal(data: &DataFacts) -> Hypothesis {
    let evidence = match data.orthogonal {
        Some(true) => "up to rounding",
        Some(false) => "some inner product is above its rounding",
        None => "inner products were not looked at",
    };
    Hypothesis::new("orthogonal rows", data.orthogonal, evidence)
}

/// `sqrt(sum y_i^2 / |x_i|^2)` over the labels of one sign.
fn side(data: &DataFacts, sign: f64) -> f64 {
    let pairs = data.labels.iter().zip(&data.lengths).filter(|(y, _)| sign * **y > 0.0);
    norm2(&pairs.map(|(y, l)| y / l).collect::<Vec<_>>())
}
