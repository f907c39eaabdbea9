//! The minimum-norm solution of three examples, with one neuron and with one of each sign.

use relimit_core::descent::Problem;
use relimit_core::num::Mat;
use relimit_solve::{MinNormOptions, min_norm};

#[expect(clippy::print_stdout, reason = "an example shows its result")]
fn main() {
    let x = Mat::from_rows(&[[4.0, 0.0, 0.0, 1.0], [0.0, 4.0, 0.0, 1.0], [0.0, 0.0, 4.0, 1.0]]);
    for c in [vec![1.0], vec![1.0, -1.0]] {
        let problem = Problem::new(x.clone(), vec![1.0, 2.0, -1.0], c.clone(), false);
        let found = min_norm(&problem, &MinNormOptions { max_nodes: 1000, gap: 1e-8 }, &|| false);
        println!(
            "c = {c:?}: {:?}, norm in [{:.8}, {:.8}]",
            found.status(),
            found.checked.lower,
            found.checked.upper.unwrap_or(f64::INFINITY)
        );
        let w = found.weights(&x);
        for j in 0..w.rows() {
            println!("  w_{j} = {:.8?}", w.row(j));
        }
    }
}
