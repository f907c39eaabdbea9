//! Tests of the spectrum: against slow loops, reference values on real data, and known populations.

use super::*;
use crate::data::Dataset;
use crate::data::scale::{Scale, scale};
use crate::num::noise::{Purpose, Stream};

fn gaussian(n: usize, d: usize, seed: u64, sd: impl Fn(usize) -> f64) -> Mat {
    let s = Stream::new(seed, Purpose::Test);
    Mat::from_fn(n, d, |i, k| sd(k) * s.normal(i as u64, k as u64))
}

/// The definitions, by double loops over the n x n products.
fn slow(x: &Mat) -> (f64, f64, f64) {
    let n = x.rows();
    let g = |i: usize, l: usize| -> f64 { (0..x.cols()).map(|k| x[(i, k)] * x[(l, k)]).sum() };
    let (mut trace, mut all, mut off) = (0.0, 0.0, 0.0);
    for i in 0..n {
        trace += g(i, i);
        for l in 0..n {
            all += g(i, l) * g(i, l);
            off += if i == l { 0.0 } else { g(i, l) * g(i, l) };
        }
    }
    let nf = n as f64;
    (trace / nf, trace * trace / all, (trace / nf).powi(2) / (off / (nf * (nf - 1.0))))
}

/// Largest eigenvalue of X'X by power iteration.
fn top_eigenvalue(x: &Mat) -> f64 {
    let mut v = vec![1.0; x.cols()];
    let mut mu = 0.0;
    for _ in 0..20_000 {
        let u = x.tmul_vec(&x.mul_vec(&v));
        mu = u.iter().map(|a| a * a).sum::<f64>().sqrt();
        v = u.iter().map(|a| a / mu).collect();
    }
    mu
}

#[test]
fn agrees_with_the_definitions_wide_and_tall() {
    for (n, d) in [(7, 30), (30, 7), (9, 9), (2, 1), (5, 200)] {
        let x = gaussian(n, d, 3, |k| 1.0 / (1.0 + k as f64).sqrt());
        let s = spectrum(&x, None);
        let (tau, d2, population) = slow(&x);
        let close = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-11;
        assert!(close(s.tau, tau) && close(s.d2.unwrap(), d2), "{n}x{d}");
        assert!(close(s.d2_population.unwrap().value, population), "{n}x{d}");
        assert!(close(s.d_inf.unwrap(), tau * n as f64 / top_eigenvalue(&x)), "{n}x{d}");
        assert_eq!(s.rank, n.min(d));
        if n <= d {
            assert_eq!(spectrum(&x, Some(&gram_of(&x))), s);
        }
    }
}

/// Reference values of the glucose spectra (21 x 1047), raw and centred with a bias column, to the digits given.
#[test]
fn glucose_spectra() {
    let text = include_str!("../../../../examples/data/glucose_spectra.csv");
    let rows: Vec<Vec<f64>> =
        text.lines().skip(1).map(|l| l.split(',').skip(1).map(|v| v.trim().parse().unwrap()).collect()).collect();
    let x = Mat::from_rows(&rows);
    assert_eq!((x.rows(), x.cols()), (21, 1047));
    let check = |s: Spectrum, tau: f64, tau_digit: f64, d2: f64, d_inf: f64| {
        assert!((s.tau - tau).abs() < 0.5 * tau_digit, "tau {}", s.tau);
        assert!((s.d2.unwrap() - d2).abs() < 0.5e-4, "d2 {:?}", s.d2);
        assert!((s.d_inf.unwrap() - d_inf).abs() < 0.5e-4, "d_inf {:?}", s.d_inf);
    };
    check(spectrum(&x, None), 17629.73, 1e-2, 1.0453, 1.0225);

    let data = Dataset {
        y: vec![0.0; 21],
        features: (0..1047).map(|k| format!("x{k}")).collect(),
        target: "y".into(),
        rows: (1..=21).collect(),
        x: x.into(),
    };
    let centred = scale(&data, Scale::Centre, Scale::None).unwrap().dataset.x;
    let with_bias = Mat::from_fn(21, 1048, |i, k| if k < 1047 { centred[(i, k)] } else { 1.0 });
    check(spectrum(&with_bias, None), 748.557, 1e-3, 1.3376, 1.1620);
    // Centred rows add up to 0: one direction of the Gram matrix is lost.
    assert!(spectrum(&centred, None).rank <= 20);
}

