//! Several outputs: whether two directions of contact are joined by an arc of contact.

use crate::num::Mat;
use crate::num::mat::{dot, norm2};

/// Whether the maximum of `|Q(u)|`, `Q(u) = sum_i r_i relu(x_i . u)` in R^k, is taken along the whole arc between two unit
/// directions in one closed cell.
///
/// ```text
/// |Q|^2 is a quadratic form on the arc, a + b cos(2 theta + phi): three equal maxima make b = 0
/// ```
///
/// `x` is n x D, `dual` n x k, `lambda` the maximum, `tolerance` its relative rounding. False when the directions lie in
/// no common closed cell, are parallel, or |Q| falls below `lambda (1 - tolerance)` at either end or half way between
/// them. Directions closer than the square root of 16 times the tolerance are not told apart. O(n (D + k)).
pub fn arc_of_contact(x: &Mat, dual: &Mat, lambda: f64, u: &[f64], v: &[f64], tolerance: f64) -> bool {
    let (n, dim) = (x.rows(), x.cols());
    assert_eq!(dual.rows(), n, "dual with {} rows for {n}", dual.rows());
    assert_eq!((u.len(), v.len()), (dim, dim), "directions of {} and {} inputs for {dim}", u.len(), v.len());
    let middle: Vec<f64> = u.iter().zip(v).map(|(a, b)| a + b).collect();
    let length = norm2(&middle);
    let apart = norm2(&u.iter().zip(v).map(|(a, b)| a - b).collect::<Vec<_>>());
    // Half way between isolated maxima |Q| falls by about apart^2/8 of itself.
    if length == 0.0 || apart * apart <= 16.0 * tolerance {
        return false;
    }
    let middle: Vec<f64> = middle.iter().map(|a| a / length).collect();
    let crosses = (0..n).any(|i| {
        let (a, b) = (dot(x.row(i), u), dot(x.row(i), v));
        let room = tolerance * norm2(x.row(i));
        (a > room && b < -room) || (a < -room && b > room)
    });
    let size = |u: &[f64]| {
        let mut q = vec![0.0; dual.cols()];
        for i in 0..n {
            let z = dot(x.row(i), u);
            if z > 0.0 {
                q.iter_mut().zip(dual.row(i)).for_each(|(q, r)| *q += z * r);
            }
        }
        norm2(&q)
    };
    !crosses && [u, v, &middle].iter().all(|p| size(p) >= lambda * (1.0 - tolerance))
}
