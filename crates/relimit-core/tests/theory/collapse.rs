//! Collapse of the effective width: every verdict of every entry, and the claim that fails.

use relimit_core::certify::Claim;
use relimit_core::num::Mat;
use relimit_core::theory::{Evidence, PatternCount, Verdict, arc_of_contact};

use super::case::{Case, case, check};
use super::networks::{five_points, law, optimum, ray, several_outputs, two_points};
use super::runs::{golden_data, with};

use Verdict::{Fails, Holds, NotMet, Undecided};

fn patterns(e: Evidence, p: Option<PatternCount>) -> Evidence {
    with(e, |e| e.patterns = p)
}

fn rays(list: &[(i8, &str)]) -> Evidence {
    optimum(five_points(), |o| o.rays = list.iter().map(|(s, p)| ray(*s, p)).collect())
}

fn free_bias() -> Evidence {
    optimum(five_points(), |o| o.penalised_bias = false)
}

fn uncertified() -> Evidence {
    optimum(five_points(), |o| (o.status, o.lower_bound) = (Claim::Bound, 0.3))
}

pub(crate) fn cases() -> Vec<Case> {
    [counts(), relations(), concentration(), symmetric(), outputs()].into_iter().flatten().collect()
}

fn counts() -> Vec<Case> {
    let (kinks, rays) = ("kinks-2p-1", "rays-2p-1");
    let bends = |k: usize| optimum(five_points(), |o| (o.kinks, o.line) = (Some(k), None));
    let touching = |k: usize| optimum(five_points(), |o| o.contact_count = Some(k));
    let unlisted = || optimum(five_points(), |o| (o.contact_count, o.unique) = (None, None));
    let at_least = |p: u64| Some(PatternCount { lower: p, upper: None });
    let between = Some(PatternCount { lower: 2, upper: Some(10) });
    vec![
        case(kinks, Holds, "G2", five_points(), "2 kinks, P = 10, bound 19").numbers(2.0, 19.0),
        case(kinks, Holds, "equality", bends(19), "19 kinks").numbers(19.0, 19.0),
        case(kinks, Holds, "P >= 5 is enough for 9", patterns(bends(9), at_least(5)), "P >= 5, bound 9")
            .numbers(9.0, 9.0),
        case(kinks, Fails, "one more", bends(20), "20 kinks, P = 10").numbers(20.0, 19.0),
        case(kinks, Fails, "above the upper bound of P", patterns(bends(20), between), "bound 19"),
        case(kinks, NotMet, "free biases", free_bias(), "biases are absent or not decayed"),
        case(kinks, NotMet, "two outputs", several_outputs(), "2 outputs"),
        case(kinks, Undecided, "10 kinks, P >= 5", patterns(bends(10), at_least(5)), "P >= 5, bound 9"),
        case(kinks, Undecided, "P unknown", patterns(five_points(), None), "P is not known"),
        case(kinks, Undecided, "a gap", uncertified(), "gap 0.03879"),
        case(rays, Holds, "G2", five_points(), "4 rays, P = 10, bound 19").numbers(4.0, 19.0),
        case(rays, Holds, "unique, contact not listed", optimum(unlisted(), |o| o.unique = Some(true)), "4 rays"),
        case(rays, Fails, "one more", touching(20), "20 rays").numbers(20.0, 19.0),
        case(rays, NotMet, "two outputs", several_outputs(), "2 outputs"),
        case(rays, NotMet, "free biases", free_bias(), "not decayed"),
        case(rays, Undecided, "other networks unknown", unlisted(), "other optimal networks may have more"),
        case(rays, Undecided, "20 rays, P >= 10", patterns(touching(20), at_least(10)), "bound 19"),
        case(rays, Undecided, "a gap", uncertified(), "gap 0.03879"),
    ]
}

