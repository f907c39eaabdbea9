//! What the tests share: objectives, pairing of rays, plain CSV.

use std::path::Path;

use relimit_core::certify::optimum::Objective as Claimed;
use relimit_core::num::Mat;
use relimit_solve::optimum::{Effort, Objective, Optimum, Ray, optimum};

/// Half-mean loss, penalised bias.
pub(crate) fn half_mean(x: &Mat, y: &[f64], lambda: f64) -> Objective {
    Objective::new(Claimed::half_mean(lambda), x.clone(), y.to_vec())
}

pub(crate) fn solve(objective: &Objective, gap: f64) -> Optimum {
    optimum(objective, vec![], &Effort { gap, ..Effort::default() })
}

/// Pairs every expected ray with one found and returns the largest difference of c and u.
pub(crate) fn worst(rays: &[Ray], expected: &[(f64, Vec<f64>)]) -> f64 {
    assert_eq!(rays.len(), expected.len(), "{rays:?}");
    let distance = |t: &Ray, e: &(f64, Vec<f64>)| {
        t.u.iter().zip(&e.1).map(|(a, b)| (a - b).abs()).fold((t.c - e.0).abs(), f64::max)
    };
    expected.iter().map(|e| rays.iter().map(|t| distance(t, e)).fold(f64::INFINITY, f64::min)).fold(0.0, f64::max)
}

/// Complete rows of an example file: features and label, each with mean 0 and population standard deviation 1.
pub(crate) fn standardised(file: &str, features: &[&str], label: &str) -> (Mat, Vec<f64>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/data").join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut lines = text.lines();
    let names: Vec<String> =
        lines.next().expect("a header").split(',').map(|s| s.trim_matches('"').to_owned()).collect();
    let index: Vec<usize> = features
        .iter()
        .chain(std::iter::once(&label))
        .map(|f| names.iter().position(|n| n == f).unwrap_or_else(|| panic!("no column {f} in {names:?}")))
        .collect();
    let mut rows: Vec<Vec<f64>> = lines
        .filter_map(|l| {
            let cells: Vec<&str> = l.split(',').collect();
            index.iter().map(|&k| cells[k].parse::<f64>().ok()).collect()
        })
        .collect();
    let n = rows.len() as f64;
    for k in 0..index.len() {
        let mean = rows.iter().map(|r| r[k]).sum::<f64>() / n;
        let sd = (rows.iter().map(|r| (r[k] - mean).powi(2)).sum::<f64>() / n).sqrt();
        for r in &mut rows {
            r[k] = (r[k] - mean) / sd;
        }
    }
    let y = rows.iter_mut().map(|r| r.pop().expect("a label")).collect();
    (Mat::from_rows(&rows), y)
}
