//! The study command from outside: every section, the page, what is kept of a killed run, and what is refused.

#[path = "../limit/common.rs"]
#[allow(dead_code, reason = "each test program uses a part")]
mod common;
mod data_sets;
mod killed;
mod several;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use common::{Called, folder, number, program, unwrapped};
use serde_json::Value;

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/data").join(name)
}

fn call(file: &Path, rest: &str, out: &Path) -> Called {
    let mut program = program();
    program.arg("study").arg(file).args(rest.split_whitespace()).arg("--out").arg(out);
    program.output().expect("it starts").into()
}

fn result(out: &Path) -> Value {
    serde_json::from_slice(&fs::read(out.join("result.json")).expect("a result")).expect("JSON")
}

fn sections(result: &Value) -> Vec<(String, String)> {
    let word = |v: &Value| v.as_str().expect("a word").to_owned();
    result["sections"].as_array().expect("a list").iter().map(|s| (word(&s["section"]), word(&s["status"]))).collect()
}

/// The optimum of mcycle at .05 of lambda_max: the reference value of the optimum's own tests.
#[test]
fn mcycle_has_every_section_and_a_page() {
    let out = folder("study_mcycle").join("out");
    let called = call(&data("mcycle.csv"), "--target accel", &out);
    assert_eq!(called.code, 0, "{}", called.err);
    let text = unwrapped(&called.out);
    assert!(text.contains("--scale standardise (sizes go from 1.00 (the column of ones of the bias)"), "{text}");
    assert!(called.out.lines().all(|l| l.chars().count() <= 80), "{}", called.out);
    let found = result(&out);
    let names = ["patterns", "limit", "flow", "optimum", "law"];
    assert_eq!(sections(&found), names.map(|n| (n.to_owned(), "done".to_owned())));
    assert_eq!(found["patterns"]["patterns"], 188, "94 distinct times and a bias: 2 x 94");
    assert!((number(&found, "/optimum/2/answer/objective") - 0.308730203).abs() < 1e-8, "{found}");
    let page = fs::read_to_string(out.join("report.html")).expect("a page");
    assert!(page.len() < 1_500_000, "{} bytes", page.len());
    assert!(page.starts_with("<!DOCTYPE html><html lang=\"en\">"));
    for outside in ["http://", "https://", "<script", "<link", "url("] {
        let known = page.matches("http://www.w3.org/2000/svg").count();
        let seen = page.matches(outside).count() - if outside == "http://" { known } else { 0 };
        assert_eq!(seen, 0, "{outside}");
    }
    // identifiers are unique, and every reference has its identifier
    let ids: Vec<&str> = page.split(" id=\"").skip(1).filter_map(|s| s.split('"').next()).collect();
    let mut unique = ids.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(ids.len(), unique.len(), "{ids:?}");
    for reference in page.split("href=\"#").skip(1).filter_map(|s| s.split('"').next()) {
        assert!(ids.contains(&reference), "#{reference}");
    }
    // nothing undecided is told as if it held
    let ledger = found["ledger"].as_array().expect("a list");
    let verdict = |word: &str| ledger.iter().filter(|f| f["verdict"] == word).count();
    assert_eq!(page.matches(">holds</span>").count(), verdict("holds"));
    assert!(verdict("holds") > 0 && verdict("undecided") > 0);
    // the page again from the result: the same bytes
    fs::remove_file(out.join("report.html")).unwrap();
    let again: Called = program().arg("report").arg(&out).output().expect("it starts").into();
    assert_eq!((again.code, fs::read_to_string(out.join("report.html")).unwrap()), (0, page));
    // nothing is done twice
    let second = call(&data("mcycle.csv"), "--target accel", &out);
    assert!(second.err.contains("holds this study already"), "{}", second.err);
    assert_eq!(second.out, called.out);
}

