//! Sample weights: a row counted twice at half the weight, a row of weight 0, and what is no weight.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::{Plain, folder, list, near, number, program, word};
use crate::real::optimum;

/// The trees with a column of weights; each row as often as `copies` says, at `weight` of its number.
fn written(name: &str, copies: usize, weight: impl Fn(usize) -> f64) -> String {
    let trees = Plain::read("trees.csv");
    let columns = ["Girth", "Height", "Volume"].map(|c| trees.column(c));
    let mut text = "Girth,Height,Volume,w\n".to_owned();
    for i in 0..columns[0].len() {
        for _ in 0..copies {
            let _ = writeln!(text, "{},{},{},{}", columns[0][i], columns[1][i], columns[2][i], weight(i));
        }
    }
    let file = folder(name).join("data.csv");
    fs::write(&file, text).expect("scratch space");
    format!("{} --target Volume --weight w", file.display())
}

const MODEL: &str = "--scale standardise --target-scale standardise --gap 1e-10";

/// Same objective, dual and outputs (those of the first copies).
fn same(a: &Value, b: &Value, copies: usize, what: &str) {
    let objective = number(a, "/objective");
    assert_eq!((word(a, "/status"), word(b, "/status")), ("certified", "certified"), "{what}");
    assert!((objective - number(b, "/objective")).abs() < 1e-9 * objective, "{what}");
    assert!((number(a, "/lambda_max") - number(b, "/lambda_max")).abs() < 1e-9 * number(a, "/lambda_max"), "{what}");
    let firsts: Vec<f64> = list(b, "/outputs").into_iter().step_by(copies).collect();
    near(&list(a, "/outputs"), &firsts, 1e-6, what);
}

#[test]
fn rows_twice_at_half_the_weight_change_nothing() {
    for loss in ["half-sum", "half-mean", "mean"] {
        let plain = optimum(&format!("{} {MODEL} --loss {loss}", written("weights_one", 1, |_| 1.0)));
        let halved = optimum(&format!("{} {MODEL} --loss {loss}", written("weights_half", 2, |_| 0.5)));
        same(&plain, &halved, 2, loss);
        let unweighted = optimum(&format!("examples/data/trees.csv --target Volume {MODEL} --loss {loss}"));
        same(&plain, &unweighted, 1, loss);
    }
}

#[test]
fn weights_that_differ_count_as_copies() {
    // weight 2 for every third row, against the row twice: the mean divides by the sum of weights
    let trees = Plain::read("trees.csv");
    let columns = ["Girth", "Height", "Volume"].map(|c| trees.column(c));
    let mut text = "Girth,Height,Volume\n".to_owned();
    for i in 0..columns[0].len() {
        for _ in 0..if i % 3 == 0 { 2 } else { 1 } {
            let _ = writeln!(text, "{},{},{}", columns[0][i], columns[1][i], columns[2][i]);
        }
    }
    let file = folder("weights_copies").join("data.csv");
    fs::write(&file, text).expect("scratch space");
    // scales do not count weights: none here
    let model = "--gap 1e-10 --lambda 0.05max";
    let copies = optimum(&format!("{} --target Volume {model}", file.display()));
    let weighted = optimum(&format!("{} {model}", written("weights_two", 1, |i| if i % 3 == 0 { 2.0 } else { 1.0 })));
    let (a, b) = (number(&copies, "/objective"), number(&weighted, "/objective"));
    assert!((a - b).abs() < 1e-9 * a, "{a} {b}");
}

#[test]
fn a_row_of_weight_0_is_left_out() {
    let without = |i: usize| if i % 5 == 2 { 0.0 } else { 1.5 };
    let weighted = optimum(&format!("{} {MODEL}", written("weights_zero", 1, without)));
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/data/trees.csv");
    let trees = fs::read_to_string(data).expect("data");
    let kept: Vec<&str> =
        (trees.lines().enumerate()).filter(|(k, _)| *k == 0 || (k - 1) % 5 != 2).map(|t| t.1).collect();
    let file = folder("weights_absent").join("data.csv");
    fs::write(&file, kept.join("\n") + "\n").expect("scratch space");
    let absent = optimum(&format!("{} --target Volume {MODEL}", file.display()));
    same(&weighted, &absent, 1, "absent");
    let notices = weighted["data"]["notices"].to_string();
    assert!(notices.contains("6 rows left out for weight 0 in w: rows 4, 9, 14"), "{notices}");
}

#[test]
fn a_negative_weight_is_refused() {
    let line = format!("optimum {}", written("weights_negative", 1, |i| if i == 3 { -1.0 } else { 1.0 }));
    let output = program().args(line.split_whitespace()).output().expect("it starts");
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && err.contains(":5: weight 'w' is -1"), "{err}");
}
