//! The gibbs command from outside: reference outputs, picture, samples, and what is refused.

#[path = "../limit/common.rs"]
#[allow(dead_code, reason = "each test program uses a part")]
mod common;
mod files;

use std::fs;
use std::path::PathBuf;

use common::{Called, folder, list, near, number, program, unwrapped, word};
use serde_json::Value;

fn call(arguments: &str) -> Called {
    program().arg("gibbs").args(arguments.split_whitespace()).output().expect("it starts").into()
}

fn answer(arguments: &str) -> Value {
    let called = call(&format!("{arguments} --json"));
    assert_eq!(called.code, 0, "{arguments}: {}", called.err);
    serde_json::from_str(&called.out).expect("JSON")
}

fn three_points(name: &str) -> PathBuf {
    let file = folder(name).join("three.csv");
    fs::write(&file, "x,y\n-1,1\n0,-0.5\n1,0.8\n").expect("scratch space");
    file
}

/// Reference: tanh-sinh quadrature in Python.
#[test]
fn outputs_at_three_temperatures() {
    let file = three_points("gibbs_three");
    let line = format!("{} --target y --lambda 0.05", file.display());
    let all = answer(&format!("{line} --beta 1000,10,100 --samples 5 --grid 3"));
    let expected = [[0.87212, -0.19399, 0.67516], [0.85195, -0.09544, 0.65244], [0.85012, -0.06040, 0.65016]];
    for (k, f) in expected.iter().enumerate() {
        near(&list(&all, &format!("/path/{k}/outputs")), f, 6e-6, "outputs");
    }
    near(&list(&all, "/outputs"), &expected[2], 6e-6, "the largest beta is the answer");
    assert_eq!(word(&all, "/status"), "converged");
    // r = (y - f)/n
    for (r, (y, f)) in list(&all, "/dual").iter().zip([1.0, -0.5, 0.8].iter().zip(list(&all, "/outputs"))) {
        assert!((r - (y - f) / 3.0).abs() < 1e-12);
    }
    assert!(number(&all, "/quadrature_error") <= number(&all, "/outputs_error"));
    assert!(number(&all, "/outputs_error") < 1e-9 && number(&all, "/norm") > 1.6);
    assert_eq!(number(&all, "/effective_width"), 3.0);
    assert_eq!(all["samples"].as_array().map(Vec::len), Some(5));
    // the middle of the grid is the middle row
    assert!((list(&all, "/grid/f")[1] + 0.06040).abs() < 6e-6);
    assert_eq!(word(&all, "/limit/rule"), "unique");
    let text = call(&format!("{line} --beta 1000"));
    assert!(text.out.starts_with("At beta 1000 the law of noisy training acts like 3 neurons"), "{}", text.out);
    assert!(text.out.lines().all(|l| l.chars().count() <= 80), "{}", text.out);
}

/// Two rows 120 degrees apart once lifted: their directions and the one between touch, and the split is free; the cube
/// root rule gives c0 = .9474728, 1 - c0/2, 3 - c0/2, which the law reaches as beta grows (.9474758 at 1e6).
#[test]
fn noise_selects_among_many_optima() {
    let file = folder("gibbs_split").join("split.csv");
    let points = [1.0, -(2.0 + 3f64.sqrt())];
    let label = |k: usize| {
        let length = points[k].hypot(1.0);
        length * [1.0, 3.0][k] + 2.0 * 0.1 / length
    };
    fs::write(&file, format!("x,y\n{},{}\n{},{}\n", points[0], label(0), points[1], label(1))).expect("scratch space");
    let found = answer(&format!("{} --target y --lambda 0.1", file.display()));
    assert_eq!(word(&found, "/limit/rule"), "cube root");
    let rays = found["limit"]["rays"].as_array().expect("rays");
    let mut c: Vec<f64> = rays.iter().map(|ray| number(ray, "/c")).collect();
    c.sort_by(f64::total_cmp);
    near(&c, &[0.5262636, 0.9474728, 2.5262636], 1e-6, "coefficients selected");
}

/// Five points, lambda = .05. Reference: the dual by tanh-sinh quadrature and sums over eight million directions, Python.
#[test]
fn shares_near_the_rays_of_the_optimum() {
    let file = folder("gibbs_near").join("five.csv");
    fs::write(&file, "x,y\n-2,1\n-1,-1\n0,0.5\n1,1.5\n2,-0.5\n").expect("scratch space");
    let line = format!("{} --target y --lambda 0.05 --beta 100,1000 --near 10,2,5", file.display());
    let found = answer(&line);
    let shares = |k: usize, of: &str| -> Vec<f64> {
        (0..3).map(|a| number(&found, &format!("/path/{k}/near/{a}/{of}"))).collect()
    };
    near(&shares(0, "degrees"), &[2.0, 5.0, 10.0], 0.0, "angles in order");
    near(&shares(0, "coefficient"), &[0.84776, 0.93793, 0.97433], 2e-5, "coefficient at 100");
    near(&shares(0, "mass"), &[0.31027, 0.45591, 0.58484], 2e-5, "mass at 100");
    near(&shares(1, "coefficient"), &[0.98221, 0.99390, 0.99773], 2e-5, "coefficient at 1000");
    near(&shares(1, "mass"), &[0.49424, 0.61778, 0.71588], 2e-5, "mass at 1000");
    let text = call(&line).out;
    assert!(text.contains("98.22 % (49.42 %)") && text.lines().all(|l| l.chars().count() <= 80), "{text}");
    // without the flag nothing is measured
    let plain = answer(&format!("{} --target y --lambda 0.05 --beta 100", file.display()));
    assert_eq!(plain["path"][0]["near"], serde_json::json!([]));
}

