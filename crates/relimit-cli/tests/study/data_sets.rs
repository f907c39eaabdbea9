//! Studies of the data sets of the examples, cut by a budget or not: nothing that they say is false.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::common::{folder, number};
use super::{call, data, result};

/// Studies a file in 3 s and checks what holds of every study; the answer, and how many sections are done.
fn study(name: &str, file: &Path, target: &str) -> (Value, usize) {
    let out = folder(&format!("study_set_{name}")).join("out");
    let called = call(file, &format!("{target} --budget 3s"), &out);
    let found = result(&out);
    let page = fs::read_to_string(out.join("report.html")).expect("a page");
    assert!(page.len() < 1_500_000, "{name}: {} bytes", page.len());
    assert!(called.out.lines().all(|l| l.chars().count() <= 80), "{name}: {}", called.out);
    let facts = found["sections"].as_array().expect("a list").clone();
    let names: Vec<&str> = facts.iter().filter_map(|f| f["section"].as_str()).collect();
    assert_eq!(names, ["patterns", "limit", "flow", "optimum", "law"], "{name}");
    let is = |f: &Value, word: &str| f["status"] == word;
    for fact in &facts {
        let part = &found[fact["section"].as_str().expect("a word")];
        let empty = part.is_null() || part.as_array().is_some_and(Vec::is_empty);
        assert_eq!(is(fact, "skipped"), empty, "{name}: {fact}");
        assert!(is(fact, "done") || fact["why"].as_str().is_some_and(|w| w.len() > 10), "{name}: {fact}");
    }
    let cut = facts.iter().any(|f| is(f, "partial"));
    assert_eq!(called.code, if cut { 3 } else { 0 }, "{name}: {}", called.err);
    bounds_are_in_order(name, &found);
    ledger_claims_no_more_than_is_certified(name, &found);
    (found, facts.iter().filter(|f| is(f, "done")).count())
}

/// Lower bounds lie below what was found; along decreasing lambda the optimal objective falls and the loss bound with it.
fn bounds_are_in_order(name: &str, found: &Value) {
    let optima = found["optimum"].as_array().expect("a list");
    let mut last = f64::INFINITY;
    for fitted in optima {
        let (dual, value) = (number(fitted, "/answer/dual"), number(fitted, "/answer/objective"));
        assert!(dual <= value * (1.0 + 1e-12), "{name}: {dual} {value}");
        assert!(dual < last, "{name}: the optimum falls with lambda, {dual} after {last}");
        last = value;
        if fitted["answer"]["status"] == "certified" {
            assert!(value - dual <= 1e-5 * value, "{name}: {dual} {value}");
        }
    }
    for run in [&found["limit"], &found["flow"]].into_iter().filter(|r| !r.is_null()) {
        let min = &run["answer"]["min_norm"];
        if let (Some(lower), Some(upper)) = (min["lower"].as_f64(), min["upper"].as_f64()) {
            assert!(lower <= upper * (1.0 + 1e-12), "{name}: {min}");
        }
    }
    if let Some(exact) = found["patterns"]["patterns"].as_f64() {
        let most: f64 = found["patterns"]["cover_bound_text"].as_str().expect("digits").parse().expect("a number");
        assert!(exact <= most, "{name}: {exact} of {most}");
    }
}

/// A claim about a rate is never decided by one data set, and what holds was measured.
fn ledger_claims_no_more_than_is_certified(name: &str, found: &Value) {
    let ledger = found["ledger"].as_array().expect("a list");
    assert!(ledger.len() > 20, "{name}");
    for finding in ledger {
        let verdict = finding["verdict"].as_str().expect("a word");
        assert!(["holds", "fails", "undecided", "hypotheses not met"].contains(&verdict), "{name}: {finding}");
        let met = finding["hypotheses"].as_array().expect("a list").iter().all(|h| h["met"] == true);
        assert!(met || !["holds", "fails"].contains(&verdict), "{name}: {finding}");
        assert!(finding["kind"] != "rate" || !["holds", "fails"].contains(&verdict), "{name}: {finding}");
    }
}

/// Counts of patterns with a bias: twice the distinct values of one feature (19 speeds), and for more features those of
/// the tests of `patterns`, which another program has found.
#[test]
fn small_data_sets_are_studied_to_the_end() {
    let (cars, done) = study("cars", &data("cars.csv"), "--target dist");
    assert_eq!((cars["patterns"]["patterns"].as_u64(), done), (Some(38), 5));
    let (trees, _) = study("trees", &data("trees.csv"), "--target Volume");
    assert_eq!(trees["patterns"]["patterns"], 804);
    assert_eq!(trees["settings"]["scale"], "standardise", "counted for the rows as read, which scaling rounds");
    let (stack, _) = study("stackloss", &data("stackloss.csv"), "--target stack.loss");
    assert_eq!(stack["patterns"]["patterns"], 2166);
}

/// 42 of 153 rows of airquality lack a value (its source says so); the budget cuts the rest.
#[test]
fn missing_values_are_told() {
    let (found, _) = study("airquality", &data("airquality.csv"), "--target Ozone");
    assert_eq!(found["data"]["n"], 111);
    assert!(found["data"]["notices"].to_string().contains("42 rows"), "{}", found["data"]["notices"]);
}

/// More features than the laws reach, and labels far from 0.
#[test]
fn spectra_are_studied_as_far_as_the_engines_reach() {
    let (meats, _) = study("meats", &data("meats.csv"), "--target water --drop fat,protein");
    assert_eq!(meats["settings"]["target_scale"], "standardise", "a mean of 63 and a spread of 10");
    let law = |found: &Value| found["sections"][4]["why"].as_str().expect("a reason").to_owned();
    assert!(law(&meats).contains("here are 101"), "{}", law(&meats));
    // 21 rows in general position in 1048 inputs: every set of rows
    let (glucose, _) = study("glucose", &data("glucose_spectra.csv"), "--target glucose");
    assert_eq!(glucose["patterns"]["patterns"], 1 << 21);
    assert!(law(&glucose).contains("here are 1048"), "{}", law(&glucose));
    assert_eq!(glucose["optimum"].as_array().map(Vec::len), Some(4), "{}", glucose["sections"]);
}

/// One period of a sine in 10,000 rows: 2 n patterns, and at half of lambda_max two neurons, one for each half wave.
#[test]
fn many_rows_stay_a_small_page() {
    let file = folder("study_sine").join("sine.csv");
    let mut text = "x,y\n".to_owned();
    for k in 0..10_000 {
        let x = f64::from(k) / 10_000.0;
        let _ = writeln!(text, "{x},{}", (std::f64::consts::TAU * x).sin());
    }
    fs::write(&file, text).unwrap();
    let (found, _) = study("sine", &file, "--target y");
    assert_eq!(found["patterns"]["patterns"], 20_000);
    assert_eq!(found["optimum"][0]["answer"]["width"], 2, "{}", found["sections"]);
}
