//! The golden example: three almost orthogonal rows, one and two neurons, every value known to eight digits.

use super::Case;
use crate::data::synthetic::designs;
use crate::num::Mat;

/// Expected values of the golden example, rounded to eight decimals.
#[derive(Clone, Debug)]
pub struct Golden {
    /// Data, labels (1, 2, -1), start 0.01 on every row, step 1/34 (C = 2 with tau = 17).
    pub case: Case,
    /// Weights of the limit, m x 4.
    pub w: Mat,
    /// Weights of the minimum-norm solution, m x 4.
    pub min_norm_w: Mat,
    /// `|W*|`.
    pub min_norm: f64,
    /// Multipliers of the minimum-norm solution: for each neuron the examples it must be silent on, with the multiplier.
    pub multipliers: Vec<Vec<(usize, f64)>>,
    /// `|W(inf) - W*|`.
    pub gap: f64,
    /// Half-sum loss of the limit.
    pub loss: f64,
    /// Step of the last mask change.
    pub last_step: f64,
    /// Preactivations of the first neuron after steps 1, 2, ... (listed for one neuron only).
    pub steps: Vec<[f64; 3]>,
    /// Preactivations of the first neuron at the limit, and its duals (listed for one neuron only).
    pub limit: Option<([f64; 3], [f64; 3])>,
    /// Left side of the one-step certificate; the right side is 1.
    pub certificate_left: f64,
}

const SOURCE: &str = "derived: X X' has 17 on the diagonal and 1 elsewhere, so every step is a rational computation";

fn case(c: &[f64]) -> Case {
    let (x, y) = designs::golden();
    Case {
        x,
        y,
        c: c.to_vec(),
        at_zero: false,
        start: Mat::from_fn(c.len(), 3, |_, _| 0.01),
        step: Some(1.0 / 34.0),
        source: SOURCE,
    }
}

/// One neuron with output weight +1. The gap is `sqrt(152/9) ((1.01/34 - .01/19) - 3/304)`.
pub fn golden_one() -> Golden {
    Golden {
        case: case(&[1.0]),
        w: Mat::from_rows(&[[0.214_817_68, 0.464_817_68, -0.116_718_27, 0.140_729_27]]),
        min_norm_w: Mat::from_rows(&[[0.210_526_32, 0.460_526_32, -0.039_473_68, 0.157_894_74]]),
        min_norm: 0.531_878_50,
        multipliers: vec![vec![(2, 3.0 / 304.0)]],
        gap: 0.079_361_26,
        loss: 0.5,
        last_step: 1.0,
        steps: vec![[0.533_823_53, 1.004_411_76, -0.407_352_94], [0.796_193_77, 1.515_916_96, -0.364_359_86]],
        limit: Some(([1.0, 2.0, -0.326_143_79], [0.053_704_42, 0.116_204_42, -0.029_179_57])),
        // rho C R / (1 - rho) + (C - 1) eps with rho = 2/17, C = 2, R = 2.01, eps = .01
        certificate_left: (2.0 / 17.0) * 2.0 * 2.01 / (15.0 / 17.0) + 0.01,
    }
}

/// Two neurons with output weights +1 and -1 and the same start.
pub fn golden_two() -> Golden {
    Golden {
        case: case(&[1.0, -1.0]),
        w: Mat::from_rows(&[
            [0.214_752_32, 0.464_752_32, -0.115_541_80, 0.140_990_71],
            [-0.115_541_80, -0.233_188_85, 0.255_807_69, -0.023_230_74],
        ]),
        min_norm_w: Mat::from_rows(&[
            [0.210_526_32, 0.460_526_32, -0.039_473_68, 0.157_894_74],
            [-0.013_157_89, -0.013_157_89, 0.236_842_11, 0.052_631_58],
        ]),
        min_norm: 0.584_897_65,
        multipliers: vec![vec![(2, 3.0 / 304.0)], vec![(0, 0.003_289_47), (1, 0.003_289_47)]],
        gap: 0.266_680_88,
        loss: 0.0,
        last_step: 1.0,
        steps: vec![],
        limit: None,
        // R = 2 + 2 eps, and C eps for (C - 1) eps
        certificate_left: (2.0 / 17.0) * 2.0 * 2.02 / (15.0 / 17.0) + 0.02,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::linalg::Cholesky;
    use crate::num::linalg::gram;
    use crate::zoo::plain_descent;

    fn start(g: &Golden) -> Mat {
        let chol = Cholesky::new(&gram(&g.case.x)).unwrap();
        let rows: Vec<Vec<f64>> =
            (0..g.case.c.len()).map(|j| g.case.x.tmul_vec(&chol.solve(g.case.start.row(j)))).collect();
        Mat::from_rows(&rows)
    }

    #[test]
    fn plain_descent_reaches_the_listed_values() {
        for g in [golden_one(), golden_two()] {
            let (p, eta) = (g.case.problem(), g.case.step.unwrap());
            let mut w = start(&g);
            for expected in &g.steps {
                plain_descent(&p, &mut w, eta, 1);
                let z = g.case.x.mul_vec(w.row(0));
                assert!(z.iter().zip(expected).all(|(a, b)| (a - b).abs() < 6e-9), "{z:?}");
            }
            plain_descent(&p, &mut w, eta, 2000);
            assert!(w.as_slice().iter().zip(g.w.as_slice()).all(|(a, b)| (a - b).abs() < 6e-9), "{w:?}");
            if let Some((z, _)) = g.limit {
                assert!(g.case.x.mul_vec(w.row(0)).iter().zip(z).all(|(a, b)| (a - b).abs() < 6e-9));
            }
            let gap: f64 = w.as_slice().iter().zip(g.min_norm_w.as_slice()).map(|(a, b)| (a - b).powi(2)).sum();
            assert!((gap.sqrt() - g.gap).abs() < 3e-8, "{}", gap.sqrt());
        }
    }

    /// The minimum-norm values satisfy KKT: w* = X_own' a - X_other' mu, mu >= 0, with fit and silence.
    #[test]
    fn minimum_norm_values_satisfy_kkt() {
        for g in [golden_one(), golden_two()] {
            let norm: f64 = g.min_norm_w.as_slice().iter().map(|v| v * v).sum();
            assert!((norm.sqrt() - g.min_norm).abs() < 2e-8);
            for (j, c) in g.case.c.iter().enumerate() {
                let w = g.min_norm_w.row(j);
                let z = g.case.x.mul_vec(w);
                // w = X'a has one solution: a from the first three coordinates, the fourth checks it.
                let a: Vec<f64> = (0..3).map(|i| w[i] / 4.0).collect();
                assert!((a.iter().sum::<f64>() - w[3]).abs() < 3e-8);
                for i in 0..3 {
                    if c * g.case.y[i] > 0.0 {
                        assert!((z[i] - g.case.y[i].abs()).abs() < 1e-7);
                    } else {
                        let mu = g.multipliers[j].iter().find(|(row, _)| *row == i).unwrap().1;
                        assert!((a[i] + mu).abs() < 1e-8 && mu > 0.0 && z[i].abs() < 1e-7);
                    }
                }
            }
        }
    }
}
