//! The questions of a program: the words of the command line, the same answers, errors that name the word.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::sync::Arc;

use relimit_ask::{Asked, Caller, Held, ask};
use relimit_core::num::Mat;
use relimit_run::read;
use serde_json::{Map, Value, json};

fn words(value: Value) -> Map<String, Value> {
    let Value::Object(words) = value else { panic!("an object") };
    words
}

fn asked(command: &str, value: Value, held: &Held) -> Result<Asked, String> {
    let caller = Caller { stop: &|| false, network: true, meter: None };
    ask(command, &words(value), held, caller).map_err(|e| e.to_string())
}

fn number(asked: &Asked, at: &str) -> f64 {
    asked.answer.pointer(at).unwrap_or_else(|| panic!("{at} is missing")).as_f64().unwrap()
}

fn table(columns: &[&str], rows: &[[f64; 2]]) -> Held {
    let x = Mat::from_fn(rows.len(), 2, |i, k| rows[i][k]);
    let columns = columns.iter().map(ToString::to_string).collect();
    Held { table: Some(Arc::new(read::Held { name: "arrays".into(), x, columns })), network: None }
}

/// x = (-1, 0, 1), y = (1, -.5, .8).
fn three() -> Held {
    table(&["x", "y"], &[[-1.0, 1.0], [0.0, -0.5], [1.0, 0.8]])
}

#[test]
fn the_law_of_three_points_is_that_of_the_dual() {
    // outputs at beta = 100 and lambda = .05, from an independent solution of the one-dimensional dual
    let law = asked("gibbs", json!({"target": "y", "lambda": 0.05, "beta": 100}), &three()).unwrap();
    for (i, wanted) in [0.85195, -0.09544, 0.65244].into_iter().enumerate() {
        assert!((number(&law, &format!("/outputs/{i}")) - wanted).abs() < 1e-5, "{i}");
    }
    assert_eq!(law.answer["settings"]["target"], "y");
    assert_eq!(law.answer["settings"]["data"], Value::Null, "no file was read");
}

#[test]
fn a_network_comes_with_the_answer_and_can_be_asked_about() {
    let best = asked("optimum", json!({"target": "y", "lambda": "0.1", "threads": 1}), &three()).unwrap();
    let (objective, net) = (number(&best, "/objective"), best.network.unwrap());
    // the half-mean loss and the decay of the network that came back, by hand
    let (x, y) = ([-1.0, 0.0, 1.0], [1.0, -0.5, 0.8]);
    let outputs = net.network.forward(&Mat::from_vec(3, 1, x.to_vec()));
    let loss: f64 = (0..3).map(|i| (outputs[(i, 0)] - y[i]).powi(2)).sum::<f64>() / 6.0;
    let squares = net.network.w.as_slice().iter().chain(&net.network.b).chain(net.network.c.as_slice());
    let decay: f64 = squares.map(|v| v * v).sum::<f64>() * 0.05;
    assert!((loss + decay - objective).abs() < 1e-7, "{loss} + {decay} against {objective}");
    let given = relimit_ask::NetworkGiven { file: net, name: "best".into(), notices: vec![] };
    let held = Held { network: Some(given), ..three() };
    let judged = asked("certify", json!({"target": "y", "lambda": 0.1, "threads": 1}), &held).unwrap();
    assert!((number(&judged, "/objective") - objective).abs() < 1e-9);
    assert_eq!(judged.answer["status"], "certified");
    let narrow = asked("collapse", json!({"box": "-1:1"}), &Held { table: None, ..held }).unwrap();
    assert!(number(&narrow, "/effective_width") <= number(&narrow, "/width"));
}

#[test]
fn hyphens_and_underscores_are_one_and_words_are_checked() {
    let two = || json!({"target": "y", "target-scale": "centre", "bias": "penalised", "step_constant": 4});
    let run = asked("limit", two(), &three()).unwrap();
    assert_eq!(run.answer["settings"]["target_scale"], "centre");
    assert_eq!(number(&run, "/settings/step_constant"), 4.0);
    let says = |command: &str, value: Value, part: &str| {
        let message = asked(command, value, &three()).err().unwrap();
        assert!(message.contains(part), "{message}");
    };
    says("optimun", json!({}), "'optimun' is no command (did you mean 'optimum'?)");
    says("optimum", json!({"lamda": 1}), "'lamda' is no setting of optimum (did you mean 'lambda'?)");
    says("optimum", json!({"target": "y", "save": "a.npz"}), "'save' is no setting of optimum");
    says("optimum", json!({"target": "y", "gap": "small"}), "--gap: \"small\": 'small' is not a number");
    says("optimum", json!({"target": "y", "lambda": -1}), "--lambda -1");
    says("optimum", json!({"target": "z"}), "arrays");
    says("limit", json!({"target": "y", "scale": "unit"}), "--scale: \"unit\": give none, centre or standardise");
    let message = asked("limit", json!({}), &Held::default()).err().unwrap();
    assert!(message.starts_with("no data"), "{message}");
}

#[test]
fn training_and_counting_answer_as_well() {
    let spec = "gaussian:n=6,d=3,seed=2";
    let run = asked(
        "train",
        json!({"synthetic": spec, "width": 20, "steps": 50, "beta": "inf", "threads": 1, "seed": 3}),
        &Held::default(),
    )
    .unwrap();
    assert_eq!(number(&run, "/steps"), 50.0);
    assert_eq!(run.network.unwrap().network.width(), 20);
    // 6 rows in general position in 3 dimensions: 2 (C(5,0) + C(5,1) + C(5,2)) = 32 cells
    let count = asked("patterns", json!({"synthetic": spec, "threads": 1}), &Held::default()).unwrap();
    assert_eq!(number(&count, "/patterns"), 32.0);
}

#[test]
fn a_caller_that_stops_gets_a_labelled_answer() {
    let caller = Caller { stop: &|| true, network: false, meter: None };
    let words = words(json!({"synthetic": "gaussian:n=6,d=3,seed=2", "steps": 1000, "threads": 1}));
    let run = ask("train", &words, &Held::default(), caller).unwrap();
    assert_eq!(run.answer["status"], "interrupted");
}
