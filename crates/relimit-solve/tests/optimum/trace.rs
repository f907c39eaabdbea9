//! The trace of a proof under a clock that is known.

use std::sync::atomic::{AtomicU32, Ordering};

use relimit_solve::optimum::{Effort, optimum};

use super::common::Draw;
use super::support::half_mean;

#[test]
fn seconds_never_fall_when_a_repetition_is_faster() {
    let mut draw = Draw(41);
    let x = draw.gaussian(40, 4);
    let y: Vec<f64> = (0..40).map(|_| draw.normal()).collect();
    // the first search takes 10 s, every other one 1 s
    let calls = AtomicU32::new(0);
    let clock = || match calls.fetch_add(1, Ordering::Relaxed) {
        k @ (0 | 1) => f64::from(k),
        k => 10.0 + f64::from(k - 1),
    };
    let effort = Effort { clock: Some(&clock), max_nodes: 300, ..Effort::default() };
    let trace = optimum(&half_mean(&x, &y, 0.01), vec![], &effort).trace;
    assert!(trace.len() >= 3, "{trace:?}");
    assert!(trace[0].seconds >= 10.0, "{trace:?}");
    for pair in trace.windows(2) {
        assert!(pair[1].nodes > pair[0].nodes && pair[1].seconds >= pair[0].seconds, "{pair:?}");
    }
}