/// The sample value is blind to the dimension; the population value is not.
#[test]
fn gaussian_population_is_seen_only_by_the_estimate() {
    let s = spectrum(&gaussian(20, 4000, 1, |_| 1.0), None);
    assert!((s.d2.unwrap() - 19.9).abs() < 0.05, "{:?}", s.d2);
    let e = s.d2_population.unwrap();
    assert!((2800.0..5700.0).contains(&e.value), "{e:?}");
    assert!(e.interval.unwrap().0 < 4000.0 && e.interval.unwrap().1 > 4000.0, "{e:?}");
}

/// Coverage of the 95 % interval over draws of a population with known d_2, isotropic and spiked.
#[test]
fn interval_covers_the_population() {
    for sd in [|_| 1.0, |k: usize| if k == 0 { 4.0 } else { 1.0 }] {
        let lambda: Vec<f64> = (0..300).map(|k| sd(k) * sd(k)).collect();
        let truth = dimensions(&lambda).unwrap().d2;
        let hits = (0..200)
            .filter(|&seed| {
                let (lo, hi) = spectrum(&gaussian(20, 300, seed, sd), None).d2_population.unwrap().interval.unwrap();
                lo < truth && truth < hi
            })
            .count();
        assert!((170..=200).contains(&hits), "d2 = {truth}: {hits} of 200");
    }
}

#[test]
fn exact_dimensions_of_known_spectra() {
    let d = dimensions(&vec![1.0; 4000]).unwrap();
    assert_eq!((d.tau, d.d2, d.d_inf), (4000.0, 4000.0, 4000.0));
    // One spike d among d - 1 ones: d_2 = (2d - 1)^2 / (d^2 + d - 1), d_inf = (2d - 1) / d.
    let n = 1000.0;
    let spike: Vec<f64> = (0..1000).map(|k| if k == 0 { n } else { 1.0 }).collect();
    let d = dimensions(&spike).unwrap();
    assert!((d.d2 - (2.0 * n - 1.0).powi(2) / (n * n + n - 1.0)).abs() < 1e-12);
    assert!((d.d_inf - (2.0 * n - 1.0) / n).abs() < 1e-12);
    // Quoted for lambda_i = i^-3/4, d = 20000: d_2 = 749, d_inf = 44.
    let power: Vec<f64> = (1..=20_000).map(|i| f64::from(i).powf(-0.75)).collect();
    let d = dimensions(&power).unwrap();
    assert!((d.d2 - 749.0).abs() < 0.5 && (d.d_inf - 44.0).abs() < 0.5, "{d:?}");
    assert_eq!(dimensions(&[0.0, 0.0]), None);
}

#[test]
fn edges_and_extreme_scales() {
    let zero = spectrum(&Mat::zeros(3, 5), None);
    assert_eq!((zero.tau, zero.d2, zero.d_inf, zero.rank), (0.0, None, None, 0));
    let one = spectrum(&Mat::from_rows(&[[3.0, 4.0]]), None);
    assert_eq!((one.tau, one.d2, one.rank), (25.0, Some(1.0), 1));
    // the largest eigenvalue is accurate to a few rounding errors
    assert!((one.d_inf.unwrap() - 1.0).abs() <= 4.0 * f64::EPSILON);
    assert_eq!(one.d2_population, None);
    let orthogonal = spectrum(&Mat::from_fn(5, 8, |i, k| if i == k { 2.0 } else { 0.0 }), None);
    assert_eq!(orthogonal.d2_population, Some(Estimate { value: f64::INFINITY, interval: None }));
    assert_eq!(spectrum(&Mat::from_fn(6, 3, |i, k| (i * (k + 1)) as f64), None).rank, 1);

    let x = gaussian(6, 40, 9, |_| 1.0);
    let base = spectrum(&x, None);
    for e in [-1000, -400, 100, 101, 1000] {
        let scaled = Mat::from_fn(6, 40, |i, k| libm::ldexp(x[(i, k)], e));
        let s = spectrum(&scaled, None);
        // A power of two changes no bit as long as nothing leaves the range.
        assert_eq!(
            (s.d2, s.d_inf, s.d2_population, s.rank),
            (base.d2, base.d_inf, base.d2_population, base.rank),
            "{e}"
        );
        assert_eq!(s.tau, libm::ldexp(base.tau, 2 * e));
    }
}
