//! Gradient descent on high-dimensional data: every verdict of every entry.
//!
//! The claims are true where their hypotheses are, so `fails` comes from evidence that is spoiled in one place.

use relimit_core::certify::Claim;
use relimit_core::descent::{Move, Status};
use relimit_core::num::Mat;
use relimit_core::theory::{Evidence, Verdict};

use super::case::{Case, case, check};
use super::runs::{
    certified, data, descent, disjoint, event, exactly, golden_certificate, golden_one, golden_two, golden_v, with,
};

use Verdict::{Fails, Holds, NotMet, Undecided};

/// Without the certificate nothing says that the golden data are high-dimensional.
fn uncertified(e: Evidence) -> Evidence {
    with(e, |e| {
        if let Some(certificate) = e.one_step.as_mut() {
            certificate.holds = false;
        }
    })
}

fn gap(e: Evidence, absolute: f64) -> Evidence {
    with(e, |e| {
        if let Some(gap) = e.gap.as_mut() {
            gap.absolute = absolute;
        }
    })
}

pub(crate) fn cases() -> Vec<Case> {
    [gaps(), one_neuron(), two_neurons(), masks(), many_neurons(), one_step()].into_iter().flatten().collect()
}

fn gaps() -> Vec<Case> {
    // S = G_NN - G_NP G_PP^{-1} G_PN = 17 - 2/18 = 152/9 lies between 17 (1 - rho) = 15 and 17 (1 + rho) = 19
    let (v, measured) = (golden_v(), (152.0f64 / 9.0).sqrt() * golden_v());
    let (low, high) = (15f64.sqrt() * v, 19f64.sqrt() * v);
    let rate = "gap-rate";
    let mut out = vec![
        case(rate, Undecided, "certified data", golden_one(), "cannot judge a rate"),
        case(rate, Undecided, "unknown dimension", uncertified(golden_one()), "d_2 of the population is not known"),
        case(rate, Undecided, "no run", Evidence::default(), "no evidence: no run of gradient descent"),
        case(
            rate,
            NotMet,
            "d_2 below 8 n",
            data(uncertified(golden_one()), |d| d.d2 = Some(exactly(23.9))),
            "d_2 is 23.9 for n = 3",
        ),
        case(rate, NotMet, "diverged", descent(golden_one(), |r| r.status = Status::Diverged), "status diverged"),
    ];
    for (key, bound, wrong) in [("gap-at-least", low, 3.87 * v), ("gap-at-most", high, 4.36 * v)] {
        out.extend([
            case(key, Holds, "golden", golden_one(), "the gap is 0.07936").numbers(measured, bound),
            case(key, Fails, "a gap on the wrong side", gap(golden_one(), wrong), "the bound").numbers(wrong, bound),
            case(
                key,
                NotMet,
                "rho = 1",
                with(golden_one(), |e| {
                    if let Some(c) = e.one_step.as_mut() {
                        c.rho = Some(1.0);
                    }
                }),
                "rho is 1",
            ),
            case(
                key,
                NotMet,
                "a start outside the row space",
                descent(golden_one(), |r| r.offset = 0.1),
                "its part outside has norm 0.1",
            ),
            case(
                key,
                NotMet,
                "the limit does not fit",
                with(golden_one(), |e| {
                    if let Some(g) = e.gap.as_mut() {
                        g.v_norm = None;
                    }
                }),
                "does not apply",
            ),
            case(
                key,
                Undecided,
                "the minimum norm is an interval",
                with(golden_one(), |e| {
                    if let Some(m) = e.min_norm.as_mut() {
                        m.status = Claim::Bound;
                    }
                }),
                "known within bounds only",
            ),
            case(
                key,
                Undecided,
                "a miss that the limit's radius explains",
                descent(gap(golden_one(), wrong), |r| r.radius = 0.01 * v),
                "the bound",
            ),
        ]);
    }
    let solver = "gap-without-solver";
    // sqrt(nu |z|) with nu = 1.01/34 - .01/19 and z = -.32614379
    let bound = ((1.01 / 34.0 - 0.01 / 19.0) * 0.32614379f64).sqrt();
    let unfit = |e: &mut Evidence| e.gap.as_mut().map_or((), |g| g.bound = None);
    let budget = descent(golden_one(), |r| r.status = Status::Budget);
    out.extend([
        case(solver, Holds, "golden", golden_one(), "the bound 0.09755").numbers(measured, bound),
        case(solver, Fails, "a larger gap", gap(golden_one(), 0.098), "the gap is 0.098").numbers(0.098, bound),
        case(solver, NotMet, "some dual has the wrong sign", with(golden_one(), unfit), "some is not"),
        case(solver, Undecided, "out of budget", budget, "status budget"),
    ]);
    out
}

