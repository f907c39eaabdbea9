//! Situations that people met: values by an independent conic solver.

use std::fs;

use crate::common::{folder, items, list, near, number, program, word};
use crate::real::optimum;

#[test]
fn three_points_that_cannot_be_fitted() {
    let file = folder("three_points").join("three.csv");
    fs::write(&file, "x,y\n-1,-0.2445248\n0,0.1232554\n1,0.1713998\n").expect("scratch space");
    let at = |lambda: &str| optimum(&format!("{} --target y --loss half-sum --lambda {lambda}", file.display()));
    let answer = at("0.01");
    assert!((number(&answer, "/objective") - 0.0041713358).abs() < 1e-9);
    near(&list(&answer, "/outputs"), &[-0.234525, 0.101123, 0.175476], 1e-6, "outputs");
    assert!((number(&at("0.1"), "/objective") - 0.0306633006).abs() < 1e-9);
    // one kink is enough for an exact fit, and its slope falls from .3677802 to .0481444
    assert_eq!(number(&answer, "/exact_fit/fewest_kinks"), 1.0);
    assert!((number(&answer, "/exact_fit/slope_change") - 0.3196358).abs() < 1e-12);
}

#[test]
fn exclusive_or() {
    let file = folder("exclusive_or").join("xor.csv");
    fs::write(&file, "a,b,y\n0,0,0\n0,1,1\n1,0,1\n1,1,0\n").expect("scratch space");
    for (lambda, value) in [("0.001", 0.0028254841), ("0.01", 0.0279899645), ("0.1", 0.2534120352)] {
        let answer = optimum(&format!("{} --target y --loss half-sum --lambda {lambda}", file.display()));
        assert!((number(&answer, "/objective") - value).abs() < 1e-9, "{lambda}: {}", number(&answer, "/objective"));
        assert_eq!(word(&answer, "/status"), "certified");
    }
}

#[test]
fn a_saved_network_computes_the_outputs_of_the_answer() {
    let place = folder("saved_optimum");
    let net = place.join("best.npz");
    let data = "examples/data/trees.csv --target Volume --scale standardise --target-scale standardise";
    let answer = optimum(&format!("{data} --save {}", net.display()));
    let output = program().arg("predict").arg(&net).arg("examples/data/trees.csv").output().expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let raw: Vec<f64> =
        text.lines().skip(1).map(|l| l.split(',').nth(1).expect("two cells").parse().expect("a number")).collect();
    let volumes: Vec<f64> = crate::common::Plain::read("trees.csv").column("Volume");
    let (mean, sd) = crate::common::moments(&volumes);
    let expected: Vec<f64> = list(&answer, "/outputs").iter().map(|f| mean + sd * f).collect();
    near(&raw, &expected, 1e-10, "outputs");
    // the loss of those outputs is that of the answer
    let loss = raw.iter().zip(&volumes).map(|(f, y)| ((f - y) / sd).powi(2)).sum::<f64>() / (2.0 * raw.len() as f64);
    assert!((loss - number(&answer, "/loss")).abs() < 1e-12);
    assert_eq!(items(&answer, "/neurons").len(), number(&answer, "/width") as usize);
}
