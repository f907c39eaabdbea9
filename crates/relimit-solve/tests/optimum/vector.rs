//! Several outputs: a known optimum on a continuum of contact, the scalar optimum, and an independent conic solver.

use relimit_core::certify::Claim;
use relimit_core::certify::optimum::{Bias, Loss, Objective as Claimed, Offset};
use relimit_core::num::Mat;
use relimit_solve::optimum::{
    Effort, Objective, VectorObjective, VectorOptimum, cells, lambda_max, optimum, vector_lambda_max, vector_optimum,
};

use crate::common::Draw;

fn solve(claim: Claimed, x: &Mat, y: &Mat, gap: f64) -> (VectorObjective, VectorOptimum) {
    let objective = VectorObjective::new(claim, x.clone(), y.clone());
    let found = vector_optimum(&objective, vec![], &Effort { gap, ..Effort::default() });
    (objective, found)
}

/// Reference case V1: two points, the whole arc b >= |w|/2 is contact, the minimum is .325 exactly.
#[test]
fn an_arc_of_contact_has_a_rank() {
    let (p, q) = (0.613_175_911_166_534_9, 2.273_648_177_666_93);
    let (x, y) = (Mat::from_rows(&[[0.5], [-0.5]]), Mat::from_rows(&[[p, q], [-p, q]]));
    let (objective, found) = solve(Claimed::half_mean(0.1), &x, &y, 1e-10);
    assert!((found.certified.objective - 0.325).abs() < 1e-10, "{found:?}");
    assert!(found.certified.gap < 1e-10 && found.certified.status == Claim::Certified, "{found:?}");
    // r = (lambda/2)((2, 1), (-2, 1)) in the note
    for (r, expected) in objective.dual(&found.net).as_slice().iter().zip([0.1, 0.05, -0.1, 0.05]) {
        assert!((r - expected).abs() < 1e-9, "{found:?}");
    }
    let cells = cells(&objective, &found.net);
    assert_eq!(cells.iter().map(relimit_solve::optimum::Cell::rank).collect::<Vec<_>>(), [2], "{found:?}");
    // M'M = lambda^2 I: the map is M S / lambda, and f_1 +- f_2 are by hand those of S = diag of the singular values
    let s = &cells[0].singular;
    assert!((s[0] + s[1] - objective.norm(&found.net)).abs() < 1e-9, "{s:?}");
}

/// Every treatment of bias and offset.
fn modes(lambda: f64) -> Vec<Claimed> {
    let mut out = vec![];
    for bias in [Bias::Penalised, Bias::None, Bias::Free] {
        for offset in [Offset::None, Offset::Penalised, Offset::Free] {
            if bias == Bias::Free && offset != Offset::Free {
                // a free bias makes constants for nothing
                continue;
            }
            out.push(Claimed { lambda, loss: Loss::HalfMean, bias, offset, weights: None });
        }
    }
    out
}

/// One output on the vector path and on the scalar path, which share neither pricing nor restricted problem.
#[test]
fn one_output_is_the_scalar_optimum() {
    let mut draw = Draw(4);
    for (case, d) in [(0, 1), (1, 2), (2, 1), (3, 2)] {
        let n = 5 + case;
        let x = Mat::from_fn(n, d, |_, _| draw.normal());
        let y: Vec<f64> = (0..n).map(|_| draw.normal() + 0.5).collect();
        for claim in modes(0.02) {
            let what = format!("case {case} {claim:?}");
            let scalar = Objective::new(claim.clone(), x.clone(), y.clone());
            let expected = optimum(&scalar, vec![], &Effort { gap: 1e-10, ..Effort::default() });
            let (objective, found) = solve(claim, &x, &Mat::from_vec(n, 1, y.clone()), 1e-10);
            assert_eq!(found.certified.status, Claim::Certified, "{what}: {:?}", found.certified);
            assert!((found.certified.objective - expected.certified.objective).abs() < 1e-9, "{what}");
            let f = scalar.outputs(&expected.candidate.rays, expected.candidate.offset);
            for (a, b) in objective.values(&found.net).as_slice().iter().zip(&f) {
                assert!((a - b).abs() < 1e-6, "{what}: {a} {b}");
            }
            let (a, b) = (vector_lambda_max(&objective, &Effort::default()), lambda_max(&scalar, &Effort::default()));
            assert!((a.value - b.value).abs() < 1e-9 * b.value && a.status == Claim::Certified, "{what}: {a:?} {b:?}");
        }
    }
}

/// No neuron just above lambda_max, and one just below.
#[test]
fn the_collapse_is_at_lambda_max() {
    let mut draw = Draw(8);
    let x = Mat::from_fn(6, 1, |_, _| draw.normal());
    let y = Mat::from_fn(6, 2, |_, _| draw.normal() + 1.0);
    for claim in modes(0.02) {
        let largest = vector_lambda_max(&VectorObjective::new(claim.clone(), x.clone(), y.clone()), &Effort::default());
        for (share, none) in [(1.0 + 1e-6, true), (1.0 - 1e-4, false)] {
            let at = Claimed { lambda: share * largest.value, ..claim.clone() };
            let (_, found) = solve(at, &x, &y, 1e-10);
            assert_eq!(found.net.rays.is_empty(), none, "{claim:?} {share}: {found:?}");
        }
    }
}
