//! Global optima and stationary laws, written down from reference values and closed forms.

use relimit_core::certify::Claim;
use relimit_core::pattern::Covector;
use relimit_core::theory::{DataFacts, Evidence, Family, LawFacts, Line, OptimumFacts, PatternCount, Ray};

/// A direction by its sign and the signs of the rows.
pub(crate) fn ray(sign: i8, pattern: &str) -> Ray {
    Ray { sign, pattern: Covector::parse(pattern).unwrap_or_else(|| panic!("{pattern} is no pattern")) }
}

/// Reference case G2: x = -2..2, y = (1, -1, .5, 1.5, -.5), lambda = .05, P = 10. Four rays, kinks at -1 and 1, unique.
pub(crate) fn five_points() -> Evidence {
    let optimum = OptimumFacts {
        outputs: 1,
        penalised_bias: true,
        lambda: 0.05,
        omega: 0.2,
        status: Claim::Certified,
        objective: 0.33878607443792,
        lower_bound: 0.33878607443792,
        fitted: vec![0.646446609407, -0.209559885480, 0.333333333333, 0.876226552147, -0.146446609407],
        rays: vec![ray(-1, "+++0-"), ray(1, "+0---"), ray(1, "-0+++"), ray(-1, "---0+")],
        contact: None,
        kinks: Some(2),
        line: Some(Line { points: vec![-2.0, -1.0, 0.0, 1.0, 2.0], kinks: vec![-1.0, 1.0] }),
        unique: Some(true),
        contact_count: Some(4),
        face_rank: None,
        contact_dimension: None,
    };
    let law = LawFacts {
        outputs: 1,
        beta: 1e3,
        lambda: 0.05,
        omega: 0.2,
        parameters: 3,
        fitted: vec![0.64656, -0.21272, 0.33716, 0.87468, -0.14661],
        error: 1e-5,
        objective: 0.34014608,
        effective_width: Some(4),
        covered: Some(0.997),
        virial: None,
        selection: None,
    };
    Evidence { patterns: Some(PatternCount::exact(10)), optima: vec![optimum], laws: vec![law], ..Evidence::default() }
}

/// Rows x and -x, labels (2, -2) or (2, 2): the objective and the kinks as the tables of closed forms give them.
pub(crate) fn two_points(x: f64, even: bool, lambda: f64, objective: f64, kinks: &[f64]) -> Evidence {
    let e = five_points();
    let optimum = OptimumFacts {
        lambda,
        omega: 0.5,
        objective,
        // the digits that the tables have
        lower_bound: objective * (1.0 - 1e-14),
        fitted: Vec::new(),
        rays: Vec::new(),
        kinks: Some(kinks.len()),
        line: Some(Line { points: vec![x, -x], kinks: kinks.to_vec() }),
        contact_count: None,
        ..e.optima[0].clone()
    };
    Evidence {
        data: Some(DataFacts {
            n: 2,
            dim: 2,
            tau: 1.0 + x * x,
            lengths: vec![x.hypot(1.0); 2],
            labels: vec![2.0, if even { 2.0 } else { -2.0 }],
            family: Some(Family::TwoPoints { position: x, label: 2.0, even }),
            ..DataFacts::default()
        }),
        patterns: Some(PatternCount::exact(4)),
        optima: vec![optimum],
        ..Evidence::default()
    }
}

/// The known failure V1: x = -1/2, 1/2 with two outputs, lambda = .1. The optimum has r = (lambda/2)(+-2, 1) and objective
/// .325; its coefficients of the cell where both rows are active have rank 2, and every direction there is in contact.
pub(crate) fn several_outputs() -> Evidence {
    let optimum = OptimumFacts {
        outputs: 2,
        lambda: 0.1,
        omega: 0.5,
        objective: 0.325,
        lower_bound: 0.325,
        // f = y - 2 r, row by row
        fitted: vec![0.4131759111665349, 2.17364817766693, -0.4131759111665349, 2.17364817766693],
        rays: vec![ray(0, "++"), ray(0, "++")],
        kinks: None,
        line: None,
        unique: None,
        contact_count: None,
        face_rank: Some(2),
        ..five_points().optima[0].clone()
    };
    Evidence { patterns: Some(PatternCount::exact(4)), optima: vec![optimum], ..Evidence::default() }
}

/// Evidence with its first optimum changed.
pub(crate) fn optimum(mut e: Evidence, change: impl FnOnce(&mut OptimumFacts)) -> Evidence {
    change(&mut e.optima[0]);
    e
}

/// Evidence with its first law changed.
pub(crate) fn law(mut e: Evidence, change: impl FnOnce(&mut LawFacts)) -> Evidence {
    change(&mut e.laws[0]);
    e
}
