//! Pictures: what they show agrees with the answer, and the numbers beside them with the data.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::{Plain, folder, items, list, moments, near, number, program};
use crate::real::optimum;

const STANDARD: &str = "--scale standardise --target-scale standardise";

/// Answer, picture and numbers of a call with `--plot`.
fn drawn(place: &str, arguments: &str) -> (Value, String, Vec<Vec<f64>>) {
    let file = folder(place).join("picture.svg");
    let answer = optimum(&format!("examples/data/{arguments} {STANDARD} --plot {}", file.display()));
    let svg = fs::read_to_string(&file).expect("a picture");
    for bad in ["NaN", "inf\"", "not finite"] {
        assert!(!svg.contains(bad), "{place}: {bad}");
    }
    assert_eq!(svg.matches("<g ").count(), svg.matches("</g>").count(), "{place}");
    (answer, svg, numbers(&file.with_extension("plot.csv")))
}

fn numbers(file: &Path) -> Vec<Vec<f64>> {
    let text = fs::read_to_string(file).expect("numbers");
    let row = |l: &str| l.split(',').map(|c| c.parse().expect("a number")).collect();
    text.lines().skip(1).map(row).collect()
}

#[test]
fn one_feature_shows_the_fit_with_its_kinks() {
    let (answer, svg, rows) = drawn("line_picture", "mcycle.csv --target accel --lambda 0.01max");
    assert_eq!(svg.matches("<title>kink at ").count(), items(&answer, "/kinks").len());
    // other optimal networks have other widths: see `unique`
    let width = items(&answer, "/neurons").len();
    assert!(
        svg.contains(&format!("best network of any width has {width} neurons. No network does better than 0.1769."))
    );
    // label and fit in the units of the file
    let labels = Plain::read("mcycle.csv").column("accel");
    let (mean, sd) = moments(&labels);
    let fitted: Vec<f64> = list(&answer, "/outputs").iter().map(|f| mean + sd * f).collect();
    near(&rows.iter().map(|r| r[1]).collect::<Vec<_>>(), &labels, 0.0, "labels");
    near(&rows.iter().map(|r| r[2]).collect::<Vec<_>>(), &fitted, 1e-9, "fit");
}

#[test]
fn two_features_show_a_crease_for_every_neuron() {
    let (answer, svg, rows) = drawn("plane_picture", "trees.csv --target Volume");
    assert_eq!(svg.matches("<title>crease of a neuron ").count() as f64, number(&answer, "/width"));
    assert_eq!(rows.len(), 31);
    // a dot or a ring for every row
    assert_eq!(svg.matches("<circle").count(), 31);
}

#[test]
fn more_features_show_the_neurons() {
    let (answer, svg, rows) = drawn("neuron_picture", "diabetes.csv --target progression --lambda 0.5max");
    assert_eq!(svg.matches("<title>c ").count() as f64, number(&answer, "/width"));
    let sizes: Vec<f64> = rows.iter().map(|r| r[11].abs()).collect();
    assert!(sizes.len() == 2 && sizes[0] > sizes[1], "{sizes:?}");
}

#[test]
fn a_path_shows_objective_and_width() {
    let (answer, svg, rows) = drawn("path_picture", "mcycle.csv --target accel --path");
    let path = items(&answer, "/path");
    assert_eq!((rows.len(), path.len()), (20, 20));
    for (row, point) in rows.iter().zip(path) {
        assert_eq!((row[0], row[1]), (number(point, "/lambda"), number(point, "/objective")));
    }
    assert!(svg.contains("Along 20 values of lambda") && svg.contains("20 are certified"));
}

#[test]
fn a_trace_narrows_and_leaves_the_answer_as_it_is() {
    let call = "diabetes.csv --target progression --lambda 0.2max --max-nodes 700 --threads 1";
    let (mut answer, svg, rows) = drawn("trace_picture", &format!("{call} --trace"));
    let trace = items(&answer, "/trace").to_vec();
    assert!(trace.len() >= 5 && rows.len() == trace.len(), "{trace:?}");
    assert!(svg.contains("no network is below"));
    for pair in trace.windows(2) {
        assert!(number(&pair[1], "/nodes") > number(&pair[0], "/nodes"));
        assert!(number(&pair[1], "/lower") >= number(&pair[0], "/lower"));
        assert!(number(&pair[1], "/seconds") >= number(&pair[0], "/seconds"));
    }
    assert_eq!(number(&trace[trace.len() - 1], "/lower"), number(&answer, "/dual"));
    let mut plain = optimum(&format!("examples/data/{call} {STANDARD}"));
    assert!(plain["trace"].is_null());
    for a in [&mut plain, &mut answer] {
        a["trace"] = Value::Null;
        a["settings"] = Value::Null;
    }
    assert_eq!(plain, answer);
}

#[test]
fn a_png_is_one_and_other_endings_are_refused() {
    let file = folder("png_picture").join("fit.png");
    optimum(&format!("examples/data/trees.csv --target Volume --plot {}", file.display()));
    assert!(fs::read(&file).expect("a picture").starts_with(b"\x89PNG\r\n\x1a\n"));
    let words = "optimum examples/data/trees.csv --target Volume --plot fit.pdf";
    let output = program().args(words.split_whitespace()).output().expect("it starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--plot fit.pdf: has no known ending"));
}
