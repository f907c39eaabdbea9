//! The worst case of Vardi and Shamir: realizable data on which gradient flow misses the minimum-norm solution.

use super::Case;
use crate::data::synthetic::designs;
use crate::num::Mat;
use crate::num::linalg::{gram, symmetric_eigen};

/// The family with parameter gamma, and its exact flow limit `alpha (5, -1, s)` from w = 0.
#[derive(Clone, Debug)]
pub struct VardiShamir {
    /// Rows (3,-1,0), (4,2,0), (0,gamma,gamma), labels alpha (16,18,0), start 0, relu'(0) = 1, gradient flow.
    pub case: Case,
    /// Time at which the third preactivation reaches 0 and freezes (infinite for gamma = 0).
    pub t1: f64,
    /// Third coordinate of the limit over alpha; 0 at the minimum-norm solution.
    pub s: f64,
}

/// Reference values for one gamma.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VardiShamirRow {
    /// Parameter.
    pub gamma: f64,
    /// Freezing time.
    pub t1: f64,
    /// Third coordinate of the limit of the flow, alpha = 1.
    pub s: f64,
    /// Third coordinate of the limit of descent from 0 with half-sum step 1e-2, 1e-3, 1e-4, where known.
    pub descent: Option<[f64; 3]>,
}

/// Six-decimal reference values; the intervals printed in the paper are s in (-.045, -.035), (-.12, -.10), (-.22, -.20)
/// for gamma = 1, 2, 5.
///
/// Source: Vardi and Shamir 2021, theorem 3 (family and intervals); digits derived from the flow formula in its proof.
pub const VARDI_SHAMIR_TABLE: [VardiShamirRow; 7] = [
    VardiShamirRow { gamma: 0.5, t1: 0.182_650, s: -0.011_591, descent: None },
    VardiShamirRow { gamma: 1.0, t1: 0.169_651, s: -0.040_773, descent: Some([-0.044_034, -0.041_087, -0.040_804]) },
    VardiShamirRow { gamma: 2.0, t1: 0.138_318, s: -0.110_696, descent: Some([-0.121_285, -0.111_694, -0.110_796]) },
    VardiShamirRow { gamma: 5.0, t1: 0.086_147, s: -0.209_049, descent: Some([-0.234_112, -0.211_281, -0.209_270]) },
    VardiShamirRow { gamma: 10.0, t1: 0.068_195, s: -0.227_636, descent: None },
    VardiShamirRow { gamma: 20.0, t1: 0.064_030, s: -0.230_115, descent: None },
    VardiShamirRow { gamma: 100.0, t1: 0.062_774, s: -0.230_706, descent: None },
];

/// The family at `gamma >= 0`, labels scaled by `alpha > 0`.
///
/// ```text
/// w(t) = alpha ( (5,-1,1) - exp(-t X'X) (5,-1,1) )   until  x_3 . w = 0  at t1;   then w_3 is frozen at alpha s
/// ```
///
/// Source: Vardi and Shamir, "Implicit regularization in ReLU networks with the square loss", COLT 2021, theorem 3.
pub fn vardi_shamir(gamma: f64, alpha: f64) -> VardiShamir {
    assert!(gamma >= 0.0 && alpha > 0.0, "gamma {gamma}, alpha {alpha}");
    let (x, y) = designs::vardi_shamir(gamma, alpha);
    let target = [5.0, -1.0, 1.0];
    let (t1, s) = if gamma == 0.0 {
        (f64::INFINITY, 0.0)
    } else {
        let e = symmetric_eigen(&gram(&x.transpose()));
        let modes = e.vectors.mul_vec(&target);
        let w = |t: f64| -> Vec<f64> {
            let rise: Vec<f64> = (0..3).map(|l| -(-t * e.values[l]).exp_m1() * modes[l]).collect();
            e.vectors.tmul_vec(&rise)
        };
        // The third preactivation rises from 0 and comes back once; at t = 1 it is below.
        let z = |t: f64| w(t)[1] + w(t)[2];
        let (mut lo, mut hi) = (1e-3 / (1.0 + gamma * gamma), 1.0);
        assert!(z(lo) > 0.0 && z(hi) < 0.0, "gamma {gamma} is out of the range of the bracket");
        while hi - lo > 1e-15 * hi {
            let mid = 0.5 * (lo + hi);
            if mid <= lo || mid >= hi {
                break;
            }
            if z(mid) > 0.0 { lo = mid } else { hi = mid }
        }
        (lo, w(lo)[2])
    };
    VardiShamir {
        case: Case {
            x,
            y,
            c: vec![1.0],
            at_zero: true,
            start: Mat::zeros(1, 3),
            step: None,
            source: "Vardi and Shamir 2021, theorem 3",
        },
        t1,
        s,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zoo::plain_descent;

    #[test]
    fn formula_gives_the_table_and_the_paper_intervals() {
        for row in VARDI_SHAMIR_TABLE {
            let v = vardi_shamir(row.gamma, 1.0);
            assert!((v.t1 - row.t1).abs() < 6e-7 && (v.s - row.s).abs() < 6e-7, "{row:?}: {} {}", v.t1, v.s);
        }
        for (gamma, lo, hi) in [(1.0, -0.045, -0.035), (2.0, -0.12, -0.10), (5.0, -0.22, -0.20)] {
            assert!((lo..hi).contains(&vardi_shamir(gamma, 1.0).s));
        }
        assert_eq!(vardi_shamir(0.0, 1.0).s, 0.0);
    }

    #[test]
    fn descent_from_zero_gives_the_discrete_values() {
        for row in VARDI_SHAMIR_TABLE {
            let Some(values) = row.descent else { continue };
            let case = vardi_shamir(row.gamma, 1.0).case;
            for (value, (step, count)) in values.iter().zip([(1e-2, 2_000), (1e-3, 20_000), (1e-4, 200_000)]) {
                let mut w = Mat::zeros(1, 3);
                plain_descent(&case.problem(), &mut w, step, count);
                assert!((w[(0, 0)] - 5.0).abs() < 1e-7 && (w[(0, 1)] + 1.0).abs() < 1e-7, "{w:?}");
                assert!((w[(0, 2)] - value).abs() < 6e-7, "gamma {} step {step}: {}", row.gamma, w[(0, 2)]);
            }
        }
    }
}
