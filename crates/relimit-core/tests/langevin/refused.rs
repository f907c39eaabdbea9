//! Plans that are refused, runs that diverge, NaN and overflow.

use relimit_core::langevin::{
    Batch, Bias, Offset, Options, Plan, PlanError, Precision, Schedule, Start, Status, Unobserved, run, start,
};
use relimit_core::net::Network;
use relimit_core::num::Mat;

use crate::reference::options;

fn refusal(change: impl FnOnce(&mut Options)) -> PlanError {
    let mut o = options(4, 2, 1);
    change(&mut o);
    Plan::new(o).expect_err("a refusal")
}

#[test]
fn plans_without_a_stationary_law_or_a_meaning_are_refused_with_a_cure() {
    let noisy = |o: &mut Options| o.beta = Schedule::Constant(10.0);
    let decay = refusal(|o| {
        noisy(o);
        o.lambda = 0.0;
    });
    assert_eq!(decay, PlanError::NoDecay);
    assert!(decay.to_string().contains("--lambda") && decay.to_string().contains("--beta inf"));
    // Stages that begin without noise but have it later.
    let later = refusal(|o| {
        o.beta = Schedule::Stages(vec![(0, f64::INFINITY), (9, 3.0)]);
        o.lambda = 0.0;
    });
    assert_eq!(later, PlanError::NoDecay);
    assert_eq!(refusal(|o| (noisy(o), o.bias = Bias::Free).1), PlanError::FreeBias);
    assert_eq!(refusal(|o| (noisy(o), o.offset = Offset::Free).1), PlanError::NoisyOffset);
    assert_eq!(refusal(|o| o.width = 0), PlanError::NoNeurons);
    for beta in [0.0, -1.0, f64::NAN] {
        assert!(matches!(refusal(|o| o.beta = Schedule::Constant(beta)), PlanError::Beta { .. }));
        assert!(matches!(refusal(|o| o.step = Schedule::Constant(beta)), PlanError::Step { .. }));
    }
    assert!(matches!(refusal(|o| o.step = Schedule::Constant(f64::INFINITY)), PlanError::Step { .. }));
    assert!(matches!(refusal(|o| o.step = Schedule::Stages(vec![])), PlanError::Step { .. }));
    assert!(matches!(refusal(|o| o.step = Schedule::Stages(vec![(0, 1.0), (0, 1.0)])), PlanError::Step { .. }));
    let geometric = Schedule::Geometric { from: 1.0, to: f64::INFINITY, steps: 5 };
    assert!(matches!(refusal(|o| o.beta = geometric), PlanError::Beta { .. }));
    assert_eq!(refusal(|o| o.lambda = -1.0), PlanError::Lambda { lambda: -1.0 });
    assert_eq!(refusal(|o| o.batch = Batch::Shuffled(5)), PlanError::Batch { size: 5, n: 4 });
    assert_eq!(refusal(|o| o.batch = Batch::Drawn(0)), PlanError::Batch { size: 0, n: 4 });
    assert_eq!(refusal(|o| o.start = Start::Normal { scale: 0.0 }), PlanError::StartScale { scale: 0.0 });
    assert_eq!(
        refusal(|o| (o.x, o.y) = (Mat::zeros(0, 2).into(), Mat::zeros(0, 1))),
        PlanError::Empty { n: 0, d: 2, k: 1 }
    );
}

#[test]
fn data_that_are_not_finite_are_named() {
    let mut y = Mat::zeros(4, 1);
    y[(2, 0)] = f64::NAN;
    assert!(matches!(refusal(|o| o.y = y), PlanError::OutOfRange { part: "y", row: 2, column: 0, .. }));
    let mut x = Mat::zeros(4, 2);
    x[(3, 1)] = 1e300;
    let small = refusal(|o| (o.x, o.precision) = (x.into(), Precision::F32));
    assert_eq!(small, PlanError::OutOfRange { part: "x", row: 3, column: 1, value: 1e300 });
    let net = Network::scalar(Mat::zeros(3, 2), vec![0.0; 3], vec![0.0; 3], 0.0);
    let shape = refusal(|o| o.start = Start::Network(Box::new(net)));
    assert_eq!(shape, PlanError::StartShape { found: (3, 2, 1), expected: (100, 2, 1) });
}

#[test]
fn divergence_stops_with_the_step_and_a_remedy_that_works() {
    for precision in [Precision::F32, Precision::F64] {
        for threads in [1, 3] {
            let o = Options { step: Schedule::Constant(300.0), precision, width: 600, ..options(20, 2, 1) };
            let plan = Plan::new(o.clone()).unwrap();
            let mut particles = start(&plan);
            let end = run(&plan, &mut particles, 0..100_000, threads, &mut Unobserved, &|| false);
            let Status::Diverged(remedy) = end.status else { panic!("{end:?}") };
            assert!(end.step > 0 && end.step < 1000, "{end:?}");
            assert!(remedy.stable < 300.0 && remedy.to_string().contains("--step"));
            let calm = Plan::new(Options { step: Schedule::Constant(remedy.stable), ..o }).unwrap();
            let end = run(&calm, &mut start(&calm), 0..500, threads, &mut Unobserved, &|| false);
            assert_eq!(end.status, Status::Completed);
        }
    }
}

#[test]
fn overflow_is_seen_at_once() {
    // The first outputs are beyond f32: nothing moves, the step is 0.
    let o = Options { precision: Precision::F32, start: Start::Normal { scale: 1e25 }, ..options(3, 2, 1) };
    let plan = Plan::new(o).unwrap();
    let end = run(&plan, &mut start(&plan), 0..10, 2, &mut Unobserved, &|| false);
    assert!(matches!(end, relimit_core::langevin::End { status: Status::Diverged(_), step: 0 }), "{end:?}");
}

#[test]
fn a_nan_in_the_state_is_divergence_whatever_its_sign() {
    let plan = Plan::new(options(3, 2, 1)).unwrap();
    for bad in [f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for p in 0..4 {
            let mut values: Vec<f64> = start(&plan).values().collect();
            values[4 * 37 + p] = bad;
            let mut particles = relimit_core::langevin::Particles::from_values(&plan, values, &[0.0]);
            let end = run(&plan, &mut particles, 5..10, 1, &mut Unobserved, &|| false);
            assert!(matches!(end.status, Status::Diverged(_)) && end.step == 5, "{end:?}");
        }
    }
}
