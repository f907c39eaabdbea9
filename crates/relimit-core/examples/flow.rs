//! Where gradient flow takes one neuron on the worst case of Vardi and Shamir (2021).
#![expect(clippy::print_stdout, reason = "an example shows its result")]

use relimit_core::descent::{EventLog, FlowOptions, Initial, Problem, flow};
use relimit_core::num::Mat;

fn main() {
    let gamma = 5.0;
    let x = Mat::from_rows(&[[3.0, -1.0, 0.0], [4.0, 2.0, 0.0], [0.0, gamma, gamma]]);
    let problem = Problem::new(x, vec![16.0, 18.0, 0.0], vec![1.0], true);
    let start = Initial { alpha: Mat::zeros(1, 3), z: Mat::zeros(1, 3), offset: Mat::zeros(1, 3) };
    let mut log = EventLog::with_cap(100);
    let limit = flow(&problem, &start, &FlowOptions::default(), &mut log, &|| false);
    println!("status {:?}, loss {:.1e}", limit.status, problem.loss(&limit.z));
    for e in &log.events {
        println!("t = {:.6}: example {} goes {:?} for neuron {}", e.at, e.example, e.to, e.neuron);
    }
    let w = limit.w.row(0);
    println!("flow ends at    w = ({:.6}, {:.6}, {:.6})", w[0], w[1], w[2]);
    println!("minimum norm at w = (5, -1, 0)");
}
