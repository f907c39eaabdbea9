//! How fast residuals decay once the masks are settled.

use super::dynamics::Dynamics;
use super::modes::{coupling, weight_hessian};
use super::{Initial, Problem};
use crate::net::mask;
use crate::num::Mat;
use crate::num::linalg::Tridiagonal;

/// Smallest (not null) and largest eigenvalue of `M = sum_j c_j^2 D_j G D_j` on the masks of `z` (m x n); `None` when
/// nothing is active. Descent contracts by `max(|1 - eta mu_min|, |1 - eta mu_max|)` a step, the flow at rate mu_min.
///
/// # Cost
/// 4/3 n^3, less where neurons share no row, or 4/3 (m D)^3 when n > D.
pub fn settled_spectrum(problem: &Problem, z: &Mat) -> Option<(f64, f64)> {
    let (m, n) = (problem.m(), problem.n());
    // Only the masks matter: the weights are not looked at.
    let here = Initial { alpha: Mat::zeros(m, n), z: z.clone(), offset: Mat::zeros(0, 0) };
    let dynamics = Dynamics::new(problem, &here, 1.0);
    let mut on = vec![false; m * dynamics.ld];
    for j in 0..m {
        for i in 0..n {
            on[j * dynamics.ld + i] = mask(z[(j, i)], problem.at_zero());
        }
    }
    let parts: Vec<Tridiagonal> = if dynamics.in_duals() {
        let blocks = blocks(&on, m, n, dynamics.ld);
        blocks.iter().map(|rows| Tridiagonal::of(&coupling(&dynamics, &on, rows))).collect()
    } else {
        vec![Tridiagonal::of(&weight_hessian(&dynamics, &on))]
    };
    let order: usize = parts.iter().map(Tridiagonal::order).sum();
    let top = parts.iter().map(Tridiagonal::largest).fold(0.0, f64::max);
    let null = (16.0 * order as f64 * f64::EPSILON * top).next_up();
    let first = |t: &Tridiagonal| {
        let k = t.count_below(null);
        (k < t.order()).then(|| t.value(k))
    };
    let low = parts.iter().filter_map(first).fold(f64::INFINITY, f64::min);
    (top > 0.0 && low.is_finite()).then_some((low, top))
}

/// The active rows in groups that M couples: rows that are linked through neurons active on both.
fn blocks(on: &[bool], m: usize, n: usize, ld: usize) -> Vec<Vec<usize>> {
    let active = |i: usize| (0..m).filter(move |&j| on[j * ld + i]);
    let mut group: Vec<usize> = (0..m).collect();
    for i in 0..n {
        let mut neurons = active(i);
        if let Some(first) = neurons.next() {
            for j in neurons {
                let (keep, gone) = (group[first], group[j]);
                group.iter_mut().filter(|g| **g == gone).for_each(|g| *g = keep);
            }
        }
    }
    let of = |g: usize| (0..n).filter(|&i| active(i).next().is_some_and(|j| group[j] == g)).collect();
    (0..m).map(of).filter(|rows: &Vec<usize>| !rows.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_grouped_by_the_neurons_that_link_them() {
        // three neurons on five rows (one neuron a line, stride 8): 0 and 2 share row 4, row 3 is silent
        let mut on = vec![false; 24];
        for (j, i) in [(0, 0), (1, 1), (2, 2), (0, 4), (2, 4)] {
            on[j * 8 + i] = true;
        }
        let mut groups = blocks(&on, 3, 5, 8);
        groups.sort();
        assert_eq!(groups, [vec![0, 2, 4], vec![1]]);

        // neurons of weight 2 and 3 on two rows each: pairs with products 1 give c^2 (length^2 +- 1)
        let x = Mat::from_fn(4, 6, |i, k| if k == i { 2.0 } else { f64::from(u8::from(k == 4 + i / 2)) });
        let p = Problem::new(x, vec![1.0; 4], vec![2.0, 3.0], false);
        let mu = settled_spectrum(&p, &Mat::from_rows(&[[1.0, 1.0, -1.0, -1.0], [-1.0, -1.0, 1.0, 1.0]])).unwrap();
        assert!((mu.0 - 16.0).abs() < 1e-13 && (mu.1 - 54.0).abs() < 1e-13, "{mu:?}");
    }

    #[test]
    fn orthogonal_rows_decay_at_their_squared_lengths() {
        let x = Mat::from_rows(&[[2.0, 0.0, 0.0, 0.0], [0.0, 3.0, 0.0, 0.0], [0.0, 0.0, 5.0, 0.0]]);
        let p = Problem::new(x, vec![1.0; 3], vec![0.5], false);
        let mu = settled_spectrum(&p, &Mat::from_rows(&[[1.0, 1.0, -1.0]])).unwrap();
        assert!((mu.0 - 1.0).abs() < 1e-14 && (mu.1 - 2.25).abs() < 1e-14, "{mu:?}");
        assert_eq!(settled_spectrum(&p, &Mat::from_rows(&[[-1.0, 0.0, -1.0]])), None);
        // more examples than inputs: the same numbers from the weights
        let tall = Mat::from_rows(&[[2.0, 0.0], [0.0, 3.0], [0.0, 0.0]]);
        let p = Problem::new(tall, vec![1.0; 3], vec![0.5], false);
        let mu = settled_spectrum(&p, &Mat::from_rows(&[[1.0, 1.0, 0.0]])).unwrap();
        assert!((mu.0 - 1.0).abs() < 1e-14 && (mu.1 - 2.25).abs() < 1e-14, "{mu:?}");
    }
}
