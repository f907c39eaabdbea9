//! A slow update written from the formula alone, and small problems.

use relimit_core::langevin::{Options, Particles};
use relimit_core::num::Mat;

pub(crate) fn problem(n: usize, d: usize, k: usize, seed: u64) -> (Mat, Mat) {
    let mut state = seed;
    let mut unit = move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    (Mat::from_fn(n, d, |_, _| 2.0 * unit()), Mat::from_fn(n, k, |_, _| unit()))
}

pub(crate) fn options(n: usize, d: usize, k: usize) -> Options {
    let (x, y) = problem(n, d, k, 7);
    Options { width: 100, ..Options::new(x, y, 0.02, f64::INFINITY, 0.05) }
}

/// One noise-free full-batch step with penalised biases, both layers, ReLU and loss factor `omega`, on theta = (c, w, b).
pub(crate) fn step(theta: &mut [Vec<f64>], o: &Options, omega: f64, scale: f64, normal: impl Fn(usize, usize) -> f64) {
    let (n, d, k) = (o.x.rows(), o.x.cols(), o.y.cols());
    let eta = o.step.at(0);
    let z = |t: &[f64], i: usize| (0..d).map(|p| t[k + p] * o.x[(i, p)]).sum::<f64>() + t[k + d];
    let mut r = Mat::zeros(n, k);
    for i in 0..n {
        for a in 0..k {
            r[(i, a)] = omega * (o.y[(i, a)] - scale * theta.iter().map(|t| t[a] * z(t, i).max(0.0)).sum::<f64>());
        }
    }
    for (j, t) in theta.iter_mut().enumerate() {
        let mut g = vec![0.0; k + d + 1];
        for i in 0..n {
            let z = z(t, i);
            if z > 0.0 {
                for a in 0..k {
                    g[a] += r[(i, a)] * z;
                    for p in 0..d {
                        g[k + p] += r[(i, a)] * t[a] * o.x[(i, p)];
                    }
                    g[k + d] += r[(i, a)] * t[a];
                }
            }
        }
        for p in 0..=k + d {
            t[p] += eta * (g[p] - o.lambda * t[p]) + normal(j, p);
        }
    }
}

pub(crate) fn rows(particles: &Particles) -> Vec<Vec<f64>> {
    (0..particles.width()).map(|j| particles.neuron(j)).collect()
}