fn relations() -> Vec<Case> {
    let (distinct, incomparable, two) = ("distinct-patterns", "incomparable-patterns", "two-per-binary");
    // x = .8 odd: directions (+,0) and (0,+) of opposite sign touch in one closed cell
    let phase = optimum(two_points(0.8, false, 0.2, 0.589062423743285, &[-0.8, 0.8]), |o| {
        o.rays = vec![ray(1, "+0"), ray(-1, "0+")];
    });
    let hidden = optimum(five_points(), |o| o.contact = Some(vec![ray(1, "+0---"), ray(-1, "+0---")]));
    let mut out = vec![
        case(distinct, Holds, "G2", five_points(), "0 pairs of 4 directions").numbers(0.0, 0.0),
        case(distinct, Fails, "one pattern, both signs", rays(&[(1, "+0---"), (-1, "+0---")]), "1 pair")
            .numbers(1.0, 0.0),
        case(distinct, Fails, "among the directions of contact", hidden, "1 pair of 2 directions"),
        case(distinct, Undecided, "one pattern, one sign", rays(&[(1, "+0---"), (1, "+0---")]), "can be merged"),
        case(incomparable, Holds, "G2", five_points(), "0 pairs of 4 directions").numbers(0.0, 0.0),
        case(incomparable, Fails, "a face, both signs", rays(&[(1, "+0---"), (-1, "++---")]), "1 pair")
            .numbers(1.0, 0.0),
        case(incomparable, Undecided, "a face, one sign", rays(&[(1, "+0---"), (1, "+----")]), "can be merged"),
        case(two, Holds, "G2", five_points(), "at most 1 direction in one closed cell").numbers(1.0, 2.0),
        case(two, Holds, "two in one cell", phase, "at most 2 directions").numbers(2.0, 2.0),
        case(two, Undecided, "three", rays(&[(1, "+0---"), (1, "++0--"), (-1, "0+-0-")]), "can be merged")
            .numbers(3.0, 2.0),
    ];
    for key in [distinct, incomparable, two] {
        out.extend([
            case(key, NotMet, "two outputs", several_outputs(), "2 outputs"),
            case(key, NotMet, "free biases", free_bias(), "not decayed"),
            case(key, Undecided, "a gap", uncertified(), "gap 0.03879"),
        ]);
    }
    out
}

fn concentration() -> Vec<Case> {
    let key = "coefficient-on-rays";
    let colder = with(five_points(), |e| {
        let mut cold = e.laws[0].clone();
        (cold.beta, cold.covered) = (1e5, Some(1.0));
        e.laws.insert(0, cold);
    });
    let unseen = law(five_points(), |l| l.covered = None);
    vec![
        case(key, Undecided, "G2 at 1e3", five_points(), "4 groups hold 0.997 of the coefficient").numbers(0.997, 1.0),
        case(key, Undecided, "the coldest speaks, and is no limit", colder, "one data set").numbers(1.0, 1.0),
        case(key, Undecided, "no groups", unseen, "no stationary law with its groups"),
        case(key, NotMet, "two outputs", law(five_points(), |l| l.outputs = 2), "2 outputs"),
    ]
}

fn symmetric() -> Vec<Case> {
    let key = "two-point-law";
    let at = |x: f64, even: bool, value: f64, kinks: &[f64]| two_points(x, even, 0.2, value, kinks);
    let root = 3f64.sqrt();
    // q1 = 2, f = 1.8 at the phase change: 2 lambda y/q1 - 2 lambda^2/q1^2 = .38
    let change = at(root, true, 0.38, &[-1.0 / root, 1.0 / root]);
    let odd = || at(2.0, false, 0.341770876399966, &[-0.5, 0.5]);
    // lambda_max = y q1/2 = sqrt 5: at 3 nothing is left of the network, and the loss is (1/4)(4 + 4)
    let silent = two_points(2.0, false, 3.0, 2.0, &[]);
    // the same problem with the half-sum loss: everything twice
    let doubled = optimum(odd(), |o| {
        (o.lambda, o.omega, o.objective, o.lower_bound) = (0.4, 1.0, 2.0 * o.objective, 2.0 * o.objective);
    });
    let plane = optimum(odd(), |o| o.line = None);
    let other = with(five_points(), |e| e.data = Some(golden_data()));
    vec![
        case(key, Holds, "odd, x = .8", at(0.8, false, 0.589062423743285, &[-0.8, 0.8]), "2 kinks expected")
            .numbers(0.589062423743285, 0.589062423743285),
        case(key, Holds, "odd, x = 2", odd(), "2 kinks expected, 2 found")
            .numbers(0.341770876399966, 0.341770876399966),
        case(key, Holds, "even, x = 1", at(1.0, true, 0.38, &[]), "0 kinks expected").numbers(0.38, 0.38),
        case(key, Holds, "even, x = 10", at(10.0, true, 0.078810896008878, &[-0.1, 0.1]), "2 kinks expected"),
        case(key, Holds, "even, sqrt 3", change, "0.38 against 0.38"),
        case(key, Holds, "above lambda_max", silent, "2 against 2, 0 kinks expected"),
        case(key, Holds, "half-sum", doubled, "0.6835 against 0.6835"),
        case(key, Holds, "a plane: places unknown, number right", plane, "2 kinks expected, 2 found"),
        case(key, Fails, "kinks at the points", at(2.0, false, 0.341770876399966, &[-2.0, 2.0]), "2 found"),
        case(key, Fails, "one V with its kink at 0", at(10.0, true, 0.078810896008878, &[0.0]), "1 found"),
        case(key, Fails, "another objective", at(2.0, false, 0.35, &[-0.5, 0.5]), "0.35 against 0.3418"),
        case(key, NotMet, "other data", other, "other data"),
        case(key, NotMet, "free biases", optimum(odd(), |o| o.penalised_bias = false), "not decayed"),
        case(key, Undecided, "kinks not counted", optimum(plane_of(odd()), |o| o.kinks = None), "none counted"),
        case(key, Undecided, "a gap", optimum(odd(), |o| o.status = Claim::Bound), "not known"),
    ]
}

