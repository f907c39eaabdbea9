//! The command certify from outside: round trip of an optimum, verdicts and levels of closed form, networks and decays of
//! other libraries, limits of work, bad input.

mod bad_input;
#[path = "../collapse/common.rs"]
#[allow(dead_code, reason = "shared with the tests of collapse")]
mod common;
mod libraries;
mod outputs;
mod proved;
mod verdicts;
mod work;

use common::relimit;
use serde_json::Value;

/// The JSON answer of `certify` with exit code 0.
fn certify(arguments: &[&str]) -> Value {
    let called = relimit(&[&["certify"], arguments, &["--json"]].concat());
    assert_eq!(called.code, 0, "{}", called.err);
    serde_json::from_str(&called.out).expect("JSON")
}

fn number(answer: &Value, key: &str) -> f64 {
    answer[key].as_f64().unwrap_or_else(|| panic!("{key}: {}", answer[key]))
}
