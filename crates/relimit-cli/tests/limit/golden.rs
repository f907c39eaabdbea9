//! Three nearly orthogonal rows whose limit was worked out by hand.

use super::common::{answer, limit, list, near, number, unwrapped, word};

const CALL: &str = "--synthetic golden --step-constant 2 --start orthant:0.01";

#[test]
fn one_neuron() {
    let a = answer(&format!("{CALL} --signs +"));
    assert_eq!(word(&a, "/limit/status"), "converged");
    near(&list(&a, "/limit/alpha/0"), &[0.05370442, 0.11620442, -0.02917957], 1e-8, "alpha");
    near(&list(&a, "/limit/preactivations/0"), &[1.0, 2.0, -0.32614379], 1e-8, "preactivations");
    near(&[number(&a, "/gap/absolute")], &[0.07936126], 1e-8, "gap");
    near(&[number(&a, "/min_norm/norm")], &[0.53187850], 1e-8, "minimum norm");
    near(&list(&a, "/min_norm/multipliers/0"), &[0.0, 0.0, 3.0 / 304.0], 1e-8, "multipliers");
    assert_eq!(word(&a, "/min_norm/status"), "certified");
    near(&[number(&a, "/gap/identity_error")], &[0.0], 1e-10, "v'Sv against the direct difference");
    assert!(number(&a, "/gap/bound") >= number(&a, "/gap/absolute"));
    assert_eq!(number(&a, "/events/last_step"), 1.0);
    assert_eq!(number(&a, "/events/count"), 1.0);
    // the negative row alone stays at half of its squared label
    near(&[number(&a, "/limit/loss")], &[0.5], 1e-15, "loss");
    assert_eq!(list(&a, "/limit/fitted"), [1.0, 2.0]);
    // certificate: (2/17) * 2 * 2.01 / (15/17) + .01
    near(&[number(&a, "/certificates/one_step/left")], &[2.0 * 2.0 * 2.01 / 15.0 + 0.01], 1e-12, "left");
    near(&[number(&a, "/certificates/one_step/rho")], &[2.0 / 17.0], 1e-12, "rho");
    assert_eq!(a["certificates"]["one_step"]["holds"], true);
    assert_eq!(word(&a, "/hypotheses/verdict"), "holds");
}

#[test]
fn the_first_iterates_are_those_of_the_example() {
    let steps = [
        (1, [0.53382353, 1.00441176, -0.40735294], [0.02964396, 0.05905573, -0.02917957]),
        (2, [0.79619377, 1.51591696, -0.36435986], [0.04335504, 0.08833773, -0.02917957]),
    ];
    for (k, z, alpha) in steps {
        let called = limit(&format!("{CALL} --signs + --steps {k} --json"));
        assert_eq!(called.code, 3, "a run cut after {k} steps is a partial result: {}", called.err);
        let a = serde_json::from_str(&called.out).unwrap();
        assert_eq!(word(&a, "/limit/status"), "budget");
        near(&list(&a, "/limit/preactivations/0"), &z, 1e-8, "preactivations");
        near(&list(&a, "/limit/alpha/0"), &alpha, 1e-8, "alpha");
    }
}

#[test]
fn two_neurons() {
    let a = answer(CALL);
    assert_eq!(word(&a, "/settings/signs"), "+-", "the default");
    near(&[number(&a, "/gap/absolute")], &[0.26668088], 1e-8, "gap");
    near(&[number(&a, "/min_norm/norm")], &[0.58489765], 1e-8, "minimum norm");
    near(&list(&a, "/min_norm/multipliers/1"), &[0.00328947, 0.00328947, 0.0], 1e-8, "multipliers");
    near(&[number(&a, "/limit/loss")], &[0.0], 1e-20, "loss");
    assert_eq!(list(&a, "/limit/fitted"), [1.0, 2.0, 3.0]);
    // preactivations are X w with the weights of the example
    let x = [[4.0, 0.0, 0.0, 1.0], [0.0, 4.0, 0.0, 1.0], [0.0, 0.0, 4.0, 1.0]];
    let w = [[0.21475232, 0.46475232, -0.1155418, 0.14099071], [-0.1155418, -0.23318885, 0.25580769, -0.02323074]];
    for (j, w) in w.iter().enumerate() {
        let z: Vec<f64> = x.iter().map(|x| x.iter().zip(w).map(|(a, b)| a * b).sum()).collect();
        near(&list(&a, &format!("/limit/preactivations/{j}")), &z, 5e-8, "preactivations");
    }
    assert_eq!(number(&a, "/events/last_step"), 1.0);
}

#[test]
fn losses_change_the_step_not_the_iterates() {
    // 1/(2n) sum takes n times the step of 1/2 sum, 1/n sum takes n/2 times; n = 3
    let base = answer("--synthetic golden --step 0.02 --start orthant:0.01 --signs +");
    for (loss, step, factor) in [("half-mean", 0.06, 1.0 / 3.0), ("mean", 0.03, 2.0 / 3.0)] {
        let a = answer(&format!("--synthetic golden --loss {loss} --step {step} --start orthant:0.01 --signs +"));
        let z = "/limit/preactivations/0";
        near(&list(&a, z), &list(&base, z), 1e-12, loss);
        near(&[number(&a, "/limit/loss")], &[factor * number(&base, "/limit/loss")], 1e-12, loss);
    }
}

#[test]
fn the_text_says_what_the_limit_is() {
    let called = limit(CALL);
    assert_eq!((called.code, called.err.as_str()), (0, ""));
    let text = unwrapped(&called.out);
    for says in ["converges and fits all 3 rows", "0.2667", "0.5849", "certified", "holds"] {
        assert!(text.contains(says), "{says} is not in:\n{}", called.out);
    }
}
