//! The global optimum of five points on a line with weight decay, and what is proved about it.

use relimit_core::certify::optimum::Objective as Claimed;
use relimit_core::num::Mat;
use relimit_solve::optimum::{Effort, Objective, lambda_max, optimum};

#[expect(clippy::print_stdout, reason = "an example shows its result")]
fn main() {
    let x = Mat::from_rows(&[[-2.0], [-1.0], [0.0], [1.0], [2.0]]);
    let objective = Objective::new(Claimed::half_mean(0.02), x, vec![1.0, -0.5, 0.0, 1.0, -1.0]);
    let effort = Effort::default();
    println!("above lambda = {:.6} the best network is 0", lambda_max(&objective, &effort).value);

    let found = optimum(&objective, vec![], &effort);
    let proved = &found.certified;
    println!("F* in [{:.10}, {:.10}], {:?}", proved.lower_bound, proved.objective, proved.status);
    for ray in &found.candidate.rays {
        println!("  c = {:+.6} along ({:.6}, bias {:.6})", ray.c, ray.u[0], ray.u[1]);
    }
}
