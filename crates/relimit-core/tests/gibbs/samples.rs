//! Draws from the law, the function it computes, and its effective width.

use relimit_core::gibbs::{groups, sample};
use relimit_core::zoo::golden_optima;

use crate::common::{Random, law, lifted, line, model};

/// Moments of draws against outputs and the virial identity, in standard errors of their batches.
#[test]
fn draws_have_the_moments_of_the_law() {
    let mut r = Random(11);
    let plane: Vec<Vec<f64>> = (0..5).map(|_| vec![r.wide(), r.wide()]).collect();
    let rows: Vec<&[f64]> = plane.iter().map(Vec::as_slice).collect();
    let y: Vec<f64> = (0..5).map(|_| r.wide()).collect();
    let models = [line(&[-1.0, 0.0, 1.0], &[1.0, -0.5, 0.8], 0.05, 30.0), model(lifted(&rows), &y, 0.1, 30.0)];
    for model in models {
        let law = law(&model);
        let draws = sample(&law, 20_000, 7);
        let n = model.x.rows();
        let mut targets: Vec<f64> = law.outputs.as_slice().to_vec();
        targets.push(law.second_moment());
        let value = |j: usize, k: usize| {
            let d = &draws[j];
            if k < n {
                let z: f64 = model.x.row(k).iter().zip(&d.u).map(|(a, b)| a * b).sum();
                d.c[0] * z.max(0.0)
            } else {
                d.u.iter().chain(&d.c).map(|v| v * v).sum()
            }
        };
        for (k, target) in targets.iter().enumerate() {
            let batches: Vec<f64> =
                (0..20).map(|b| (0..1000).map(|j| value(1000 * b + j, k)).sum::<f64>() / 1000.0).collect();
            let mean = batches.iter().sum::<f64>() / 20.0;
            let error = (batches.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (19.0 * 20.0)).sqrt();
            assert!((mean - target).abs() < 4.0 * error, "moment {k}: {mean} +- {error} for {target}");
            assert!(error < 0.1 * (1.0 + target.abs()), "moment {k}: error {error}");
        }
        assert_eq!(sample(&law, 3, 7), draws[..3], "draw j depends on seed and j alone");
    }
}

/// The function at a row is the output of the row; at 2 x (D = 1 in scale) it is positively homogeneous.
#[test]
fn the_function_passes_through_the_outputs() {
    for name in ["G2", "G4"] {
        let golden = golden_optima().into_iter().find(|o| o.name == name).unwrap();
        let mut x = golden.x.clone();
        x.push_column(1.0);
        let law = law(&model(x.clone(), &golden.y, golden.lambda, 300.0));
        for i in 0..x.rows() {
            let f = law.output(x.row(i))[0];
            assert!((f - law.outputs[(i, 0)]).abs() < 1e-8, "{name}, row {i}: {f}");
            let doubled: Vec<f64> = x.row(i).iter().map(|v| 2.0 * v).collect();
            assert!((law.output(&doubled)[0] - 2.0 * f).abs() < 1e-8);
        }
    }
}

/// The width falls to the number of rays of the optimum, and the groups carry its coefficients.
#[test]
fn the_width_collapses_to_the_rays_of_the_optimum() {
    for (name, beta, width) in [("G2", 1e4, 4), ("G4", 1e4, 4), ("G7", 1e5, 4)] {
        let golden = golden_optima().into_iter().find(|o| o.name == name).unwrap();
        let mut x = golden.x.clone();
        x.push_column(1.0);
        let law = law(&model(x, &golden.y, golden.lambda, beta));
        let pieces = law.pieces();
        let total: f64 = pieces.iter().map(|p| p.mass).sum();
        assert!((total - 1.0).abs() < 1e-7, "{name}: mass {total}");
        let found = groups(&pieces, 10f64.to_radians());
        assert_eq!(found.len(), width, "{name}: {found:?}");
        for (c, u) in &golden.rays {
            let along = |g: &&relimit_core::gibbs::Group| g.direction.iter().zip(u).map(|(a, b)| a * b).sum::<f64>();
            let nearest = found.iter().filter(|g| g.coefficient * c > 0.0).max_by(|a, b| along(a).total_cmp(&along(b)));
            let nearest = nearest.unwrap();
            assert!(along(&nearest) > 0.999 && (nearest.coefficient - c).abs() < 0.05, "{name}: {nearest:?} for {c}");
        }
    }
}
