//! Real data against objectives of an independent program, certified.

use relimit_core::certify::Claim;
use relimit_core::num::Mat;
use relimit_solve::optimum::{Effort, Optimum, lambda_max, optimum};

use super::support::{half_mean, standardised};

fn at_share((x, y): &(Mat, Vec<f64>), share: f64) -> Optimum {
    let problem = half_mean(x, y, 1.0);
    let lambda = share * lambda_max(&problem, &Effort::default()).value;
    optimum(&problem.with_lambda(lambda), vec![], &Effort::default())
}

/// Objective to 1e-9 and a certified relative gap of 1e-8.
fn holds(name: &str, data: &(Mat, Vec<f64>), share: f64, objective: f64) {
    let found = at_share(data, share);
    assert!((found.candidate.value - objective).abs() < 1e-9, "{name}: {:.12}", found.candidate.value);
    assert_eq!(found.certified.status, Claim::Certified, "{name}: {:e}", found.certified.gap_relative);
}

#[test]
fn trees_and_stackloss() {
    holds("trees", &standardised("trees.csv", &["Girth", "Height"], "Volume"), 0.05, 0.0710380140);
    let names = ["Air.Flow", "Water.Temp", "Acid.Conc."];
    holds("stackloss", &standardised("stackloss.csv", &names, "stack.loss"), 0.05, 0.0884658043);
}

#[test]
fn airquality() {
    holds("airquality", &standardised("airquality.csv", &["Solar.R", "Wind", "Temp"], "Ozone"), 0.05, 0.1792351683);
}

#[test]
fn mcycle() {
    let data = standardised("mcycle.csv", &["times"], "accel");
    holds("mcycle", &data, 0.05, 0.3087302060);
    holds("mcycle", &data, 0.01, 0.1768804540);
}

#[test]
fn diabetes_at_half_of_lambda_max() {
    let names = ["age", "sex", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6"];
    holds("diabetes", &standardised("diabetes.csv", &names, "progression"), 0.5, 0.4498859466);
}
