//! Reference values of the mathematical notes (tanh-sinh quadrature for D = 2, adaptive triangles for D = 3, Python).

use relimit_core::zoo::golden_optima;

use crate::common::{circle, law, line, model};

fn close(a: f64, b: f64, tolerance: f64, what: &str) {
    assert!((a - b).abs() <= tolerance, "{what}: {a} for {b}");
}

#[test]
fn outputs_on_three_points() {
    let expected = [
        (10.0, [0.87212, -0.19399, 0.67516]),
        (100.0, [0.85195, -0.09544, 0.65244]),
        (1000.0, [0.85012, -0.06040, 0.65016]),
    ];
    for (beta, f) in expected {
        let law = law(&line(&[-1.0, 0.0, 1.0], &[1.0, -0.5, 0.8], 0.05, beta));
        for i in 0..3 {
            close(law.outputs[(i, 0)], f[i], 5.1e-6, &format!("beta {beta}, row {i}"));
        }
        assert!(law.error < 1e-9, "beta {beta}: error {:e} after {} steps", law.error, law.steps);
    }
}

#[test]
fn free_energies_and_objectives_of_g2_and_g2b() {
    let betas = [1e2, 1e3, 1e4, 1e5, 1e6];
    let free = [
        ("G2", [0.32490385, 0.34047647, 0.33927267, 0.33886714, 0.33879746]),
        ("G2b", [0.05196075, 0.08848978, 0.08985171, 0.08978883, 0.08976296]),
    ];
    let objective = [
        [0.35193430, 0.34014608, 0.33892563, 0.33880025, 0.33878751],
        [0.10151309, 0.09076401, 0.08985137, 0.08976722, 0.08975857],
    ];
    for (k, (name, free)) in free.iter().enumerate() {
        let golden = golden_optima().into_iter().find(|o| o.name == *name).unwrap();
        let mut x = golden.x.clone();
        if x.cols() == 1 {
            x.push_column(1.0);
        }
        for (b, beta) in betas.iter().enumerate() {
            let law = law(&model(x.clone(), &golden.y, golden.lambda, *beta));
            close(law.free_energy, free[b], 6e-9, &format!("{name}, beta {beta}, free energy"));
            close(law.objective(), objective[k][b], 6e-9, &format!("{name}, beta {beta}, objective"));
            // The objective of any law is at least the optimum; the excess is asymptotically (D + 1)/(2 beta).
            assert!(law.objective() > golden.objective, "{name}, beta {beta}");
            assert!(law.error < 1e-7, "{name}, beta {beta}: error {:e}", law.error);
        }
    }
    let law = law(&line(&[-2.0, -1.0, 0.0, 1.0, 2.0], &[1.0, -1.0, 0.5, 1.5, -0.5], 0.05, 1e3));
    for (i, f) in [0.64656, -0.21272, 0.33716, 0.87468, -0.14661].into_iter().enumerate() {
        close(law.outputs[(i, 0)], f, 5.1e-6, "G2 at beta 1e3");
    }
}

