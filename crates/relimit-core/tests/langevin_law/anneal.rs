//! The collapse on the way down in temperature: groups, their angles, shares of the coefficient near the rays.

use relimit_core::langevin::{Options, Particles, Plan, Precision, Schedule, clusters, measure, start};
use relimit_core::zoo::Optimum;

use crate::common::{advance, golden, nearest, options, rays};

/// What one numpy run of 1000 neurons shows at one temperature, at the end of its steps.
struct Row {
    last: u64,
    /// Groups within 10 degrees, where the figure does not depend on the seed.
    width: Option<usize>,
    /// Groups within 3 degrees, and how much another seed may differ.
    fine: Option<(usize, usize)>,
    /// Shares of the coefficient within 2, 5 and 10 degrees of a ray of the right sign.
    shares: [f64; 3],
    /// Largest angle of a group's centre from its ray.
    angle: Option<f64>,
}

fn share(problem: &Optimum, plan: &Plan, particles: &Particles, within: f64) -> f64 {
    let all = rays(plan, particles);
    let near = all.iter().filter(|(c, u)| nearest(problem, *c, u).0 <= within);
    near.map(|r| r.0.abs()).sum::<f64>() / all.iter().map(|r| r.0.abs()).sum::<f64>()
}

/// Annealing in three stages, as in the notes; then noiseless cooling. The table's rows are single runs that start afresh at
/// each temperature, so the shares may differ by the spread over seeds.
#[test]
fn annealing_ends_on_the_rays_of_the_optimum() {
    let row = |last, width, fine, shares, angle| Row { last, width, fine, shares, angle };
    let table = [
        (
            "G2",
            [
                row(20_000, Some(4), None, [0.978, 0.993, 0.997], None),
                row(50_000, Some(4), None, [0.998, 0.999, 1.0], Some(0.5)),
                row(80_000, Some(4), Some((4, 0)), [0.999, 1.0, 1.0], Some(0.5)),
            ],
        ),
        (
            "G4",
            [
                row(20_000, Some(4), Some((5, 2)), [0.847, 0.944, 0.974], Some(1.0)),
                row(50_000, Some(4), Some((4, 0)), [0.991, 0.997, 0.998], Some(0.2)),
                row(80_000, Some(4), Some((4, 0)), [1.0, 1.0, 1.0], Some(0.06)),
            ],
        ),
        (
            "G7",
            [
                row(20_000, None, Some((17, 4)), [0.349, 0.684, 0.885], None),
                row(50_000, Some(4), Some((9, 2)), [0.723, 0.956, 0.992], Some(1.2)),
                row(80_000, Some(4), Some((4, 0)), [0.972, 0.998, 1.0], Some(0.4)),
            ],
        ),
    ];
    for (name, rows) in table {
        let problem = golden(name);
        let beta = Schedule::Stages(vec![(0, 1e3), (20_000, 1e4), (50_000, 1e5), (80_000, f64::INFINITY)]);
        let step = Schedule::Stages(vec![(0, 0.05), (80_000, 0.01), (84_000, 0.002)]);
        let o = Options { precision: Precision::F32, ..options(&problem, 1000, beta, step) };
        let plan = Plan::new(o).expect("a plan");
        let mut particles = start(&plan);
        let (mut from, mut wide) = (0, usize::MAX);
        for row in rows {
            advance(&plan, &mut particles, from, row.last);
            from = row.last;
            let at = format!("{name}, step {}", row.last);
            let coarse = clusters(&plan, &particles, 10f64.to_radians());
            let fine = clusters(&plan, &particles, 3f64.to_radians()).groups.len();
            assert!(row.width.is_none_or(|w| w == coarse.groups.len()), "{at}: {} groups", coarse.groups.len());
            assert!(row.fine.is_none_or(|(w, spread)| w.abs_diff(fine) <= spread), "{at}: {fine} groups");
            assert!(fine <= wide, "{at}: {fine} groups after {wide}");
            wide = fine;
            if let Some(most) = row.angle {
                for g in &coarse.groups {
                    let (away, _) = nearest(&problem, g.coefficient, &g.direction);
                    assert!(away <= most, "{at}: {away} degrees");
                }
            }
            for (within, expected) in [2.0, 5.0, 10.0].into_iter().zip(row.shares) {
                let found = share(&problem, &plan, &particles, within);
                let spread = 0.25 * (1.0 - expected) * expected + 0.002;
                assert!(
                    (found - expected).abs() < spread.max(0.03 * (1.0 - expected).sqrt()),
                    "{at}, {within} degrees: {found}"
                );
            }
        }
        advance(&plan, &mut particles, from, 89_000);
        let excess = measure(&plan, &particles, 89_000).objective - problem.objective;
        let (most, angle) = if name == "G2" { (1.5e-4, 0.05) } else { (5e-6, 0.2) };
        assert!(excess > -1e-7 && excess < most, "{name}, cooled: {excess:e}");
        for g in &clusters(&plan, &particles, 3f64.to_radians()).groups {
            let (away, _) = nearest(&problem, g.coefficient, &g.direction);
            assert!(away <= angle, "{name}, cooled: {away} degrees");
        }
    }
}
