//! Laws from weighted points: their stated error against closed forms, and against slow quadrature above three inputs.

use std::f64::consts::TAU;
use std::sync::Arc;

use relimit_core::gibbs::{Law, Model, Solve, Stopped, groups, sample, solve, solve_sampled};
use relimit_core::num::Mat;
use relimit_core::num::mat::{dot, max_abs, norm2};

use crate::common::{Random, law, model};

fn sampled(model: &Model, seed: u64) -> Law {
    match solve_sampled(model, None, seed, &|| false) {
        Solve::Law(law) => *law,
        Solve::Stopped(why) => panic!("{why:?}"),
    }
}

/// n rows with a bias in `dim` coordinates, labels in (-2, 2), and a weight decay that some neurons survive.
fn random(r: &mut Random, n: usize, dim: usize, beta: f64) -> Model {
    let x = Mat::from_fn(n, dim, |_, j| if j + 1 == dim { 1.0 } else { r.wide() });
    let y: Vec<f64> = (0..n).map(|_| r.wide()).collect();
    model(x, &y, 0.02 + 0.1 * r.unit(), beta)
}

/// 95 of 100 under RELIMIT_SOAK; a fixed share of 20 problems otherwise.
#[test]
fn the_stated_error_covers_the_closed_form() {
    let cases = if std::env::var_os("RELIMIT_SOAK").is_some() { 100 } else { 20 };
    let mut r = Random(11);
    let (mut covered, mut worst, mut most) = (0, 0.0f64, 0);
    for case in 0..cases {
        let beta = 10f64.powf(1.0 + 2.0 * r.unit());
        let m = random(&mut r, 3 + case % 6, 3, beta);
        let (exact, found) = (law(&m), sampled(&m, case as u64));
        let off: Vec<f64> = exact.outputs.as_slice().iter().zip(found.outputs.as_slice()).map(|(a, b)| a - b).collect();
        let size = max_abs(m.y.as_slice());
        assert!(exact.error < 1e-8, "case {case}: the reference has error {:e}", exact.error);
        assert!(found.error < 1e-3 * size, "case {case}: beta {beta}, error {:e}", found.error);
        covered += usize::from(norm2(&off) <= found.error);
        worst = worst.max(norm2(&off) / size);
        most = most.max(found.points().expect("points"));
    }
    println!("{covered} of {cases} covered, worst {worst:.1e} of the largest label, {most} points at most");
    assert!(covered * 100 >= cases * 95, "{covered} of {cases}");
    assert!(worst < 2e-3, "{worst:e}");
}

/// Outputs at `r` of rows that see two coordinates of D: the sphere's first two coordinates have the density
/// `(1 - s^2)^(D/2 - 2) (D - 2) / (2 pi)` on the disc.
fn on_the_disc(rows: &Mat, dim: u8, lambda: f64, beta: f64, r: &[f64]) -> Vec<f64> {
    let (rings, spokes) = (400, 800);
    let (mut mass, mut first) = (0.0, vec![0.0; r.len()]);
    for a in 0..rings {
        // s^2 = 1 - t^2 keeps the integrand smooth at the rim
        let t = (f64::from(a) + 0.5) / f64::from(rings);
        let s = (1.0 - t * t).sqrt();
        for b in 0..spokes {
            let angle = (f64::from(b) + 0.5) * TAU / f64::from(spokes);
            let v = [s * angle.cos(), s * angle.sin()];
            let seen: Vec<f64> = (0..r.len()).map(|i| dot(rows.row(i), &v).max(0.0)).collect();
            let q = dot(r, &seen);
            let room = lambda * lambda - q * q;
            assert!(room > 0.0);
            // s ds = -t dt
            let weight = t.powi(i32::from(dim) - 3) * room.powf(-0.5 * f64::from(dim));
            mass += weight;
            for (f, phi) in first.iter_mut().zip(&seen) {
                *f += weight * f64::from(dim) * q * phi / room;
            }
        }
    }
    first.iter().map(|f| f / (beta * mass)).collect()
}

