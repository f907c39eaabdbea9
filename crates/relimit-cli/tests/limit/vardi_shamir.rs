//! The three-row family on which flow from zero does not end at the minimum norm.

use relimit_run::read::arrays;

use super::common::{answer, folder, list, near, word};

/// Third weight of the limit, from the file of the run directory and from the duals: row 3 is `gamma (0, 1, 1)`,
/// the only one with a third feature, so `w_3 = gamma alpha_3`.
fn third_weight(gamma: f64, dynamics: &str) -> [f64; 2] {
    let out = folder(&format!("vardi-shamir-{gamma}-{}", dynamics.replace(' ', "")));
    let a = answer(&format!(
        "--synthetic vardi-shamir:gamma={gamma} --start zero {dynamics} --signs + --out {}",
        out.display()
    ));
    assert_eq!(word(&a, "/limit/status"), "converged");
    assert_eq!(a["settings"]["relu_at_zero"], 1, "a start at zero implies it");
    let saved = arrays(&out.join("weights.npz")).expect("the file of weights");
    let w = saved["w"].numbers().expect("numbers");
    near(&w[..2], &[5.0, -1.0], 1e-8, "the weights that the data fix");
    [w[2], gamma * list(&a, "/limit/alpha/0")[2]]
}

#[test]
fn flow_ends_where_the_closed_form_says() {
    let table = [
        (0.5, -0.011591),
        (1.0, -0.040773),
        (2.0, -0.110696),
        (5.0, -0.209049),
        (10.0, -0.227636),
        (20.0, -0.230115),
        (100.0, -0.230706),
    ];
    for (gamma, s) in table {
        near(&third_weight(gamma, "--flow"), &[s, s], 1e-6, "third weight");
    }
}

#[test]
fn descent_ends_where_plain_steps_do() {
    let table = [
        (1.0, [-0.044034, -0.041087, -0.040804]),
        (2.0, [-0.121285, -0.111694, -0.110796]),
        (5.0, [-0.234112, -0.211281, -0.209270]),
    ];
    for (gamma, values) in table {
        for (step, s) in ["1e-2", "1e-3", "1e-4"].into_iter().zip(values) {
            near(&third_weight(gamma, &format!("--step {step}")), &[s, s], 1e-6, "third weight");
        }
    }
}

#[test]
fn an_unstable_step_lands_elsewhere() {
    near(&third_weight(20.0, "--step 1e-2"), &[-0.8, -0.8], 1e-6, "third weight");
}
