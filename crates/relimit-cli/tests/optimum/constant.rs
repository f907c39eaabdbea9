//! Equal labels: something to fit under weight decay, nothing with a free offset.
//!
//! Labels (2, 2) at x = -10 and 10, lambda = .2: q = sqrt(101) and F* = 2 lambda y/q - 2 lambda^2/q^2 (closed form).

use std::fs;

use crate::common::{folder, number, word};
use crate::real::optimum;

#[test]
fn equal_labels_are_fitted_with_a_notice() {
    let file = folder("constant").join("even.csv");
    fs::write(&file, "x,y\n-10,2\n10,2\n").expect("scratch space");
    let path = file.display();
    let q = 101f64.sqrt();
    let best = 0.8 / q - 0.08 / 101.0;
    let answer = optimum(&format!("{path} --target y --lambda 0.2"));
    assert!((number(&answer, "/objective") - best).abs() < 1e-12);
    assert_eq!(word(&answer, "/data/notices/0"), "target 'y' is constant (2): a constant fits every row");
    let answer = optimum(&format!("{path} --target y --lambda 0.2 --offset free"));
    assert!(number(&answer, "/objective") < 1e-20 && number(&answer, "/width") == 0.0);
}
