//! Why examples of the glucose spectra stay unfitted: the exact engine makes the counterfactual runs.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use relimit_core::data::Dataset;
use relimit_core::data::scale::{Scale, scale};
use relimit_core::descent::explain::{ExplainOptions, Explanation, Finished, SilentReason, explain};
use relimit_core::descent::{DescentOptions, History, Initial, Limit, Problem, Status, Unobserved, descend};
use relimit_core::num::Mat;
use relimit_core::num::linalg::Cholesky;

fn problem(c: &[f64]) -> Problem {
    let text = include_str!("../../../examples/data/glucose_spectra.csv");
    let rows: Vec<Vec<f64>> =
        text.lines().skip(1).map(|l| l.split(',').map(|v| v.trim().parse().unwrap()).collect()).collect();
    let data = Dataset {
        x: Mat::from_rows(&rows.iter().map(|r| r[1..].to_vec()).collect::<Vec<_>>()).into(),
        y: rows.iter().map(|r| r[0]).collect(),
        features: (1..rows[0].len()).map(|k| format!("x{k}")).collect(),
        target: "glucose".into(),
        rows: (2..rows.len() + 2).collect(),
    };
    let data = scale(&data, Scale::None, Scale::Standardise).unwrap().dataset;
    Problem::new(data.x, data.y, c.to_vec(), false)
}

fn run_and_explain(p: &Problem, step_constant: f64) -> (Limit, Explanation) {
    let g = p.gram().unwrap();
    let (n, m) = (p.n(), p.m());
    let tau = (0..n).map(|i| g[(i, i)]).sum::<f64>() / n as f64;
    let a = Cholesky::new(g).unwrap().solve(&vec![1e-3; n]);
    let z = g.mul_vec(&a);
    let start = Initial {
        alpha: Mat::from_fn(m, n, |_, i| a[i]),
        z: Mat::from_fn(m, n, |_, i| z[i]),
        offset: Mat::zeros(m, p.dim()),
    };
    let eta = 1.0 / (step_constant * tau);
    let mut history = History::new(p, &start);
    let limit = descend(p, &start, &DescentOptions::to_limit(eta), &mut history, &|| false);
    let mut run = |p: &Problem, start: &Initial, eta: Option<f64>| {
        descend(p, start, &DescentOptions::to_limit(eta.unwrap()), &mut Unobserved, &|| false)
    };
    let done = Finished { problem: p, start: &start, eta: Some(eta), limit: &limit, history: &history };
    let explanation = explain(done, ExplainOptions::default(), &mut run, &|| false);
    (limit, explanation)
}

/// Every silent example is counted once, and every explanation is backed by a run that fits the example.
fn check(p: &Problem, limit: &Limit, e: &Explanation) {
    assert_eq!(limit.status, Status::Converged);
    let r = p.residual(&limit.z);
    let unfitted: Vec<usize> = (0..p.n()).filter(|&i| r[i].abs() > 1e-8 * (1.0 + p.y()[i].abs())).collect();
    let mut listed: Vec<usize> =
        e.silent.iter().map(|s| s.example).chain(e.balanced.clone()).chain(e.open.iter().map(|u| u.example)).collect();
    listed.sort_unstable();
    assert_eq!(listed, unfitted);
    for s in &e.silent {
        assert!(s.evidence.after.abs() <= 1e-8 * (1.0 + p.y()[s.example].abs()), "{s:?}");
        assert_eq!(s.evidence.before, r[s.example]);
    }
}

fn of(e: &Explanation, reason: SilentReason) -> Vec<usize> {
    e.silent.iter().filter(|s| s.reason == reason).map(|s| s.example).collect()
}

/// C = 2 with one neuron: all silent by step 2. The positive labels lose their neuron; the negative ones never had one.
#[test]
fn a_step_that_silences_everything() {
    let p = problem(&[1.0]);
    let (limit, e) = run_and_explain(&p, 2.0);
    check(&p, &limit, &e);
    let negative: Vec<usize> = (0..p.n()).filter(|&i| p.y()[i] < 0.0).collect();
    assert_eq!(of(&e, SilentReason::NoNeuronOfSign), negative);
    assert!(e.silent.iter().all(|s| s.since == 2.0), "the last masks change at step 2");
    // C = 20 fits all positive labels but one, which the other spectra still outweigh.
    assert_eq!(of(&e, SilentReason::LabelBelowInterference), [14]);
    assert_eq!(of(&e, SilentReason::SilencedByStep).len(), p.n() - negative.len() - 1);
    assert!(e.balanced.is_empty() && e.open.is_empty());
}

/// C = 30 with two neurons: the negative neuron dies, so every negative label is left unfitted.
#[test]
fn a_neuron_that_dies_at_the_start() {
    let p = problem(&[1.0, -1.0]);
    let (limit, e) = run_and_explain(&p, 30.0);
    check(&p, &limit, &e);
    assert!((p.loss(&limit.z) - 5.804_318_934_903).abs() < 1e-9);
    assert!(limit.z.row(1).iter().all(|z| *z < 0.0));
    // With C = 300 it lives: every example is fitted then, so the step is the reason for all of them.
    assert_eq!(of(&e, SilentReason::SilencedByStep).len(), e.silent.len());
    assert!(e.silent.iter().all(|s| s.neuron == Some(usize::from(p.y()[s.example] < 0.0))));
    assert!((0..p.n()).filter(|&i| p.y()[i] < 0.0).all(|i| e.silent.iter().any(|s| s.example == i)));
    assert!(e.balanced.is_empty() && e.open.is_empty());
}
