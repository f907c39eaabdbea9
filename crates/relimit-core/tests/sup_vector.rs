//! The supremum of |Q| for vector weights: a continuum in closed form, scans of the circle, agreement with one output.

mod common;

use common::Rng;
use relimit_core::certify::sup::{End, SupOptions, sup_abs, sup_vector};
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
