//! Certificates of optima: small trees for problems whose optimum is known, under every treatment of the biases.

use relimit_core::certify::optimum::certificate::{Fault, OptimumCertificate, TreeNode, Unproved, optimum_certificate};
use relimit_core::certify::optimum::{
    Bias, CertifyOptions, Loss, Objective, Offset, certify, dual_point, lower_bound, sup_both,
};
use relimit_core::certify::sup::SupOptions;
use relimit_core::net::Network;
use relimit_core::num::Mat;
use relimit_core::zoo::{golden_optima, two_symmetric_points};

fn prove(objective: &Objective, x: &Mat, y: &[f64], net: &Network) -> OptimumCertificate {
    let options = CertifyOptions { gap: 1e-11, ..CertifyOptions::default() };
    let found = certify(objective, x, y, net, &options);
    let proof = (found.dual.as_slice(), found.sup.upper);
    optimum_certificate(objective, (x, y), Some(net), proof, 5000, &|| false).expect("a tree that closes")
}

/// The notes' table has the objective of each to 1e-13.
#[test]
fn golden_optima_are_proved_by_small_trees() {
    for case in golden_optima() {
        let got = prove(&Objective::half_mean(case.lambda), &case.x, &case.y, &case.network());
        let (upper, lower) = (got.objective.unwrap(), got.lower_bound);
        assert!((upper - case.objective).abs() < 1e-11 && lower <= case.objective + 1e-13, "{}", case.name);
        assert!(got.gap.unwrap() < 1e-10, "{}: {:?}", case.name, got.gap);
        let nodes = got.positive.len() + got.negative.len();
        assert!(nodes <= 50, "{}: {nodes} nodes", case.name);
        assert_eq!(got.check(), Ok(None), "{}", case.name);
    }
}

/// Closed forms on both sides of every phase change.
#[test]
fn two_symmetric_points_are_proved() {
    for (position, even, lambda) in [(0.5, false, 0.05), (2.0, false, 0.1), (1.0, true, 0.2), (3.0, true, 0.05)] {
        let case = two_symmetric_points(position, 1.5, even, lambda);
        let got = prove(&Objective::half_mean(lambda), &case.x, &case.y, &case.network());
        assert!((got.objective.unwrap() - case.objective).abs() < 1e-12 && got.gap.unwrap() < 1e-10, "{position}");
        assert!(got.positive.len() + got.negative.len() <= 14, "{position}");
    }
}

/// Any dual point bounds the optimum: the certificate is no weaker than the bound that outward rounding gives, in every
/// mode, and its exact check accepts it.
#[test]
fn lower_bounds_are_proved_in_every_mode() {
    let x = Mat::from_rows(&[[2.0, 0.5], [-1.0, 1.5], [0.5, -2.0], [-1.5, -1.0], [1.0, 2.0], [0.2, 0.1]]);
    let y = [1.0, 0.5, -1.0, 0.8, -0.6, 0.3];
    for bias in [Bias::None, Bias::Penalised, Bias::Free] {
        for offset in [Offset::None, Offset::Penalised, Offset::Free] {
            for loss in [Loss::HalfSum, Loss::HalfMean, Loss::Mean] {
                let objective = Objective { lambda: 0.05, loss, bias, offset, weights: None };
                let r = dual_point(&objective, &y);
                let sup = sup_both(&objective, &x, &r, &SupOptions::to_accuracy(1e-11)).upper;
                let known = lower_bound(&objective, &y, &r, sup);
                let name = format!("{bias:?} {offset:?} {loss:?}, bound {known}");
                let made = optimum_certificate(&objective, (&x, &y), None, (&r, sup), 5000, &|| false)
                    .unwrap_or_else(|e| panic!("{name}: {e}"));
                assert!(known > 0.0 && (made.lower_bound - known).abs() <= 1e-9 * known, "{name}");
                assert_eq!(made.check(), Ok(None), "{name}");
                // a supremum below the true one is not provable
                let below = optimum_certificate(&objective, (&x, &y), None, (&r, sup * (1.0 - 1e-9)), 5000, &|| false);
                assert_eq!(below, Err(Unproved::Rounding), "{name}");
            }
        }
    }
}

#[test]
fn claims_are_the_strongest_and_stronger_ones_are_refused() {
    let case = &golden_optima()[4];
    let whole = prove(&Objective::half_mean(case.lambda), &case.x, &case.y, &case.network());
    let refused = |change: &dyn Fn(&mut OptimumCertificate)| {
        let mut other = whole.clone();
        change(&mut other);
        other.check().expect("well formed").expect("refused")
    };
    assert_eq!(refused(&|c| c.objective = c.objective.map(f64::next_down)), Fault::Objective);
    assert_eq!(refused(&|c| c.lower_bound = c.lower_bound.next_up()), Fault::LowerBound);
    assert_eq!(refused(&|c| c.gap = c.gap.map(f64::next_down)), Fault::Gap);
    assert_eq!(refused(&|c| c.x[0][0] = c.x[0][0].next_up()), Fault::Fingerprint);
    assert_eq!(refused(&|c| c.statement.push('!')), Fault::Statement);
    assert!(matches!(refused(&|c| c.sup *= 0.999), Fault::Tree { .. }));
    assert!(matches!(refused(&|c| c.positive.truncate(1)), Fault::Tree { .. }));
    assert!(matches!(refused(&|c| c.negative.push(c.negative[0].clone())), Fault::Tree { .. }));
    let swap = |c: &mut OptimumCertificate| {
        let Some(TreeNode::Split { row }) = c.positive.first_mut() else { panic!("a root that splits") };
        *row = (*row + 1) % 4;
    };
    assert!(matches!(refused(&swap), Fault::Tree { .. }));
}

#[test]
fn a_tree_that_is_too_large_is_said_to_be() {
    let case = &golden_optima()[7];
    let objective = Objective::half_mean(case.lambda);
    let found = certify(&objective, &case.x, &case.y, &case.network(), &CertifyOptions::default());
    let with = |limit: usize, stop: bool| {
        let proof = (found.dual.as_slice(), found.sup.upper);
        optimum_certificate(&objective, (&case.x, &case.y), None, proof, limit, &|| stop)
    };
    assert_eq!(with(2, false), Err(Unproved::Nodes { limit: 2 }));
    assert_eq!(with(5000, true), Err(Unproved::Stopped));
    assert_eq!(with(5000, false).expect("a tree").objective, None);
}
