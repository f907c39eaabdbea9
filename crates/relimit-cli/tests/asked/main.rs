//! A program that asks with words gets the JSON that the command line prints, to the bit.
#![allow(clippy::unwrap_used, reason = "tests")]

#[path = "../limit/common.rs"]
#[allow(dead_code, reason = "each test program uses a part")]
mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

use relimit_ask::{Caller, Held, ask};
use serde_json::{Map, Value, json};

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/").join(name)
}

fn printed(command: &str, arguments: &[String]) -> String {
    let out = Command::new(env!("CARGO_BIN_EXE_relimit")).arg(command).args(arguments).arg("--json").output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

/// Words that the command line takes without a flag.
const FILES: [&str; 3] = ["net", "data", "certificate"];

/// Asks both ways.
fn same(command: &str, words: Value) {
    let Value::Object(words) = words else { panic!("an object") };
    let mut arguments = vec![];
    for key in FILES {
        arguments.extend(words.get(key).map(|v| v.as_str().unwrap().to_owned()));
    }
    for (key, value) in words.iter().filter(|(key, _)| !FILES.contains(&key.as_str())) {
        arguments.push(format!("--{}", key.replace('_', "-")));
        match value {
            Value::Bool(true) => {}
            Value::String(text) => arguments.push(text.clone()),
            other => arguments.push(other.to_string()),
        }
    }
    if command == "study" {
        let out = common::folder("asked_study").join("out").display().to_string();
        arguments.extend(["--out".to_owned(), out]);
    }
    let line: Value = serde_json::from_str(&printed(command, &arguments)).unwrap();
    let caller = Caller { stop: &|| false, network: false, meter: None };
    let words: Map<String, Value> = words;
    let asked = ask(command, &words, &Held::default(), caller).unwrap().answer;
    // through text as the line came, so that both sides were read in the same way
    let asked: Value = serde_json::from_str(&asked.to_string()).unwrap();
    assert_eq!(asked, line, "{command}");
}

#[test]
fn every_command_answers_the_same_both_ways() {
    let mcycle = file("data/mcycle.csv").display().to_string();
    let trees = file("data/trees.csv").display().to_string();
    let net = file("networks/trees_torch.safetensors").display().to_string();
    same(
        "optimum",
        json!({"data": mcycle, "target": "accel", "lambda": "0.2max", "scale": "standardise",
        "target_scale": "standardise", "threads": 1}),
    );
    same(
        "limit",
        json!({"data": trees, "target": "Volume", "scale": "centre", "bias": "penalised", "signs": "++-", "flow": true}),
    );
    same("patterns", json!({"data": trees, "target": "Volume", "bias": "penalised", "threads": 1}));
    same(
        "gibbs",
        json!({"data": trees, "target": "Volume", "columns": "Girth", "scale": "standardise",
        "target_scale": "standardise", "beta": "10,100"}),
    );
    same(
        "train",
        json!({"data": trees, "target": "Volume", "scale": "standardise", "target_scale": "standardise",
        "width": 50, "steps": 200, "seed": 5, "threads": 1}),
    );
    same("certify", json!({"net": net, "data": trees, "target": "Volume", "lambda": 0.01, "threads": 1}));
    same("collapse", json!({"net": net, "data": trees, "drop": "Volume"}));
    same("study", json!({"data": trees, "target": "Volume", "rows": "0:10", "lambda": "0.2max", "seed": 3}));
    for name in ["equality-2", "equality-rows", "limit", "lower_bound", "no_pattern", "optimum", "patterns"] {
        same("check", json!({"certificate": file(&format!("certificates/{name}.json")).display().to_string()}));
    }
}
