//! Effective width of particles: groups of directions that carry coefficient, never counted by neurons.

use super::particles::Particles;
use super::plan::Plan;
use crate::gibbs::COUNTS;
use crate::num::mat::{dot, norm2};

/// Rounds in which a group finds its centre.
const ROUNDS: usize = 20;
/// Neurons that are looked at: the heaviest.
const MOST: usize = 1 << 14;
/// Groups that are formed before the search ends; at most 100 can hold 1% each.
const GROUPS: usize = 200;

/// Neurons of one sign of c within an angle of a centre.
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster {
    /// Centre: unit vector of (w, b), b left out where there is none.
    pub direction: Vec<f64>,
    /// Coefficient `scale sum c |u|`, signed.
    pub coefficient: f64,
    /// Neurons in it, of those that were looked at.
    pub neurons: usize,
}

/// Groups with at least 1% of the coefficient, and the share that they hold together.
#[derive(Clone, Debug, PartialEq)]
pub struct Clusters {
    /// The groups, in the order found: about heaviest first.
    pub groups: Vec<Cluster>,
    /// Their share of the whole coefficient `scale sum |c| |u|`.
    pub covered: f64,
}

/// The effective width of one output: the heaviest neuron left and all of its sign within `angle` (radians) of the
/// weighted mean, iterated; groups that hold [`COUNTS`] of the coefficient count.
///
/// Of more than 2^14 neurons the heaviest are looked at; the others count as not covered. O(groups N d).
///
/// # Source
/// Math notes on noisy SGD, section 7d: weighted by coefficient, because at low temperature the coefficient is carried by
/// a vanishing share of the neurons.
pub fn clusters(plan: &Plan, particles: &Particles, angle: f64) -> Clusters {
    assert_eq!(particles.outputs(), 1, "clusters of {} outputs", particles.outputs());
    let inputs = particles.inputs() + usize::from(plan.has_bias());
    let mut left: Vec<(f64, Vec<f64>)> = Vec::new();
    for j in 0..particles.width() {
        let u: Vec<f64> = (0..inputs).map(|p| particles.get(j, 1 + p)).collect();
        let length = norm2(&u);
        let weight = plan.scale() * particles.get(j, 0) * length;
        if weight != 0.0 && weight.is_finite() {
            left.push((weight, u.iter().map(|v| v / length).collect()));
        }
    }
    let total: f64 = left.iter().map(|p| p.0.abs()).sum();
    left.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()));
    left.truncate(MOST);
    let cosine = libm::cos(angle);
    let mut out = Clusters { groups: Vec::new(), covered: 0.0 };
    for _ in 0..GROUPS {
        // A share of the smallest numbers rounds to 0, which even nothing reaches.
        if left.is_empty() || !(left.iter().map(|p| p.0.abs()).sum::<f64>() >= COUNTS * total) {
            break;
        }
        let sign = left[0].0.signum();
        let mut centre = left[0].1.clone();
        let member = |centre: &[f64], p: &(f64, Vec<f64>)| p.0 * sign > 0.0 && dot(centre, &p.1) >= cosine;
        for _ in 0..ROUNDS {
            let mut mean = vec![0.0; inputs];
            for p in left.iter().filter(|p| member(&centre, p)) {
                for (m, v) in mean.iter_mut().zip(&p.1) {
                    *m += p.0.abs() * v;
                }
            }
            let length = norm2(&mean);
            for m in &mut mean {
                *m /= length;
            }
            if !(length > 0.0) || mean == centre {
                break;
            }
            centre = mean;
        }
        let (mut inside, mut outside): (Vec<_>, Vec<_>) = left.into_iter().partition(|p| member(&centre, p));
        if inside.is_empty() {
            // The centre moved away from all: the heaviest stands alone.
            inside.push(outside.remove(0));
        }
        let coefficient: f64 = inside.iter().map(|p| p.0).sum();
        if coefficient.abs() >= COUNTS * total {
            out.covered += coefficient.abs() / total;
            out.groups.push(Cluster { direction: centre, coefficient, neurons: inside.len() });
        }
        left = outside;
    }
    out
}
