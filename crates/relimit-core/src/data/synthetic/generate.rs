//! From a checked specification to numbers.

use super::spec::{Features, Kind, Labels, Spec};
use super::{Synthetic, designs};
use crate::data::Dataset;
use crate::net::relu;
use crate::num::Mat;
use crate::num::mat::dot;
use crate::num::noise::{Purpose, Stream};

/// Generates the data of a specification. O(n d).
pub(super) fn generate(spec: Spec) -> Synthetic {
    let (x, y, spectrum) = match &spec.kind {
        Kind::Random { n, d, features, power, spike, labels } => {
            let lambda = eigenvalues(*d, *power, *spike);
            let sd: Vec<f64> = lambda.iter().map(|l| l.sqrt()).collect();
            let x = random(*n, &sd, *features, spec.seed);
            let y = label(&x, *labels, lambda.iter().sum(), spec.seed);
            (x, y, Some(lambda))
        }
        Kind::Orthogonal { n, d, norm, labels } => {
            let s = Stream::new(spec.seed, Purpose::Features);
            let length: Vec<f64> = (0..*n).map(|i| between(*norm, s.uniform(i as u64, 0))).collect();
            let mut x = Mat::zeros(*n, *d);
            for (i, v) in length.iter().enumerate() {
                x[(i, i)] = *v;
            }
            let tau = length.iter().map(|v| v * v).sum::<f64>() / *n as f64;
            let y = label(&x, *labels, tau, spec.seed);
            (x, y, None)
        }
        Kind::VardiShamir { gamma, alpha } => {
            let (x, y) = designs::vardi_shamir(*gamma, *alpha);
            (x, y, None)
        }
        Kind::Golden => {
            let (x, y) = designs::golden();
            (x, y, None)
        }
    };
    let features = (1..=x.cols()).map(|k| format!("x{k}")).collect();
    let rows = (1..=x.rows()).collect();
    Synthetic { dataset: Dataset { x: x.into(), y, features, target: "y".into(), rows }, spectrum, spec }
}

/// `lambda_k = k^-power`, k from 1, with lambda_1 replaced by the spike.
fn eigenvalues(d: usize, power: f64, spike: Option<f64>) -> Vec<f64> {
    let mut lambda: Vec<f64> = (1..=d).map(|k| libm::pow(k as f64, -power)).collect();
    if let Some(v) = spike {
        lambda[0] = v;
    }
    lambda
}

/// Row i, column k is number k of step i: a larger n or d keeps what a smaller one has.
fn random(n: usize, sd: &[f64], features: Features, seed: u64) -> Mat {
    let s = Stream::new(seed, Purpose::Features);
    let mut x = Mat::zeros(n, sd.len());
    for i in 0..n {
        let row = x.row_mut(i);
        match features {
            Features::Gaussian => s.fill_normal(i as u64, row),
            Features::Rademacher => row.iter_mut().enumerate().for_each(|(k, v)| *v = s.sign(i as u64, k as u64)),
        }
        row.iter_mut().zip(sd).for_each(|(v, f)| *v *= f);
    }
    x
}

fn between((lo, hi): (f64, f64), u: f64) -> f64 {
    (lo + (hi - lo) * u).clamp(lo, hi)
}

fn label(x: &Mat, labels: Labels, tau: f64, seed: u64) -> Vec<f64> {
    let n = x.rows();
    let s = Stream::new(seed, Purpose::Labels);
    let sign = |i: usize| s.sign(1, i as u64);
    let uniform = |i: usize| s.uniform(0, i as u64);
    match labels {
        Labels::Sign => (0..n).map(|i| if i < n.div_ceil(2) { 1.0 } else { -1.0 }).collect(),
        Labels::SignRandom => (0..n).map(sign).collect(),
        Labels::Uniform(lo, hi) => (0..n).map(|i| sign(i) * between((lo, hi), uniform(i))).collect(),
        Labels::Positive(lo, hi) => (0..n).map(|i| between((lo, hi), uniform(i))).collect(),
        Labels::Normal => (0..n).map(|i| s.normal(0, i as u64)).collect(),
        Labels::Teacher(width) => {
            let t = Stream::new(seed, Purpose::Teacher);
            let mut w = vec![0.0; x.cols()];
            let mut y = vec![0.0; n];
            for j in 0..width {
                t.fill_normal(j as u64, &mut w);
                let c = if j % 2 == 0 { 1.0 } else { -1.0 };
                y.iter_mut().enumerate().for_each(|(i, y)| *y += c * relu(dot(&w, x.row(i)) / tau.sqrt()));
            }
            y
        }
    }
}
