//! The numbers behind a figure as CSV, one observation a line.

use std::fmt::Write as _;

use relimit_core::descent::Move;
use relimit_solve::answer::{EventFact, GibbsAnswer, GibbsGrid, OptimumAnswer, TrainAnswer, Trajectory};

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

/// The numbers of a picture of a trained network: rows with their fits for one feature, else what each neuron is, in
/// the coordinates in which it was trained. Panics on no fit.
pub fn train(answer: &TrainAnswer, fits: &[Fit<'_>], trained: &relimit_core::net::Network) -> String {
    let fit = &fits[0];
    let mut out = String::new();
    if answer.data.d == 1 {
        let several = fits.len() > 1;
        let fitted = |f: &Fit<'_>| if several { quoted(&format!("fitted {}", f.target)) } else { "fitted".into() };
        let heads: Vec<String> = fits.iter().map(|f| format!("{},{}", quoted(f.target), fitted(f))).collect();
        let _ = writeln!(out, "{},{}", quoted(&fit.features[0]), heads.join(","));
        let values = fit.network.forward(fit.x);
        for i in 0..fit.x.rows() {
            let pairs: Vec<String> = fits.iter().map(|f| format!("{},{}", f.y[i], values[(i, f.output)])).collect();
            let _ = writeln!(out, "{},{}", fit.x[(i, 0)], pairs.join(","));
        }
        return out;
    }
    let names: Vec<String> = fit.features.iter().map(|n| quoted(n)).collect();
    let heads: Vec<String> =
        fits.iter().map(|f| if fits.len() > 1 { quoted(&format!("c {}", f.target)) } else { "c".into() }).collect();
    let _ = writeln!(out, "{},bias,{}", names.join(","), heads.join(","));
    for j in 0..trained.width() {
        for v in trained.w.row(j) {
            let _ = write!(out, "{v},");
        }
        let c: Vec<String> = (0..trained.outputs()).map(|l| trained.c[(l, j)].to_string()).collect();
        let _ = writeln!(out, "{},{}", trained.b[j], c.join(","));
    }
    out
}

/// `row,TARGET,fitted` for every row of the file that was used.
pub fn outputs(target: &str, rows: &[usize], labels: &[f64], fitted: &[f64]) -> String {
    let mut out = format!("row,{},fitted\n", quoted(target));
    for ((row, y), f) in rows.iter().zip(labels).zip(fitted) {
        let _ = writeln!(out, "{row},{y},{f}");
    }
    out
}

/// The function on a grid, the features first.
pub fn grid(features: &[String], target: &str, grid: &GibbsGrid) -> String {
    let names: Vec<String> = features.iter().map(|n| quoted(n)).collect();
    let mut out = format!("{},{}\n", names.join(","), quoted(target));
    for (k, (x, f)) in grid.x.iter().zip(&grid.f).enumerate() {
        let second = grid.x2.as_ref().map_or_else(String::new, |x2| format!("{},", x2[k]));
        let _ = writeln!(out, "{x},{second}{f}");
    }
    out
}

/// The temperatures of a law: `beta,free_energy,objective,norm,width,covered,particles_width,particles_objective`.
pub fn gibbs(answer: &GibbsAnswer) -> String {
    let mut out = String::from("beta,free_energy,objective,norm,width,covered,particles_width,particles_objective\n");
    for p in &answer.path {
        let measured =
            p.measured.as_ref().map_or_else(|| ",".to_owned(), |m| format!("{},{}", m.effective_width, m.objective));
        let _ = writeln!(
            out,
            "{},{},{},{},{},{},{measured}",
            p.beta, p.free_energy, p.objective, p.norm, p.effective_width, p.covered
        );
    }
    out
}

/// A name as a CSV cell.
fn quoted(name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) { format!("\"{}\"", name.replace('"', "\"\"")) } else { name.to_owned() }
}
