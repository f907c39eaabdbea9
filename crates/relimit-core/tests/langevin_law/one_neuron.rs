//! One ReLU that should learn one ReLU: x = (-2, -1, 1, 2), y = relu(x), output weight 1, mean squared error.
//!
//! For w < 0 the loss is `5/4 + 5 w^2/4`, and w falls to 0 by the factor `1 - 5 eta/2` a step; for w > 0 it is
//! `5 (w - 1)^2/4`. The sign of the start decides, unless eta > 2/5, where the first step from w < 0 crosses.

use relimit_core::langevin::{
    Bias, Layers, Loss, Options, Particles, Plan, Scaling, Start, Unobserved, measure, run, start,
};
use relimit_core::net::Network;
use relimit_core::num::Mat;

fn plan(w: f64, eta: f64) -> Plan {
    let x = Mat::from_rows(&[[-2.0], [-1.0], [1.0], [2.0]]);
    let y = Mat::from_rows(&[[0.0], [0.0], [1.0], [2.0]]);
    let start = Start::Network(Box::new(Network::scalar(Mat::from_rows(&[[w]]), vec![0.0], vec![1.0], 0.0)));
    let o = Options::new(x, y, 0.0, f64::INFINITY, eta);
    let (bias, loss, scaling, layers) = (Bias::None, Loss::Mean, Scaling::Standard, Layers::Inner);
    Plan::new(Options { width: 1, bias, loss, scaling, layers, start, ..o }).expect("a plan")
}

fn after(plan: &Plan, steps: u64) -> (f64, f64) {
    let mut particles: Particles = start(plan);
    run(plan, &mut particles, 0..steps, 1, &mut Unobserved, &|| false);
    assert_eq!(particles.get(0, 0), 1.0, "the output weight stays");
    (particles.get(0, 1), measure(plan, &particles, steps).loss)
}

#[test]
fn the_sign_of_the_start_decides() {
    for eta in [0.05, 0.1, 0.3] {
        for steps in [1, 7, 20] {
            let (w, loss) = after(&plan(-10.0, eta), steps);
            let exact = -10.0 * (1.0 - 2.5 * eta).powi(steps as i32);
            assert!((w - exact).abs() < 1e-13 * exact.abs(), "eta {eta}, {steps} steps: {w} for {exact}");
            assert!((loss - 1.25 - 1.25 * exact * exact).abs() < 1e-12 * loss, "{loss}");
            let (w, loss) = after(&plan(0.5, eta), steps);
            let exact = 1.0 - 0.5 * (1.0 - 2.5 * eta).powi(steps as i32);
            assert!((w - exact).abs() < 1e-14 && (loss - 1.25 * (w - 1.0).powi(2)).abs() < 1e-14, "{w} {loss}");
        }
        let (w, loss) = after(&plan(-10.0, eta), 5000);
        assert!(w <= 0.0 && w > -1e-20 && (loss - 1.25).abs() < 1e-12, "eta {eta}: {w:e}, {loss}");
    }
    // 1 - 2.5 eta = -1/8: the first step crosses to 1.25, and the rest converges to 1.
    let (crossed, _) = after(&plan(-10.0, 0.45), 1);
    assert!((crossed - 1.25).abs() < 1e-12, "{crossed}");
    let (w, loss) = after(&plan(-10.0, 0.45), 200);
    assert!((w - 1.0).abs() < 1e-12 && loss < 1e-24, "{w}, {loss:e}");
}

/// Starts from N(0, 1): as many end at 5/4 as are negative, which is half of them.
#[test]
fn half_of_the_random_starts_fail() {
    let o = Options { width: 400, start: Start::Normal { scale: 1.0 }, ..plan(1.0, 0.1).options().clone() };
    let draws = start(&Plan::new(o).expect("a plan"));
    let (mut failed, mut negative) = (0, 0);
    for j in 0..400 {
        let w = draws.get(j, 1);
        negative += usize::from(w < 0.0);
        let (_, loss) = after(&plan(w, 0.1), 300);
        assert!(loss < 1e-12 || (loss - 1.25).abs() < 1e-12, "{loss}");
        failed += usize::from(loss > 1.0);
    }
    assert_eq!(failed, negative);
    // Four standard deviations of a fair coin tossed 400 times.
    assert!(failed.abs_diff(200) < 40, "{failed} of 400");
}
