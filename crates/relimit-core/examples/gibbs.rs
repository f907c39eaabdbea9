//! The stationary law of noisy gradient descent on three points, with a bias, at falling temperatures.

use std::sync::Arc;

use relimit_core::gibbs::{Model, Solve, solve};
use relimit_core::num::Mat;

#[expect(clippy::print_stdout, reason = "an example shows its result")]
fn main() {
    let x = Arc::new(Mat::from_rows(&[[-1.0, 1.0], [0.0, 1.0], [1.0, 1.0]]));
    let y = Mat::from_rows(&[[1.0], [-0.5], [0.8]]);
    let mut warm = None;
    for beta in [10.0, 100.0, 1000.0] {
        let model = Model { x: Arc::clone(&x), y: y.clone(), omega: 1.0 / 3.0, lambda: 0.05, beta };
        if let Solve::Law(law) = solve(&model, warm.as_ref(), &|| false) {
            println!("beta {beta}: outputs {:.5?}, E|theta|^2 {:.5}", law.outputs.as_slice(), law.second_moment());
            warm = Some(*law);
        }
    }
}
