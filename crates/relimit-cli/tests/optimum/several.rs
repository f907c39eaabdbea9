//! Several targets: certified along the path, in every treatment of the bias, with trace and pictures, and for many targets.
//!
//! A target that is there k times weighs on the penalty as on the loss: F_k(lambda) = k F_1(lambda / sqrt k), by scalar
//! optima.

use std::fs;

use serde_json::Value;

use crate::common::{Plain, folder, items, number, word};
use crate::real::optimum;

const STANDARD: &str = "--scale standardise --target-scale standardise";

/// Features of the trees, and their volume (standardised by the command) in `copies` columns.
fn repeated(name: &str, features: &[&str], copies: usize) -> (String, String) {
    let trees = Plain::read("trees.csv");
    let columns: Vec<Vec<f64>> = features.iter().map(|f| trees.column(f)).collect();
    let volume = trees.column("Volume");
    let targets: Vec<String> = (0..copies).map(|k| format!("v{k}")).collect();
    let mut text = features.iter().map(ToString::to_string).chain(targets.clone()).collect::<Vec<_>>().join(",") + "\n";
    for i in 0..volume.len() {
        let row = columns.iter().map(|c| c[i]).chain(std::iter::repeat_n(volume[i], copies));
        text += &(row.map(|v| v.to_string()).collect::<Vec<_>>().join(",") + "\n");
    }
    let file = folder(name).join("data.csv");
    fs::write(&file, text).expect("scratch space");
    let named = targets.iter().map(|t| format!("--target {t}")).collect::<Vec<_>>().join(" ");
    let path = file.display().to_string();
    (format!("{path} {named} {STANDARD}"), format!("{path} --target v0 --columns {} {STANDARD}", features.join(",")))
}

#[test]
fn a_path_of_two_targets_is_certified_throughout() {
    let data = "examples/data/airquality.csv --target Ozone --target Temp --columns Wind --missing drop";
    let answer = optimum(&format!("{data} {STANDARD} --path"));
    let path = items(&answer, "/path");
    assert_eq!(path.len(), 20);
    for (k, point) in path.iter().enumerate() {
        assert_eq!(word(point, "/status"), "certified", "point {k}: {point}");
        assert!(k == 0 || number(point, "/objective") < number(&path[k - 1], "/objective"), "point {k}");
    }
}

#[test]
fn a_repeated_target_is_the_scalar_optimum_in_every_treatment_of_the_bias() {
    for features in [&["Girth"][..], &["Girth", "Height"]] {
        let (twice, once) = repeated(&format!("twice_{}", features.len()), features, 2);
        for modes in ["--bias free", "--bias free --offset free", "--bias penalised --offset free", "--bias none"] {
            let lambda = 0.02;
            let two = optimum(&format!("{twice} {modes} --lambda {lambda} --gap 1e-7"));
            let one = optimum(&format!("{once} {modes} --lambda {} --gap 1e-9", lambda / 2f64.sqrt()));
            let expected = 2.0 * number(&one, "/objective");
            let what = format!("{features:?} {modes}: {} and {expected}", number(&two, "/objective"));
            assert_eq!((word(&one, "/status"), word(&two, "/status")), ("certified", "certified"), "{what}");
            assert!((number(&two, "/objective") - expected).abs() < 1e-7 * expected, "{what}");
            assert!(number(&two, "/dual") <= expected, "{what}");
        }
    }
}

#[test]
fn more_than_ten_targets_have_an_interval() {
    let (many, once) = repeated("twelve", &["Girth", "Height"], 12);
    let lambda = 0.1;
    let answer = optimum(&format!("{many} --lambda {lambda} --max-nodes 300"));
    let one = optimum(&format!("{once} --lambda {} --gap 1e-9", lambda / 12f64.sqrt()));
    let expected = 12.0 * number(&one, "/objective");
    let (upper, lower) = (number(&answer, "/objective"), number(&answer, "/dual"));
    assert!((upper - expected).abs() < 1e-6 * expected, "{upper} {expected}");
    assert!(lower > 0.0 && lower <= expected, "{lower} {expected}");
}

#[test]
fn a_trace_and_pictures_of_several_targets() {
    let place = folder("several_pictures");
    let data = "examples/data/airquality.csv --target Ozone --target Solar.R --columns Wind,Temp,Month --missing drop";
    let svg = place.join("trace.svg");
    let call = format!("{data} {STANDARD} --lambda 0.1max --max-nodes 3000 --trace --plot {}", svg.display());
    let answer = optimum(&call);
    let trace = items(&answer, "/trace");
    assert!(trace.len() >= 3, "{trace:?}");
    for pair in trace.windows(2) {
        assert!(number(&pair[1], "/nodes") > number(&pair[0], "/nodes"), "{trace:?}");
        assert!(number(&pair[1], "/lower") <= number(&answer, "/objective"));
    }
    let best = trace.iter().map(|p| number(p, "/lower")).fold(0.0, f64::max);
    assert_eq!(best, number(&answer, "/dual"));
    let text = fs::read_to_string(&svg).expect("a picture");
    assert!(text.contains("no network is below") && !text.contains("NaN"));
    let svg = place.join("neurons.svg");
    let answer = optimum(&format!("{data} {STANDARD} --lambda 0.3max --max-nodes 300 --plot {}", svg.display()));
    let text = fs::read_to_string(&svg).expect("a picture");
    let bars = (number(&answer, "/width") as usize).min(16);
    assert_eq!(text.matches("<title>c ").count(), bars);
    let outputs: &Value = &answer["neurons"][0]["c"];
    assert_eq!(outputs.as_array().map(Vec::len), Some(2), "{outputs}");
}
