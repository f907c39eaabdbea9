//! What cannot be used is refused by name, and partial answers say so.

use std::fs;

use crate::common::{Called, folder, number, program, unwrapped, word};

fn call(arguments: &str) -> Called {
    program().arg("optimum").args(arguments.split_whitespace()).output().expect("it starts").into()
}

#[test]
fn flags_that_make_no_sense_are_named() {
    let trees = "examples/data/trees.csv --target Volume";
    for (more, message) in [
        ("--lambda 0", "--lambda 0: leaves nothing to minimise but the loss"),
        ("--lambda -1", "--lambda -1: is not a positive finite number"),
        ("--lambda 0.1mx", "--lambda 0.1mx: is not a number"),
        ("--require converged", "--require converged: speaks of a run"),
        ("--gap 2", "--gap 2: is not below 1"),
        ("--max-nodes 0", "--max-nodes 0: is no count"),
    ] {
        let called = call(&format!("{trees} {more}"));
        assert_eq!(called.code, 2, "{more}: {}", called.out);
        assert!(unwrapped(&called.err).contains(message), "{more}: {}", called.err);
    }
}

#[test]
fn sizes_out_of_range_are_refused_and_large_ones_are_not() {
    for (size, code) in [("1e300", 2), ("1e-300", 2), ("1e100", 0), ("1e-100", 0)] {
        let file = folder(&format!("size_{size}")).join("data.csv");
        fs::write(&file, format!("x,y\n1,{size}\n2,0\n3,{size}\n")).expect("scratch space");
        let called = call(&format!("{} --target y", file.display()));
        assert_eq!(called.code, code, "{size}: {} {}", called.out, called.err);
    }
}

#[test]
fn more_features_than_rows_have_an_answer() {
    let file = folder("wide").join("data.csv");
    fs::write(&file, "a,b,c,d,y\n1,2,3,4,1\n0,1,0,1,-1\n").expect("scratch space");
    let called = call(&format!("{} --target y --json", file.display()));
    assert_eq!(called.code, 0, "{}", called.err);
    let answer: serde_json::Value = serde_json::from_str(&called.out).expect("JSON");
    assert_eq!(word(&answer, "/status"), "certified");
}

#[test]
fn an_open_gap_is_a_bound_and_requirements_set_the_code() {
    let line = "examples/data/diabetes.csv --target progression --scale standardise --target-scale standardise \
                --lambda 0.05max --max-nodes 60";
    let called = call(&format!("{line} --json"));
    assert_eq!(called.code, 0, "{}", called.err);
    let answer: serde_json::Value = serde_json::from_str(&called.out).expect("JSON");
    assert_eq!((word(&answer, "/status"), word(&answer, "/ended")), ("bound", "nodes"));
    assert!(number(&answer, "/dual") > 0.0 && number(&answer, "/dual") <= number(&answer, "/objective"));
    assert!(answer["unique"].is_null());
    assert_eq!(call(&format!("{line} --require certified")).code, 1);
}

#[test]
fn a_budget_ends_with_what_was_reached() {
    let line = "examples/data/diabetes.csv --target progression --scale standardise --target-scale standardise \
                --lambda 0.05max --budget 200ms";
    let called = call(&format!("{line} --json"));
    assert_eq!(called.code, 3, "{}", called.err);
    let answer: serde_json::Value = serde_json::from_str(&called.out).expect("JSON");
    assert_eq!(word(&answer, "/ended"), "budget");
    assert!(number(&answer, "/dual") <= number(&answer, "/objective"));
}

#[test]
fn a_run_directory_is_kept_and_reused() {
    let place = folder("optimum_directory").join("run");
    let line = format!("examples/data/trees.csv --target Volume --lambda 0.05max --json --out {}", place.display());
    let first = call(&line);
    assert_eq!(first.code, 0, "{}", first.err);
    assert!(place.join("result.json").is_file() && place.join("network.npz").is_file());
    let second = call(&line);
    assert!(second.err.contains("holds this answer already") && second.out == first.out, "{}", second.err);
    assert_eq!(call(&line.replace("0.05max", "0.06max")).code, 2, "another plan is refused");
}
