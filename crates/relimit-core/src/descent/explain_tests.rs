//! Tests of the explanations: one small problem for each reason, run by a plain loop.

use super::*;
use crate::data::synthetic::synthetic;
use crate::descent::{Event, Move, Observer, Reason, Work};
use crate::num::linalg::{Cholesky, gram};
use crate::num::noise::{Purpose, Stream};
use crate::zoo::golden_one;

/// Plain descent in preactivations for `steps` steps. A pair that flips in the last tenth is a tie.
fn plain(p: &Problem, start: &Initial, eta: f64, steps: usize) -> (Limit, History) {
    let g = gram(p.x());
    let (m, n) = (p.m(), p.n());
    let (mut z, mut alpha) = (start.z.clone(), start.alpha.clone());
    let mut history = History::new(p, start);
    let mut events = Vec::new();
    for step in 1..=steps {
        let r = p.residual(&z);
        for j in 0..m {
            let push: Vec<f64> =
                (0..n).map(|i| if mask(z[(j, i)], p.at_zero()) { eta * p.c()[j] * r[i] } else { 0.0 }).collect();
            let moved = g.mul_vec(&push);
            for i in 0..n {
                alpha[(j, i)] += push[i];
                let old = mask(z[(j, i)], p.at_zero());
                z[(j, i)] += moved[i];
                let new = mask(z[(j, i)], p.at_zero());
                if new != old {
                    let to = if new { Move::On } else { Move::Off };
                    let event = Event { at: step as f64, neuron: j as u32, example: i as u32, to };
                    history.event(&event);
                    events.push(event);
                }
            }
        }
    }
    let late = |e: &&Event| e.at > 0.9 * steps as f64;
    let mut ties: Vec<(usize, usize)> =
        events.iter().filter(late).map(|e| (e.neuron as usize, e.example as usize)).collect();
    ties.sort_unstable();
    ties.dedup();
    for &pair in &ties {
        z[pair] = 0.0;
    }
    let mut w = start.offset.clone();
    for j in 0..m {
        axpy(1.0, &p.x().tmul_vec(alpha.row(j)), w.row_mut(j));
    }
    let last_event = events.last().map_or(0.0, |e| e.at);
    let limit = Limit {
        status: Status::Converged,
        reason: Reason::ClosedForm,
        alpha,
        z,
        w: w.into(),
        ties,
        radius: 0.0,
        last: steps as f64,
        last_event,
        divergence: None,
        work: Work::default(),
    };
    (limit, history)
}

/// A start with the given preactivations; needs independent rows, or preactivations that a multiple of one row gives.
fn start_at(p: &Problem, z: &Mat) -> Initial {
    let alpha: Vec<Vec<f64>> = match Cholesky::new(&gram(p.x())) {
        Some(chol) => (0..p.m()).map(|j| chol.solve(z.row(j))).collect(),
        None => (0..p.m())
            .map(|j| {
                let mut a = vec![0.0; p.n()];
                a[0] = z[(j, 0)] / dot(p.x().row(0), p.x().row(0));
                a
            })
            .collect(),
    };
    Initial { alpha: Mat::from_rows(&alpha), z: z.clone(), offset: Mat::zeros(p.m(), p.dim()) }
}

fn explained(p: &Problem, z: &[&[f64]], eta: f64) -> (Explanation, Limit) {
    explained_with(p, z, eta, ExplainOptions::default())
}

fn explained_with(p: &Problem, z: &[&[f64]], eta: f64, options: ExplainOptions) -> (Explanation, Limit) {
    let start = start_at(p, &Mat::from_rows(z));
    let (limit, history) = plain(p, &start, eta, 3000);
    let mut run = |p: &Problem, s: &Initial, eta: Option<f64>| plain(p, s, eta.unwrap(), 30_000).0;
    let done = Finished { problem: p, start: &start, eta: Some(eta), limit: &limit, history: &history };
    (explain(done, options, &mut run, &|| false), limit)
}

/// The only silent example, with reason and neuron as expected, confirmed.
fn single(e: &Explanation, example: usize, neuron: Option<usize>, reason: SilentReason) -> &Silent {
    assert_eq!(e.silent.len(), 1, "{e:?}");
    let s = &e.silent[0];
    assert_eq!((s.example, s.neuron, s.reason), (example, neuron, reason), "{e:?}");
    assert!(s.evidence.after.abs() < 1e-8 * 3.0 && s.evidence.before.abs() > 1e-2, "{e:?}");
    assert!(e.open.is_empty(), "{e:?}");
    s
}

fn orthogonal(n: usize, y: &[f64], c: &[f64]) -> Problem {
    Problem::new(Mat::from_fn(n, n, |i, k| if i == k { 1.0 } else { 0.0 }), y.to_vec(), c.to_vec(), false)
}

