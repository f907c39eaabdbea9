//! How the gap to the minimum norm falls with the dimension.

use super::common::{answer, number, word};

const DIMENSIONS: [f64; 5] = [1000.0, 2000.0, 4000.0, 8000.0, 16000.0];

/// Gap of the run on n = 20 isotropic rows, half of the labels +1 and half -1.
fn gap(d: f64, seed: usize, rest: &str) -> f64 {
    let a = answer(&format!(
        "--synthetic gaussian:n=20,d={d},labels=sign,seed={seed} --start orthant:1e-4 --max-nodes 1000 {rest}"
    ));
    assert_eq!(word(&a, "/limit/status"), "converged");
    number(&a, "/gap/absolute")
}

/// Least-squares slope of log gap against log d, over three seeds.
fn slope(rest: &str) -> f64 {
    let points: Vec<(f64, f64)> =
        DIMENSIONS.iter().flat_map(|&d| (1..4).map(move |seed| (d.ln(), gap(d, seed, rest).ln()))).collect();
    let n = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |s, p| (s.0 + p.0 / n, s.1 + p.1 / n));
    let (xy, xx) = points.iter().fold((0.0, 0.0), |s, p| (s.0 + (p.0 - x) * (p.1 - y), s.1 + (p.0 - x).powi(2)));
    xy / xx
}

#[test]
fn the_gap_of_one_neuron_falls_as_the_root_of_the_dimension() {
    let slope = slope("--step-constant 2 --signs +");
    assert!((slope + 0.477).abs() < 0.03, "{slope}");
}

#[test]
fn the_gap_of_two_neurons_falls_as_the_root_of_the_dimension() {
    let slope = slope("--step-constant 2");
    assert!((slope + 0.482).abs() < 0.03, "{slope}");
}

#[test]
fn the_flow_ends_far_nearer() {
    // the gap is linear in the step, so the flow has none of it; what is left is its floor
    for signs in ["+", "+-"] {
        for d in [1000.0, 4000.0] {
            let (step, flow) = (
                gap(d, 1, &format!("--step-constant 2 --signs {signs}")),
                gap(d, 1, &format!("--flow --signs {signs}")),
            );
            assert!(flow < 0.01 * step, "d = {d}, {signs}: flow {flow}, descent {step}");
        }
    }
}
