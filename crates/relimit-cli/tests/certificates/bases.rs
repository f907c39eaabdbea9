//! Small valid certificates of every kind.

use relimit_core::certify::equality::{EqualityCertificate, RowsCertificate};
use relimit_core::certify::limit::{LimitCertificate, Started, least_norm_part, one_step_part};
use relimit_core::certify::optimum::certificate::{OptimumCertificate, optimum_certificate};
use relimit_core::certify::optimum::{Bias, Loss, Objective, Offset, dual_point, sup_both};
use relimit_core::certify::optimum::{CertifyOptions, certify};
use relimit_core::certify::pattern::{Decision, ListCertificate, ListEnd, PatternCertificate, decide, list_patterns};
use relimit_core::certify::sup::SupOptions;
use relimit_core::collapse::{collapse, collapse_on_rows};
use relimit_core::net::{InputBox, Network};
use relimit_core::num::Mat;
use relimit_core::pattern::Covector;
use relimit_core::zoo::{Golden, golden_one, golden_optima, golden_two};
use relimit_solve::{MinNormOptions, min_norm};
use serde_json::Value;

/// Golden optima with one input, lower bounds in every treatment of the biases, golden limits, patterns and lists, equal
/// networks.
pub(crate) fn bases() -> Vec<Value> {
    let optima = golden_optima().into_iter().filter(|case| case.x.cols() == 1).map(|case| {
        let objective = Objective::half_mean(case.lambda);
        let found = certify(&objective, &case.x, &case.y, &case.network(), &CertifyOptions::default());
        let proof = (found.dual.as_slice(), found.sup.upper);
        value(&optimum_certificate(&objective, (&case.x, &case.y), Some(&case.network()), proof, 50, &|| false))
    });
    let plane = Mat::from_rows(&[[2.0, 0.5], [-1.0, 1.5], [0.5, -2.0], [-1.5, -1.0]]);
    let line = Mat::from_rows(&[[-2.0], [-0.5], [0.25], [1.0]]);
    let modes = [
        (Bias::None, Offset::Penalised, Loss::HalfSum, &plane),
        (Bias::None, Offset::Free, Loss::Mean, &plane),
        (Bias::Penalised, Offset::Free, Loss::HalfMean, &line),
        (Bias::Penalised, Offset::Penalised, Loss::Mean, &line),
        (Bias::Free, Offset::None, Loss::HalfMean, &line),
    ];
    let bounds = modes.into_iter().map(|(bias, offset, loss, x)| {
        let (y, objective) = ([1.0, 0.5, -1.0, 0.75], Objective { lambda: 0.05, loss, bias, offset, weights: None });
        let r = dual_point(&objective, &y);
        let sup = sup_both(&objective, x, &r, &SupOptions::to_accuracy(1e-11)).upper;
        value(&optimum_certificate(&objective, (x, &y), None, (&r, sup), 50, &|| false))
    });
    let limits = [limit(&golden_one()), limit(&golden_two())];
    optima.chain(bounds).chain(limits).chain(patterns()).chain(equalities()).collect()
}

/// Patterns that exist and do not, with zeros and without, and complete lists in two and three coordinates.
fn patterns() -> Vec<Value> {
    let line = Mat::from_rows(&[[-2.0, 1.0], [0.0, 1.0], [1.0, 1.0], [1.0, 1.0], [3.0, 1.0]]);
    let plane = Mat::from_rows(&[[2.0, 1.0, 1.0], [-1.0, 3.0, 1.0], [0.0, -2.0, 1.0], [1.0, 1.0, 1.0]]);
    let one = |x: &Mat, pattern: &str| {
        let wanted = Covector::parse(pattern).expect("signs");
        let made = match decide(x, &wanted, &|| false) {
            Decision::Realisable(witness) => PatternCertificate::possible(x, &wanted, witness),
            Decision::Impossible(proof) => PatternCertificate::impossible(x, &wanted, proof),
            Decision::Stopped => panic!("nothing stops it"),
        };
        serde_json::to_value(made).expect("JSON")
    };
    let list = |x: &Mat| match list_patterns(x, 50, &|| false) {
        ListEnd::Complete(list) => serde_json::to_value(ListCertificate::new(list)).expect("JSON"),
        ListEnd::Stopped { patterns } => panic!("{patterns} patterns in 50 nodes"),
    };
    vec![
        one(&line, "--+++"),
        one(&line, "-+--+"),
        one(&line, "-0+++"),
        one(&line, "-000+"),
        one(&plane, "+-0+"),
        list(&line),
        list(&plane),
    ]
}

/// Networks of one input everywhere and on a range, merged and not, and of two inputs on a box.
fn equalities() -> Vec<Value> {
    let line = Network::new(
        Mat::from_rows(&[[1.0], [0.5], [-2.0], [0.0], [1.03]]),
        vec![0.25, 0.125, 0.5, 1.0, 0.25],
        Mat::from_rows(&[[1.0, 0.5, -0.75, 2.0, 0.3]]),
        vec![0.1],
    );
    let plane = Network::new(
        Mat::from_rows(&[[1.0, 0.5], [0.3, -0.7], [2.0, 1.0], [0.31, -0.7], [-0.2, 0.4]]),
        vec![0.1, -0.2, 0.2, -0.2, 3.0],
        Mat::from_rows(&[[0.1, 1.0, 0.7, -0.3, 0.9], [1.5, 0.0, 0.1, 0.2, 0.3]]),
        vec![0.25, 0.0],
    );
    let (range, square) = (InputBox::around_zero(1, 2.0), InputBox::around_zero(2, 1.0));
    let cases = [(&line, None, 0.0), (&line, None, 0.05), (&line, Some(&range), 0.05), (&plane, Some(&square), 0.05)];
    cases
        .into_iter()
        .map(|(net, on, tolerance)| {
            let got = collapse(net, on, tolerance, &|| false);
            let made = EqualityCertificate::new(net, &got.network, &got.moves, &got.equality);
            serde_json::to_value(made).expect("JSON")
        })
        .chain([on_rows(&line, &[[-1.5], [0.3], [0.7]]), on_rows(&plane, &[[0.5, -1.0], [-1.25, 0.75], [2.0, 0.5]])])
        .collect()
}

/// A network collapsed on a few rows.
fn on_rows<const D: usize>(net: &Network, rows: &[[f64; D]]) -> Value {
    let x = Mat::from_rows(rows);
    let got = collapse_on_rows(net, &x, &|| false);
    assert!(got.network.width() < net.width(), "{got:?}");
    serde_json::to_value(RowsCertificate::new(net, &got.network, &x, &got.equality)).expect("JSON")
}

fn value<E: std::fmt::Debug>(made: &Result<OptimumCertificate, E>) -> Value {
    serde_json::to_value(made.as_ref().expect("a small tree")).expect("JSON")
}

pub(crate) fn limit(g: &Golden) -> Value {
    let about = (&g.case.x, g.case.y.as_slice(), g.case.c.as_slice());
    let found = min_norm(&g.case.problem(), &MinNormOptions::for_size(3, 1e-8), &|| false);
    let norm = least_norm_part(about, &found.evidence).expect("exactly solvable");
    let start = Started { z: &g.case.start, step: g.case.step.expect("steps"), tau: 17.0 };
    let step = one_step_part(about, start).expect("it holds");
    let made = LimitCertificate::new(about.0, about.1, about.2, Some(norm), Some(step));
    serde_json::to_value(made).expect("JSON")
}