/// Two rows of length 1 with the given inner product.
fn pair(inner: f64, y: [f64; 2], c: &[f64]) -> Problem {
    let x = Mat::from_rows(&[[1.0, 0.0], [inner, (1.0 - inner * inner).sqrt()]]);
    Problem::new(x, y.to_vec(), c.to_vec(), false)
}

#[test]
fn no_neuron_of_sign() {
    let g = golden_one();
    let (e, _) = explained(&g.case.problem(), &[g.case.start.row(0)], 1.0 / 34.0);
    let s = single(&e, 2, None, SilentReason::NoNeuronOfSign);
    assert_eq!((s.since, s.evidence.before), (1.0, -1.0));
    assert_eq!(s.evidence.change, Change::NeuronAdded { weight: -1.0 });
    assert!(s.evidence.to_string().contains("a neuron of output weight -1 the row is fitted"));
}

#[test]
fn dead_start() {
    let p = orthogonal(3, &[1.0, 2.0, -1.0], &[1.0, -1.0]);
    let (e, _) = explained(&p, &[&[-0.01, 0.01, 0.01], &[0.01, 0.01, 0.01]], 0.5);
    let s = single(&e, 0, Some(0), SilentReason::DeadStart);
    assert_eq!((s.since > 0.0, s.evidence.before), (true, 1.0), "the opposite neuron goes silent at step 1");
    assert_eq!(s.evidence.change, Change::StartMoved { from: -0.01, to: 1e-3, step: None });
    // Dead for both positive neurons: the nearer one is named.
    let p = orthogonal(2, &[1.0, 2.0], &[1.0, 2.0]);
    let (e, _) = explained(&p, &[&[-0.03, 0.01], &[-0.02, 0.01]], 0.2);
    let s = single(&e, 0, Some(1), SilentReason::DeadStart);
    assert_eq!(s.since, 0.0);
}

/// A dead start and a step that is too large at once: both are changed, and the start is named first.
#[test]
fn dead_start_that_also_needs_a_smaller_step() {
    let p = orthogonal(1, &[1.0], &[1.0]);
    let (e, _) = explained(&p, &[&[-0.01]], 3.0);
    let s = single(&e, 0, Some(0), SilentReason::DeadStart);
    assert!(matches!(s.evidence.change, Change::StartMoved { step: Some(step), .. } if (step - 0.3).abs() < 1e-15));
    assert_eq!(s.evidence.rejected.len(), 1);
}

#[test]
fn silenced_by_step() {
    // z = .01, 2.98, -2.96: silent from step 2 on.
    let (e, _) = explained(&orthogonal(1, &[1.0], &[1.0]), &[&[0.01]], 3.0);
    let s = single(&e, 0, Some(0), SilentReason::SilencedByStep);
    assert_eq!((s.since, s.evidence.before), (2.0, 1.0));
    assert_eq!(s.evidence.change, Change::SmallerStep { step: 0.3 });
}

#[test]
fn label_below_interference() {
    // Row 0 pulls row 1 down with -.6 per unit, row 1 itself up with .1.
    let (e, limit) = explained(&pair(-0.6, [1.0, 0.1], &[1.0]), &[&[0.001, 0.001]], 0.2);
    let s = single(&e, 1, Some(0), SilentReason::LabelBelowInterference);
    assert_eq!(s.evidence.change, Change::RowAlone);
    assert_eq!(s.evidence.rejected.len(), 1, "a tenth of the step was tried first");
    // z_1 = its own dual + -.6 times the dual of row 0.
    let others = limit.z[(0, 1)] - limit.alpha[(0, 1)];
    assert!((s.evidence.interference - others).abs() < 1e-12 && others < -0.5);
}

#[test]
fn opposite_sign() {
    // Equal rows, labels 1 and -.1: the positive neuron settles on the mean .45 for both, the negative one dies.
    let x = Mat::from_rows(&[[1.0, 0.0], [1.0, 0.0]]);
    let p = Problem::new(x, vec![1.0, -0.1], vec![1.0, -1.0], false);
    let (e, limit) = explained(&p, &[&[0.001, 0.001], &[0.001, 0.001]], 0.2);
    let s = single(&e, 1, Some(0), SilentReason::OppositeSign);
    assert!((limit.z[(0, 1)] - 0.45).abs() < 1e-9 && (s.evidence.before + 0.55).abs() < 1e-9);
    assert_eq!(e.balanced, [0], "row 0 is active for its own neuron, in a compromise");
}