fn plane_of(e: Evidence) -> Evidence {
    optimum(e, |o| o.line = None)
}

fn outputs() -> Vec<Case> {
    let key = "rays-several-outputs";
    let isolated = optimum(several_outputs(), |o| (o.face_rank, o.contact_dimension) = (Some(1), Some(0)));
    let arc = optimum(several_outputs(), |o| (o.face_rank, o.contact_dimension) = (None, Some(1)));
    let unseen = optimum(several_outputs(), |o| o.face_rank = Some(1));
    vec![
        case(key, Fails, "V1 by its rank", several_outputs(), "a set of dimension 1").numbers(1.0, 0.0),
        case(key, Fails, "V1 by its arc", arc, "vanishing noise spreads over it").numbers(1.0, 0.0),
        case(key, Holds, "isolated directions", isolated, "every contact direction is isolated").numbers(0.0, 0.0),
        case(key, NotMet, "one output", five_points(), "1 output"),
        case(key, Undecided, "rank 1, contact unknown", unseen, "was not looked at"),
        case(key, Undecided, "a gap", optimum(several_outputs(), |o| o.status = Claim::Bound), "not known"),
    ]
}

#[test]
fn each_verdict_has_its_example() {
    check(&cases());
}

/// On the data of V1 two directions far apart are joined by an arc of contact; beyond b = |w|/2 there is none.
#[test]
fn the_known_failure_has_its_arc() {
    let x = Mat::from_rows(&[[0.5, 1.0], [-0.5, 1.0]]);
    let dual = Mat::from_rows(&[[0.1, 0.05], [-0.1, 0.05]]);
    let at = |degrees: f64| [degrees.to_radians().cos(), degrees.to_radians().sin()];
    assert!(arc_of_contact(&x, &dual, 0.1, &at(40.0), &at(140.0), 1e-12));
    assert!(arc_of_contact(&x, &dual, 0.1, &at(27.0), &at(153.0), 1e-12));
    assert!(!arc_of_contact(&x, &dual, 0.1, &at(20.0), &at(140.0), 1e-12));
    // labels whose rank-1 optimum touches at one direction alone
    let lean = Mat::from_rows(&[[0.1, 0.05], [-0.1, 0.04]]);
    assert!(!arc_of_contact(&x, &lean, 0.1, &at(40.0), &at(140.0), 1e-12));
    // |Q| is 1 on the whole upper half circle, but from 45 to 135 degrees two rows change sides: that is another cell
    let x = Mat::from_rows(&[[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]);
    assert!(arc_of_contact(&x, &x, 1.0, &at(45.0), &at(80.0), 1e-12));
    assert!(!arc_of_contact(&x, &x, 1.0, &at(45.0), &at(135.0), 1e-12));
}
