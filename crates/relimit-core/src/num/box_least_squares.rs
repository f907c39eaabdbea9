//! Least squares with every variable between 0 and a bound: single pivots of an active set, columns factored orthogonally.

use super::mat::{axpy, dot, norm2};
use super::row_basis::RowBasis;

/// Gradients below this share of `|column| |g|` do not move a variable off its bound.
const TOLERANCE: f64 = 1e-13;

/// Where a variable stands.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Lower,
    Upper,
    Free,
}

/// The shortest vector `g + sum_i theta_i a_i`, theta_i in [0, 1]; see [`shares_in_box`].
pub fn shortest_in_box(g: &[f64], columns: &[Vec<f64>]) -> Vec<f64> {
    sum(g, columns, &shares_in_box(g, columns, &vec![1.0; columns.len()]))
}

/// The theta_i in [0, upper_i] of the shortest vector `g + sum_i theta_i a_i`, for columns `a_i` of the length of `g`.
///
/// Upper bounds may be infinite. Theta is feasible, whatever ended the search; the vector is the shortest to rounding
/// unless `50 (k + 1)` pivots were too few for k columns.
///
/// # Cost
/// O(k D) a pivot and O(q^2 D) for q free columns, q at most D.
///
/// # Source
/// Stark and Parker, Bounded-variable least squares, Computational Statistics 10 (1995).
pub fn shares_in_box(g: &[f64], columns: &[Vec<f64>], upper: &[f64]) -> Vec<f64> {
    let dim = g.len();
    for (i, a) in columns.iter().enumerate() {
        assert_eq!(a.len(), dim, "column {i} has {} entries, the vector {dim}", a.len());
    }
    assert_eq!(upper.len(), columns.len(), "{} upper bounds for {} columns", upper.len(), columns.len());
    let size: Vec<f64> = columns.iter().map(|a| norm2(a)).collect();
    // Unbounded columns shorten the vector, so that it never exceeds this.
    let bounded = size.iter().zip(upper).filter(|(_, u)| u.is_finite());
    let scale = norm2(g) + bounded.map(|(s, u)| s * u).sum::<f64>();
    let mut place = vec![Place::Lower; columns.len()];
    let mut theta = vec![0.0; columns.len()];
    let mut free: Vec<usize> = vec![];
    for _ in 0..50 * (columns.len() + 1) {
        let v = sum(g, columns, &theta);
        let pull = |i: usize| -dot(&columns[i], &v);
        let gain = |i: usize| match place[i] {
            Place::Lower => pull(i) / size[i],
            Place::Upper => -pull(i) / size[i],
            Place::Free => 0.0,
        };
        let open = (0..columns.len()).filter(|&i| size[i] > 0.0 && upper[i] > 0.0 && gain(i) > TOLERANCE * scale);
        let Some(enter) = open.max_by(|a, b| gain(*a).total_cmp(&gain(*b))) else { break };
        place[enter] = Place::Free;
        free.push(enter);
        while !free.is_empty() && !step(g, columns, upper, &mut theta, &mut free, &mut place) {}
    }
    theta
}

fn sum(g: &[f64], columns: &[Vec<f64>], theta: &[f64]) -> Vec<f64> {
    let mut v = g.to_vec();
    for (a, t) in columns.iter().zip(theta).filter(|(_, t)| **t != 0.0) {
        axpy(*t, a, &mut v);
    }
    v
}

