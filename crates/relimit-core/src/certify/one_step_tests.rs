//! Tests of the one-step certificate: known values, and what it proves against plain descent.

use super::*;
use crate::num::linalg::Cholesky;
use crate::num::noise::{Purpose, Stream};
use crate::zoo::{certified_correlation, golden_one, golden_two, two_rows};

fn initial(z: Mat, dim: usize) -> Initial {
    Initial { alpha: Mat::zeros(z.rows(), z.cols()), offset: Mat::zeros(z.rows(), dim), z }
}

/// Masks equal the sign pattern at steps 1..=steps, and own residuals contract by q, in a plain loop over preactivations.
fn run_and_check(p: &Problem, start: &Mat, eta: f64, cert: &OneStep, steps: usize) {
    let (g, q) = (p.gram().unwrap(), cert.contraction.unwrap());
    let mut z = start.clone();
    let mut r = p.residual(&z);
    let mut bound = cert.radius.unwrap();
    for step in 1..=steps {
        for j in 0..p.m() {
            let pushed: Vec<f64> =
                (0..p.n()).map(|i| if z[(j, i)] > 0.0 { eta * p.c()[j] * r[i] } else { 0.0 }).collect();
            for (v, d) in z.row_mut(j).iter_mut().zip(g.mul_vec(&pushed)) {
                *v += d;
            }
        }
        r = p.residual(&z);
        bound *= q;
        for i in 0..p.n() {
            for j in 0..p.m() {
                let own = p.c()[j] * p.y()[i] > 0.0;
                assert_eq!(z[(j, i)] > 0.0, own, "step {step} neuron {j} example {i}: {}", z[(j, i)]);
                if own {
                    assert!(r[i].abs() <= bound * (1.0 + 1e-12) + 1e-13, "step {step}: {} above {bound}", r[i].abs());
                }
            }
        }
    }
}

#[test]
fn golden_example_has_its_textbook_left_side() {
    for g in [golden_one(), golden_two()] {
        let (p, eta) = (g.case.problem(), g.case.step.unwrap());
        let cert = one_step(&p, &initial(g.case.start.clone(), 4), eta, None);
        assert_eq!(cert.obstacle, None);
        assert_eq!((cert.tau, cert.right), (17.0, 1.0));
        let close = |a: f64, b: f64| a >= b && a - b < 1e-13;
        assert!(close(cert.rho.unwrap(), 2.0 / 17.0), "{cert:?}");
        assert!((cert.left.unwrap() - g.certificate_left).abs() < 1e-12, "{cert:?}");
        assert!(close(cert.contraction.unwrap(), 1.0 - (15.0 / 17.0) / 2.0), "{cert:?}");
        assert!(cert.holds);
        run_and_check(&p, &g.case.start, eta, &cert, 60);
        // ln(R/delta)/-ln q + 1
        let q: f64 = 1.0 - (15.0 / 17.0) / 2.0;
        let steps = 1.0 + (cert.radius.unwrap() / 1e-6).ln() / -q.ln();
        assert_eq!(cert.steps_to(1e-6), Some(steps.ceil()));
    }
    // For m = 1 the sum printed in the derivation is .546.
    assert!((golden_one().certificate_left - 0.546).abs() < 1e-12);
}

#[test]
fn two_rows_are_certified_below_one_over_one_plus_c() {
    for c in [1.5, 2.0, 4.0] {
        for (side, expected) in [(-1e-6, true), (1e-6, false)] {
            let t = two_rows(certified_correlation(c) + side, c, 1e-9);
            let cert = one_step(&t.case.problem(), &initial(t.case.start.clone(), 2), t.case.step.unwrap(), Some(1.0));
            assert_eq!(cert.holds, expected, "{cert:?}");
            assert_eq!(cert.obstacle, None);
        }
    }
}

/// 300 random instances with one neuron, two, and scaled weights: whenever it holds, the run does what it says.
#[test]
fn whatever_is_certified_happens() {
    let s = Stream::new(20, Purpose::Test);
    let (mut held, mut lost) = (0, 0);
    for trial in 0..300u64 {
        let u = |k: u64| s.uniform(trial, 1_000_000 + k);
        let n = 2 + s.below(5, trial, 2_000_000);
        let dim = n + (400.0 * u(1).powi(2)) as usize;
        let m = 1 + (trial % 2) as usize;
        let weight = if trial % 3 == 0 { 1.0 } else { 0.5 + 2.0 * u(2) };
        let c = if m == 2 { vec![weight, -weight] } else { vec![if trial % 4 == 0 { weight } else { -weight }] };
        let correlation = u(3) * u(3);
        let x = Mat::from_fn(n, dim, |i, k| {
            let base = if i == k { (dim as f64).sqrt() } else { 0.0 };
            (1.0 - correlation) * base + correlation * s.normal(trial, (i * dim + k) as u64)
        });
        let y: Vec<f64> = (0..n as u64).map(|i| s.sign(trial, 3_000_000 + i) * (0.5 + u(10 + i))).collect();
        let p = Problem::new(x, y, c, false);
        let tau = (0..n).map(|i| p.gram().unwrap()[(i, i)]).sum::<f64>() / n as f64;
        let eta = 1.0 / ((1.05 + 3.0 * u(4)) * tau * weight * weight);
        let z = Mat::from_fn(m, n, |j, i| 0.1 * u(5) * s.uniform(trial, 4_000_000 + (j * n + i) as u64));
        let cert = one_step(&p, &initial(z.clone(), dim), eta, None);
        if cert.holds {
            held += 1;
            run_and_check(&p, &z, eta, &cert, 80);
        } else {
            lost += 1;
        }
    }
    assert!(held > 60 && lost > 60, "{held} held, {lost} not: the instances do not test both sides");
}

