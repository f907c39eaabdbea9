//! Sample weights count copies of rows: in the loss, in the scaling, and a row of weight 0 is absent.

use std::fmt::Write as _;
use std::fs;

use crate::common::{Plain, folder, items, list, near, number, word};
use crate::real::optimum;

const SCALED: &str = "--target Volume --scale standardise --target-scale standardise --lambda 0.1max --gap 1e-10";

/// A file of rows of the trees, each with a weight.
fn file(name: &str, rows: &[(usize, f64)]) -> String {
    let trees = Plain::read("trees.csv");
    let columns = ["Girth", "Height", "Volume"].map(|c| trees.column(c));
    let mut text = "Girth,Height,Volume,copies\n".to_owned();
    for (i, s) in rows {
        writeln!(text, "{},{},{},{s}", columns[0][*i], columns[1][*i], columns[2][*i]).expect("text");
    }
    // a folder for each: making one empties it
    let path = folder(&format!("sample_weights_{name}")).join(name);
    fs::write(&path, text).expect("scratch space");
    path.display().to_string()
}

#[test]
fn weighted_rows_are_copies_of_rows() {
    let plain: Vec<(usize, f64)> = (0..31).map(|i| (i, 1.0)).collect();
    let halves: Vec<(usize, f64)> = (0..62).map(|k| (k % 31, 0.5)).collect();
    // the row left over by the weight 0 is far from the others
    let with_none: Vec<(usize, f64)> = (0..31).map(|i| (i, if i == 30 { 0.0 } else { 1.0 })).collect();
    let copies: Vec<usize> = (0..31).map(|i| 1 + i % 3).collect();
    let counted: Vec<(usize, f64)> = (0..31).map(|i| (i, copies[i] as f64)).collect();
    let repeated: Vec<(usize, f64)> = (0..31).flat_map(|i| vec![(i, 1.0); copies[i]]).collect();
    for (name, weighted, unweighted, first) in [
        ("halves", halves, plain.clone(), 31),
        ("absent", with_none, plain[..30].to_vec(), 30),
        ("counted", counted, repeated, 1),
    ] {
        let left =
            optimum(&format!("{} --columns Girth,Height {SCALED} --weight copies", file("weighted.csv", &weighted)));
        let right = optimum(&format!("{} --columns Girth,Height {SCALED}", file("plain.csv", &unweighted)));
        for key in ["/objective", "/lambda_max", "/loss"] {
            let (a, b) = (number(&left, key), number(&right, key));
            assert!((a - b).abs() < 1e-9, "{name}: {key} {a} and {b}");
        }
        assert_eq!((word(&left, "/status"), word(&right, "/status")), ("certified", "certified"), "{name}");
        let outputs = |answer| list(answer, "/outputs")[..first].to_vec();
        near(&outputs(&left), &outputs(&right), 1e-4, name);
    }
    // weights that change the problem change the answer
    let heavy: Vec<(usize, f64)> = (0..31).map(|i| (i, if i < 5 { 4.0 } else { 1.0 })).collect();
    let other = optimum(&format!("{} --columns Girth,Height {SCALED} --weight copies", file("heavy.csv", &heavy)));
    let same = optimum(&format!("{} --columns Girth,Height {SCALED}", file("plain.csv", &plain)));
    assert!((number(&other, "/objective") - number(&same, "/objective")).abs() > 1e-4);
}

#[test]
fn every_loss_counts_halves_of_rows_alike() {
    let plain: Vec<(usize, f64)> = (0..31).map(|i| (i, 1.0)).collect();
    let halves: Vec<(usize, f64)> = (0..62).map(|k| (k % 31, 0.5)).collect();
    for loss in ["half-sum", "mean"] {
        let line = format!("--columns Girth,Height {SCALED} --loss {loss}");
        let left = optimum(&format!("{} {line} --weight copies", file("halves.csv", &halves)));
        let right = optimum(&format!("{} {line}", file("whole.csv", &plain)));
        for key in ["/objective", "/lambda_max"] {
            let (a, b) = (number(&left, key), number(&right, key));
            assert!((a - b).abs() < 1e-9 * b, "{loss}: {key} {a} and {b}");
        }
    }
}

#[test]
fn several_targets_take_the_weights_too() {
    let rows: Vec<(usize, f64)> = (0..31).map(|i| (i, (i % 3) as f64)).collect();
    let repeated: Vec<(usize, f64)> = (0..31).flat_map(|i| vec![(i, 1.0); i % 3]).collect();
    let line = "--target Volume --target Height --columns Girth --scale standardise --target-scale standardise \
                --lambda 0.2max";
    let left = optimum(&format!("{} {line} --weight copies", file("several.csv", &rows)));
    let right = optimum(&format!("{} {line}", file("several_plain.csv", &repeated)));
    assert!((number(&left, "/objective") - number(&right, "/objective")).abs() < 1e-8);
    assert_eq!((word(&left, "/status"), word(&right, "/status")), ("certified", "certified"));
    let notices = items(&left, "/data/notices");
    let told = notices.iter().filter_map(|n| n.as_str()).any(|n| n.contains("left out: weight copies is 0 there"));
    assert!(told, "{notices:?}");
}
