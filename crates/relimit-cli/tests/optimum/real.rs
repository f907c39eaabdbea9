//! Real data: objectives of an independent program, certified, and what a person reads.

use serde_json::Value;

use crate::common::{items, number, program, word};

/// The JSON answer of `relimit optimum` that ends with 0.
pub(crate) fn optimum(arguments: &str) -> Value {
    let output = program().arg("optimum").args(arguments.split_whitespace()).arg("--json").output().expect("it starts");
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{arguments}: {err}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{arguments}: {e}"))
}

const STANDARD: &str = "--scale standardise --target-scale standardise --bias penalised --loss half-mean";

#[test]
fn objectives_of_the_table_are_certified() {
    // most nodes: about those of an independent program, one pass over the circle counts as one
    for (data, share, objective, nodes) in [
        ("trees.csv --target Volume", "0.05max", 0.0710380140, 40.0),
        ("stackloss.csv --target stack.loss", "0.05max", 0.0884658043, 100.0),
        ("airquality.csv --target Ozone --columns Solar.R,Wind,Temp --missing drop", "0.05max", 0.1792351683, 4000.0),
        ("mcycle.csv --target accel", "0.05max", 0.3087302060, 4.0),
        ("mcycle.csv --target accel", "0.01max", 0.1768804540, 4.0),
        ("diabetes.csv --target progression", "0.5max", 0.4498859466, 40.0),
    ] {
        let answer = optimum(&format!("examples/data/{data} {STANDARD} --lambda {share}"));
        assert!((number(&answer, "/objective") - objective).abs() < 1e-9, "{data}: {}", number(&answer, "/objective"));
        assert_eq!(word(&answer, "/status"), "certified", "{data}");
        assert!(number(&answer, "/gap_relative") < 1e-8, "{data}");
        assert!(number(&answer, "/nodes") <= nodes, "{data}: {} nodes", number(&answer, "/nodes"));
        let (upper, lower) = (number(&answer, "/objective"), number(&answer, "/dual"));
        assert!(lower <= upper && number(&answer, "/gap") >= upper - lower, "{data}");
    }
}

#[test]
fn diabetes_below_half_of_lambda_max_is_an_interval_that_holds_the_best_known() {
    // objectives of the best networks that an independent program found
    for (share, best, nodes, most) in [("0.2max", 0.3466742703, 1500, 0.2), ("0.05max", 0.2593398022, 500, 0.75)] {
        let answer = optimum(&format!(
            "examples/data/diabetes.csv --target progression {STANDARD} --lambda {share} --max-nodes {nodes}"
        ));
        assert_eq!((word(&answer, "/status"), word(&answer, "/ended")), ("bound", "nodes"), "{share}");
        assert!(number(&answer, "/dual") < best, "{share}: a bound above a network");
        assert!(number(&answer, "/objective") < best * 1.001, "{share}: {}", number(&answer, "/objective"));
        assert!(number(&answer, "/gap_relative") < most, "{share}: {}", number(&answer, "/gap_relative"));
    }
}

#[test]
fn the_path_of_mcycle_lists_its_kinks() {
    let answer = optimum(&format!("examples/data/mcycle.csv --target accel {STANDARD} --path"));
    let path = items(&answer, "/path");
    assert_eq!(path.len(), 20);
    let top = number(&answer, "/lambda_max");
    assert!((number(&answer, "/path/0/lambda") - top).abs() < 1e-12 * top);
    assert!((number(&answer, "/path/19/lambda") - 1e-3 * top).abs() < 1e-12 * top);
    for (k, point) in path.iter().enumerate() {
        assert_eq!(word(point, "/status"), "certified", "point {k}");
        let kinks = items(point, "/kinks");
        let values: Vec<f64> = kinks.iter().map(|v| v.as_f64().expect("a number")).collect();
        assert!(values.windows(2).all(|p| p[0] < p[1]) && values.len() <= number(point, "/width") as usize);
        if k > 0 {
            // less penalty: a lower objective, a lower loss, a larger norm
            let before = &path[k - 1];
            assert!(number(point, "/objective") < number(before, "/objective"), "point {k}");
            assert!(number(point, "/loss") <= number(before, "/loss") * (1.0 + 1e-7), "point {k}");
            assert!(number(point, "/norm") >= number(before, "/norm") * (1.0 - 1e-7), "point {k}");
        }
    }
}

#[test]
fn a_person_reads_one_screen() {
    let run = |more: &str| {
        let line = format!("optimum examples/data/mcycle.csv --target accel {STANDARD} {more}");
        let output = program().args(line.split_whitespace()).output().expect("it starts");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    for more in ["", "--path"] {
        let text = run(more);
        assert!(text.starts_with("The best network of any width has 4 neurons.\n"), "{text}");
        assert!(text.contains("Certainty: certified. No network does better than 0.3087"), "{text}");
        assert!(text.lines().count() <= 48 && text.lines().all(|l| l.chars().count() <= 80), "{text}");
    }
}
