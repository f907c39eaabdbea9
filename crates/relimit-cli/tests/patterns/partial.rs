//! What a limit or a budget cuts short is labelled, bounded, and has its own exit code.

use std::fs;

use serde_json::Value;

use super::common::{answer, folder, patterns, unwrapped};

const TREES: &str = "examples/data/trees.csv --target Volume --bias";

#[test]
fn a_limit_is_an_answer_that_says_what_it_is() {
    let path = folder("limit").join("list.txt");
    let call = format!("{TREES} --limit 100 --list {}", path.display());
    let a = answer(&call);
    assert_eq!((a["status"].as_str(), a["stopped"].as_str()), (Some("partial"), Some("limit")));
    assert!(a["patterns"].is_null());
    // 29 different rows: at least 58 patterns, at most 2 (1 + 28 + 378)
    assert_eq!((a["lower"].as_str(), a["upper"].as_str()), (Some("100"), Some("814")));
    assert_eq!(a["ray_bound"].as_u64(), Some(2 * 814 - 1), "by the upper bound");
    assert_eq!((a["list"]["written"].as_u64(), &a["list"]["complete"]), (Some(100), &Value::Bool(false)));
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 100, "a complete file of fewer patterns");
    let seen: u64 = a["active_counts"].as_array().unwrap().iter().map(|v| v.as_u64().unwrap()).sum();
    assert_eq!(seen, 100);
    let said = unwrapped(&patterns(&call).out);
    assert!(said.contains("at least 100 different sets"), "{said}");
    assert!(said.contains("Certainty: partial. Stopped after 100 patterns; P lies in [100, 814]."), "{said}");
    assert!(said.contains("100 patterns as text, not complete"), "{said}");
    assert_eq!(answer(&format!("{TREES} --limit 804"))["status"].as_str(), Some("exact"), "the limit is not passed");
}

#[test]
fn a_number_that_is_known_stays_exact_when_its_list_is_cut() {
    let path = folder("limit-known").join("list.npy");
    let a = answer(&format!(
        "examples/data/glucose_spectra.csv --target glucose --rows 0:6 --limit 10 --list {}",
        path.display()
    ));
    assert_eq!((a["status"].as_str(), a["patterns"].as_u64()), (Some("partial"), Some(64)));
    assert_eq!(a["list"]["written"].as_u64(), Some(10));
}

#[test]
fn a_budget_ends_with_3_and_what_was_reached() {
    let called = patterns("--synthetic gaussian:n=400,d=7,seed=1 --limit 1000000000000 --budget 300ms --json");
    assert_eq!(called.code, 3, "{}", called.err);
    let a: Value = serde_json::from_str(&called.out).unwrap();
    assert_eq!((a["status"].as_str(), a["stopped"].as_str()), (Some("partial"), Some("budget")));
    let number = |key: &str| a[key].as_str().unwrap().parse::<u128>().unwrap();
    assert!(number("lower") >= 800 && number("lower") < number("upper"));
    assert_eq!(a["upper"], a["cover_bound_text"]);
}

#[test]
fn threads_and_seed_do_not_change_the_answer() {
    let strip = |mut a: Value| {
        a["settings"] = Value::Null;
        a
    };
    let one = strip(answer(&format!("{TREES} --threads 1")));
    assert_eq!(strip(answer(&format!("{TREES} --threads 3"))), one);
    assert_eq!(strip(answer(&format!("{TREES} --seed 5"))), one);
}
