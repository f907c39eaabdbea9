//! Networks that PyTorch and scikit-learn trained, and the decays of libraries.

use serde_json::{Value, json};

use crate::common::{example, line, network, relimit, written};
use crate::{certify, number};

fn text(answer: &Value) -> String {
    answer["translation"].as_array().expect("a list").iter().filter_map(Value::as_str).collect()
}

/// Five iterations of lbfgs: what scikit-learn 1.9.1 printed as loss_.
#[test]
fn the_objective_of_scikit_learn_is_its_loss() {
    let (net, data) = (example("alpha_sklearn.npz"), example("alpha_train.csv"));
    let got = certify(&[&net, &data, "--convention", "sklearn", "--lambda", "1"]);
    assert!((number(&got, "objective") - 0.461_846_121_040_841_16).abs() < 1e-10, "{got}");
    assert!((number(&got, "lambda") - 0.02).abs() < 1e-17);
    assert_eq!((&got["settings"]["bias"], &got["settings"]["offset"]), (&json!("free"), &json!("free")));
    assert_eq!((&got["judgement"], &got["status"]), (&json!("stopped_early"), &json!("bound")));
    assert!(text(&got).contains("alpha / 50") && text(&got).contains("not penalised"), "{got}");
    // n lambda = alpha n / B: half the batch, twice the decay; lbfgs sees all 50 rows
    for (batch, lambda) in [("50", 0.02), ("10", 0.1), ("5", 0.2)] {
        let ask = [&net, &data, "--convention", "sklearn", "--lambda", "1", "--max-nodes", "1", "--batch", batch];
        assert!((number(&certify(&ask), "lambda") - lambda).abs() < 1e-16, "{batch}");
    }
}

/// A public tutorial's network on linear data: train MSE 22.0256 after 1000 iterations, 0.009268 by least squares (numpy).
#[test]
fn a_network_worse_than_linear_stopped_early() {
    let got = certify(&[&example("linear_sklearn.npz"), &example("linear_train.csv"), "--loss", "mean"]);
    assert_eq!((&got["judgement"], &got["status"]), (&json!("stopped_early"), &json!("bound")));
    let affine = got["levels"].as_array().expect("levels").iter().find(|l| l["name"] == json!("affine"));
    let affine = number(affine.expect("a level"), "loss");
    assert!((affine - 0.009_268).abs() < 5e-7, "{affine}");
    assert!((number(&got, "objective") - 22.0256).abs() < 1e-4);
    assert!(number(&got, "lower_bound") <= affine && affine <= number(&got, "objective"));
    assert_eq!((&got["dead_neurons"], &got["always_on_neurons"]), (&json!([]), &json!([])));
    let shown = relimit(&["certify", &example("linear_sklearn.npz"), &example("linear_train.csv")]);
    assert!(shown.out.starts_with("Stopped early: ") && shown.out.contains("two neurons do better"), "{}", shown.out);
    assert!(shown.out.lines().all(|l| l.chars().count() <= 80), "{}", shown.out);
}

/// The same data: two neurons, w and -w of least squares, attain the affine level on the rows that were seen and on those
/// that were not (numpy: .009268106704051213 and .009511914910423172; scikit-learn's network 22.0256 and 30.5298).
#[test]
fn two_neurons_beat_a_hundred_on_linear_data() {
    let (two, hundred) = (example("linear_two.npz"), example("linear_sklearn.npz"));
    let mse = |net: &str, rows: &str| number(&certify(&[net, &example(rows), "--loss", "mean"]), "loss");
    let close = |found: f64, numpy: f64| assert!((found / numpy - 1.0).abs() < 1e-10, "{found} {numpy}");
    close(mse(&two, "linear_train.csv"), 0.009_268_106_704_051_213);
    close(mse(&two, "linear_test.csv"), 0.009_511_914_910_423_172);
    close(mse(&hundred, "linear_train.csv"), 22.025_594_130_080_236);
    close(mse(&hundred, "linear_test.csv"), 30.529_793_980_110_902);
    // with a decay whose price is known, 2 lambda |w| for the pair with balanced weights: the bounds of the hundred enclose it
    let decay = ["--loss", "mean", "--lambda", "1e-6", "--offset", "free", "--bias", "free", "--max-nodes", "1"];
    let judge = |net: &str| certify(&[&[net, &example("linear_train.csv")], &decay[..]].concat());
    let (pair, wide) = (judge(&two), judge(&hundred));
    let reached = number(&pair, "objective_balanced");
    assert!(number(&wide, "lower_bound") <= reached && reached <= number(&wide, "objective"), "{reached} {wide}");
    assert!(number(&wide, "best_known") <= 1.001 * reached, "{reached} {wide}");
}

/// SGD of fixed step on standardised trees: lambda is half of weight_decay, and the end is near the optimum.
#[test]
fn a_network_of_pytorch_takes_what_it_was_trained_on() {
    let scaled = ["--target", "Volume", "--scale", "standardise", "--target-scale", "standardise"];
    let decay = ["--convention", "pytorch", "--lambda", "0.01"];
    for file in ["trees_torch.safetensors", "trees_torch.onnx"] {
        let net = example(file);
        let judge = |more: &[&str]| {
            certify(&[&[net.as_str(), "examples/data/trees.csv"], &scaled[..], &decay[..], more].concat())
        };
        let got = judge(&["--takes", "scaled"]);
        assert!((number(&got, "lambda") - 0.005).abs() < 1e-17 && text(&got).contains("weight_decay times 1/2"));
        assert_eq!((&got["settings"]["bias"], &got["settings"]["offset"]), (&json!("penalised"), &json!("penalised")));
        let share = number(&got, "gap") / number(&got, "objective");
        assert!(share > 0.0 && share < 0.01 && got["judgement"] == json!("stopped_early"), "{got}");
        assert!(got["verdict"].as_str().is_some_and(|v| v.contains("of the best possible already")), "{got}");
        let raw = judge(&[]);
        assert!(number(&raw, "objective") > 100.0 * number(&got, "objective"));
        let notices = raw["data"]["notices"].to_string();
        assert!(notices.contains("--takes scaled"), "{notices}");
    }
}

/// mean r^2 + v (|w|^2 + |c|^2) of Keras, by hand, is twice the objective.
#[test]
fn the_objective_of_keras_is_half_of_its_loss() {
    let data = written("certify-keras.csv", "x,y\n-1,1\n0,0\n1,2\n");
    let net = network("certify-keras.npz", line(&[[1.0, 0.5, 2.0], [-1.0, 0.25, 0.5]], -0.5));
    let got = certify(&[&net, &data, "--target", "y", "--convention", "keras", "--lambda", "0.25"]);
    // outputs 1.25/2 - 1/2 = 0.125, 1 + 0.125 - 0.5 = 0.625, 3 - 0.5 = 2.5
    let loss = (0.875 * 0.875 + 0.625 * 0.625 + 0.25) / 3.0;
    let keras = loss + 0.25 * (2.0 + 4.25);
    assert!((2.0 * number(&got, "objective") - keras).abs() < 1e-13, "{got}");
    assert_eq!((number(&got, "lambda"), &got["settings"]["bias"]), (0.25, &json!("free")));
}