/// Shares within 2, 5 and 10 degrees of the rays of the optimum. The table sums nodes of a quadrature that is not cut at
/// the edges of the regions, which costs it up to 0.017; the next test takes the same shares from two million points.
#[test]
fn shares_near_the_rays_of_the_optimum() {
    type Row = (f64, [f64; 3], [f64; 3]);
    let table: [(&str, bool, Vec<Row>); 4] = [
        (
            "G2",
            false,
            vec![
                (1e2, [0.851, 0.938, 0.975], [0.31, 0.46, 0.59]),
                (1e3, [0.983, 0.994, 0.998], [0.50, 0.62, 0.72]),
                (1e4, [0.9985, 0.9995, 0.9998], [0.62, 0.72, 0.79]),
                (1e5, [0.9999, 1.0, 1.0], [0.70, 0.78, 0.84]),
            ],
        ),
        (
            "G2b",
            false,
            vec![
                (1e2, [0.625, 0.854, 0.932], [0.22, 0.38, 0.52]),
                (1e3, [0.771, 0.948, 0.981], [0.37, 0.55, 0.68]),
                (1e4, [0.895, 0.986, 0.998], [0.53, 0.76, 0.86]),
                (1e5, [0.986, 0.999, 0.9999], [0.78, 0.92, 0.96]),
            ],
        ),
        (
            "G4",
            true,
            vec![
                (1e2, [0.290, 0.560, 0.759], [0.04, 0.12, 0.23]),
                (1e3, [0.887, 0.948, 0.975], [0.14, 0.24, 0.35]),
                (1e4, [0.989, 0.995, 0.9975], [0.17, 0.26, 0.37]),
                (1e5, [0.9989, 0.9995, 0.9998], [0.17, 0.27, 0.37]),
            ],
        ),
        (
            "G7",
            true,
            vec![
                (1e2, [0.058, 0.206, 0.445], [0.01, 0.06, 0.15]),
                (1e3, [0.388, 0.690, 0.885], [0.08, 0.23, 0.41]),
                (1e4, [0.726, 0.934, 0.990], [0.22, 0.50, 0.70]),
                (1e5, [0.940, 0.995, 0.9995], [0.49, 0.78, 0.89]),
            ],
        ),
    ];
    for (name, signed, rows) in table {
        let golden = golden_optima().into_iter().find(|o| o.name == name).unwrap();
        let mut x = golden.x.clone();
        x.push_column(1.0);
        let rays: Vec<(Vec<f64>, Option<f64>)> =
            golden.rays.iter().map(|(c, u)| (u.clone(), signed.then_some(c.signum()))).collect();
        for (beta, coefficient, mass) in rows {
            let law = law(&model(x.clone(), &golden.y, golden.lambda, beta));
            for (k, degrees) in [2.0f64, 5.0, 10.0].into_iter().enumerate() {
                let s = law.near(&rays, degrees.to_radians());
                let what = format!("{name}, beta {beta}, {degrees} degrees");
                close(s.coefficient, coefficient[k], 0.016, &format!("{what}: coefficient"));
                close(s.mass, mass[k], 0.018, &format!("{what}: mass"));
            }
        }
    }
}

/// The same shares from a plain sum over the circle.
#[test]
fn shares_agree_with_slow_quadrature() {
    let golden = golden_optima().into_iter().find(|o| o.name == "G2b").unwrap();
    let rays: Vec<(Vec<f64>, Option<f64>)> = golden.rays.iter().map(|(c, u)| (u.clone(), Some(c.signum()))).collect();
    let law = law(&line(golden.x.as_slice(), &golden.y, golden.lambda, 1000.0));
    for degrees in [2.0f64, 5.0, 10.0] {
        let (mut inside, mut all) = ([0.0, 0.0], [0.0, 0.0]);
        for (v, weight) in circle(2_000_000) {
            let phi: Vec<f64> = law.model.x.mul_vec(&v).iter().map(|z| z.max(0.0)).collect();
            let q: f64 = (0..5).map(|i| law.dual[(i, 0)] * phi[i]).sum();
            let room = golden.lambda * golden.lambda - q * q;
            let here = [weight * q.abs() / (room * room), weight / room];
            let near = |r: &(Vec<f64>, Option<f64>)| {
                r.1.unwrap() * q > 0.0 && r.0[0] * v[0] + r.0[1] * v[1] >= degrees.to_radians().cos()
            };
            for k in 0..2 {
                all[k] += here[k];
                inside[k] += if rays.iter().any(near) { here[k] } else { 0.0 };
            }
        }
        let s = law.near(&rays, degrees.to_radians());
        close(s.coefficient, inside[0] / all[0], 2e-5, &format!("{degrees} degrees: coefficient"));
        close(s.mass, inside[1] / all[1], 2e-5, &format!("{degrees} degrees: mass"));
    }
}

/// `beta (objective - optimum)` tends to D/2 in d = 2 with a row on the kink of every ray, to (D - 1)/2 with an interior
/// ray, D = d + 2; the reference is an adaptive cubature on triangles.
#[test]
fn the_excess_in_three_dimensions() {
    for (name, beta, expected) in [("G4", 1e4, 1.998), ("G7", 1e5, 1.546)] {
        let golden = golden_optima().into_iter().find(|o| o.name == name).unwrap();
        let mut x = golden.x.clone();
        x.push_column(1.0);
        let law = law(&model(x, &golden.y, golden.lambda, beta));
        assert!(law.error < 1e-5, "{name}: error {:e}", law.error);
        close(beta * (law.objective() - golden.objective), expected, 2e-3, name);
    }
}
