//! The supremum of |Q| for vector weights: a continuum in closed form, scans of the circle, agreement with one output.

mod common;

use common::Rng;
use relimit_core::certify::sup::{End, SupOptions, sup_abs, sup_vector, sup_vector_free_bias};
use relimit_core::num::Mat;

/// `|sum_i relu(x_i . u) r_i|`.
fn value(x: &Mat, r: &Mat, u: &[f64]) -> f64 {
    let mut sum = vec![0.0; r.cols()];
    for i in 0..x.rows() {
        let z: f64 = x.row(i).iter().zip(u).map(|(a, b)| a * b).sum();
        for (s, w) in sum.iter_mut().zip(r.row(i)) {
            *s += z.max(0.0) * w;
        }
    }
    sum.iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// x = +-1/2 with a bias, r = (lambda/2)(+-2, 1): |Q| = lambda |u| on a whole arc, where both rows are active.
///
/// Source: math note on noisy SGD, section 5.
#[test]
fn a_continuum_of_contacts_is_bounded() {
    let lambda = 0.1;
    let x = Mat::from_rows(&[[0.5, 1.0], [-0.5, 1.0]]);
    let r = Mat::from_rows(&[[lambda, 0.5 * lambda], [-lambda, 0.5 * lambda]]);
    let found = sup_vector(&x, &r, &SupOptions::to_accuracy(1e-4));
    assert_eq!(found.end, End::Proved);
    assert!(found.upper >= lambda && found.upper <= lambda * (1.0 + 1.01e-4), "{found:?}");
    assert!(found.lower <= lambda && found.lower >= lambda * (1.0 - 1e-12), "{found:?}");
    assert!(found.searches < 2000, "{} searches", found.searches);
}

#[test]
fn no_direction_of_the_circle_lies_above() {
    let mut rng = Rng(17);
    for k in [2, 3] {
        for case in 0..6 {
            let n = 3 + rng.below(8);
            let x = Mat::from_fn(n, 2, |_, c| if c == 0 { rng.normal() } else { 1.0 });
            let r = rng.normals(n, k);
            let found = sup_vector(&x, &r, &SupOptions::to_accuracy(1e-5));
            assert_eq!(found.end, End::Proved, "k={k} case {case}");
            let best = (0..100_000)
                .map(|t| (f64::from(t) * std::f64::consts::TAU / 1e5).sin_cos())
                .map(|(s, c)| value(&x, &r, &[c, s]))
                .fold(0.0, f64::max);
            let what = format!("k={k} case {case}: scan {best}, {found:?}");
            assert!(best <= found.upper && best >= found.upper * (1.0 - 1e-4), "{what}");
            assert!((value(&x, &r, &found.argmax) / found.lower - 1.0).abs() < 1e-11, "{what}");
        }
    }
}

#[test]
fn one_output_is_the_scalar_supremum() {
    let mut rng = Rng(2);
    for _ in 0..5 {
        let (x, r) = (rng.normals(12, 3), rng.normals(12, 1));
        let scalar = sup_abs(&x, r.as_slice(), &SupOptions::to_accuracy(1e-10));
        let vector = sup_vector(&x, &r, &SupOptions::to_accuracy(1e-9));
        assert_eq!(vector.end, End::Proved);
        assert!((vector.upper / scalar.upper - 1.0).abs() < 2e-9 && vector.lower <= scalar.upper, "{vector:?}");
    }
}

/// A limited search is an honest interval.
#[test]
fn less_work_gives_a_wider_interval() {
    let mut rng = Rng(9);
    let (x, r) = (rng.normals(30, 4), rng.normals(30, 3));
    let part = sup_vector(&x, &r, &SupOptions { max_nodes: 200, ..SupOptions::to_accuracy(1e-6) });
    let more = sup_vector(&x, &r, &SupOptions { max_nodes: 3000, ..SupOptions::to_accuracy(1e-6) });
    assert!(part.upper >= more.upper && more.upper >= more.lower && more.lower > 0.0, "{part:?} {more:?}");
    assert!(more.upper < 1.2 * more.lower, "{more:?}");
}

/// Columns that sum to exactly 0: sixteenths.
fn balanced(rng: &mut Rng, n: usize, k: usize) -> Mat {
    let mut r = Mat::from_fn(n, k, |_, _| (rng.normal() * 16.0).round() / 16.0);
    for l in 0..k {
        let sum: f64 = (0..n).map(|i| r[(i, l)]).sum();
        r[(0, l)] -= sum;
    }
    r
}

/// A free bias, one input: |Q| is largest at a kink, on one of both sides.
#[test]
fn a_free_bias_on_a_line_is_attained_at_a_kink() {
    let mut rng = Rng(5);
    for case in 0..40 {
        let (n, k) = (2 + rng.below(12), 1 + rng.below(3));
        let (x, mut r) = (rng.normals(n, 1), balanced(&mut rng, n, k));
        let ones = Mat::from_fn(n, 2, |i, c| if c == 0 { x[(i, 0)] } else { 1.0 });
        let kinks = (0..n).flat_map(|i| [[1.0, -x[(i, 0)]], [-1.0, x[(i, 0)]]]);
        let best = kinks.map(|u| value(&ones, &r, &u)).fold(0.0, f64::max);
        let found = sup_vector_free_bias(&x, &r, &SupOptions::to_accuracy(1e-9));
        assert!(
            found.end == End::Proved && best <= found.upper && found.lower <= best,
            "case {case}: {best} {found:?}"
        );
        assert!(found.upper - found.lower <= 1e-12 * (1.0 + best), "case {case}: {best} {found:?}");
        assert!((value(&ones, &r, &found.argmax) - best).abs() <= 1e-12 * (1.0 + best), "case {case}");
        r[(0, 0)] += 0.125;
        assert_eq!(sup_vector_free_bias(&x, &r, &SupOptions::to_accuracy(1e-9)).upper, f64::INFINITY);
    }
}

/// A free bias, two inputs: many directions w, all kinks b.
#[test]
fn a_free_bias_in_the_plane_is_not_beaten_by_scanning() {
    let mut rng = Rng(31);
    for case in 0..2 {
        let n = 5 + rng.below(3);
        let (x, r) = (rng.normals(n, 2), balanced(&mut rng, n, 2));
        let ones = Mat::from_fn(n, 3, |i, c| if c < 2 { x[(i, c)] } else { 1.0 });
        let found = sup_vector_free_bias(&x, &r, &SupOptions::to_accuracy(1e-3));
        let mut best = 0.0f64;
        for t in 0..3000 {
            let (s, c) = (f64::from(t) * std::f64::consts::TAU / 3000.0).sin_cos();
            for i in 0..n {
                best = best.max(value(&ones, &r, &[c, s, -c * x[(i, 0)] - s * x[(i, 1)]]));
            }
        }
        let what = format!("case {case}: scan {best}, {found:?}");
        assert!(found.end == End::Proved && best <= found.upper && best >= 0.995 * found.upper, "{what}");
        let (length, at) = (found.argmax[0].hypot(found.argmax[1]), value(&ones, &r, &found.argmax));
        assert!((length - 1.0).abs() < 1e-12 && found.lower <= at && at <= found.upper, "{what}");
    }
}

/// Twelve outputs, all along one vector a: |Q| = |a| |q|; the cones of a simplex bound it, and no orthant is needed.
#[test]
fn many_outputs_start_from_a_simplex() {
    let mut rng = Rng(12);
    let (x, q) = (rng.normals(9, 3), rng.normals(9, 1));
    let a: Vec<f64> = (0..12).map(|_| rng.normal()).collect();
    let r = Mat::from_fn(9, 12, |i, l| q[(i, 0)] * a[l]);
    let exact =
        sup_abs(&x, q.as_slice(), &SupOptions::to_accuracy(1e-10)).upper * a.iter().map(|v| v * v).sum::<f64>().sqrt();
    let found = sup_vector(&x, &r, &SupOptions { max_nodes: 300, ..SupOptions::to_accuracy(1e-6) });
    assert!(found.searches > 12 && found.upper.is_finite(), "{found:?}");
    assert!(found.lower <= exact * (1.0 + 1e-12) && found.upper >= exact * (1.0 - 1e-9), "{exact} {found:?}");
    assert!(found.lower >= exact * (1.0 - 1e-6), "{exact} {found:?}");
}
