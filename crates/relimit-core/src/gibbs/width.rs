//! Effective width at a temperature: groups of directions that carry coefficient, never counted by neurons.

use super::measure::Piece;
use crate::num::mat::norm2;

/// Share of the coefficient from which on a group counts.
pub const COUNTS: f64 = 0.01;
/// Rounds in which a group finds its centre.
const ROUNDS: usize = 50;

/// Directions within an angle of a centre, with one sign of the coefficient.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Centre: unit vector, D.
    pub direction: Vec<f64>,
    /// Coefficient, signed.
    pub coefficient: f64,
    /// Share of the whole coefficient.
    pub share: f64,
    /// Probability of a neuron in it.
    pub mass: f64,
}

/// Groups with at least [`COUNTS`] of the coefficient, in the order found: the heaviest piece left and all of its sign
/// within `angle` (radians) of the weighted mean, iterated. One output.
///
/// # Source
/// The cluster rule of the particle experiments, applied to the exact law.
pub fn groups(pieces: &[Piece], angle: f64) -> Vec<Group> {
    let total: f64 = pieces.iter().map(Piece::weight).sum();
    let mut left: Vec<&Piece> = pieces.iter().filter(|p| p.weight() > 0.0).collect();
    let mut out = Vec::new();
    let cosine = libm::cos(angle);
    while left.iter().map(|p| p.weight()).sum::<f64>() >= COUNTS * total && total > 0.0 {
        let Some(first) = left.iter().max_by(|a, b| a.weight().total_cmp(&b.weight())) else { break };
        let sign = first.coefficient[0].signum();
        let mut centre = first.direction.clone();
        let member = |centre: &[f64], p: &Piece| {
            let along: f64 = centre.iter().zip(&p.direction).map(|(a, b)| a * b).sum();
            p.coefficient[0] * sign > 0.0 && along >= cosine
        };
        for _ in 0..ROUNDS {
            let mut mean = vec![0.0; centre.len()];
            for p in left.iter().filter(|p| member(&centre, p)) {
                for (m, v) in mean.iter_mut().zip(&p.direction) {
                    *m += p.weight() * v;
                }
            }
            let length = norm2(&mean);
            for m in &mut mean {
                *m /= length;
            }
            let moved = mean.iter().zip(&centre).any(|(a, b)| (a - b).abs() > 1e-12);
            if !(length > 0.0) || !moved {
                break;
            }
            centre = mean;
        }
        let (mut inside, outside): (Vec<&Piece>, Vec<&Piece>) = left.iter().partition(|p| member(&centre, p));
        if inside.is_empty() {
            inside.push(first);
        }
        let coefficient: f64 = inside.iter().map(|p| p.coefficient[0]).sum();
        let mass = inside.iter().map(|p| p.mass).sum();
        let group = Group { direction: centre, coefficient, share: coefficient.abs() / total, mass };
        left = if outside.len() == left.len() {
            left.into_iter().filter(|p| !std::ptr::eq(*p, inside[0])).collect()
        } else {
            outside
        };
        if group.share >= COUNTS {
            out.push(group);
        }
    }
    out
}
