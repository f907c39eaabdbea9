//! Knots of the limit in one dimension: every verdict of the entry.

use relimit_core::certify::Claim;
use relimit_core::theory::{Evidence, Line, Verdict};

use super::case::{Case, case, check};
use super::networks::{five_points, optimum, several_outputs};

use Verdict::{Fails, Holds, NotMet, Undecided};

/// Points 0 and 1, with these kinks.
fn bent(kinks: &[f64]) -> Evidence {
    optimum(five_points(), |o| o.line = Some(Line { points: vec![1.0, 0.0, 1.0], kinks: kinks.to_vec() }))
}

pub(crate) fn cases() -> Vec<Case> {
    let key = "three-knots";
    let near = 1e-10;
    vec![
        case(key, Holds, "G2: knots at points", five_points(), "1 kink in one interval, 0 of them inside")
            .numbers(1.0, 3.0),
        case(key, Holds, "both ends and one inside", bent(&[0.0, 0.4, 1.0]), "1 of them inside").numbers(3.0, 3.0),
        case(
            key,
            Holds,
            "ends up to rounding",
            bent(&[near, 0.4, 1.0 - near]),
            "3 kinks in one interval, 1 of them inside",
        ),
        case(key, Holds, "two inside", bent(&[0.3, 0.4]), "2 of them inside").numbers(2.0, 3.0),
        case(key, Holds, "none", bent(&[]), "0 kinks").numbers(0.0, 3.0),
        case(key, Fails, "four", bent(&[0.0, 0.3, 0.4, 1.0]), "4 kinks in one interval").numbers(4.0, 3.0),
        case(key, Fails, "two inside and one end", bent(&[0.3, 0.4, 1.0]), "3 kinks in one interval, 2 of them inside"),
        case(key, Fails, "three beyond the outermost", bent(&[1.1, 1.2, 1.3]), "3 of them inside").numbers(3.0, 3.0),
        case(key, NotMet, "free biases", optimum(five_points(), |o| o.penalised_bias = false), "not decayed"),
        case(key, NotMet, "two outputs", several_outputs(), "2 outputs"),
        case(key, Undecided, "more features", optimum(five_points(), |o| o.line = None), "for one input only"),
        case(key, Undecided, "a gap", optimum(five_points(), |o| o.status = Claim::Bound), "not known"),
    ]
}

#[test]
fn each_verdict_has_its_example() {
    check(&cases());
}