/// Moves towards the least-squares solution over the free variables; true once it was reached inside the box.
fn step(
    g: &[f64],
    columns: &[Vec<f64>],
    upper: &[f64],
    theta: &mut [f64],
    free: &mut Vec<usize>,
    place: &mut [Place],
) -> bool {
    let mut basis = RowBasis::new(g.len());
    let mut kept: Vec<usize> = vec![];
    for &i in free.iter() {
        if basis.push(&columns[i]) {
            kept.push(i);
        }
    }
    let mut direction = vec![0.0; theta.len()];
    if kept.len() < free.len() {
        // the last column depends on the others: along the dependence the vector stays, until a variable meets a bound
        let last = free[free.len() - 1];
        let (coef, _) = basis.project(&columns[last]);
        direction[last] = 1.0;
        for (i, v) in kept.iter().zip(basis.solve_r(&coef)) {
            direction[*i] = -v;
        }
        // either way along it is free of cost; upwards from the lower bound, downwards from the upper one
        if theta[last] >= upper[last] {
            for v in &mut direction {
                *v = -*v;
            }
        }
    } else {
        let mut rest = g.to_vec();
        for i in (0..theta.len()).filter(|i| place[*i] == Place::Upper) {
            axpy(theta[i], &columns[i], &mut rest);
        }
        let (coef, _) = basis.project(&rest);
        for (i, v) in kept.iter().zip(basis.solve_r(&coef)) {
            direction[*i] = -v - theta[*i];
        }
    }
    let room = |i: usize| match direction[i] {
        v if v > 0.0 => (upper[i] - theta[i]) / v,
        v if v < 0.0 => -theta[i] / v,
        _ => f64::INFINITY,
    };
    let nearest = free.iter().copied().map(|i| (room(i), i)).min_by(|a, b| a.0.total_cmp(&b.0));
    let Some((length, blocking)) = nearest else { return true };
    if length == f64::INFINITY && kept.len() < free.len() {
        // nothing is gained along a dependence without an end
        let last = free[free.len() - 1];
        place[last] = if theta[last] > 0.0 { Place::Upper } else { Place::Lower };
        free.pop();
        return false;
    }
    if kept.len() == free.len() && length >= 1.0 {
        for &i in free.iter() {
            theta[i] += direction[i];
        }
        return true;
    }
    for &i in free.iter() {
        theta[i] = (theta[i] + length * direction[i]).clamp(0.0, upper[i]);
    }
    place[blocking] = if direction[blocking] > 0.0 { Place::Upper } else { Place::Lower };
    theta[blocking] = if direction[blocking] > 0.0 { upper[blocking] } else { 0.0 };
    free.retain(|i| *i != blocking);
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::test_random::Random;

    /// The shortest vector on a grid of theta, refined round the best point: slow and independent.
    fn by_grid(g: &[f64], columns: &[Vec<f64>]) -> f64 {
        let k = columns.len();
        let (mut centre, mut width, mut best) = (vec![0.5; k], 0.5, f64::INFINITY);
        for _ in 0..60 {
            let mut found = centre.clone();
            for code in 0..5usize.pow(k as u32) {
                let theta: Vec<f64> = (0..k)
                    .map(|i| {
                        let place = code / 5usize.pow(i as u32) % 5;
                        (centre[i] + width * (place as f64 - 2.0) / 2.0).clamp(0.0, 1.0)
                    })
                    .collect();
                let value = norm2(&sum(g, columns, &theta));
                if value < best {
                    (best, found) = (value, theta);
                }
            }
            centre = found;
            width *= 0.75;
        }
        best
    }

    #[test]
    fn the_vector_is_as_short_as_a_refined_grid_finds() {
        let mut random = Random(5);
        for trial in 0..40 {
            let (dim, k) = (1 + trial % 3, 1 + trial % 4);
            let g: Vec<f64> = (0..dim).map(|_| 2.0 * random.unit() - 1.0).collect();
            let columns: Vec<Vec<f64>> =
                (0..k).map(|_| (0..dim).map(|_| 2.0 * random.unit() - 1.0).collect()).collect();
            let (got, slow) = (norm2(&shortest_in_box(&g, &columns)), by_grid(&g, &columns));
            assert!((got - slow).abs() < 1e-6 && got < slow + 1e-12, "trial {trial}: {got} {slow}");
        }
    }

    #[test]
    fn equal_columns_share_the_load() {
        // 3.5 - (theta_1 + ... + theta_4) reaches 0 with the four columns together alone
        let got = shortest_in_box(&[3.5], &vec![vec![-1.0]; 4]);
        assert!(got[0].abs() < 1e-12, "{got:?}");
        assert_eq!(shortest_in_box(&[3.5, 1.0], &vec![vec![-1.0, 0.0]; 2]), [1.5, 1.0]);
        assert_eq!(shortest_in_box(&[2.0], &[vec![0.0], vec![1.0]]), [2.0], "nothing helps");
        assert_eq!(shortest_in_box(&[2.0], &[]), [2.0]);
    }
    #[test]
    fn bounds_of_their_own_may_be_infinite() {
        let columns = [vec![1.0, 0.0], vec![0.0, 1.0], vec![0.0, -2.0]];
        let free = f64::INFINITY;
        assert_eq!(shares_in_box(&[-3.0, 2.0], &columns, &[free; 3]), [3.0, 0.0, 1.0]);
        assert_eq!(shares_in_box(&[-3.0, 2.0], &columns, &[2.0, free, 0.25]), [2.0, 0.0, 0.25]);
        assert_eq!(shares_in_box(&[-3.0, 2.0], &columns, &[0.0; 3]), [0.0; 3]);
        // opposite columns: any multiple of both leaves the vector as it is
        let opposite = [vec![1.0, 1.0], vec![-1.0, -1.0], vec![1.0, 0.0]];
        let got = sum(&[-2.0, -1.0], &opposite, &shares_in_box(&[-2.0, -1.0], &opposite, &[free; 3]));
        assert!(norm2(&got) < 1e-15, "{got:?}");
    }
}
