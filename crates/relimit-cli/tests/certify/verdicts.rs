//! Verdicts whose numbers follow by hand.

use relimit_core::net::Network;
use relimit_core::num::Mat;
use relimit_core::zoo::golden_optima;
use serde_json::{Value, json};

use crate::common::{line, network, relimit, scratch, written};
use crate::{certify, number};

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

/// The reference optima, whose networks are known in closed form or to 1e-11.
#[test]
fn known_optima_certify_to_1e_10() {
    for g in golden_optima() {
        let d = g.x.cols();
        let joined = |parts: Vec<String>| parts.join(",") + "\n";
        let mut data = joined((0..d).map(|k| format!("x{k}")).chain(["y".to_owned()]).collect());
        for (i, y) in g.y.iter().enumerate() {
            data += &joined(g.x.row(i).iter().chain([y]).map(|v| format!("{v:?}")).collect());
        }
        let file = written(&format!("certify-{}.csv", g.name), &data);
        let net = network(&format!("certify-{}.safetensors", g.name), g.network());
        let lambda = g.lambda.to_string();
        let got = certify(&[&net, &file, "--target", "y", "--lambda", &lambda, "--gap", "1e-10"]);
        let (objective, lower) = (number(&got, "objective"), number(&got, "lower_bound"));
        assert!((objective - g.objective).abs() < 1e-10 && (lower - g.objective).abs() < 1e-10, "{}: {got}", g.name);
        assert!(number(&got, "gap") < 1e-10 && lower <= objective, "{}: {got}", g.name);
        assert_eq!((&got["judgement"], &got["status"]), (&json!("best"), &json!("certified")), "{}", g.name);
    }
}

/// A target relu(x) and a neuron that sees the other rows alone: mean square 5/4 of (0, 0, 1, 2), 5/8 by a line.
#[test]
fn one_relu_on_the_wrong_side_is_stuck_at_nothing() {
    let data = written("certify-g01.csv", "x,y\n-2,0\n-1,0\n1,1\n2,2\n");
    let at = |name: &str, w: f64| {
        certify(&[
            &network(name, line(&[[w, 0.0, 1.0]], 0.0)),
            &data,
            "--target",
            "y",
            "--loss",
            "mean",
            "--bias",
            "none",
        ])
    };
    let got = at("certify-g01.npz", -1e-21);
    assert_eq!(
        (&got["judgement"], &got["level"], &got["status"]),
        (&json!("stuck"), &json!("zero"), &json!("undecided"))
    );
    assert!((number(&got, "loss") - 1.25).abs() < 1e-14 && (number(&got, "best_known") - 0.625).abs() < 1e-14, "{got}");
    assert_eq!(got["dead_examples"], json!([4, 5]));
    let right = at("certify-g01-right.npz", 1.0);
    assert_eq!((&right["judgement"], &right["status"]), (&json!("best"), &json!("certified")));
}

/// A network without a kink between its rows: least squares by hand, and the one kink that would fit all three.
#[test]
fn an_affine_network_is_stuck_at_the_best_line() {
    let y = [-0.2445248, 0.1232554, 0.1713998];
    let data = written("certify-g02.csv", &format!("x,y\n-1,{}\n0,{}\n1,{}\n", y[0], y[1], y[2]));
    let slope = (y[2] - y[0]) / 2.0;
    let mean = y.iter().sum::<f64>() / 3.0;
    let net = network("certify-g02.npz", line(&[[1.0, 2.0, slope]], mean - 2.0 * slope));
    let got = certify(&[&net, &data, "--target", "y", "--loss", "mean"]);
    assert_eq!((&got["judgement"], &got["level"]), (&json!("stuck"), &json!("affine")));
    assert!((number(&got, "loss") - 0.005_675_947).abs() < 1e-9, "{got}");
    assert_eq!((&got["always_on_neurons"], &got["floor"]["kinks"]), (&json!([0]), &json!(1)));
    assert_eq!((&got["floor"]["loss"], &got["floor"]["width"]), (&json!(0.0), &json!(2)));
}

/// Exclusive or: descent ends on mean squares 1/4, 1/6, 1/8 and 0 (noted in a public thread on networks of 2 to 5 neurons).
#[test]
fn every_level_of_exclusive_or_is_named() {
    let data = written("certify-g03.csv", "a,b,y\n0,0,0\n0,1,1\n1,0,1\n1,1,0\n");
    let at = |name: &str, rows: &[[f64; 4]], offset: f64| {
        let part = |k: usize| rows.iter().map(|r| r[k]).collect::<Vec<_>>();
        let w = Mat::from_fn(rows.len(), 2, |j, k| rows[j][k]);
        let net = network(&format!("certify-g03-{name}.npz"), Network::scalar(w, part(2), part(3), offset));
        let got = certify(&[&net, &data, "--target", "y", "--loss", "mean"]);
        (number(&got, "loss"), got["judgement"].clone(), got["level"].clone())
    };
    let cases = [
        // a neuron that sees no corner
        (at("constant", &[[-1.0, -1.0, -1.0, 1.0]], 0.5), 0.25, "stuck", json!("constant")),
        // one that fits the last corner alone; the others share 2/3
        (at("sixth", &[[1.0, 1.0, -1.5, -4.0 / 3.0]], 2.0 / 3.0), 1.0 / 6.0, "stuck", json!("active_sets")),
        // two that fit the corners (1, 0) and (1, 1); the others share 1/2
        (at("eighth", &[[1.0, -1.0, -0.5, 1.0], [1.0, 1.0, -1.5, -1.0]], 0.5), 0.125, "stuck", json!("active_sets")),
        (at("none", &[[1.0, 1.0, 0.0, 1.0], [1.0, 1.0, -1.0, -2.0]], 0.0), 0.0, "best", json!("active_sets")),
    ];
    for ((loss, judgement, level), expected, word, name) in cases {
        assert!((loss - expected).abs() < 1e-14, "{loss} {expected}");
        assert_eq!((judgement, level), (json!(word), name), "{expected}");
    }
}
