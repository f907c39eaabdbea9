//! The regularised optimum against unique minimisers, closed forms and an interior-point solver.

use relimit_core::num::Mat;
use relimit_core::zoo::golden_optima;
use relimit_solve::optimum::{Objective, OptimumOptions, Ray, optimum};
use relimit_solve::plan::Bias;

fn half_mean(x: &[Vec<f64>], y: &[f64], lambda: f64) -> Objective {
    let omega = vec![1.0 / y.len() as f64; y.len()];
    Objective::new(&Mat::from_rows(x), y.to_vec(), omega, lambda, Bias::Penalised, Bias::None)
}

/// Pairs every expected ray with one found, and returns the largest difference of c and u.
fn worst(rays: &[Ray], expected: &[(f64, Vec<f64>, Vec<i8>)]) -> f64 {
    assert_eq!(rays.len(), expected.len(), "{rays:?}");
    let distance = |t: &Ray, e: &(f64, Vec<f64>, Vec<i8>)| {
        t.u.iter().zip(&e.1).map(|(a, b)| (a - b).abs()).fold((t.c - e.0).abs(), f64::max)
    };
    expected.iter().map(|e| rays.iter().map(|t| distance(t, e)).fold(f64::INFINITY, f64::min)).fold(0.0, f64::max)
}

#[test]
fn golden_sets_are_solved_to_their_unique_minimisers() {
    for g in golden_optima() {
        let problem = half_mean(&g.x, &g.y, g.lambda);
        let options = OptimumOptions { gap: 1e-11, ..Default::default() };
        let found = optimum(&problem, vec![], &options);
        let lower = problem.dual_value(&found.candidate.dual, found.sup);
        let error = found.candidate.value - g.objective;
        println!(
            "{} error {error:e} gap {:e} rays {:e} nodes {} rounds {} returns {}",
            g.name,
            found.candidate.value - lower,
            worst(&found.candidate.rays, &g.rays),
            found.nodes,
            found.candidate.rounds,
            found.returns
        );
        assert!(error.abs() < 1e-10, "{}: {error:e}", g.name);
        assert!(found.candidate.value - lower < 1e-10, "{}: gap {:e}", g.name, found.candidate.value - lower);
        assert!(worst(&found.candidate.rays, &g.rays) < 1e-8, "{}: {:?}", g.name, found.candidate.rays);
        for ray in &found.candidate.rays {
            let pattern = problem.pattern(ray);
            assert!(g.rays.iter().any(|e| e.2 == pattern && e.0 * ray.c > 0.0), "{}: {pattern:?}", g.name);
        }
    }
}
