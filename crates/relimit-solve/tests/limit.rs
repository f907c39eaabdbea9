//! The answer of `limit` from data in memory: classes of rows, units of the labels, the bias column.

use relimit_core::data::Dataset;
use relimit_core::data::scale::{Scale, Scaled, scale};
use relimit_core::descent::{Status, Unobserved};
use relimit_core::num::Mat;
use relimit_solve::answer::{LimitAnswer, LimitFacts, Settings, SilentReason};
use relimit_solve::limit::{LimitQuestion, limit};
use relimit_solve::plan::LimitOptions;

mod common;

use common::Draw;

fn data(x: Mat, y: Vec<f64>) -> Scaled {
    let features = (0..x.cols()).map(|k| format!("x{k}")).collect();
    let rows = (2..y.len() + 2).collect();
    let dataset = Dataset { x: x.into(), y, features, target: "y".into(), rows };
    scale(&dataset, Scale::None, Scale::None).expect("nothing to scale")
}

fn ask(scaled: &Scaled, options: &LimitOptions, weights: Option<Mat>) -> LimitAnswer {
    let question = LimitQuestion {
        plan: &options.check().expect("a plan"),
        scaled,
        centred_from: None,
        weights,
        population: None,
        name: "test".into(),
        notices: vec![],
        settings: Settings::default(),
    };
    limit(&question, &mut Unobserved, &|| false).expect("a start that exists").answer
}

/// Every row of a converged answer is in exactly one class.
fn classified(a: &LimitAnswer) {
    assert_eq!(a.limit.status, Status::Converged);
    let mut all = [a.limit.fitted.clone(), a.limit.balanced.clone()].concat();
    all.extend(a.limit.silent.iter().map(|s| s.row));
    all.sort_unstable();
    assert_eq!(all, a.data.rows);
}

#[test]
fn rows_without_a_tested_reason_are_silent_and_undecided() {
    // The neuron sees the first coordinate only; from 2,001 rows on no run on all of them is made to find out why.
    for (n, reason) in [(2000, SilentReason::DeadStart), (2001, SilentReason::Undecided)] {
        // one row sees the second coordinate: more of them would share its one counterfactual run
        let x = Mat::from_fn(n, 2, |i, k| f64::from(u8::from((i == 1) == (k == 1))));
        let scaled = data(x, (0..n).map(|i| if i == 1 { 2.0 } else { 1.0 }).collect());
        let options = LimitOptions { signs: Some("+".into()), start: Some("w.csv".into()), ..Default::default() };
        let a = ask(&scaled, &options, Some(Mat::from_rows(&[[0.1, -0.1]])));
        classified(&a);
        let silent: Vec<(usize, SilentReason)> = a.limit.silent.iter().map(|s| (s.row, s.reason)).collect();
        assert_eq!(silent, [(3, reason)]);
        let evidence = a.limit.silent[0].evidence.as_deref().expect("a sentence");
        let expected = if reason == SilentReason::Undecided { "beyond the budget" } else { "the row is fitted" };
        assert!(evidence.contains(expected), "{evidence}");
    }
}

#[test]
fn classes_do_not_depend_on_the_unit_of_the_labels() {
    let mut draw = Draw(7);
    let mut kinds = [0; 3];
    for case in 0..12 {
        let (n, d) = (9, [4, 6, 30][case % 3]);
        let (x, y) = (draw.gaussian(n, d), draw.labels(n));
        let w = draw.gaussian(2, d);
        let of = |unit: f64| {
            let scaled = data(x.clone(), y.iter().map(|v| v * unit).collect());
            let start = Mat::from_fn(2, d, |j, k| 0.3 * unit * w[(j, k)]);
            let options = LimitOptions { start: Some("w.csv".into()), flow: true, ..Default::default() };
            ask(&scaled, &options, Some(start)).limit
        };
        let one = of(1.0);
        kinds[0] += one.fitted.len();
        kinds[1] += one.balanced.len();
        kinds[2] += one.silent.len();
        for unit in [2f64.powi(-40), 2f64.powi(40), 1e-12, 1e12] {
            let other = of(unit);
            assert_eq!((one.status, &one.fitted, &one.balanced), (other.status, &other.fitted, &other.balanced));
            let reasons = |l: &LimitFacts| l.silent.iter().map(|s| (s.row, s.neuron, s.reason)).collect::<Vec<_>>();
            assert_eq!(reasons(&one), reasons(&other), "case {case}, unit {unit:e}");
        }
    }
    assert!(kinds.iter().all(|k| *k > 0), "fitted, balanced, silent: {kinds:?}");
}

#[test]
fn labels_far_below_the_start_are_fitted_to_its_rounding() {
    // orthogonal rows and half a stable step: every preactivation falls from 1e-3 to its label, and rounding of the
    // start, 1e-19, is 1e-6 of the labels
    let scaled = data(Mat::from_fn(6, 6, |i, k| f64::from(u8::from(i == k)) * 3.0), vec![1e-13; 6]);
    let options = LimitOptions { signs: Some("+".into()), step: Some(0.5 / 9.0), ..Default::default() };
    let a = ask(&scaled, &options, None);
    assert_eq!(a.limit.fitted, a.data.rows, "{:?}", a.limit.preactivations);
    let misfit = a.limit.preactivations[0].iter().fold(0.0f64, |m, z| m.max((z - 1e-13).abs()));
    assert!(misfit > 1e-8 * 1e-13, "{misfit:e}: the labels alone would do as a scale");
}

#[test]
fn a_bias_column_in_place_answers_as_one_that_is_added() {
    let mut draw = Draw(9);
    let mut scaled = data(draw.gaussian(12, 20), draw.labels(12));
    let options = LimitOptions { bias: Some("penalised".into()), ..Default::default() };
    let added = ask(&scaled, &options, None);
    scaled.push_bias();
    let there = ask(&scaled, &options, None);
    assert_eq!((there.data.d, there.data.dim), (20, 21));
    assert_eq!(there, added);
}
