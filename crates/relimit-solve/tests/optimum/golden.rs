//! Unique minimisers known to twelve digits, and two points on a line in closed form.

use relimit_core::certify::Claim;
use relimit_core::zoo::{golden_optima, two_symmetric_points};
use relimit_solve::optimum::{Effort, contact, lambda_max};

use super::support::{half_mean, solve, worst};

#[test]
fn golden_sets_are_solved_to_their_unique_minimisers() {
    for g in golden_optima() {
        let problem = half_mean(&g.x, &g.y, g.lambda);
        let found = solve(&problem, 1e-11);
        let (candidate, certified) = (&found.candidate, &found.certified);
        assert!((candidate.value - g.objective).abs() < 1e-10, "{}: {}", g.name, candidate.value);
        assert!((certified.objective - g.objective).abs() < 1e-10, "{}", g.name);
        assert!(certified.gap < 1e-10 && certified.status == Claim::Certified, "{}: {:e}", g.name, certified.gap);
        assert!(worst(&candidate.rays, &g.rays) < 1e-8, "{}: {:?}", g.name, candidate.rays);
        let touch = contact(&problem, candidate, &Effort::default());
        assert!(touch.unique() && touch.rays.len() == g.rays.len(), "{}: {touch:?}", g.name);
        // one feature: every direction of contact is seen; more: local search may miss one
        assert_eq!(touch.verdict(), (g.x.cols() == 1).then_some(true), "{}", g.name);
        let largest = lambda_max(&problem, &Effort::default());
        assert!((largest.value - g.lambda_max).abs() < 1e-11, "{}: {largest:?}", g.name);
        assert_eq!(largest.status, Claim::Certified, "{}", g.name);
    }
}

#[test]
fn two_points_end_as_the_closed_form_says_on_both_sides_of_the_phase_changes() {
    for even in [false, true] {
        for position in [0.3, 0.8, 0.999, 1.001, 1.2, 1.7, 1.732, 1.733, 2.0, 10.0] {
            for lambda in [0.01, 0.2] {
                let case = two_symmetric_points(position, 2.0, even, lambda);
                let problem = half_mean(&case.x, &case.y, lambda);
                let found = solve(&problem, 1e-11);
                let what = format!("even {even} x {position} lambda {lambda}");
                assert!((found.candidate.value - case.objective).abs() < 1e-12, "{what}: {}", found.candidate.value);
                assert!(found.certified.gap < 1e-10, "{what}: {:e}", found.certified.gap);
                assert!(worst(&found.candidate.rays, &case.rays) < 1e-8, "{what}: {:?}", found.candidate.rays);
                let largest = lambda_max(&problem, &Effort::default()).value;
                assert!((largest - case.lambda_max).abs() < 1e-12, "{what}: {largest}");
            }
        }
    }
}

#[test]
fn the_one_even_set_with_more_than_one_optimum_is_seen() {
    // X = sqrt 3: the constant and both slopes touch, in any shares c0 + 2 c1 = f
    let root = 3f64.sqrt();
    let case = two_symmetric_points(root, 2.0, true, 0.2);
    let problem = half_mean(&case.x, &case.y, 0.2);
    let found = solve(&problem, 1e-10);
    assert!((found.candidate.value - 0.38).abs() < 1e-12);
    let touch = contact(&problem, &found.candidate, &Effort::default());
    assert_eq!((touch.rays.len(), touch.rank, touch.unique()), (3, 2, false), "{touch:?}");
    assert_eq!(touch.verdict(), Some(false));
}

#[test]
fn the_network_vanishes_exactly_at_lambda_max() {
    for g in golden_optima() {
        let problem = half_mean(&g.x, &g.y, g.lambda);
        let above = solve(&problem.with_lambda(g.lambda_max * 1.001), 1e-8);
        assert!(above.candidate.rays.is_empty() && above.certified.status == Claim::Certified, "{}", g.name);
        let half_mean_square = g.y.iter().map(|y| y * y).sum::<f64>() / (2.0 * g.y.len() as f64);
        assert!((above.candidate.value - half_mean_square).abs() < 1e-15, "{}", g.name);
        let below = solve(&problem.with_lambda(g.lambda_max * 0.999), 1e-8);
        assert!(!below.candidate.rays.is_empty() && below.candidate.value < half_mean_square, "{}", g.name);
    }
}
