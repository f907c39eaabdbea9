//! A gap that stays open: a budget or Ctrl-C keeps the network, the interval and the picture, and ends with 3.

use std::fs;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;

use crate::common::{folder, number, program, word};
#[cfg(target_os = "linux")]
use crate::interrupt::interrupted;

const HARD: &str = "optimum examples/data/diabetes.csv --target progression --scale standardise \
                    --target-scale standardise --lambda 0.05max --max-nodes 100000000 --json";

/// What must hold of a partial answer with its files.
fn kept(answer: &Value, ended: &str, place: &std::path::Path) {
    assert_eq!(word(answer, "/ended"), ended);
    assert!(number(answer, "/dual") <= number(answer, "/objective"));
    // no better than the best network that an independent program found, no worse than the constant 0
    assert!(number(answer, "/dual") < 0.2593398022 && number(answer, "/objective") <= 0.5 * (1.0 + 1e-12));
    let svg = fs::read_to_string(place.join("picture.svg")).expect("a picture");
    assert!(svg.trim_end().ends_with("</svg>") && svg.contains("The best network found has"), "{ended}");
    let run = place.join("run");
    assert!(
        run.join("partial.json").is_file() && run.join("network.npz").is_file() && !run.join("result.json").exists()
    );
}

#[test]
fn a_budget_keeps_answer_picture_and_network() {
    let place = folder("cut_by_budget");
    let output = program()
        .args(HARD.split_whitespace())
        .args(["--trace", "--budget", "4s", "--plot"])
        .arg(place.join("picture.svg"))
        .arg("--out")
        .arg(place.join("run"))
        .output()
        .expect("it starts");
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    kept(&answer, "budget", &place);
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_keeps_answer_picture_and_network() {
    let place = folder("cut_by_ctrl_c");
    let child = program()
        .args(HARD.split_whitespace())
        .arg("--plot")
        .arg(place.join("picture.svg"))
        .arg("--out")
        .arg(place.join("run"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let output = interrupted(child, Duration::from_millis(500));
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    kept(&answer, "interrupted", &place);
}
