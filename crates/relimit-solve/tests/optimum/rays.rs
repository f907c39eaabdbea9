//! The theorem on patterns of scalar optima, on random sets: distinct, incomparable, at most two a binary pattern,
//! at most 2(P - 1), on the support and on the whole contact set.

use relimit_core::certify::Claim;
use relimit_core::num::Mat;
use relimit_solve::optimum::{Effort, Objective, Ray, contact, lambda_max};

use super::common::Draw;
use super::support::{half_mean, solve};

/// Largest number of cells of n vectors in D dimensions.
fn cells(n: usize, dim: usize) -> usize {
    let choose = |n: usize, k: usize| (0..k).fold(1, |c, i| c * (n - i) / (i + 1));
    2 * (0..dim.min(n)).map(|k| choose(n - 1, k)).sum::<usize>()
}

fn keeps_the_theorem(problem: &Objective, rays: &[Ray], what: &str) {
    let patterns: Vec<Vec<i8>> = rays.iter().map(|t| problem.pattern(t)).collect();
    for (a, p) in patterns.iter().enumerate() {
        for (b, q) in patterns.iter().enumerate() {
            let degenerate = p.iter().zip(q).all(|(s, t)| *s == 0 || s == t);
            assert!(a == b || !degenerate, "{what}: {p:?} and {q:?}");
        }
        let active = |t: &[i8]| t.iter().map(|s| *s > 0).collect::<Vec<bool>>();
        let same = patterns.iter().filter(|q| active(q) == active(p)).count();
        assert!(same <= 2, "{what}: {same} rays of one binary pattern");
    }
    assert!(rays.len() <= 2 * (cells(problem.n(), problem.dim()) - 1), "{what}: {} rays", rays.len());
}

/// Knots of contact strictly inside and at the ends of an interval between neighbouring inputs.
fn knots(problem: &Objective, rays: &[Ray], left: f64, right: f64) -> (usize, usize) {
    let mut inside: Vec<f64> = vec![];
    let mut ends: Vec<usize> = vec![];
    for ray in rays {
        let at = -ray.u[1] / ray.u[0];
        if ray.kink.is_empty() {
            if at > left && at < right && !inside.iter().any(|t| (t - at).abs() < 1e-7) {
                inside.push(at);
            }
        } else {
            let x = problem.features[(ray.kink[0], 0)];
            if (x == left || x == right) && !ends.contains(&ray.kink[0]) {
                ends.push(ray.kink[0]);
            }
        }
    }
    (inside.len(), ends.len())
}

/// Every interval between neighbouring inputs has three knots of contact at most, three only as both ends and one
/// inside; says how many have three.
fn at_most_three_knots(problem: &Objective, rays: &[Ray], what: &str) -> usize {
    let mut xs = problem.features.as_slice().to_vec();
    xs.sort_by(f64::total_cmp);
    let mut three = 0;
    for pair in xs.windows(2) {
        let (inside, ends) = knots(problem, rays, pair[0], pair[1]);
        assert!(inside + ends <= 3 && (inside + ends < 3 || inside == 1), "{what}: {inside} inside, {ends} at ends");
        three += usize::from(inside + ends == 3);
    }
    three
}

/// The bound of three knots an interval is attained.
#[test]
fn three_knots_in_one_interval_occur() {
    let mut draw = Draw(4);
    let mut three = 0;
    for case in 0..400 {
        let n = 3 + case % 4;
        let x = draw.gaussian(n, 1);
        let y: Vec<f64> = (0..n).map(|_| draw.normal()).collect();
        let share = [1e-4, 1e-3, 1e-2, 0.03][case / 4 % 4];
        let problem = half_mean(&x, &y, 1.0);
        let problem = problem.with_lambda(share * lambda_max(&problem, &Effort::default()).value);
        let found = solve(&problem, 1e-9);
        let touch = contact(&problem, &found.candidate, &Effort::default());
        three += at_most_three_knots(&problem, &touch.rays, &format!("case {case}"));
    }
    assert!(three > 0, "no interval with three knots");
}

#[test]
fn optima_of_random_sets_keep_the_theorem() {
    let mut draw = Draw(20260);
    let mut non_unique = 0;
    for case in 0..200 {
        let d = 1 + case % 2;
        let n = 3 + (draw.uniform() * if d == 1 { 6.0 } else { 4.0 }) as usize;
        let x = draw.gaussian(n, d);
        let y: Vec<f64> = (0..n).map(|_| draw.normal()).collect();
        let share = [0.001, 0.01, 0.1, 0.4][case / 2 % 4];
        let problem = half_mean(&x, &y, 1.0);
        let problem = problem.with_lambda(share * lambda_max(&problem, &Effort::default()).value);
        let found = solve(&problem, 1e-10);
        let what = format!("case {case} d {d} n {n} share {share}");
        assert_eq!(found.certified.status, Claim::Certified, "{what}: {:e}", found.certified.gap_relative);
        keeps_the_theorem(&problem, &found.candidate.rays, &what);
        let touch = contact(&problem, &found.candidate, &Effort::default());
        keeps_the_theorem(&problem, &touch.rays, &format!("{what}, contact"));
        non_unique += usize::from(!touch.unique());
        if d == 1 {
            at_most_three_knots(&problem, &touch.rays, &what);
        }
    }
    // at small lambda it happens on generic data
    assert!(non_unique > 0, "no set with more than one optimum");
}

/// A grid of equal spacing has conformal pieces in plenty: no two rays left may be conformal.
#[test]
fn no_two_rays_of_one_sign_lie_in_one_closed_cell() {
    let x = Mat::from_fn(9, 1, |i, _| i as f64 - 4.0);
    let y: Vec<f64> = (0..9).map(|i| if i % 3 == 0 { 1.0 } else { -0.5 }).collect();
    for lambda in [0.1, 0.01, 1e-3, 1e-4] {
        let problem = half_mean(&x, &y, lambda);
        let found = solve(&problem, 1e-9);
        assert_eq!(found.certified.status, Claim::Certified, "lambda {lambda}");
        let rays = &found.candidate.rays;
        for (k, a) in rays.iter().enumerate() {
            for b in &rays[..k] {
                let conformal = problem.pattern(a).iter().zip(&problem.pattern(b)).all(|(s, t)| s * t >= 0);
                assert!(!(conformal && a.c * b.c > 0.0), "lambda {lambda}: {a:?} {b:?}");
            }
        }
    }
}