#[test]
fn a_picture_shows_fit_and_width() {
    let file = three_points("gibbs_picture");
    let svg = file.with_extension("svg");
    let called = call(&format!("{} --target y --lambda 0.05 --beta 10,1000 --plot {}", file.display(), svg.display()));
    assert_eq!(called.code, 0, "{}", called.err);
    let picture = fs::read_to_string(&svg).expect("a picture");
    for part in ["outputs of the law", "effective width", "kink at", "role=\"img\""] {
        assert!(picture.contains(part), "{part}");
    }
}

#[test]
fn what_has_no_law_is_refused_with_the_reason() {
    let trees = "examples/data/trees.csv --target Volume";
    for (more, message) in [
        ("--lambda 0", "--lambda 0: noise without weight decay has no stationary law; give a positive"),
        ("--lambda 0.0", "has no stationary law"),
        ("--lambda -1", "--lambda -1: is not a positive finite number"),
        ("--beta 0", "--beta 0: is an inverse temperature: at 0 or below no law is normalised; give"),
        ("--beta 10,-1", "no law is normalised"),
        ("--beta nan", "no law is normalised"),
        ("--beta inf", "infinite beta is the optimum itself"),
        ("--beta warm", "--beta warm: is not a number"),
        ("--bias free", "--bias free: leaves noise nothing that holds a bias"),
        (
            "--plot out.svg",
            "--plot: the function is drawn over one feature, and there are 2; choose one with --columns",
        ),
        ("--require certified", "give --require converged"),
        ("--angle 100", "is more than a right angle"),
        ("--near 2,91", "--near 2,91: is not a list of angles; give degrees above 0 and at most 90"),
        ("--near 0", "is not a list of angles"),
    ] {
        let called = call(&format!("{trees} {more}"));
        assert_eq!(called.code, 2, "{more}: {}", called.out);
        assert!(unwrapped(&called.err).contains(message), "{more}: {}", called.err);
    }
}

#[test]
fn too_many_features_are_undecided_and_the_limit_still_stands() {
    let line = "examples/data/diabetes.csv --target progression --lambda 0.5max --scale standardise --target-scale standardise";
    let found = answer(line);
    assert_eq!(word(&found, "/status"), "undecided");
    assert!(word(&found, "/why").contains("at most 6 inputs"));
    assert!(found["outputs"].is_null() && found["effective_width"].is_null());
    assert!(number(&found, "/limit/objective") > 0.0);
    assert_eq!(call(&format!("{line} --require converged")).code, 1);
}

#[test]
fn three_features_and_a_bias_are_estimated_with_a_stated_error() {
    let line =
        "examples/data/stackloss.csv --target stack.loss --scale standardise --target-scale standardise --beta 100";
    let found = answer(line);
    assert_eq!(word(&found, "/status"), "converged");
    assert!(number(&found, "/points") > 1e4);
    let error = number(&found, "/outputs_error");
    assert!(error > 0.0 && error < 1e-3 * 2.5, "{error}");
    let said = call(line).out;
    assert!(unwrapped(&said).contains("estimated from"), "{said}");
}

#[test]
fn odd_data_have_a_law() {
    for (name, text) in [
        ("duplicates", "x,y\n1,0\n1,1\n1,1\n3,0\n"),
        ("zero_row", "a,b,y\n0,0,1\n1,2,0\n"),
        ("collinear", "a,b,y\n0,0,1\n1,1,0\n2,2,1\n3,3,-1\n"),
        ("small", "x,y\n1e-30,1e-30\n2e-30,-1e-30\n"),
        ("large", "x,y\n1e30,1e30\n2e30,-1e30\n"),
    ] {
        let file = folder(&format!("gibbs_{name}")).join("data.csv");
        fs::write(&file, text).expect("scratch space");
        let found = answer(&format!("{} --target y --lambda 0.1", file.display()));
        let outputs = list(&found, "/outputs");
        assert!(outputs.iter().all(|f| f.is_finite()), "{name}: {outputs:?}");
        if word(&found, "/status") == "converged" {
            let largest = list(&found, "/data/labels").iter().fold(0.0, |a: f64, y| a.max(y.abs()));
            assert!(number(&found, "/outputs_error") <= 1e-3 * largest, "{name}");
        } else {
            assert!(!word(&found, "/why").is_empty(), "{name}");
        }
    }
}

#[test]
fn a_budget_of_nothing_is_a_labelled_part() {
    let called = call("examples/data/trees.csv --target Volume --scale standardise --beta 10,1e5 --budget 1ms --json");
    assert_eq!(called.code, 3, "{}", called.err);
    let found: Value = serde_json::from_str(&called.out).expect("JSON");
    assert_eq!(word(&found, "/status"), "budget");
}
