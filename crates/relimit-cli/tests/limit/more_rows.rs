//! More rows than features: the end state is stationary, and its rows are told apart.

use serde_json::Value;

use super::common::{Plain, answer, items, limit, list, number, rows, standardised, table, unwrapped, word};

/// Rows of X with the column of ones, and the labels, from the file alone.
fn data(file: &str, target: &str, scaled: bool, bias: bool, target_scaled: bool) -> (Vec<Vec<f64>>, Vec<f64>) {
    let plain = Plain::read(file);
    let features = plain.names.iter().filter(|n| *n != target && *n != "fat" && *n != "protein");
    let columns: Vec<Vec<f64>> = features
        .map(|name| if scaled { standardised(&plain.column(name)) } else { plain.column(name) })
        .chain(bias.then(|| vec![1.0; plain.rows.len()]))
        .collect();
    let x = (0..plain.rows.len()).map(|i| columns.iter().map(|c| c[i]).collect()).collect();
    let y = plain.column(target);
    (x, if target_scaled { standardised(&y) } else { y })
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// `min |g + sum_k theta_k v_k|` over masks theta in [0, 1], by exact minimisation over one of them at a time.
fn nearest(mut g: Vec<f64>, pulls: &[Vec<f64>]) -> f64 {
    let mut theta = vec![0.0; pulls.len()];
    for _ in 0..2000 {
        for (t, v) in theta.iter_mut().zip(pulls) {
            let best = (*t - dot(&g, v) / dot(v, v)).clamp(0.0, 1.0);
            g.iter_mut().zip(v).for_each(|(g, v)| *g += (best - *t) * v);
            *t = best;
        }
    }
    dot(&g, &g).sqrt()
}

/// Checks the gradient condition and the classes of the rows with the file and the printed preactivations alone.
fn stationary(a: &Value, x: &[Vec<f64>], y: &[f64], tolerance: f64) {
    let signs: Vec<f64> = word(a, "/settings/signs").chars().map(|s| if s == '+' { 1.0 } else { -1.0 }).collect();
    let z = table(a, "/limit/preactivations");
    let alpha = table(a, "/limit/alpha");
    let ties: Vec<(usize, usize)> = items(a, "/limit/ties")
        .iter()
        .map(|t| (number(t, "/neuron") as usize, number(t, "/row") as usize - 2))
        .collect();
    let on = |j: usize, i: usize| z[j][i] > 0.0 && !ties.contains(&(j, i));
    let r: Vec<f64> =
        (0..y.len()).map(|i| y[i] - signs.iter().enumerate().map(|(j, c)| c * z[j][i].max(0.0)).sum::<f64>()).collect();
    let half_squares = r.iter().map(|r| r * r).sum::<f64>() / 2.0;
    assert!((number(a, "/limit/loss") - half_squares).abs() <= 1e-9 * half_squares, "loss of the preactivations");

    for (j, c) in signs.iter().enumerate() {
        // the preactivations belong to weights: z = X X' alpha, without an offset
        let w: Vec<f64> = (0..x[0].len()).map(|k| (0..y.len()).map(|i| alpha[j][i] * x[i][k]).sum()).collect();
        let size = (0..y.len()).map(|i| alpha[j][i].abs() * dot(&x[i], &x[i]).sqrt()).sum::<f64>();
        for i in 0..y.len() {
            let error = (dot(&x[i], &w) - z[j][i]).abs();
            assert!(error <= 1e-9 * (1.0 + size * dot(&x[i], &x[i]).sqrt()), "neuron {j}, row {}: {error}", i + 2);
        }
        let mut gradient = vec![0.0; w.len()];
        let mut scale = 0.0;
        for i in (0..y.len()).filter(|&i| on(j, i)) {
            gradient.iter_mut().zip(&x[i]).for_each(|(g, x)| *g += c * r[i] * x);
            scale += r[i].abs() * dot(&x[i], &x[i]).sqrt();
        }
        // a tie whose example is fitted does not pull
        let tied = ties.iter().filter(|t| t.0 == j && r[t.1] != 0.0).map(|t| t.1);
        let pulls: Vec<Vec<f64>> = tied.map(|i| x[i].iter().map(|x| c * r[i] * x).collect()).collect();
        let left = nearest(gradient, &pulls);
        assert!(left <= tolerance * scale, "neuron {j}: gradient {left:e} of {scale:e}");
        let dead = items(a, "/limit/dead").iter().any(|d| d["neuron"] == j);
        assert_eq!(dead, (0..y.len()).all(|i| !on(j, i)), "neuron {j} is dead when no row is active");
    }

    let (fitted, balanced) = (rows(a, "/limit/fitted"), rows(a, "/limit/balanced"));
    let silent: Vec<usize> = items(a, "/limit/silent").iter().map(|s| number(s, "/row") as usize).collect();
    let largest = y.iter().fold(0.0f64, |a, y| a.max(y.abs()));
    for i in 0..y.len() {
        let row = i + 2;
        let fits = r[i].abs() <= 1e-8 * largest;
        // a label of 0 belongs to every neuron
        let own = (0..signs.len()).any(|j| signs[j] * y[i] >= 0.0 && on(j, i));
        assert_eq!(fitted.contains(&row), fits, "row {row}: residual {}", r[i]);
        assert_eq!(balanced.contains(&row), !fits && own, "row {row}: an active neuron of its sign is {own}");
        assert_eq!(silent.contains(&row), !fits && !own, "row {row}: {:?}", word(a, "/limit/status"));
    }
}

#[test]
fn flow_comes_to_rest_on_classic_data() {
    for (file, target, n) in [("mcycle.csv", "accel", 133), ("trees.csv", "Volume", 31)] {
        for scale in ["none", "standardise"] {
            let (x, y) = data(file, target, scale == "standardise", true, false);
            for signs in ["+", "+-"] {
                let call = format!("examples/data/{file} --target {target} --bias --scale {scale} --signs {signs}");
                let a = answer(&format!("{call} --flow"));
                assert_eq!(word(&a, "/limit/status"), "converged", "{call}");
                assert_eq!(number(&a, "/data/n") as usize, n);
                stationary(&a, &x, &y, 1e-8);
            }
        }
    }
}

#[test]
fn descent_comes_to_rest_or_says_that_it_cycles() {
    for (file, target) in [("mcycle.csv", "accel"), ("trees.csv", "Volume")] {
        for scale in ["none", "standardise"] {
            let (x, y) = data(file, target, scale == "standardise", true, false);
            for signs in ["+", "+-"] {
                let a =
                    answer(&format!("examples/data/{file} --target {target} --bias --scale {scale} --signs {signs}"));
                match word(&a, "/limit/status") {
                    "converged" => stationary(&a, &x, &y, 1e-8),
                    status => assert_eq!(status, "cycle"),
                }
            }
        }
    }
}

#[test]
fn a_network_that_stays_active_is_least_squares() {
    // R: anova(lm(Volume ~ Girth + Height, trees)) has a residual sum of squares of 421.92
    let a = answer("examples/data/trees.csv --target Volume --bias --signs +");
    assert!((2.0 * number(&a, "/limit/loss") - 421.92).abs() < 0.005, "{}", number(&a, "/limit/loss"));
    assert_eq!(rows(&a, "/limit/balanced"), (2..33).collect::<Vec<_>>());
}

const MEATS: &str = "examples/data/meats.csv --target water --target-scale standardise --drop fat --drop protein";

#[test]
fn flow_of_one_neuron_comes_to_rest_on_wide_spectra() {
    let a = answer(&format!("{MEATS} --signs + --flow"));
    assert_eq!((number(&a, "/data/n"), number(&a, "/data/d")), (215.0, 100.0));
    assert_eq!(word(&a, "/limit/status"), "converged");
    let (x, y) = data("meats.csv", "water", false, false, true);
    stationary(&a, &x, &y, 1e-6);
}

#[test]
fn a_long_run_is_cut_by_its_budget() {
    for dynamics in ["--flow", ""] {
        let called = limit(&format!("{MEATS} {dynamics} --budget 1s"));
        assert_eq!(called.code, 3, "{}", called.err);
        let text = unwrapped(&called.out);
        assert!(text.starts_with("The budget ended before gradient"), "{text}");
        let a: Value = serde_json::from_str(&limit(&format!("{MEATS} {dynamics} --budget 1s --json")).out).unwrap();
        assert_eq!(word(&a, "/limit/status"), "budget");
        let y = standardised(&Plain::read("meats.csv").column("water"));
        assert!(number(&a, "/limit/loss") < y.iter().map(|y| y * y).sum::<f64>() / 2.0, "below that of silence");
        assert_eq!(list(&a, "/limit/preactivations/0").len(), 215);
    }
}