/// Rows (2,0), (0,1), (1,-1), labels 3, 1, -1. The positive neuron settles at w = (t, t), t = 7/5, with z = 0 on the last
/// row: the pull (.4, -.4) of the others is balanced by its being active in 2 of 5 steps. The negative neuron dies in
/// step 1, since 2*3 - 1 > 2.
#[test]
fn tie() {
    let p = Problem::new(
        Mat::from_rows(&[[2.0, 0.0], [0.0, 1.0], [1.0, -1.0]]),
        vec![3.0, 1.0, -1.0],
        vec![1.0, -1.0],
        false,
    );
    let w = Mat::from_rows(&[[0.002, 0.001], [0.002, 0.001]]);
    let z = Mat::from_rows(&[p.x().mul_vec(w.row(0)), p.x().mul_vec(w.row(1))]);
    let start = Initial { alpha: Mat::zeros(2, 3), z, offset: w };
    let (limit, history) = plain(&p, &start, 0.01, 3000);
    assert_eq!(limit.ties, [(0, 2)]);
    assert!(limit.w.row(0).iter().all(|w| (w - 1.4).abs() < 0.02), "{:?}", limit.w);
    let mut run = |p: &Problem, s: &Initial, eta: Option<f64>| plain(p, s, eta.unwrap(), 30_000).0;
    let done = Finished { problem: &p, start: &start, eta: Some(0.01), limit: &limit, history: &history };
    let e = explain(done, ExplainOptions::default(), &mut run, &|| false);
    let s = single(&e, 2, Some(0), SilentReason::Tie);
    assert_eq!(s.evidence.before, -1.0);
    assert_eq!(e.balanced, [0, 1]);
    assert!(matches!(s.evidence.rejected[..], [(Change::SmallerStep { .. }, _, r)] if r == -1.0));
}

#[test]
fn zero_row_is_named() {
    let p = Problem::new(Mat::from_rows(&[[1.0, 0.0], [0.0, 0.0]]), vec![1.0, 1.0], vec![1.0], false);
    let start =
        Initial { alpha: Mat::from_rows(&[[0.01, 0.0]]), z: Mat::from_rows(&[[0.01, 0.0]]), offset: Mat::zeros(1, 2) };
    for at_zero in [false, true] {
        let p = Problem::new(p.x().clone(), p.y().to_vec(), vec![1.0], at_zero);
        let (limit, history) = plain(&p, &start, 0.5, 500);
        let mut run = |p: &Problem, s: &Initial, eta: Option<f64>| plain(p, s, eta.unwrap(), 2000).0;
        let done = Finished { problem: &p, start: &start, eta: Some(0.5), limit: &limit, history: &history };
        let e = explain(done, ExplainOptions::default(), &mut run, &|| false);
        let s = single(&e, 1, Some(0), SilentReason::DeadStart);
        assert_eq!(s.evidence.change, Change::BiasAdded);
    }
}

#[test]
fn budget_and_interrupt_leave_examples_open() {
    let p = orthogonal(1, &[1.0], &[1.0]);
    let options = ExplainOptions { max_runs: 0 };
    let (e, _) = explained_with(&p, &[&[0.01]], 3.0, options);
    let open = |e: &Explanation| e.open.iter().map(|u| (u.example, u.out_of_budget)).collect::<Vec<_>>();
    assert_eq!((e.silent.len(), open(&e)), (0, vec![(0, true)]));
    assert_eq!(e.open[0].to_string(), "the runs that would tell are beyond the budget");
    let start = start_at(&p, &Mat::from_rows(&[[0.01]]));
    let (limit, history) = plain(&p, &start, 3.0, 100);
    let mut run = |_: &Problem, _: &Initial, _: Option<f64>| -> Limit { panic!("no run after an interrupt") };
    let done = Finished { problem: &p, start: &start, eta: Some(3.0), limit: &limit, history: &history };
    assert_eq!(open(&explain(done, ExplainOptions::default(), &mut run, &|| true)), [(0, true)]);
    // A fitted run has nothing to explain.
    let (e, _) = explained(&p, &[&[0.01]], 0.5);
    assert_eq!(e, Explanation::default());
}

/// High-dimensional data, one neuron, random signs of the start: exactly the positive labels that start silent and
/// never wake are dead starts, each costing 1/2 of loss; exactly the negative labels have no neuron.
#[test]
fn random_start_in_high_dimension() {
    let data = synthetic("gaussian:n=20,d=4000,seed=6").unwrap().dataset;
    let p = Problem::new(data.x, data.y, vec![1.0], false);
    let s = Stream::new(6, Purpose::Test);
    let z: Vec<f64> = (0..20).map(|i| s.sign(0, i)).collect();
    let tau = (0..20).map(|i| p.gram().unwrap()[(i, i)]).sum::<f64>() / 20.0;
    let (e, limit) = explained(&p, &[&z], 1.0 / (4.0 * tau));
    let dead: Vec<usize> = (0..10).filter(|&i| z[i] < 0.0).collect();
    let of = |r: SilentReason| e.silent.iter().filter(|s| s.reason == r).map(|s| s.example).collect::<Vec<_>>();
    assert!(dead.len() > 2);
    assert_eq!(of(SilentReason::DeadStart), dead);
    assert_eq!(of(SilentReason::NoNeuronOfSign), (10..20).collect::<Vec<_>>());
    assert!((p.loss(&limit.z) - 5.0 - 0.5 * dead.len() as f64).abs() < 1e-9);
}
