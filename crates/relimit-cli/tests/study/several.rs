//! Studies of several targets: what is said of them, what is not, and the known failure of the claim on finitely many rays.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::common::{Called, folder, number, program, unwrapped};
use super::{call, result, sections};

fn study(name: &str, rows: &str, words: &str) -> (Value, String) {
    let place = folder(name);
    let file = place.join("data.csv");
    fs::write(&file, rows).expect("scratch space");
    let called = call(&file, &format!("{words} --budget 8s"), &place.join("out"));
    assert_eq!(called.code, 0, "{}", called.err);
    (result(&place.join("out")), called.out)
}

fn finding(found: &Value, key: &str) -> Value {
    found["ledger"].as_array().expect("a list").iter().find(|f| f["theorem"] == key).cloned().expect(key)
}

/// x = -1/2, 1/2 with lambda = .1: the objective is .325 exactly and all directions with b >= |w|/2 are in contact.
#[test]
fn the_ledger_says_that_finitely_many_rays_fail_for_two_targets() {
    let rows = "x,a,b\n-0.5,-0.6131759111665349,2.27364817766693\n0.5,0.6131759111665349,2.27364817766693\n";
    let (found, said) = study("study_arc", rows, "--target a --target b --lambda 0.1");
    let status =
        [("patterns", "done"), ("limit", "skipped"), ("flow", "skipped"), ("optimum", "done"), ("law", "skipped")];
    assert_eq!(sections(&found), status.map(|(s, w)| (s.to_owned(), w.to_owned())));
    assert!((number(&found, "/optimum/0/answer/objective") - 0.325).abs() < 1e-10);
    let arc = finding(&found, "rays-several-outputs");
    assert_eq!(arc["verdict"], "fails", "{arc}");
    assert_eq!((number(&arc, "/measured"), number(&arc, "/bound")), (1.0, 0.0));
    // what is stated for one output is not judged on two
    let met = |key: &str| finding(&found, key)["verdict"].as_str().expect("a word").to_owned();
    for key in ["rays-2p-1", "rays-2p-2", "distinct-patterns", "two-per-binary", "two-point-law", "three-knots"] {
        assert_eq!(met(key), "hypotheses not met", "{key}");
    }
    let decided = found["ledger"].as_array().expect("a list").iter().filter(|f| f["verdict"] == "holds").count();
    assert_eq!(decided, 0);
    let said = unwrapped(&said);
    assert!(said.contains("labels a and b") && said.contains("here are 2 targets; study one --target"), "{said}");
    let page = fs::read_to_string(Path::new(env!("CARGO_TARGET_TMPDIR")).join("study_arc/out/report.html"));
    let page = page.expect("a page");
    assert!(page.contains("--target a --target b --missing drop --bias penalised --lambda 0.1"), "{page}");
    // the commands of the page can be called
    let listed =
        page.split("<pre tabindex=\"0\">").nth(1).and_then(|rest| rest.split("</pre>").next()).expect("commands");
    assert_eq!(listed.lines().count(), 2, "{listed}");
    for command in listed.lines() {
        let words = command.strip_prefix("relimit ").expect("a command").split_whitespace();
        let called: Called = program().args(words).output().expect("it starts").into();
        assert_eq!(called.code, 0, "{command}: {}", called.err);
    }
    assert!(!page.contains("relimit limit") && page.contains("fill a set of dimension 1"), "{page}");
}

/// Labels (1, 2) and (-1, -2) at -+2 are those of one target of size sqrt 5 in one direction: the closed form of two
/// symmetric points, 2 lambda y/q1 - 2 lambda^2/q1^2 with q1 = y = sqrt 5 and lambda = .2, is .384, of rank 1 a cell.
#[test]
fn proportional_targets_are_as_one_and_their_rays_do_not_fail() {
    let rows = "x,a,b\n2,1,2\n-2,-1,-2\n";
    let (found, _) = study("study_proportional", rows, "--target a --target b --lambda 0.2 --scale none");
    assert!((number(&found, "/optimum/0/answer/objective") - 0.384).abs() < 1e-10);
    let cells = found["optimum"][0]["answer"]["cells"].as_array().expect("cells");
    assert!(cells.len() == 2 && cells.iter().all(|c| c["rank"] == 1), "{cells:?}");
    assert_eq!(finding(&found, "rays-several-outputs")["verdict"], "undecided");
    // the scale of the labels is one choice for all of them
    let rows = "x,a,b\n2,1,200\n-2,-1,-100\n";
    let (found, _) = study("study_scales", rows, "--target a --target b --lambda 0.2max");
    assert_eq!(found["settings"]["target_scale"], "standardise");
    assert!(found["choices"].to_string().contains("the spread of b is"), "{}", found["choices"]);
}