fn one_neuron() -> Vec<Case> {
    let key = "fits-positives";
    let wide = data(uncertified(golden_one()), |d| d.d2 = Some(exactly(96.0)));
    let between = data(uncertified(golden_one()), |d| d.d2 = Some(exactly(95.9)));
    let dead = descent(golden_one(), |r| {
        (r.z, r.fitted) = (Mat::from_rows(&[[1.0, -0.2, -0.3]]), vec![true, false, false]);
    });
    let awake = descent(golden_one(), |r| r.z = Mat::from_rows(&[[1.0, 2.0, 0.1]]));
    let large = descent(golden_one(), |r| r.start_z = Mat::from_rows(&[[1.0; 3]]));
    let outside = descent(golden_one(), |r| r.start_z = Mat::from_rows(&[[0.01, 0.01, -0.01]]));
    let minus = descent(golden_one(), |r| {
        r.c = vec![-1.0];
        r.z = Mat::from_rows(&[[-0.3, -0.3, 1.0]]);
        r.fitted = vec![false, false, true];
    });
    vec![
        case(key, Holds, "golden", golden_one(), "0 examples of 3").numbers(0.0, 0.0),
        case(key, Holds, "d_2 = 32 n", wide, "0 examples of 3"),
        case(key, Holds, "the mirror image", minus, "0 examples of 3"),
        case(key, Fails, "a positive label is lost", dead, "1 example of 3").numbers(1.0, 0.0),
        case(key, Fails, "a negative label is not silent", awake, "1 example of 3"),
        case(key, NotMet, "two neurons", golden_two(), "2 neurons with output signs +-"),
        case(key, NotMet, "(C - 1) eps = y_min", large, "eps 1, the smallest |y| 1"),
        case(key, NotMet, "a start outside the orthant", outside, "1 pairs are not"),
        case(key, Undecided, "between 8 n and 32 n", between, "no certificate says that this is enough"),
        case(key, Undecided, "no end", descent(golden_one(), |r| r.status = Status::Undecided), "status undecided"),
    ]
}

fn two_neurons() -> Vec<Case> {
    let key = "decouples";
    let mixed = descent(golden_two(), |r| r.z = Mat::from_rows(&[[1.2, 2.0, -0.3], [0.2, -0.9, 1.0]]));
    let same = descent(golden_two(), |r| r.c = vec![1.0, 1.0]);
    let open = data(uncertified(golden_two()), |d| d.d2 = None);
    vec![
        case(key, Holds, "golden", golden_two(), "0 examples of 3").numbers(0.0, 0.0),
        case(key, Fails, "both active on example 0", mixed, "1 example of 3").numbers(1.0, 0.0),
        case(key, NotMet, "one neuron", golden_one(), "1 neuron with output signs +"),
        case(key, NotMet, "two of one sign", same, "2 neurons with output signs ++"),
        case(key, Undecided, "unknown dimension", open, "d_2 of the population is not known"),
    ]
}

