//! Certificates of limits: minimum norms that are known as rationals, the one-step inequality of the golden example.

use relimit_core::certify::limit::{
    Fault, LimitCertificate, OneStepFault, Started, StateNode, Unwritten, least_norm_part, one_step_part,
};
use relimit_core::certify::min_norm::{Evidence, Node};
use relimit_core::num::Mat;
use relimit_core::zoo::{Golden, golden_one, golden_two};

/// One leaf whose multipliers are only roughly right: the exact solution needs to know what is active, no more.
fn rough(v: &[f64]) -> Evidence {
    Evidence::Tree { examples: (0..v.len() / 2).collect(), nodes: vec![Node::Leaf { v: v.to_vec() }] }
}

fn one_neuron(g: &Golden) -> LimitCertificate {
    let (x, y, c) = (&g.case.x, g.case.y.as_slice(), g.case.c.as_slice());
    // own rows, then the silent one: coefficients of w* by rows are about (.0526, .1151, -.0099)
    let part = least_norm_part((x, y, c), &rough(&[0.05, 0.0, 0.11, 0.0, 0.01, 0.0])).expect("a part");
    let start = Started { z: &g.case.start, step: g.case.step.expect("steps"), tau: 17.0 };
    LimitCertificate::new(x, y, c, Some(part), Some(one_step_part((x, y, c), start).expect("it holds")))
}

#[test]
fn the_golden_minimum_norm_is_exact() {
    let g = golden_one();
    let got = one_neuron(&g);
    assert_eq!(got.check(), Ok(None));
    let part = got.min_norm.as_ref().unwrap();
    // known to eight digits; both ends are neighbours
    assert!((part.upper - g.min_norm).abs() < 6e-9, "{}", part.upper);
    assert!(part.upper - part.lower <= 2.0 * f64::EPSILON * part.upper, "{} {}", part.lower, part.upper);
    assert!(part.distance.unwrap() < 1e-15, "{:?}", part.distance);
    for (w, known) in part.weights[0].iter().zip(g.min_norm_w.row(0)) {
        assert!((w - known).abs() < 6e-9, "{w} {known}");
    }
    // the multiplier of the silent row is 3/304 exactly
    let StateNode::Leaf(leaf) = &part.tree[0] else { panic!("one leaf") };
    let whole = |s: &str| s.parse::<i128>().unwrap();
    assert_eq!(304 * whole(&leaf.v.numerators[4]), 3 * whole(&leaf.v.denominator));
}

#[test]
fn the_golden_one_step_inequality_is_exact() {
    for g in [golden_one(), golden_two()] {
        let (x, y, c) = (&g.case.x, g.case.y.as_slice(), g.case.c.as_slice());
        let start = |step: f64| Started { z: &g.case.start, step, tau: 17.0 };
        let part = one_step_part((x, y, c), start(1.0 / 34.0)).expect("it holds");
        // rho = 2/17, and the left side in closed form; the step 1/34 is rounded
        assert!(part.rho >= 2.0 / 17.0 && part.rho <= (2.0f64 / 17.0).next_up(), "{}", part.rho);
        assert!((part.left - g.certificate_left).abs() < 1e-15 && part.right == 1.0, "{}", part.left);
        assert!((part.contraction - (1.0 - 15.0 / 34.0)).abs() < 1e-15);
        let whole = LimitCertificate::new(x, y, c, None, Some(part));
        assert_eq!(whole.check(), Ok(None));
        let refused = |change: &dyn Fn(&mut LimitCertificate)| {
            let mut other = whole.clone();
            change(&mut other);
            other.check().expect("well formed").expect("refused")
        };
        let step = |c: &mut LimitCertificate| c.one_step.as_mut().unwrap().left = g.certificate_left * 0.999;
        assert_eq!(refused(&step), Fault::OneStep(OneStepFault::Left));
        let rho = |c: &mut LimitCertificate| c.one_step.as_mut().unwrap().rho = 0.117;
        assert_eq!(refused(&rho), Fault::OneStep(OneStepFault::Rho));
        let right = |c: &mut LimitCertificate| c.one_step.as_mut().unwrap().right = 1.0f64.next_up();
        assert_eq!(refused(&right), Fault::OneStep(OneStepFault::Right));
        assert_eq!(refused(&|c| c.y[0] = 1.5), Fault::Fingerprint);
        // a step constant of 16/17 does not contract
        assert_eq!(one_step_part((x, y, c), start(1.0 / 16.0)), Err(Unwritten::OneStep(OneStepFault::Step)));
    }
}

#[test]
fn stronger_claims_about_the_norm_are_refused() {
    let whole = one_neuron(&golden_one());
    let refused = |change: &dyn Fn(&mut LimitCertificate)| {
        let mut other = whole.clone();
        change(&mut other);
        assert!(other.check().expect("well formed").is_some());
    };
    refused(&|c| c.min_norm.as_mut().unwrap().lower = whole.min_norm.as_ref().unwrap().upper.next_up());
    refused(&|c| c.min_norm.as_mut().unwrap().upper = whole.min_norm.as_ref().unwrap().lower.next_down());
    refused(&|c| c.min_norm.as_mut().unwrap().distance = Some(0.0));
    refused(&|c| c.min_norm.as_mut().unwrap().weights[0][1] += 1e-9);
    refused(&|c| c.min_norm.as_mut().unwrap().tree.clear());
    refused(&|c| c.min_norm.as_mut().unwrap().point.numerators[0].push('0'));
    refused(&|c| c.statement.clear());
    let nothing = LimitCertificate { min_norm: None, one_step: None, ..whole.clone() };
    assert_eq!(nothing.check().unwrap_err().part, "min_norm");
    let digits = |c: &str| {
        let mut other = whole.clone();
        other.min_norm.as_mut().unwrap().point.denominator = c.into();
        other.check().unwrap_err().part
    };
    assert_eq!((digits("0"), digits("-3"), digits("1_0"), digits("")), ("point", "point", "point", "point"));
}

/// Without multipliers nothing is written, and the reason is said.
#[test]
fn what_cannot_be_written_is_named() {
    let g = golden_one();
    let (x, y) = (&g.case.x, g.case.y.as_slice());
    let part = |c: &[f64], e: &Evidence| least_norm_part((x, y, c), e).unwrap_err();
    assert_eq!(part(&[1.0, 1.0], &Evidence::None), Unwritten::Neurons);
    assert_eq!(part(&[1.0], &Evidence::None), Unwritten::NoTree);
    let unlike = Mat::from_rows(&[[1.0], [1.0]]);
    let none = least_norm_part((&unlike, &[1.0, 2.0], &[1.0]), &rough(&[1.0, 0.0, 1.0, 0.0]));
    assert!(matches!(none, Err(Unwritten::Inexact(_))), "{none:?}");
}