/// How far the outputs at the dual point r are from the law's, by one Newton step of the slow integrals.
fn slow_correction(rows: &Mat, dim: u8, m: &Model, r: &[f64]) -> [f64; 2] {
    let gradient = |r: &[f64]| -> Vec<f64> {
        let f = on_the_disc(rows, dim, m.lambda, m.beta, r);
        (0..2).map(|i| m.y[(i, 0)] - r[i] / m.omega - f[i]).collect()
    };
    let g = gradient(r);
    let h = 1e-7 * m.lambda;
    let d: Vec<Vec<f64>> = (0..2)
        .map(|j| {
            let mut there = r.to_vec();
            there[j] += h;
            gradient(&there).iter().zip(&g).map(|(a, b)| (b - a) / h).collect()
        })
        .collect();
    let det = (d[0][0] * d[1][1] - d[1][0] * d[0][1]) * m.omega;
    [(g[0] * d[1][1] - d[1][0] * g[1]) / det, (d[0][0] * g[1] - g[0] * d[0][1]) / det]
}

#[test]
fn two_rows_in_four_to_six_dimensions_agree_with_the_disc() {
    let mut noise = Random(3);
    for dim in 4..=6u8 {
        for beta in [3.0, 30.0] {
            // an orthonormal pair of columns: the answer does not depend on it
            let mut frame: Vec<Vec<f64>> = (0..2).map(|_| (0..dim).map(|_| noise.wide()).collect()).collect();
            for j in 0..2 {
                if j == 1 {
                    let along = dot(&frame[0], &frame[1]);
                    frame[1] = frame[1].iter().zip(&frame[0]).map(|(a, b)| a - along * b).collect();
                }
                let length = norm2(&frame[j]);
                frame[j].iter_mut().for_each(|a| *a /= length);
            }
            let rows = Mat::from_rows(&[[1.0, 0.3], [-0.4, 0.9]]);
            let x = Mat::from_fn(2, dim.into(), |i, k| rows[(i, 0)] * frame[0][k] + rows[(i, 1)] * frame[1][k]);
            let m = model(x, &[1.0, -0.7], 0.1, beta);
            let found = sampled(&m, 1);
            let off = slow_correction(&rows, dim, &m, found.dual.as_slice());
            println!(
                "D {dim} beta {beta}: {:.5?} off {:.1e}, error {:.1e}",
                found.outputs.as_slice(),
                norm2(&off),
                found.error
            );
            assert!(found.error < 1e-3, "{:e}", found.error);
            assert!(norm2(&off) < 1.3 * found.error, "D {dim} beta {beta}: {:e} of {:e}", norm2(&off), found.error);
        }
    }
}

#[test]
fn an_estimated_law_gives_what_an_exact_one_gives() {
    let m = random(&mut Random(21), 5, 4, 200.0);
    let first = solve(&m, None, &|| false);
    let Solve::Law(law) = first else { panic!("{first:?}") };
    assert!(law.points().is_some() && law.error < 2e-3);
    // f at the rows from the points is the dual's answer, and at other inputs it is continuous
    for i in 0..m.x.rows() {
        let out = law.output(m.x.row(i))[0];
        assert!((out - law.outputs[(i, 0)]).abs() < 1e-6, "row {i}: {out} and {}", law.outputs[(i, 0)]);
    }
    let pieces = law.pieces();
    assert!((pieces.iter().map(|p| p.mass).sum::<f64>() - 1.0).abs() < 1e-9);
    let found = groups(&pieces, 10f64.to_radians());
    assert!(!found.is_empty() && found.iter().map(|g| g.share).sum::<f64>() <= 1.0 + 1e-9);
    // draws: the mean of c relu(u.x) is the output, within five standard errors
    let draws = sample(&law, 40_000, 7);
    for i in 0..m.x.rows() {
        let each: Vec<f64> = draws.iter().map(|t| t.c[0] * dot(&t.u, m.x.row(i)).max(0.0)).collect();
        let mean = each.iter().sum::<f64>() / each.len() as f64;
        let spread = each.iter().map(|e| (e - mean).powi(2)).sum::<f64>().sqrt() / each.len() as f64;
        assert!((mean - law.outputs[(i, 0)]).abs() < 5.0 * spread + law.error, "row {i}: {mean}");
    }
    let again = solve(&m, None, &|| false);
    let Solve::Law(again) = again else { panic!("{again:?}") };
    assert_eq!(again.outputs, law.outputs, "equal seeds, equal bits");
    let wide = Model { x: Arc::new(Mat::from_fn(3, 7, |i, k| (i + k) as f64)), y: Mat::zeros(3, 1), ..m };
    assert!(matches!(solve(&wide, None, &|| false), Solve::Stopped(Stopped::Dimension)));
}
