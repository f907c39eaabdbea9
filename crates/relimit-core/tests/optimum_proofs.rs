//! Certificates of optima: trees of golden problems, and what their check refuses.

use relimit_core::certify::optimum::certificate::{OptimumCertificate, optimum_certificate};
use relimit_core::certify::optimum::{Bias, CertifyOptions, Loss, Objective, Offset, certify};
use relimit_core::net::Network;
use relimit_core::num::Mat;
use relimit_core::zoo::golden_optima;

fn prove(objective: &Objective, x: &Mat, y: &[f64], net: &Network) -> OptimumCertificate {
    let options = CertifyOptions { gap: 1e-11, ..CertifyOptions::default() };
    let found = certify(objective, x, y, net, &options);
    let proof = (found.dual.as_slice(), found.sup.upper);
    optimum_certificate(objective, (x, y), Some(net), proof, 5000, &|| false).expect("a tree that closes")
}

#[test]
fn golden_optima_are_proved_by_small_trees() {
    for case in golden_optima() {
        let got = prove(&Objective::half_mean(case.lambda), &case.x, &case.y, &case.network());
        let (upper, lower) = (got.objective.unwrap(), got.lower_bound);
        eprintln!("{}: {} + {} nodes, gap {:.1e}", case.name, got.positive.len(), got.negative.len(), got.gap.unwrap());
        assert!((upper - case.objective).abs() < 1e-10 && lower <= case.objective + 1e-13, "{}", case.name);
        assert!(got.gap.unwrap() < 1e-10, "{}: {:?}", case.name, got.gap);
        assert!(got.positive.len() + got.negative.len() <= 50, "{}", case.name);
        assert_eq!(got.check(), Ok(None));
    }
}
