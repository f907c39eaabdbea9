//! Random problems and slow references shared by the tests.
#![allow(dead_code, unreachable_pub, missing_docs, reason = "shared by test files, each of which uses a part")]

use relimit_core::descent::{Initial, Problem};
use relimit_core::num::Mat;

/// Splitmix64: the tests' own generator.
pub struct Rng(pub u64);

impl Rng {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
    /// Uniform in (0, 1).
    pub fn uniform(&mut self) -> f64 {
        ((self.bits() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }
    pub fn below(&mut self, k: usize) -> usize {
        (self.bits() % k as u64) as usize
    }
    pub fn sign(&mut self) -> f64 {
        if self.uniform() < 0.5 { 1.0 } else { -1.0 }
    }
    pub fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (2.0 * std::f64::consts::PI * self.uniform()).cos()
    }
    pub fn normals(&mut self, rows: usize, cols: usize) -> Mat {
        Mat::from_fn(rows, cols, |_, _| self.normal())
    }
}

/// `X X'` by plain loops.
pub fn slow_gram(x: &Mat) -> Mat {
    Mat::from_fn(x.rows(), x.rows(), |i, k| x.row(i).iter().zip(x.row(k)).map(|(a, b)| a * b).sum())
}

/// Largest eigenvalue of a symmetric psd matrix by power iteration, from above to a relative 1e-6.
pub fn mu_max(g: &Mat) -> f64 {
    let n = g.rows();
    let mut v: Vec<f64> = (0..n).map(|i| 1.0 + (i as f64 * 0.7).sin()).collect();
    let mut mu = 0.0;
    for _ in 0..2000 {
        let w = g.mul_vec(&v);
        let norm = w.iter().map(|a| a * a).sum::<f64>().sqrt();
        if norm == 0.0 {
            return 0.0;
        }
        mu = norm;
        v = w.iter().map(|a| a / norm).collect();
    }
    mu * (1.0 + 1e-6)
}

/// A start from weights w (m x D): no duals, everything in the offset.
pub fn from_weights(x: &Mat, w: Mat) -> Initial {
    let z = Mat::from_fn(w.rows(), x.rows(), |j, i| x.row(i).iter().zip(w.row(j)).map(|(a, b)| a * b).sum());
    Initial { alpha: Mat::zeros(w.rows(), x.rows()), z, offset: w }
}

/// Descent in weights by plain loops: shares no code with the library.
pub struct Plain {
    pub w: Mat,
    pub z: Mat,
    pub step: u64,
    pub flips: u64,
}

impl Plain {
    pub fn new(p: &Problem, start: &Initial) -> Self {
        let mut w = start.offset.clone();
        for j in 0..p.m() {
            for i in 0..p.n() {
                for k in 0..p.dim() {
                    w[(j, k)] += start.alpha[(j, i)] * p.x()[(i, k)];
                }
            }
        }
        Self { w, z: start.z.clone(), step: 0, flips: 0 }
    }

    pub fn step(&mut self, p: &Problem, eta: f64) {
        let (m, n) = (p.m(), p.n());
        let r: Vec<f64> =
            (0..n).map(|i| p.y()[i] - (0..m).map(|j| p.c()[j] * self.z[(j, i)].max(0.0)).sum::<f64>()).collect();
        for j in 0..m {
            for i in 0..n {
                if self.z[(j, i)] > 0.0 || (p.at_zero() && self.z[(j, i)] == 0.0) {
                    for k in 0..p.dim() {
                        self.w[(j, k)] += eta * p.c()[j] * r[i] * p.x()[(i, k)];
                    }
                }
            }
        }
        for j in 0..m {
            for i in 0..n {
                let z: f64 = (0..p.dim()).map(|k| p.x()[(i, k)] * self.w[(j, k)]).sum();
                self.flips += u64::from((z > 0.0) != (self.z[(j, i)] > 0.0));
                self.z[(j, i)] = z;
            }
        }
        self.step += 1;
    }
}

/// Largest difference of two m x n matrices relative to the size of the data.
pub fn distance(a: &Mat, b: &Mat, scale: f64) -> f64 {
    let d = a.as_slice().iter().zip(b.as_slice()).fold(0.0f64, |d, (x, y)| d.max((x - y).abs()));
    d / scale.max(a.max_abs()).max(b.max_abs())
}
