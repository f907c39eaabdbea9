//! Certified gaps of networks whose optimality is known, and bounds of networks that are not optimal.

use relimit_core::certify::Claim;
use relimit_core::certify::optimum::{CertifyOptions, Objective, certify};
use relimit_core::zoo::{Optimum, golden_optima, two_symmetric_points};

fn closes(case: &Optimum, tolerance: f64) {
    let objective = Objective::half_mean(case.lambda);
    let options = CertifyOptions { gap: 1e-11, ..CertifyOptions::default() };
    let c = certify(&objective, &case.x, &case.y, &case.network(), &options);
    let name = format!("{}: F = {}, gap {:.1e}, {} nodes", case.name, c.objective, c.gap, c.sup.nodes);
    assert!((c.objective - case.objective).abs() <= tolerance, "{name}, expected {}", case.objective);
    assert!(c.lower_bound <= case.objective + 1e-13 && c.gap < 1e-10, "{name}");
    assert!(c.sup.nodes <= 30, "{name}");
    assert!((c.as_given - c.objective).abs() <= 1e-12);
}

#[test]
fn reference_optima_are_certified() {
    for case in golden_optima() {
        closes(&case, 1e-11);
    }
}

#[test]
fn two_points_are_certified_on_every_side_of_their_phase_changes() {
    for even in [false, true] {
        for position in [0.3, 0.8, 1.0, 1.2, 1.7, 3f64.sqrt(), 2.0, 10.0] {
            for lambda in [0.01, 0.2] {
                closes(&two_symmetric_points(position, 2.0, even, lambda), 1e-13);
            }
        }
    }
}

/// Half of an optimal network is not optimal: the interval holds the known minimum and says so.
#[test]
fn a_network_that_is_not_optimal_gets_an_interval() {
    for case in golden_optima() {
        let mut net = case.network();
        net.c[(0, 0)] = 0.0;
        let c = certify(&Objective::half_mean(case.lambda), &case.x, &case.y, &net, &CertifyOptions::default());
        assert!(c.lower_bound <= case.objective && case.objective < c.objective, "{}", case.name);
        assert_ne!(c.status, Claim::Certified, "{}", case.name);
    }
}
