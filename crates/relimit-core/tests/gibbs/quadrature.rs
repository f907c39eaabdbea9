//! Outputs and free energies against slow quadrature over the whole sphere, which knows no cell.

use relimit_core::gibbs::{Law, Model};
use relimit_core::num::Mat;

use crate::common::{Random, circle, law, model};

/// `log I` and `f` at the law's dual point from points and weights on the sphere, in the variables of the model.
fn by_points(law: &Law, points: &[(Vec<f64>, f64)]) -> (f64, Vec<f64>) {
    let m: &Model = &law.model;
    let (n, k, d) = (m.x.rows(), m.y.cols(), m.x.cols() as f64);
    let (mut mass, mut first) = (0.0, vec![0.0; n * k]);
    for (v, weight) in points {
        let phi: Vec<f64> = m.x.mul_vec(v).iter().map(|z| z.max(0.0)).collect();
        let q: Vec<f64> = (0..k).map(|a| (0..n).map(|i| law.dual[(i, a)] * phi[i]).sum()).collect();
        let room = m.lambda * m.lambda - q.iter().map(|q| q * q).sum::<f64>();
        assert!(room > 0.0, "the dual point leaves its domain");
        mass += weight * room.powf(-0.5 * d);
        for i in 0..n {
            for a in 0..k {
                first[i * k + a] += weight * d * q[a] * phi[i] * room.powf(-0.5 * d - 1.0);
            }
        }
    }
    (mass.ln(), first.iter().map(|g| g / (m.beta * mass)).collect())
}

/// Midpoints in height and longitude: equal areas.
fn sphere(rings: usize) -> Vec<(Vec<f64>, f64)> {
    let (dz, dt) = (2.0 / rings as f64, std::f64::consts::TAU / (2 * rings) as f64);
    let mut out = Vec::new();
    for i in 0..rings {
        let z = -1.0 + (i as f64 + 0.5) * dz;
        for j in 0..2 * rings {
            let (t, r) = ((j as f64 + 0.5) * dt, (1.0 - z * z).sqrt());
            out.push((vec![r * t.cos(), r * t.sin(), z], dz * dt));
        }
    }
    out
}

/// Checks stationarity `y - r/omega = f(r)` and the free energy with the slow integrals, whose error two resolutions tell.
fn check(law: &Law, coarse: &[(Vec<f64>, f64)], fine: &[(Vec<f64>, f64)]) {
    let m = &law.model;
    let (log_coarse, f_coarse) = by_points(law, coarse);
    let (log_mass, f) = by_points(law, fine);
    let apart = f.iter().zip(&f_coarse).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let tolerance = 1e-9 + 2.0 * apart;
    assert!(tolerance < 1e-3, "the reference is worth nothing: {tolerance}");
    for (j, f) in f.iter().enumerate() {
        let out = law.outputs.as_slice()[j];
        assert!((out - f).abs() <= tolerance, "output {j}: {out} for {f} +- {tolerance:e} ({} rows)", m.x.rows());
    }
    let (d, k) = (m.x.cols() as f64, m.y.cols() as f64);
    let half_gamma = [std::f64::consts::PI.sqrt(), 1.0, 0.5 * std::f64::consts::PI.sqrt()][m.x.cols() - 1];
    let log_z = 0.5 * k * (std::f64::consts::TAU / (m.beta * m.lambda)).ln()
        + (0.5 * half_gamma).ln()
        + 0.5 * d * (2.0 * m.lambda / m.beta).ln()
        + log_mass;
    let r = law.dual.as_slice();
    let inner: f64 = r.iter().zip(m.y.as_slice()).map(|(r, y)| r * y - 0.5 * r * r / m.omega).sum();
    let free = inner - log_z / m.beta;
    let tolerance = 1e-9 + 2.0 * (log_mass - log_coarse).abs() / m.beta;
    assert!((law.free_energy - free).abs() <= tolerance, "free energy {} for {free} +- {tolerance:e}", law.free_energy);
}

fn random(random: &mut Random, n: usize, d: usize, k: usize, lambda: f64, beta: f64) -> Model {
    let x = Mat::from_fn(n, d, |_, _| random.wide());
    let y = Mat::from_fn(n, k, |_, _| random.wide());
    Model { y, ..model(x, &vec![0.0; n], lambda, beta) }
}

#[test]
fn two_points_of_the_sphere_in_one_dimension() {
    let mut r = Random(1);
    for (n, k) in [(1, 1), (4, 1), (5, 2)] {
        for beta in [1.0, 100.0, 1e5] {
            let law = law(&random(&mut r, n, 1, k, 0.1, beta));
            let both = [(vec![1.0], 1.0), (vec![-1.0], 1.0)];
            check(&law, &both, &both);
        }
    }
}

#[test]
fn arcs_agree_with_the_whole_circle() {
    let mut r = Random(2);
    let (coarse, fine) = (circle(50_000), circle(150_000));
    for (n, k) in [(1, 1), (2, 1), (3, 2), (7, 1), (4, 3)] {
        for beta in [1.0, 30.0, 300.0] {
            let law = law(&random(&mut r, n, 2, k, 0.1, beta));
            assert!(law.error < 1e-9, "n {n}, k {k}, beta {beta}: error {:e}", law.error);
            check(&law, &coarse, &fine);
        }
    }
}

#[test]
fn triangles_agree_with_the_whole_sphere() {
    let mut r = Random(3);
    let (coarse, fine) = (sphere(150), sphere(750));
    for (n, k) in [(1, 1), (2, 1), (4, 1), (8, 1), (3, 2)] {
        for beta in [0.3, 3.0] {
            let law = law(&random(&mut r, n, 3, k, 0.3, beta));
            assert!(law.error < 1e-9, "n {n}, k {k}, beta {beta}: error {:e}", law.error);
            check(&law, &coarse, &fine);
        }
    }
}
