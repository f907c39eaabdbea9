//! Raman spectra, where the hypotheses fail: every row of the reference table by the command line.
//!
//! Losses are those of a plain step-by-step run in another language; counts of mask changes depend on the order of
//! rounding and are compared by size.

use serde_json::Value;

use super::common::{Plain, answer, limit, number, rows, unwrapped, word};

const RAW: &str = "examples/data/glucose_spectra.csv --target glucose --target-scale standardise";
const CENTRED: &str =
    "examples/data/glucose_spectra.csv --target glucose --target-scale standardise --scale centre --bias";

fn loss(a: &Value, expected: f64) {
    let got = number(a, "/limit/loss");
    assert!((got - expected).abs() <= 1e-9 * expected, "loss {got:.12}, expected {expected:.12}");
}

fn counts(a: &Value, count: f64, last: f64) {
    for (pointer, expected) in [("/events/count", count), ("/events/last_step", last)] {
        let got = number(a, pointer);
        assert!((got / expected - 1.0).abs() < 0.01, "{pointer}: {got}, expected about {expected}");
    }
}

#[test]
fn raw_with_a_step_that_silences_every_neuron() {
    for (signs, neurons) in [("+", 1), ("+-", 2)] {
        let a = answer(&format!("{RAW} --step-constant 2 --signs {signs}"));
        assert_eq!((word(&a, "/limit/status"), word(&a, "/limit/reason")), ("converged", "all_silent"));
        // standardised labels of 21 rows: half of 21
        loss(&a, 10.5);
        assert_eq!(number(&a, "/events/last_step"), 2.0);
        assert_eq!(a["limit"]["dead"].as_array().unwrap().len(), neurons);
        assert!(rows(&a, "/limit/fitted").is_empty());
    }
}

#[test]
fn raw_with_one_neuron() {
    for (constant, count, last) in [(30, 76_358.0, 328_282.0), (100, 218_546.0, 1_057_951.0)] {
        let a = answer(&format!("{RAW} --step-constant {constant} --signs +"));
        assert_eq!(word(&a, "/limit/status"), "converged");
        loss(&a, 5.804318934903);
        counts(&a, count, last);
    }
}

#[test]
fn raw_with_two_neurons_one_of_them_dead() {
    for (constant, count, last) in [(30, 76_381.0, 318_431.0), (100, 218_567.0, 1_057_954.0)] {
        let call = format!("{RAW} --step-constant {constant}");
        let a = answer(&call);
        assert_eq!(word(&a, "/limit/status"), "converged");
        loss(&a, 5.804318934903);
        counts(&a, count, last);
        let dead = a["limit"]["dead"].as_array().unwrap();
        assert_eq!(dead.len(), 1);
        assert_eq!(dead[0]["neuron"], 1, "the negative one");
        assert!(super::common::list(&a, "/limit/preactivations/1").iter().all(|z| *z < 0.0));
        if constant == 30 {
            let text = unwrapped(&limit(&call).out);
            assert!(text.contains("the negative neuron is dead, silent on every row"), "{text}");
            assert!(text.contains("High-dimensional theory: hypotheses not met"), "{text}");
        }
    }
}

#[test]
fn centred_with_a_step_that_is_too_large() {
    for (signs, most) in [("+", 1.0), ("+-", 2.0)] {
        let a = answer(&format!("{CENTRED} --step-constant 2 --signs {signs}"));
        assert_eq!((word(&a, "/limit/status"), word(&a, "/limit/reason")), ("diverged", "growth"));
        // eta lambda_max(G) = n / (C d_inf), once a neuron at most
        let ceiling = most * 21.0 / (2.0 * number(&a, "/data/d_inf"));
        let product = number(&a, "/limit/divergence/step_times_eigenvalue");
        assert!(product > 2.0 && product <= ceiling * (1.0 + 1e-12), "{product}, at most {ceiling}");
        assert!(!rows(&a, "/limit/divergence/rows").is_empty());
    }
}

#[test]
fn centred_with_one_neuron() {
    for constant in [30, 100] {
        let a = answer(&format!("{CENTRED} --step-constant {constant} --signs +"));
        assert_eq!(word(&a, "/limit/status"), "converged");
        loss(&a, 7.934620759338);
        if constant == 30 {
            counts(&a, 527.0, 2_754.0);
        }
    }
}

#[test]
fn centred_with_two_neurons_and_a_pair_that_never_settles() {
    for constant in [30, 100] {
        let call = format!("{CENTRED} --step-constant {constant}");
        let a = answer(&call);
        assert_eq!((word(&a, "/limit/status"), word(&a, "/limit/reason")), ("converged", "ties"));
        loss(&a, 3.391702933632);
        // data row 7, counted from 1, is row 8 of the file
        assert_eq!(a["limit"]["ties"], serde_json::json!([{"neuron": 0, "row": 8}]));
        assert_eq!(number(&a, "/limit/preactivations/0/6"), 0.0);
        assert_eq!(number(&a, "/limit/masks/0/6"), 0.0, "ties report 0");
        assert!(number(&a, "/limit/radius") < 1e-6);
        let text = unwrapped(&limit(&call).out);
        assert!(text.contains("row 8"), "{text}");
    }
}

#[test]
fn centred_without_a_bias_has_no_active_start() {
    let called = limit(&format!("{RAW} --scale centre --step-constant 30 --json"));
    assert_eq!((called.code, called.out.as_str()), (2, ""));
    for says in [
        "--start orthant:0.001 does not exist",
        "the 21 centred examples, each taken once, add up to exactly 0 in all 1047 columns",
        "--bias penalised",
    ] {
        assert!(called.err.contains(says), "{}", called.err);
    }
}

#[test]
fn the_data_have_one_effective_dimension() {
    let a = answer(&format!("{RAW} --step-constant 30 --signs +"));
    for (pointer, expected, tolerance) in [
        ("/data/tau", 17629.73, 0.005),
        ("/data/d2", 1.0453, 5e-5),
        ("/data/d_inf", 1.0225, 5e-5),
        ("/data/n", 21.0, 0.0),
        ("/data/d", 1047.0, 0.0),
    ] {
        assert!((number(&a, pointer) - expected).abs() <= tolerance, "{pointer}: {}", number(&a, pointer));
    }
    // tau once more from the file: the mean squared length of a row
    let data = Plain::read("glucose_spectra.csv");
    let squares: f64 = data.rows.iter().flat_map(|r| &r[1..]).map(|v| v * v).sum();
    assert!((number(&a, "/data/tau") / (squares / 21.0) - 1.0).abs() < 1e-12);
    assert_eq!(word(&a, "/hypotheses/verdict"), "hypotheses not met");
    let a = answer(&format!("{CENTRED} --step-constant 30 --signs +"));
    for (pointer, expected, tolerance) in
        [("/data/tau", 748.557, 5e-4), ("/data/d2", 1.3376, 5e-5), ("/data/d_inf", 1.1620, 5e-5)]
    {
        assert!((number(&a, pointer) - expected).abs() <= tolerance, "{pointer}: {}", number(&a, pointer));
    }
}
