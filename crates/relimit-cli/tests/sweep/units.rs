//! Units by hand, as the schedulers would start them: told by the environment, killed, repeated, collected.

use std::thread::sleep;
use std::time::Duration;

use super::{Called, SMALL, answer, fresh, plan, program, rows, sweep};

/// `sweep exec` with a variable of a scheduler.
fn exec(dir: &str, told: (&str, &str)) -> Called {
    let mut command = program();
    command.args(["sweep", "exec", dir, "--threads", "1"]).env(told.0, told.1);
    command.output().expect("the program starts").into()
}

#[test]
fn units_have_the_rows_of_this_machine_whoever_runs_them_and_however_often() {
    let plan = plan("units-plan", SMALL);
    let (here, dir) = (fresh("units-here"), fresh("units-there"));
    let (local, there) = (here.display().to_string(), dir.display().to_string());
    answer(&[&plan, "--out", &local]);
    let handed = sweep(&[&plan, "--out", &there, "--engine", "units", "--unit", "50"]);
    assert_eq!(handed.code, Some(3), "nothing is done yet: {}", handed.err);
    assert!(handed.err.contains("0 of 5 units are done"), "{}", handed.err);
    // this machine does not take over what others may be at, unasked: it collects and goes on alone
    for told in [("SLURM_ARRAY_TASK_ID", "0"), ("HQ_TASK_ID", "1"), ("JOB_COMPLETION_INDEX", "2")] {
        let done = exec(&there, told);
        assert_eq!(done.code, Some(0), "{}", done.err);
        assert!(done.out.starts_with(&format!("unit {}: 50 of 50 runs, 0 were", told.1)), "{}", done.out);
    }
    // a second time nothing is left to do
    let again = exec(&there, ("HQ_TASK_ID", "1"));
    assert!(again.out.contains("50 of 50 runs, 50 were there already"), "{}", again.out);
    // killed at several moments, the unit goes on
    for wait in [5, 20, 35] {
        let mut child = program().args(["sweep", "exec", &there, "--index", "3"]).spawn().expect("it starts");
        sleep(Duration::from_millis(wait));
        child.kill().expect("a kill");
        child.wait().expect("an end");
    }
    assert_eq!(sweep(&["exec", &there, "--index", "3"]).code, Some(0));
    let between = sweep(&[&plan, "--out", &there, "--engine", "units"]);
    assert!(between.err.contains("4 of 5 units are done"), "{}", between.err);
    assert_eq!(sweep(&["exec", &there, "--index", "4"]).code, Some(0));
    let counts = answer(&[&plan, "--out", &there, "--engine", "units"]);
    assert_eq!((counts["done"].as_u64(), counts["settings"]["engine"].as_str()), (Some(240), Some("units")));
    assert_eq!(rows(&here), rows(&dir));
    // late workers find nothing to do
    let late = sweep(&["exec", &there, "--index", "4"]);
    assert_eq!((late.code, late.out.as_str()), (Some(0), "unit 4: the sweep is complete\n"), "{}", late.err);
}

#[test]
fn units_that_do_not_exist_or_are_of_another_plan_are_refused() {
    let plan = plan("refused-units-plan", SMALL);
    let dir = fresh("refused-units").display().to_string();
    sweep(&[&plan, "--out", &dir, "--engine", "units", "--unit", "100"]);
    let refused = |arguments: &[&str], parts: &[&str]| {
        let called = sweep(arguments);
        assert_eq!(called.code, Some(2), "{}", called.out);
        assert!(parts.iter().all(|part| called.err.contains(part)), "{parts:?}: {}", called.err);
    };
    refused(&["exec", &dir, "--index", "3"], &["units 0 to 2", "no unit 3"]);
    refused(&["exec", &dir], &["give --index I", "SLURM_ARRAY_TASK_ID, HQ_TASK_ID, JOB_COMPLETION_INDEX"]);
    let wrong = exec(&dir, ("HQ_TASK_ID", "first"));
    assert!(wrong.err.contains("HQ_TASK_ID=first: not the number of a unit"), "{}", wrong.err);
    refused(&["resubmit", &dir], &["was not submitted to Slurm", "--engine slurm"]);
    refused(&[&plan, "--out", &dir, "--engine", "units", "--unit", "0"], &["--unit 0", "at least 1"]);
    let file = std::path::Path::new(&dir).join("plan.toml");
    let changed = SMALL.replace("count = 40", "count = 41");
    std::fs::write(&file, changed).expect("a plan");
    refused(&["exec", &dir, "--index", "1"], &["plans other runs for unit 1"]);
}

#[test]
fn studies_are_runs_too() {
    let text = r#"
command = "study"
[fixed]
data = "two.csv"
target = "y"
budget = "20s"
[axes]
lambda = ["0.5max", "0.1max"]
[record]
patterns = "/patterns/patterns"
objective = "/optimum/0/answer/objective"
"#;
    let plan = plan("studies-plan", text);
    let folder = std::path::Path::new(&plan).parent().expect("a folder");
    std::fs::write(folder.join("two.csv"), "x,y\n-1,1\n1,1\n2,0\n").expect("data");
    let dir = fresh("studies").display().to_string();
    assert_eq!(answer(&[&plan, "--out", &dir])["done"].as_u64(), Some(2));
    let table = answer(&["query", &dir, "--by", "lambda", "--mean", "patterns,objective"]);
    // three points on a line with a bias: six patterns, whatever lambda is
    for (group, share) in [(0, "0.1max"), (1, "0.5max")] {
        let values = &table["groups"][group]["values"];
        assert_eq!(values["mean(patterns)"]["mean"].as_f64(), Some(6.0), "{table}");
        let words = ["--target", "y", "--bias", "penalised", "--lambda", share, "--json"];
        let out = program().arg("optimum").arg(folder.join("two.csv")).args(words).output().expect("it starts");
        let alone: serde_json::Value = serde_json::from_slice(&out.stdout).expect("JSON");
        assert_eq!(values["mean(objective)"]["mean"].as_f64(), alone["objective"].as_f64(), "{table}");
    }
}
