//! Where gradient descent and gradient flow take one pair of neurons on three examples, and which masks change.

use relimit_core::descent::{DescentOptions, EventLog, FlowOptions, Problem, Start, Unobserved, descend, flow, start};
use relimit_core::num::Mat;

#[expect(clippy::print_stdout, reason = "an example shows its result")]
fn main() {
    let x = Mat::from_rows(&[[4.0, 0.0, 0.0, 1.0], [0.0, 4.0, 0.0, 1.0], [0.0, 0.0, 4.0, 1.0]]);
    let problem = Problem::new(x, vec![1.0, 2.0, -1.0], vec![1.0, -1.0], false);
    let from = start(&problem, &Start::Orthant(1e-3), None).expect("independent rows");

    let mut log = EventLog::with_cap(20);
    let end = descend(&problem, &from, &DescentOptions::to_limit(0.03), &mut log, &|| false);
    println!("descent: {:?}, loss {:.1e}", end.status, problem.loss(&end.z));
    for e in &log.events {
        println!("  step {}: example {} turns {:?} for neuron {}", e.at, e.example, e.to, e.neuron);
    }
    for j in 0..end.w.rows() {
        println!("  w_{j} = {:.8?}", end.w.row(j));
    }

    let rest = flow(&problem, &from, &FlowOptions::default(), &mut Unobserved, &|| false);
    println!("flow: {:?}, loss {:.1e}", rest.status, problem.loss(&rest.z));
}
