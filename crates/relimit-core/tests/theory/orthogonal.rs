//! Orthogonal data: every verdict of every entry.

use relimit_core::certify::Claim;
use relimit_core::num::Mat;
use relimit_core::theory::{Evidence, TrainingFacts, Verdict};

use super::case::{Case, case, check};
use super::runs::{data, flow, orthogonal, with};

use Verdict::{Fails, Holds, NotMet, Undecided};

/// Both layers trained on rows (2,0), (0,3) with labels (4,-6): the minimum is 4/2 + 6/3 = 4.
fn trained(change: impl FnOnce(&mut TrainingFacts)) -> Evidence {
    let mut facts = TrainingFacts { balanced: true, bias: false, start_norm: 1e-3, half_square: 4.125, loss: 1e-20 };
    change(&mut facts);
    with(orthogonal(), |e| e.training = Some(facts))
}

fn gap(v: f64) -> Evidence {
    with(orthogonal(), |e| e.flow_gap.as_mut().map_or((), |g| g.absolute = v))
}

pub(crate) fn cases() -> Vec<Case> {
    let (norm, exact) = ("variation-norm-limit", "orthogonal-flow");
    let crossed = |e: Evidence| data(e, |d| d.orthogonal = Some(false));
    // |y|/2 = 2
    let large = |z: f64| flow(orthogonal(), |r| r.start_z = Mat::from_rows(&[[z, 0.01]]));
    let uncertified = with(orthogonal(), |e| e.min_norm.as_mut().map_or((), |m| m.status = Claim::Undecided));
    let several = data(trained(|_| ()), |d| {
        (d.lengths, d.labels) = (vec![1.0, 2.0, 0.5], vec![3.0, 8.0, -1.0]);
    });
    vec![
        case(norm, Undecided, "a small start", trained(|_| ()), "cannot judge a rate").numbers(4.125, 4.0),
        // sqrt(3^2 + 4^2) + 2
        case(norm, Undecided, "two rows on one side", several, "the minimum 7").numbers(4.125, 7.0),
        case(norm, Undecided, "no such run", orthogonal(), "no run that trains both layers"),
        case(norm, NotMet, "an inner product", crossed(trained(|_| ())), "above its rounding"),
        case(norm, NotMet, "an output bias", trained(|t| t.bias = true), "no bias"),
        case(norm, NotMet, "not balanced", trained(|t| t.balanced = false), "a balanced start"),
        case(exact, Holds, "one neuron", orthogonal(), "the gap is 0"),
        case(exact, Holds, "|c| z just below |y|/2", large(1.99), "the gap is 0"),
        case(exact, Fails, "a gap", gap(0.5), "the gap is 0.5"),
        case(exact, NotMet, "an inner product", crossed(orthogonal()), "above its rounding"),
        case(exact, NotMet, "|c| z = |y|/2", large(2.0), "largest |c| z 2, smallest |y| 4"),
        case(exact, NotMet, "two of one sign", flow(orthogonal(), |r| r.c = vec![1.0, 1.0]), "signs ++"),
        case(exact, NotMet, "silent at the start", large(-0.01), "1 pairs are not"),
        case(exact, Undecided, "a gap as small as rounding may be", gap(1e-9), "the gap is 1.000e-9"),
        case(exact, Undecided, "no certified minimum norm", uncertified, "it is not"),
        case(exact, Undecided, "no gap", with(orthogonal(), |e| e.flow_gap = None), "was not measured"),
    ]
}

#[test]
fn each_verdict_has_its_example() {
    check(&cases());
}
