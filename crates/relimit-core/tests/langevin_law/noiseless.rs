//! Noise-free ends: the excess over the certified optimum, and every neuron with weight in a ray of contact.

use relimit_core::langevin::{Particles, Plan, Schedule, clusters, measure, start};
use relimit_core::zoo::{Optimum, two_symmetric_points};

use crate::common::{advance, golden, nearest, options, rays};

/// Noisy steps of 0.1 at beta = 1e5 before the noiseless stages.
const NOISY: u64 = 20_000;
/// Last step and step size of the noiseless stages of the reference table; one finer stage more.
const STAGES: [(u64, f64); 6] =
    [(30_000, 0.1), (45_000, 0.03), (70_000, 0.01), (100_000, 0.003), (130_000, 0.001), (160_000, 0.0003)];
/// Share of the whole coefficient from which on a neuron has weight: the others are still decaying.
const WEIGHT: f64 = 1e-9;

/// Sets A, B, C: excess at the end of every stage of one numpy run of 200 neurons, and the rays reached. The excess is that
/// of a chattering state, so a stage may be worse than the other run's by a factor of 2; the finer stage must beat the
/// table's best.
#[test]
fn stages_of_falling_steps_reach_the_certified_optimum() {
    let table = [
        ("G1", [8.1e-6, 4.3e-6, 2.2e-6, 5.1e-7, 9.4e-8]),
        ("G2b", [1.6e-4, 5.1e-5, 1.6e-5, 4.8e-6, 1.4e-6]),
        ("G4", [5.6e-5, 1.7e-5, 5.8e-6, 1.8e-6, 5.6e-7]),
    ];
    for (name, excess) in table {
        let problem = golden(name);
        let beta = Schedule::Stages(vec![(0, 1e5), (NOISY, f64::INFINITY)]);
        let mut steps = vec![(0, 0.1)];
        steps.extend(STAGES.windows(2).map(|w| (w[0].0, w[1].1)));
        let plan = Plan::new(options(&problem, 200, beta, Schedule::Stages(steps))).expect("a plan");
        let mut particles = start(&plan);
        let mut from = 0;
        for (stage, (last, eta)) in STAGES.into_iter().enumerate() {
            advance(&plan, &mut particles, from, last);
            from = last;
            let found = measure(&plan, &particles, last).objective - problem.objective;
            let most = excess.get(stage).map_or(excess[4], |e| 2.0 * e);
            assert!(found > 0.0 && found <= most, "{name}, eta {eta}: {found:e} for {most:e}");
        }
        on_the_rays(&plan, &particles, &problem, 0.002);
    }
}

/// Every neuron with weight is within `most` degrees of a ray of its sign, the groups are the rays, and they carry
/// their coefficients.
fn on_the_rays(plan: &Plan, particles: &Particles, problem: &Optimum, most: f64) {
    let all = rays(plan, particles);
    let total: f64 = all.iter().map(|r| r.0.abs()).sum();
    let mut carried = vec![0.0; problem.rays.len()];
    let mut heavy = 0;
    for (c, u) in all.iter().filter(|r| r.0.abs() > WEIGHT * total) {
        let (away, ray) = nearest(problem, *c, u);
        assert!(away < most, "{}: {away} degrees from the nearest ray, weight {c:e}", problem.name);
        carried[ray] += c;
        heavy += 1;
    }
    assert!(heavy > particles.width() / 10, "{}: {heavy} neurons with weight", problem.name);
    for (carried, (c, _)) in carried.iter().zip(&problem.rays) {
        assert!((carried - c).abs() < 2e-3 * problem.variation, "{}: {carried} for {c}", problem.name);
    }
    let found = clusters(plan, particles, (2.0 * most).to_radians());
    assert_eq!(found.groups.len(), problem.rays.len(), "{}", problem.name);
    assert!(found.covered > 1.0 - 1e-6, "{}: {}", problem.name, found.covered);
}

/// Two symmetric points in closed form: odd and even labels, either side of the change at |x| = 1 and sqrt 3, from two
/// random starts each and without noise.
#[test]
fn two_symmetric_points_end_at_their_closed_form() {
    for (even, position) in [(false, 0.8), (false, 2.0), (true, 1.0), (true, 10.0)] {
        let problem = two_symmetric_points(position, 2.0, even, 0.2);
        let eta = 0.5 / (1.0 + position * position);
        // Only where kinks sit on data do they chatter, and the step must fall.
        let kinks_on_data = !even && position < 1.0;
        let finer = if kinks_on_data { 0.01 } else { 1.0 };
        let stages = vec![(0, eta), (40_000, finer * eta), (80_000, finer * finer * eta)];
        for seed in [1, 2] {
            let mut o = options(&problem, 200, Schedule::Constant(f64::INFINITY), Schedule::Stages(stages.clone()));
            o.seed = seed;
            let plan = Plan::new(o).expect("a plan");
            let mut particles = start(&plan);
            advance(&plan, &mut particles, 0, 120_000);
            let excess = measure(&plan, &particles, 120_000).objective - problem.objective;
            let most = if kinks_on_data { 2e-5 } else { 1e-12 };
            assert!(excess > -1e-14 && excess < most, "even {even}, |x| = {position}: {excess:e}");
            on_the_rays(&plan, &particles, &problem, if kinks_on_data { 0.02 } else { 1e-5 });
        }
    }
}
