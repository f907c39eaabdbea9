//! Rays with many rows on their kink: the law cannot hold their coefficient, and the answer says so.

use relimit_core::data::Dataset;
use relimit_core::data::scale::{Scale, scale};
use relimit_core::num::Mat;
use relimit_solve::answer::{GibbsSettings, VanishingNoise};
use relimit_solve::gibbs::{GibbsQuestion, gibbs_answer};
use relimit_solve::plan::GibbsOptions;

const LAMBDA: f64 = 0.05;

/// Features: more than the law is known for, so that the optimum alone is found.
const FEATURES: usize = 7;

/// Row 0 is e_0 + (e_1 + ... + e_m)/5 with label 1, row k is e_k with label -1; no biases; the other features are 0.
fn limit(m: usize) -> VanishingNoise {
    let pulls = |i: usize, k: usize| i == 0 && (1..=m).contains(&k);
    let x = Mat::from_fn(m + 1, FEATURES, |i, k| if pulls(i, k) { 0.2 } else { f64::from(u8::from(i == k)) });
    let y: Vec<f64> = (0..=m).map(|i| if i == 0 { 1.0 } else { -1.0 }).collect();
    let features = (0..FEATURES).map(|k| format!("x{k}")).collect();
    let rows = (2..m + 3).collect();
    let dataset = Dataset { x: x.into(), y, features, target: "y".into(), rows };
    let options = GibbsOptions {
        bias: Some("none".into()),
        lambda: Some(LAMBDA.to_string()),
        beta: Some("1".into()),
        ..GibbsOptions::default()
    };
    let question = GibbsQuestion {
        plan: &options.check().expect("a plan"),
        scaled: &scale(&dataset, Scale::None, Scale::None).expect("nothing to scale"),
        name: "test".into(),
        notices: vec![],
        settings: GibbsSettings::default(),
    };
    gibbs_answer(&question, &|| false).expect("data in range").limit.expect("an optimum")
}

/// By hand, n = m + 1 rows, half-mean loss: the positive ray is e_0, which touches all rows k at 0 because row 0 pulls it
/// towards them by less than they push; the negative one is b (-m/5, 1, ..., 1), on the kink of row 0.
///
/// ```text
/// r_0 = lambda,  c_+ = 1 - n lambda;   b = (m + m^2/25)^(-1/2),  m rho b = lambda,  c_- b = -(1 - n rho)
/// ```
#[test]
fn four_rows_on_a_kink_condense_and_three_do_not() {
    for m in [2, 3, 4, 5] {
        let (size, n) = (m as f64, m as f64 + 1.0);
        let b = (size + size * size / 25.0).powf(-0.5);
        let rho = LAMBDA / (size * b);
        let (plus, minus) = (1.0 - n * LAMBDA, -(1.0 - n * rho) / b);
        let loss = 0.5 * n * (LAMBDA * LAMBDA + size * rho * rho);
        let found = limit(m);
        let exact = loss + LAMBDA * (plus - minus);
        assert!((found.objective - exact).abs() < 1e-9, "m = {m}: {} for {exact}", found.objective);
        let mut rays: Vec<(f64, usize)> = found.rays.iter().map(|t| (t.c, t.kink_rank)).collect();
        rays.sort_by(|a, b| a.0.total_cmp(&b.0));
        assert_eq!(rays.iter().map(|t| t.1).collect::<Vec<_>>(), [1, m], "m = {m}: {rays:?}");
        assert!((rays[0].0 - minus).abs() < 1e-6 && (rays[1].0 - plus).abs() < 1e-6, "m = {m}: {rays:?}");
        assert_eq!(found.condensation, m >= 4, "m = {m}");
    }
}
