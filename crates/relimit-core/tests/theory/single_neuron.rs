//! One neuron in the worst case: every verdict of every entry.

use relimit_core::descent::Status;
use relimit_core::num::Mat;
use relimit_core::theory::{Evidence, Family, Verdict};

use super::case::{Case, case, check};
use super::runs::{data, flow, vardi_shamir, with};

use Verdict::{Fails, Holds, NotMet, Undecided};

/// Labels that no neuron of weight 1 attains.
fn negative() -> Evidence {
    data(vardi_shamir(), |d| d.labels = vec![16.0, 18.0, -1.0])
}

pub(crate) fn cases() -> Vec<Case> {
    let (nearest, two, not) = ("nearest-zero-loss", "factor-two", "flow-not-minimum-norm");
    let ratio = (1.0 + 0.040773f64.powi(2) / 26.0).sqrt();
    let far = flow(vardi_shamir(), |r| r.distance = Some(3.0 * 26f64.sqrt()));
    let blurred = flow(vardi_shamir(), |r| (r.distance, r.radius) = (Some(2.0 * 26f64.sqrt()), 1e-3));
    let moved = || flow(vardi_shamir(), |r| r.start_z = Mat::from_rows(&[[0.1, 0.1, 0.1]]));
    let open = || flow(vardi_shamir(), |r| (r.status, r.loss) = (Status::Budget, 1.0));
    let family = |gamma: f64| data(vardi_shamir(), |d| d.family = Some(Family::VardiShamir { gamma }));
    let gap = |v: f64| with(vardi_shamir(), |e| e.flow_gap.as_mut().map_or((), |g| g.absolute = v));
    vec![
        case(nearest, NotMet, "a ReLU", vardi_shamir(), "a ReLU is flat below 0").numbers(ratio, 1.0),
        case(nearest, Undecided, "no flow", Evidence::default(), "no run of gradient flow"),
        case(two, Holds, "gamma = 1", vardi_shamir(), "the ratio lies in [1, 1]").numbers(ratio, 2.0),
        case(two, Fails, "three times as far", far, "the ratio lies in [3, 3]").numbers(3.0, 2.0),
        case(two, NotMet, "a negative label", negative(), "1 labels against the sign of the neuron"),
        case(two, NotMet, "two neurons", flow(vardi_shamir(), |r| r.c = vec![1.0, -1.0]), "2 neurons"),
        case(two, Undecided, "2 within the radius", blurred, "the ratio lies in [2, 2]"),
        case(two, Undecided, "another start", moved(), "known for a start at 0"),
        case(two, Undecided, "loss 1 when the budget ended", open(), "status budget"),
        case(not, Holds, "gamma = 1", vardi_shamir(), "the gap is 0.04077"),
        case(not, Fails, "no gap", gap(0.0), "no more than"),
        case(not, NotMet, "gamma = 0", family(0.0), "gamma = 0"),
        case(not, NotMet, "other data", data(vardi_shamir(), |d| d.family = None), "other data"),
        case(not, NotMet, "relu'(0) = 0", flow(vardi_shamir(), |r| r.at_zero = false), "w(0) = 0"),
        case(not, NotMet, "another start", moved(), "w(0) = 0"),
        case(not, Undecided, "no gap measured", with(vardi_shamir(), |e| e.flow_gap = None), "was not measured"),
        case(not, Undecided, "loss 1 when the budget ended", open(), "status budget"),
    ]
}

#[test]
fn each_verdict_has_its_example() {
    check(&cases());
}
