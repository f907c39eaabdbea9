//! Fewer neurons for the same outputs: neurons whose features depend on each other are shifted until one vanishes.

use relimit_core::num::Mat;
use relimit_core::num::linalg::symmetric_eigen;
use relimit_core::num::mat::dot;

use super::objective::{VectorNet, VectorObjective};

/// Squared size of a combination of unit features that counts as 0: rounding of their products.
const DEPENDENT: f64 = 1e-13;

/// Removes neurons until the features `c_j relu(u_j . x_i)`, one number an example and output, are independent.
///
/// ```text
/// sum_j t_j |c_j| phi_j c_j/|c_j| = 0:   c_j (1 + s t_j) has the same outputs, and for one sign of s no larger norm
/// ```
///
/// O(m^3) for each neuron that goes.
pub(super) fn thin(objective: &VectorObjective, net: &mut VectorNet) {
    while net.rays.len() > 1 && drop_one(objective, net) {}
}

fn drop_one(objective: &VectorObjective, net: &mut VectorNet) -> bool {
    let features: Vec<Vec<f64>> = net.rays.iter().map(|t| objective.one.feature(&t.ray)).collect();
    let size: Vec<f64> = features.iter().map(|f| dot(f, f).sqrt()).collect();
    if size.contains(&0.0) {
        net.rays = std::mem::take(&mut net.rays).into_iter().zip(&size).filter(|t| *t.1 > 0.0).map(|t| t.0).collect();
        return true;
    }
    let m = net.rays.len();
    let products = Mat::from_fn(m, m, |i, j| {
        dot(&features[i], &features[j]) / (size[i] * size[j]) * dot(&net.rays[i].output, &net.rays[j].output)
    });
    let eigen = symmetric_eigen(&products);
    if eigen.values[0] > DEPENDENT {
        return false;
    }
    // in units of the coefficients
    let mut change: Vec<f64> = (0..m).map(|j| eigen.vectors.row(0)[j] / (size[j] * net.rays[j].ray.c)).collect();
    let norm: f64 = change.iter().zip(&net.rays).map(|(t, ray)| t * ray.ray.c).sum();
    if norm > 0.0 || change.iter().all(|t| *t >= 0.0) {
        for t in &mut change {
            *t = -*t;
        }
    }
    let Some((first, most)) = (0..m).map(|j| (j, change[j])).filter(|t| t.1 < 0.0).min_by(|a, b| a.1.total_cmp(&b.1))
    else {
        return false;
    };
    for (t, c) in net.rays.iter_mut().zip(&change) {
        t.ray.c *= 1.0 - c / most;
    }
    net.rays.remove(first);
    net.rays.retain(|t| t.ray.c > 0.0);
    true
}