#[test]
fn finished_sections_of_a_killed_study_are_kept() {
    let out = folder("study_killed").join("out");
    let args = "--target stack.loss --budget 20s";
    let mut child = program();
    child.arg("study").arg(data("stackloss.csv")).args(args.split_whitespace()).arg("--out").arg(&out);
    let mut child = child.spawn().expect("it starts");
    // killed after the first section that is there
    while !out.join("section-patterns.json").exists() && child.try_wait().expect("a process").is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    let _ = child.kill();
    let _ = child.wait();
    let file = out.join("section-patterns.json");
    let mut kept: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    // a mark that only a reused section carries on
    kept["part"]["patterns"]["data"]["name"] = "kept".into();
    fs::write(&file, kept.to_string()).unwrap();
    let _ = fs::remove_file(out.join("result.json"));
    let called = call(&data("stackloss.csv"), args, &out);
    assert_eq!(called.code, 0, "{}", called.err);
    let found = result(&out);
    assert_eq!(found["patterns"]["data"]["name"], "kept");
    assert!(sections(&found).iter().all(|s| s.1 == "done"), "{:?}", sections(&found));
    // another question is not answered from there
    let other = call(&data("stackloss.csv"), "--target stack.loss --bias none", &out);
    assert!(other.code == 2 && other.err.contains("holds another plan: bias was \"penalised\""), "{}", other.err);
    // a section that was damaged is done again
    fs::write(&file, "{").unwrap();
    fs::remove_file(out.join("result.json")).unwrap();
    let mended = call(&data("stackloss.csv"), args, &out);
    assert!(mended.err.contains("section-patterns.json cannot be read"), "{}", mended.err);
    assert_eq!(result(&out)["patterns"]["data"]["name"], "stackloss.csv");
}

#[test]
fn small_and_awkward_data_end_with_an_answer() {
    let place = folder("study_small");
    let two = place.join("two.csv");
    fs::write(&two, "x,y\n-2,-1\n2,1\n").unwrap();
    let called = call(&two, "--target y --budget 8s", &place.join("two"));
    assert_eq!(called.code, 0, "{}", called.err);
    let found = result(&place.join("two"));
    // the closed form of two symmetric points: lambda_max = y sqrt(1 + X^2)/2
    assert!((number(&found, "/optimum/0/answer/lambda_max") - 5f64.sqrt() / 2.0).abs() < 1e-9);
    let of = |key: &str| found["ledger"].as_array().unwrap().iter().find(|f| f["theorem"] == key).cloned().unwrap();
    assert_eq!(of("rays-2p-1")["verdict"], "holds");

    let missing = place.join("missing.csv");
    fs::write(&missing, "a,b,y\n1,2,3\n2,,1\n3,1,2\n5,2,2\n").unwrap();
    let called = call(&missing, "--target y --budget 8s", &place.join("missing"));
    assert_eq!(called.code, 0, "{}", called.err);
    let found = result(&place.join("missing"));
    assert_eq!(found["data"]["n"], 3);
    assert!(found["data"]["notices"].to_string().contains("row 3"), "{}", found["data"]["notices"]);

    let constant = place.join("constant.csv");
    fs::write(&constant, "x,y\n1,2\n2,2\n").unwrap();
    let called = call(&constant, "--target y --budget 8s", &place.join("constant"));
    assert_eq!(called.code, 0, "{}", called.err);
    let found = result(&place.join("constant"));
    assert!(found["data"]["notices"].to_string().contains("'y' is constant (2)"), "{}", found["data"]["notices"]);
    assert_eq!(found["limit"]["answer"]["limit"]["fitted"], serde_json::json!([2, 3]), "a constant fits both rows");
    // lambda_max = max over unit u of (1/2)(2 u.(1,1) + 2 u.(2,1)) = |(3,2)|
    assert!((number(&found, "/optimum/0/answer/lambda_max") - 13f64.sqrt()).abs() < 1e-9);

    // labels that are all 0: nothing is certified of an optimum that does not exist, and the reason is told
    let zero = place.join("zero.csv");
    fs::write(&zero, "x,y\n1,0\n2,0\n").unwrap();
    let called = call(&zero, "--target y --budget 8s", &place.join("zero"));
    assert_eq!(called.code, 0, "{}", called.err);
    let found = result(&place.join("zero"));
    let skipped = found["sections"].as_array().unwrap().iter().find(|s| s["section"] == "optimum").cloned().unwrap();
    assert_eq!(skipped["status"], "skipped");
    assert!(skipped["why"].as_str().unwrap().contains("lambda_max is 0"), "{skipped}");
    let page = fs::read_to_string(place.join("zero/report.html")).expect("a page");
    assert!(page.contains("lambda_max is 0"));
}

#[test]
fn what_cannot_be_studied_is_named() {
    let place = folder("study_refused");
    let called = call(&data("mcycle.csv"), "--target accel --bias free", &place.join("out"));
    assert!(called.code == 2 && called.err.contains("--bias free"), "{}", called.err);
    let called: Called = program().arg("report").arg(&place).output().expect("it starts").into();
    assert!(called.code == 2 && called.err.contains("give the directory of a study"), "{}", called.err);
    fs::write(place.join("result.json"), "{}").unwrap();
    let called: Called = program().arg("report").arg(&place).output().expect("it starts").into();
    assert!(called.code == 2 && called.err.contains("run relimit study first"), "{}", called.err);
}
