//! What the optimum of the example data costs: columns and tree apart, with the nodes and the gap that they end with.

use relimit_core::certify::optimum::{CertifyOptions, Objective as Claimed, certify};
use relimit_solve::optimum::{Effort, Objective, lambda_max, optimum};

use crate::data::standardised;
use crate::measure::{batch, enough};
use crate::optimum::least;
use crate::record::Row;

/// Batches of a quarter of a second; longer work runs once.
const ROUNDS: usize = 5;
/// Nodes where the gap stays open.
const OPEN: u64 = 2_000;

/// Objective, nodes, gap and CPU time on standardised data, half-mean loss, penalised bias.
pub(crate) fn real() -> Vec<Row> {
    let air = ["Solar.R", "Wind", "Temp"];
    let stack = ["Air.Flow", "Water.Temp", "Acid.Conc."];
    let body = ["age", "sex", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6"];
    let sets: [(&str, &[&str], &str, &[f64]); 5] = [
        ("trees.csv", &["Girth", "Height"], "Volume", &[0.05]),
        ("stackloss.csv", &stack, "stack.loss", &[0.05]),
        ("airquality.csv", &air, "Ozone", &[0.05]),
        ("mcycle.csv", &["times"], "accel", &[0.05, 0.01]),
        ("diabetes.csv", &body, "progression", &[0.5, 0.2, 0.05]),
    ];
    let mut out = vec![];
    for (file, features, label, shares) in sets {
        let (x, y) = standardised(file, features, label);
        let unscaled = Objective::new(Claimed::half_mean(1.0), x, y);
        let top = lambda_max(&unscaled, &Effort::default()).value;
        out.extend(shares.iter().map(|share| one(file, *share, &unscaled.with_lambda(share * top))));
    }
    out
}

fn one(file: &str, share: f64, objective: &Objective) -> Row {
    let effort = Effort { max_nodes: OPEN, ..Effort::default() };
    let found = optimum(objective, vec![], &effort);
    let net = objective.network(&found.candidate.rays, found.candidate.offset);
    let all = || {
        std::hint::black_box(optimum(objective, vec![], &effort));
    };
    let options = CertifyOptions { gap: effort.gap, max_nodes: OPEN, ..CertifyOptions::default() };
    let tree = || {
        std::hint::black_box(certify(&objective.claim, &objective.features, &objective.y, &net, &options));
    };
    let (all, tree) = (time(all), time(tree));
    Row {
        question: format!("optimum of {file} at {share} of lambda_max, to 1e-8 or {OPEN} nodes"),
        ours: Some(all),
        peer: None,
        ratio: None,
        note: format!(
            "least of up to {ROUNDS} batches; F = {:.10}, gap {:.1e}, {} nodes; the proof alone {tree:.3e} s, {} nodes; {} neurons",
            found.certified.objective,
            found.certified.gap_relative,
            found.nodes,
            certify(&objective.claim, &objective.features, &objective.y, &net, &options).sup.nodes,
            found.candidate.rays.len()
        ),
    }
}

/// CPU seconds of the least batch.
fn time(run: impl Fn()) -> f64 {
    let first = batch(1, &run);
    if first > 1.0 {
        return first;
    }
    let times = enough(&run);
    least((0..ROUNDS).map(|_| batch(times, &run)))
}
