//! Conformal rays of one sign lie in one closed cell, where relu is linear: their sum does the same for less.

use relimit_core::num::mat::{axpy, norm2};

use super::objective::{products, sign};
use super::{Objective, Ray};

/// Products below this share of their size count as 0 when patterns are compared: polished directions lie on the kinks of
/// their faces to about 1e-13, and one that is left off its kink by more is another pattern.
const ZERO: f64 = 1e-11;

/// Merges rays of one sign whose patterns nowhere oppose each other until none are left; says how many went.
///
/// ```text
/// c_1 relu(u_1 . x_i) + c_2 relu(u_2 . x_i) = relu((c_1 u_1 + c_2 u_2) . x_i),   |c_1 u_1 + c_2 u_2| <= c_1 + c_2
/// ```
pub(super) fn merge(objective: &Objective, rays: &mut Vec<Ray>) -> usize {
    let before = rays.len();
    let mut patterns: Vec<Vec<i8>> = rays.iter().map(|t| loose_pattern(objective, t)).collect();
    let mut k = 0;
    while k < rays.len() {
        let mut l = k + 1;
        while l < rays.len() {
            let same = rays[k].c * rays[l].c > 0.0;
            if !(same && patterns[k].iter().zip(&patterns[l]).all(|(a, b)| a * b >= 0)) {
                l += 1;
                continue;
            }
            let (second, other) = (rays.swap_remove(l), patterns.swap_remove(l));
            let first = &mut rays[k];
            let mut v: Vec<f64> = first.u.iter().map(|a| first.c.abs() * a).collect();
            axpy(second.c.abs(), &second.u, &mut v);
            let size = objective.size(&v);
            if size > 0.0 {
                first.c = first.c.signum() * size;
                first.u = v.iter().map(|a| a / size).collect();
            } else {
                first.c = 0.0;
            }
            for (p, o) in patterns[k].iter_mut().zip(&other) {
                *p = if *p == 0 { *o } else { *p };
            }
            first.kink = (0..objective.n()).filter(|&i| patterns[k][i] == 0).collect();
            first.settle(objective);
            l = k + 1;
        }
        k += 1;
    }
    rays.retain(|t| t.c != 0.0);
    before - rays.len()
}

/// Signs of u . x_i with 0 for what rounding cannot tell.
pub(super) fn loose_pattern(objective: &Objective, ray: &Ray) -> Vec<i8> {
    let length = norm2(&ray.u);
    let z = products(&objective.x, &ray.u);
    let mut out: Vec<i8> = (z.iter().zip(&objective.lengths))
        .map(|(z, size)| if z.abs() <= ZERO * size * length { 0 } else { sign(*z) })
        .collect();
    for &i in &ray.kink {
        out[i] = 0;
    }
    out
}
