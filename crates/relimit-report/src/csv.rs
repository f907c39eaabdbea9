//! The numbers behind a figure as CSV, one observation a line.

use std::fmt::Write as _;

use relimit_core::descent::Move;
use relimit_solve::answer::{EventFact, OptimumAnswer, Trajectory};

use crate::figure::{Fit, View};

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

/// The numbers of a picture of an optimum: points of the path or of the trace, rows with their fit, or neurons.
pub fn optimum(answer: &OptimumAnswer, fit: &Fit<'_>) -> String {
    let named = |names: &[String]| names.iter().flat_map(|n| [quoted(n), ",".to_owned()]).collect::<String>();
    let listed = |numbers: &[f64]| numbers.iter().flat_map(|v| [v.to_string(), ",".to_owned()]).collect::<String>();
    match View::of(answer) {
        View::Path => {
            let mut out = String::from("lambda,objective,gap,loss,norm,width\n");
            for p in answer.path.iter().flatten() {
                let _ = writeln!(out, "{},{},{},{},{},{}", p.lambda, p.objective, p.gap, p.loss, p.norm, p.width);
            }
            out
        }
        View::Line | View::Plane => {
            let mut out = format!("{}{},fitted\n", named(fit.features), quoted(fit.target));
            let fitted = fit.network.forward(fit.x);
            for (i, y) in fit.y.iter().enumerate() {
                let _ = writeln!(out, "{}{y},{}", listed(fit.x.row(i)), fitted[(i, 0)]);
            }
            out
        }
        View::Interval => {
            let mut out = String::from("nodes,seconds,lower,upper\n");
            for p in answer.trace.iter().flatten() {
                let _ = writeln!(out, "{},{},{},{}", p.nodes, p.seconds, p.lower, p.upper);
            }
            out
        }
        View::Neurons => {
            let mut out = format!("{}bias,c,active\n", named(fit.features));
            for t in &answer.neurons {
                let active = t.pattern.iter().filter(|s| **s > 0).count();
                let _ = writeln!(out, "{}{},{},{active}", listed(&t.w), t.b, t.c.size());
            }
            out
        }
    }
}

/// A name as a CSV cell.
fn quoted(name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) { format!("\"{}\"", name.replace('"', "\"\"")) } else { name.to_owned() }
}
