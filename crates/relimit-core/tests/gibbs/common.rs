//! Models of the tests.

use std::sync::Arc;

use relimit_core::gibbs::{Law, Model, Solve, solve};
use relimit_core::num::Mat;

/// Rows with a column of ones.
pub(crate) fn lifted(x: &[&[f64]]) -> Mat {
    let mut m = Mat::from_rows(x);
    m.push_column(1.0);
    m
}

/// Half-mean loss, one output.
pub(crate) fn model(x: Mat, y: &[f64], lambda: f64, beta: f64) -> Model {
    let n = y.len();
    Model { x: Arc::new(x), y: Mat::from_vec(n, 1, y.to_vec()), omega: 1.0 / n as f64, lambda, beta }
}

/// One feature, penalised bias.
pub(crate) fn line(x: &[f64], y: &[f64], lambda: f64, beta: f64) -> Model {
    let rows: Vec<&[f64]> = x.iter().map(std::slice::from_ref).collect();
    model(lifted(&rows), y, lambda, beta)
}

/// The law, which these models have.
pub(crate) fn law(model: &Model) -> Law {
    match solve(model, None, &|| false) {
        Solve::Law(law) => *law,
        Solve::Stopped(why) => panic!("{why:?}"),
    }
}

/// A small generator: splitmix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Uniform in (0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (((z ^ (z >> 31)) >> 12) as f64 + 0.5) / (1u64 << 52) as f64
    }

    /// Uniform in (-2, 2).
    pub(crate) fn wide(&mut self) -> f64 {
        4.0 * self.unit() - 2.0
    }
}

/// Midpoints of equal arcs of the circle, with their weights.
pub(crate) fn circle(count: usize) -> Vec<(Vec<f64>, f64)> {
    let step = std::f64::consts::TAU / count as f64;
    (0..count).map(|k| ((k as f64 + 0.5) * step, step)).map(|(t, w)| (vec![t.cos(), t.sin()], w)).collect()
}