/// Exactly orthogonal rows of exact length: rho is only the rounding bound, and a start shifts the left side exactly.
#[test]
fn orthogonal_rows() {
    let p =
        Problem::new(Mat::from_fn(3, 5, |i, k| if i == k { 2.0 } else { 0.0 }), vec![1.0, -1.0, 2.0], vec![1.0], false);
    let cert = one_step(&p, &initial(Mat::from_fn(1, 3, |_, _| 0.25), 5), 0.125, None);
    assert!(cert.rho.unwrap() < 1e-14);
    assert!((cert.left.unwrap() - 0.25).abs() < 1e-13 && cert.holds);
    // (C - 1) eps = 1 = y_min: not a strict inequality.
    let cert = one_step(&p, &initial(Mat::from_fn(1, 3, |_, _| 1.0), 5), 0.125, None);
    assert!(!cert.holds && cert.obstacle.is_none());
}

#[test]
fn each_obstacle_is_named() {
    let g = golden_one();
    let start = |m: usize, v: f64| initial(Mat::from_fn(m, 3, |_, _| v), 4);
    let p = g.case.problem();
    let three = p.with_weights(vec![1.0, -1.0, 1.0]);
    let cert = one_step(&three, &start(3, 0.01), 1.0 / 34.0, None);
    assert_eq!(cert.obstacle, Some(Obstacle::Neurons { neurons: 3 }));
    assert!(cert.rho.is_some() && cert.left.is_none() && !cert.holds && cert.steps_to(0.1).is_none());
    for c in [vec![1.0, 1.0], vec![1.0, -2.0]] {
        let cert = one_step(&p.with_weights(c), &start(2, 0.01), 1.0 / 34.0, None);
        assert_eq!(cert.obstacle, Some(Obstacle::Neurons { neurons: 2 }));
    }
    let mut s = start(1, 0.01);
    s.z[(0, 1)] = -0.5;
    assert_eq!(one_step(&p, &s, 1.0 / 34.0, None).obstacle, Some(Obstacle::Start { neuron: 0, example: 1, z: -0.5 }));
    assert!(matches!(one_step(&p, &start(1, 0.01), 1.0 / 17.0, None).obstacle, Some(Obstacle::StepConstant { .. })));
    assert!(matches!(
        one_step(&p, &start(1, 0.01), 1.0 / 34.0, Some(8.0)).obstacle,
        Some(Obstacle::Correlation { .. })
    ));
    let two = p.with_weights(vec![1.0, -1.0]);
    let cert = one_step(&two, &start(2, 0.5), 1.0 / (1.01 * 17.0), None);
    assert!(matches!(cert.obstacle, Some(Obstacle::StartForStep { .. })), "{cert:?}");
    let tall = Problem::new(Mat::from_rows(&[[1.0], [2.0]]), vec![1.0, -1.0], vec![1.0], false);
    let cert = one_step(&tall, &initial(Mat::from_fn(1, 2, |_, _| 0.1), 1), 0.1, None);
    assert_eq!(cert.obstacle, Some(Obstacle::MoreExamplesThanInputs { n: 2, dim: 1 }));
    assert_eq!((cert.tau, cert.right), (2.5, 1.0));
    for size in [0.0, 1e300, 1e-300] {
        let x = Mat::from_fn(2, 3, |i, k| if i == k { size } else { 0.0 });
        let wild = Problem::new(x, vec![1.0, -1.0], vec![1.0], false);
        let cert = one_step(&wild, &initial(Mat::from_fn(1, 2, |_, _| 0.1), 3), 0.1, None);
        assert!(!cert.holds && cert.obstacle == Some(Obstacle::NoScale), "{cert:?}");
    }
}

/// The rounding bound is large enough: rho from the f64 Gram matrix bounds rho from products in double-double.
#[test]
fn rho_bounds_the_exact_value() {
    let s = Stream::new(4, Purpose::Test);
    let (n, dim) = (6, 900);
    let x = Mat::from_fn(n, dim, |i, k| {
        s.normal(i as u64, k as u64) * 10f64.powf(4.0 * s.uniform(50 + i as u64, k as u64))
    });
    // Sum of products with two-product and two-sum error terms: about 106 bits.
    let exact = |a: &[f64], b: &[f64]| -> (f64, f64) {
        let (mut hi, mut lo) = (0.0f64, 0.0f64);
        for (u, v) in a.iter().zip(b) {
            let product = u * v;
            let sum = hi + product;
            let back = sum - hi;
            lo += u.mul_add(*v, -product) + ((hi - (sum - back)) + (product - back));
            hi = sum;
        }
        (hi, lo)
    };
    let p = Problem::new(x.clone(), vec![1.0; n], vec![1.0], false);
    let tau = exact(x.row(0), x.row(0)).0;
    let cert = one_step(&p, &initial(Mat::from_fn(1, n, |_, _| 0.1), dim), 1e-12, Some(tau));
    let rho = (0..n)
        .map(|i| {
            let terms = (0..n).map(|l| {
                let (hi, lo) = exact(x.row(i), x.row(l));
                (if i == l { (hi - tau) + lo } else { hi + lo }).abs()
            });
            terms.sum::<f64>() / tau
        })
        .fold(0.0, f64::max);
    assert!(cert.rho.unwrap() >= rho && cert.rho.unwrap() < rho * (1.0 + 1e-9), "{} {rho}", cert.rho.unwrap());
    assert!(Cholesky::new(p.gram().unwrap()).is_some());
}
