//! The numbers behind a figure as CSV, one observation a line.

use std::fmt::Write as _;

use relimit_core::descent::Move;
use relimit_solve::answer::{EventFact, Trajectory};

/// `at,neuron,row,z` for every instant, neuron and example; numbers read back as the same f64.
pub fn trajectory(run: &Trajectory) -> String {
    run.check();
    let mut out = String::from("at,neuron,row,z\n");
    for (at, z) in run.at.iter().zip(&run.z) {
        for j in 0..run.neurons() {
            for (i, row) in run.rows.iter().enumerate() {
                // Writing into a string cannot fail.
                let _ = writeln!(out, "{at},{j},{row},{}", z[(j, i)]);
            }
        }
    }
    out
}

/// `at,neuron,row,to` for every mask change; `to` is on, off or slide.
pub fn events(list: &[EventFact]) -> String {
    let mut out = String::from("at,neuron,row,to\n");
    for e in list {
        let to = match e.to {
            Move::On => "on",
            Move::Off => "off",
            Move::Slide => "slide",
        };
        let _ = writeln!(out, "{},{},{},{to}", e.at, e.neuron, e.row);
    }
    out
}

/// `active,patterns` for every number of active rows.
pub fn active_counts(counts: &[u64]) -> String {
    let mut out = String::from("active,patterns\n");
    for (active, patterns) in counts.iter().enumerate() {
        let _ = writeln!(out, "{active},{patterns}");
    }
    out
}
