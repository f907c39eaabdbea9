//! Two correlated examples with opposite labels: the exact correlation at which the limit jumps.

use super::Case;
use crate::num::Mat;

/// Two rows with `G = tau [[1, rho], [rho, 1]]`, labels (1, -1), one neuron, vanishing start.
#[derive(Clone, Debug)]
pub struct TwoRows {
    /// Data (tau = 1), start `eps` on both rows, step 1/C.
    pub case: Case,
    /// Whether the second example is active again at the limit.
    pub reactivated: bool,
    /// Preactivation of the second example after the mask has settled at (on, off), start 0: `rho - (1 - rho^2)/C`;
    /// it is the limit exactly when it is not positive.
    pub silent_z: f64,
}

/// The largest correlation at which the second example stays silent: `(sqrt(C^2 + 4) - C) / 2`.
///
/// Source: derived, the root of `rho - (1 - rho^2)/C = 0`.
pub fn two_rows_threshold(step_constant: f64) -> f64 {
    2.0 / (step_constant.hypot(2.0) + step_constant)
}

/// The largest correlation that the one-step certificate accepts for a vanishing start: `1 / (1 + C)`.
pub fn certified_correlation(step_constant: f64) -> f64 {
    1.0 / (1.0 + step_constant)
}

/// The problem for a correlation in [0, 1), a step constant C > 1 and a small start `eps`.
pub fn two_rows(rho: f64, step_constant: f64, eps: f64) -> TwoRows {
    assert!((0.0..1.0).contains(&rho) && step_constant > 1.0, "rho {rho}, C {step_constant}");
    let silent_z = rho - (1.0 - rho * rho) / step_constant;
    TwoRows {
        case: Case {
            x: Mat::from_rows(&[[1.0, 0.0], [rho, ((1.0 - rho) * (1.0 + rho)).sqrt()]]),
            y: vec![1.0, -1.0],
            c: vec![1.0],
            at_zero: false,
            start: Mat::from_fn(1, 2, |_, _| eps),
            step: Some(1.0 / step_constant),
            source: "derived: two linear phases",
        },
        reactivated: silent_z > 0.0,
        silent_z,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zoo::plain_descent;

    fn limit(t: &TwoRows) -> f64 {
        let (p, x) = (t.case.problem(), &t.case.x);
        let eps = t.case.start[(0, 0)];
        let mut w = Mat::from_rows(&[[eps, eps * (1.0 - x[(1, 0)]) / x[(1, 1)]]]);
        plain_descent(&p, &mut w, t.case.step.unwrap(), 4000);
        p.x().mul_vec(w.row(0))[1]
    }

    /// Thresholds .5, .41421, .23607 for C = 1.5, 2, 4, and the jump at C = 2: -.00059 below, -.413 above.
    #[test]
    fn the_limit_jumps_at_the_threshold() {
        for (c, expected) in [(1.5, 0.5), (2.0, 0.414_21), (4.0, 0.236_07)] {
            let threshold = two_rows_threshold(c);
            assert!((threshold - expected).abs() < 5e-6);
            assert!(certified_correlation(c) < threshold);
            for side in [-1e-4, 1e-4] {
                let t = two_rows(threshold + side, c, 1e-9);
                let z = limit(&t);
                assert_eq!(t.reactivated, side > 0.0);
                // Reactivated means active for ever after a visit: it is pushed down again, well below 0.
                assert_eq!(z < -0.1, t.reactivated, "C={c} side={side}: {z}");
                if side < 0.0 {
                    assert!((z - t.silent_z).abs() < 1e-7);
                }
            }
        }
        assert!((limit(&two_rows(0.4138, 2.0, 1e-9)) + 0.000_59).abs() < 1e-5);
        assert!((limit(&two_rows(0.415, 2.0, 1e-9)) + 0.413).abs() < 5e-4);
    }
}
