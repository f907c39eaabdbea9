//! Verdicts whose numbers follow by hand.

use relimit_core::net::Network;
use serde_json::{Value, json};

use crate::common::{line, network, relimit, scratch, written};

/// The JSON answer of `certify` with exit code 0.
fn certify(arguments: &[&str]) -> Value {
    let called = relimit(&[&["certify"], arguments, &["--json"]].concat());
    assert_eq!(called.code, 0, "{}", called.err);
    serde_json::from_str(&called.out).expect("JSON")
}

fn number(answer: &Value, key: &str) -> f64 {
    answer[key].as_f64().unwrap_or_else(|| panic!("{key}: {}", answer[key]))
}

/// y = |x| on -1, 0, 1.
fn vee(name: &str, net: Network) -> Value {
    let data = written(&format!("{name}.csv"), "x,y\n-1,1\n0,0\n1,1\n");
    certify(&[&network(&format!("{name}.npz"), net), &data, "--target", "y"])
}

/// What optimum saves is certified on its own data with the same lambda.
#[test]
fn a_saved_optimum_certifies() {
    let net = scratch("certify-trees.safetensors");
    let data = ["examples/data/trees.csv", "--target", "Volume", "--lambda", "0.05max"];
    let saved = relimit(&[&["optimum"], &data[..], &["--save", &net]].concat());
    assert_eq!(saved.code, 0, "{}", saved.err);
    let got = certify(&[&[net.as_str()], &data[..]].concat());
    assert_eq!((&got["status"], &got["judgement"]), (&json!("certified"), &json!("best")));
    assert!(number(&got, "gap") <= 1e-8 * number(&got, "objective"), "{got}");
    // its one neuron is active on every row: an affine function, shrunk by the decay
    assert_eq!((&got["level"], &got["always_on_neurons"]), (&json!("affine"), &json!([0])));
}

/// A dead neuron and the mean of y: half the variance of y, 1/2 * 2/9.
#[test]
fn a_constant_network_names_its_level() {
    let got = vee("certify-constant", line(&[[0.0, -1.0, 0.0]], 2.0 / 3.0));
    assert_eq!((&got["judgement"], &got["level"]), (&json!("stuck"), &json!("constant")));
    assert!((number(&got, "loss") - 1.0 / 9.0).abs() < 1e-14);
    assert_eq!((&got["dead_neurons"], &got["dead_examples"]), (&json!([0]), &json!([2, 3, 4])));
    // one kink suffices for |x|, with two neurons
    assert_eq!((&got["floor"]["kinks"], &got["floor"]["width"]), (&json!(1), &json!(2)));
}

/// relu(x)/2 + relu(-x)/2 has residuals 1/2, 0, 1/2: loss 1/6 * 2 * 1/4, and a slope to descend.
#[test]
fn a_half_trained_network_stopped_early() {
    let got = vee("certify-half", line(&[[1.0, 0.0, 0.5], [-1.0, 0.0, 0.5]], 0.0));
    assert_eq!((&got["judgement"], &got["stationarity"]["moves"]), (&json!("stopped_early"), &json!(true)));
    assert!((number(&got, "loss") - 1.0 / 12.0).abs() < 1e-14);
}