fn masks() -> Vec<Case> {
    let (active, freeze) = ("active-stays-active", "negative-duals-freeze");
    let lost = descent(golden_one(), |r| r.events.push(event(3.0, 0, 0, Move::Off)));
    let woken = descent(golden_one(), |r| r.events.push(event(3.0, 0, 2, Move::On)));
    let outside = || descent(golden_one(), |r| r.start_z = Mat::from_rows(&[[-0.01, 0.01, 0.01]]));
    let partly = |e: Evidence| descent(e, |r| r.events_complete = false);
    let step = descent(golden_one(), |r| r.eta = Some(1.0 / 17.0));
    vec![
        case(active, Holds, "golden", golden_one(), "0 times").numbers(0.0, 0.0),
        case(active, Holds, "a woken negative example says nothing here", woken.clone(), "0 times"),
        case(active, Fails, "a positive example switched off", lost.clone(), "1 time").numbers(1.0, 0.0),
        case(active, Fails, "seen although the record is cut", partly(lost.clone()), "1 time"),
        case(active, NotMet, "a start outside the orthant", outside(), "1 pairs are not"),
        case(active, NotMet, "C = 1", step.clone(), "C is 1,"),
        case(active, Undecided, "the record is cut", partly(golden_one()), "not all recorded"),
        case(freeze, Holds, "golden", golden_one(), "0 times").numbers(0.0, 0.0),
        case(freeze, Holds, "a lost positive example says nothing here", lost, "0 times"),
        case(freeze, Fails, "a silenced example woken", woken, "1 time").numbers(1.0, 0.0),
        case(freeze, NotMet, "C = 1", step, "C is 1,"),
        case(freeze, NotMet, "cycle", descent(golden_one(), |r| r.status = Status::Cycle), "status cycle"),
        case(freeze, Undecided, "the record is cut", partly(golden_one()), "not all recorded"),
    ]
}

fn many_neurons() -> Vec<Case> {
    let key = "disjoint-subsets";
    let moved = descent(disjoint(), |r| r.z[(0, 1)] = 0.3);
    let unfitted = descent(disjoint(), |r| r.fitted[1] = false);
    // the interference is 2 sqrt(3/10000) = .0346
    let margin =
        |delta: f64| descent(disjoint(), |r| r.start_z = Mat::from_fn(3, 3, |j, i| if i == j { 0.01 } else { -delta }));
    let shared = descent(disjoint(), |r| r.start_z[(1, 0)] = 0.01);
    vec![
        case(key, Holds, "orthogonal rows", disjoint(), "0 masks changed, 0 examples not fitted").numbers(0.0, 0.0),
        case(key, Holds, "margin .03465 above .03464", margin(0.03465), "0 masks changed"),
        case(key, Fails, "one mask moved", moved, "1 mask changed, 0 examples").numbers(1.0, 0.0),
        case(key, Fails, "one example lost", unfitted, "0 masks changed, 1 example").numbers(1.0, 0.0),
        case(key, NotMet, "margin .03464 below it", margin(0.03464), "margin 0.03464, interference 0.03464"),
        case(key, NotMet, "an example of two neurons", shared, "one neuron alone"),
        case(key, NotMet, "two neurons", golden_two(), "more than two neurons"),
        case(key, Undecided, "unknown dimension", data(disjoint(), |d| d.d2 = None), "not known"),
    ]
}

fn one_step() -> Vec<Case> {
    let key = "one-step";
    let late = descent(golden_one(), |r| r.last_event = 4.0);
    let wrong = descent(golden_one(), |r| r.z[(0, 2)] = 0.2);
    // rows (1,0), (rho, sqrt(1 - rho^2)) with rho = .4138, labels (1,-1), C = 2, eps -> 0: 2 rho/(1 - rho) = 1.41 > 1
    let two_rows = with(golden_one(), |e| {
        let mut c = golden_certificate(1);
        (c.rho, c.left, c.holds) = (Some(0.4138), Some(2.0 * 0.4138 / (1.0 - 0.4138)), false);
        e.one_step = Some(c);
    });
    vec![
        case(key, Holds, "golden, one neuron", golden_one(), "changed at step 1").numbers(1.0, 1.0),
        case(key, Holds, "golden, two neurons", golden_two(), "changed at step 1"),
        case(key, Fails, "a later change", late, "changed at step 4").numbers(4.0, 1.0),
        case(key, Fails, "another mask in the end", wrong, "1 mask of the limit differ"),
        case(key, NotMet, "2 rho/(1 - rho) = 1.41", two_rows, "left side 1.412, right side 1"),
        case(key, Undecided, "interrupted", descent(golden_one(), |r| r.status = Status::Interrupted), "interrupted"),
    ]
}

#[test]
fn each_verdict_has_its_example() {
    check(&cases());
}

/// Numbers of the reference that no entry prints, so that the evidence above is what it says.
#[test]
fn the_golden_gap_is_that_of_the_reference() {
    let e = golden_one();
    let gap = e.gap.map_or(f64::NAN, |g| g.absolute);
    assert!((gap - 0.07936126).abs() < 5e-9, "{gap}");
    assert_eq!(certified(1.0).norm, Some(1.0));
}
