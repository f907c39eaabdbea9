//! Signs of the units on given points: distinct ternary patterns, which of them degenerate into others, regions seen.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::net::Network;
use crate::num::Mat;
use crate::num::exact;
use crate::num::outward::gamma;

/// What the units of a network do on n points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Patterns {
    /// Distinct ternary patterns (sign of w_j.x_i + b_j over the points i) of the units.
    pub distinct: usize,
    /// Largest number of units with one binary pattern (z > 0).
    pub most_per_binary: usize,
    /// Whether no pattern arises from another one by setting entries to 0.
    pub incomparable: bool,
    /// Regions of input space with different active units in which some point lies.
    pub regions_seen: usize,
    /// Every point lies in a region of its own: `regions_seen` says nothing about their number.
    pub saturated: bool,
}

/// Signs by a filtered dot product, exact where the filter cannot decide. O(m n d), and O(p^2 n) for p patterns.
pub fn patterns(net: &Network, x: &Mat) -> Patterns {
    let (m, n) = (net.width(), x.rows());
    let signs: Vec<Vec<i8>> = (0..m).map(|j| (0..n).map(|i| sign(net, j, x.row(i))).collect()).collect();
    let distinct: BTreeSet<&Vec<i8>> = signs.iter().collect();
    let mut binary: BTreeMap<Vec<bool>, usize> = BTreeMap::new();
    for s in &signs {
        *binary.entry(s.iter().map(|v| *v > 0).collect()).or_default() += 1;
    }
    let all: Vec<&Vec<i8>> = distinct.into_iter().collect();
    let degenerates = |a: &[i8], b: &[i8]| a.iter().zip(b).all(|(u, v)| *u == 0 || u == v);
    let incomparable =
        all.iter().enumerate().all(|(p, a)| all.iter().enumerate().all(|(q, b)| p == q || !degenerates(a, b)));
    let regions: BTreeSet<Vec<bool>> = (0..n).map(|i| signs.iter().map(|s| s[i] > 0).collect()).collect();
    Patterns {
        distinct: all.len(),
        most_per_binary: binary.values().copied().max().unwrap_or(0),
        incomparable,
        regions_seen: regions.len(),
        saturated: n > 1 && regions.len() == n,
    }
}

/// The sign of w_j.x + b_j: decided in floating point where the rounding bound allows, else exactly.
pub(super) fn sign(net: &Network, j: usize, x: &[f64]) -> i8 {
    let w = net.w.row(j);
    let z = net.preactivation(j, x);
    let size = w.iter().zip(x).map(|(a, b)| (a * b).abs()).sum::<f64>() + net.b[j].abs();
    // twice the bound of d + 2 roundings covers those of `size`; underflow is left to the exact sum
    if z.is_finite() && z.abs() > 2.0 * gamma(x.len() + 2) * size && z.abs() > 1e-280 {
        return if z > 0.0 { 1 } else { -1 };
    }
    let row: Vec<f64> = w.iter().chain([&net.b[j]]).copied().collect();
    let point: Vec<f64> = x.iter().chain([&1.0]).copied().collect();
    exact::dot(&row, &point).sign() as i8
}
