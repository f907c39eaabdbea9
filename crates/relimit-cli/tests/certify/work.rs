//! Limits of work: nodes, time, and what exit codes say about them.

use serde_json::{Value, json};

use crate::common::{example, relimit};

/// A network and data whose bound takes thousands of nodes.
fn called(more: &[&str]) -> (i32, Value) {
    let (net, data) = (example("alpha_sklearn.npz"), example("alpha_train.csv"));
    let base = ["certify", &net, &data, "--lambda", "0.02", "--bias", "free", "--json"];
    let called = relimit(&[&base[..], more].concat());
    let answer = serde_json::from_str(&called.out).unwrap_or_else(|e| panic!("{e}: {} {}", called.out, called.err));
    (called.code, answer)
}

#[test]
fn what_ended_the_work_is_said() {
    let (code, few) = called(&["--max-nodes", "10"]);
    assert_eq!((code, &few["ended"], &few["status"]), (0, &json!("nodes"), &json!("bound")));
    let (code, cut) = called(&["--budget", "1ms"]);
    assert_eq!((code, &cut["ended"]), (3, &json!("budget")));
    let (code, more) = called(&["--max-nodes", "1000"]);
    assert_eq!(code, 0);
    let lower = |answer: &Value| answer["lower_bound"].as_f64().expect("a number");
    let objective = more["objective"].as_f64().expect("a number");
    assert!(lower(&cut) <= objective && lower(&few) <= lower(&more) && lower(&more) <= objective, "{few} {more}");
    // the network itself is far from an optimum: it is never certified
    let (code, _) = called(&["--max-nodes", "10", "--require", "certified"]);
    assert_eq!(code, 1);
}

#[test]
fn keys_are_those_of_the_documentation() {
    let (_, answer) = called(&["--max-nodes", "10"]);
    for key in ["objective", "lower_bound", "gap", "status", "dead_neurons", "dead_examples", "verdict"] {
        assert!(!answer[key].is_null(), "{key}");
    }
}
