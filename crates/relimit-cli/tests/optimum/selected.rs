//! Optima that are not unique: the network that vanishing noise selects, by hand and by the cube root rule.

use std::fs;

use serde_json::Value;

use crate::common::{folder, items, number, program, word};
use crate::real::optimum;

fn written(name: &str, rows: &[(f64, f64)]) -> String {
    let file = folder(name).join("data.csv");
    let body: Vec<String> = rows.iter().map(|(x, y)| format!("{x:?},{y:?}")).collect();
    fs::write(&file, format!("x,y\n{}\n", body.join("\n"))).expect("scratch space");
    format!("{} --target y", file.display())
}

/// (direction of w, c) of every direction of contact.
fn selected(answer: &Value) -> Vec<(f64, f64)> {
    items(answer, "/selected/rays").iter().map(|t| (t["w"][0].as_f64().expect("w"), number(t, "/c"))).collect()
}

/// Labels 2 at +-sqrt 3: three directions touch, f = y - 2 lambda / q1 = 1.8, and by symmetry of the rule each gets a third.
#[test]
fn three_rays_share_alike() {
    let x = 3f64.sqrt();
    // one unit in the last place apart: a constant target is refused
    let data = written("selected_even", &[(x, 2.0), (-x, 2f64.next_up())]);
    let answer = optimum(&format!("{data} --lambda 0.2"));
    assert_eq!(answer["unique"], false);
    assert_eq!(word(&answer, "/selected/rule"), "cube root");
    let rays = selected(&answer);
    assert_eq!(rays.len(), 3, "{rays:?}");
    for (w, c) in rays {
        assert!((c - 0.6).abs() < 1e-6, "w {w}: {c}");
    }
    let output =
        program().arg("optimum").args(data.split_whitespace()).args(["--lambda", "0.2"]).output().expect("starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("vanishing noise selects c = +0.6") && text.contains("(cube root rule)"), "{text}");
}

/// Lifted points at 120 degrees: c_1 = 1 - c_0 / 2, c_2 = 3 - c_0 / 2, and the largest sum of cube roots is at .9474728.
#[test]
fn the_largest_sum_of_cube_roots_is_selected() {
    let far = 2.0 + 3f64.sqrt();
    let label = |x: f64, c: f64| {
        let length = x.hypot(1.0);
        (x, length * c + 0.2 / length)
    };
    let data = written("selected_lifted", &[label(1.0, 1.0), label(-far, 3.0)]);
    let answer = optimum(&format!("{data} --lambda 0.1"));
    assert_eq!((answer["unique"].as_bool(), word(&answer, "/selected/rule")), (Some(false), "cube root"));
    let mut rays = selected(&answer);
    rays.sort_by(|a, b| a.1.total_cmp(&b.1));
    let c: Vec<f64> = rays.iter().map(|t| t.1).collect();
    // a slow search along the segment of optimal coefficients
    let sum = |c0: f64| c0.cbrt() + (1.0 - 0.5 * c0).cbrt() + (3.0 - 0.5 * c0).cbrt();
    let best = (0..=2_000_000).map(|k| 1e-6 * f64::from(k)).fold(0.0, |b, c0| if sum(c0) > sum(b) { c0 } else { b });
    assert!((best - 0.947_472_8).abs() < 2e-6);
    let mut expected = [best, 1.0 - 0.5 * best, 3.0 - 0.5 * best];
    expected.sort_by(f64::total_cmp);
    for (got, wanted) in c.iter().zip(expected) {
        assert!((got - wanted).abs() < 1e-5, "{c:?} {expected:?}");
    }
}

#[test]
fn a_unique_optimum_selects_nothing() {
    let answer = optimum("examples/data/mcycle.csv --target accel --scale standardise --target-scale standardise");
    assert_eq!(answer["unique"], true);
    assert!(answer["selected"].is_null());
}
