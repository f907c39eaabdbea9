//! Random problems and a reference quadratic-program solver for the tests.

#![allow(dead_code, reason = "each test file uses a part")]

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus, SupportedConeT};
use relimit_core::num::Mat;

/// splitmix64 with Box-Muller normals.
pub(crate) struct Draw(pub(crate) u64);

impl Draw {
    pub(crate) fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(crate) fn normal(&mut self) -> f64 {
        let (u, v) = (1.0 - self.uniform(), self.uniform());
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    }

    pub(crate) fn gaussian(&mut self, n: usize, d: usize) -> Mat {
        Mat::from_fn(n, d, |_, _| self.normal())
    }

    /// Labels of alternating sign and size in [1/2, 3/2].
    pub(crate) fn labels(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|i| (0.5 + self.uniform()) * if i % 2 == 0 { 1.0 } else { -1.0 }).collect()
    }
}

/// `min |w|` with `rows w = rhs` (equality) or `>= rhs`, by an interior-point method in the primal; `None`: infeasible.
pub(crate) fn least_norm(rows: &[Vec<f64>], rhs: &[f64], equality: &[bool]) -> Option<f64> {
    let d = rows[0].len();
    let order: Vec<usize> =
        (0..rows.len()).filter(|&i| equality[i]).chain((0..rows.len()).filter(|&i| !equality[i])).collect();
    let equalities = equality.iter().filter(|e| **e).count();
    // Clarabel: A w + s = b, s = 0 or s >= 0, so A = -rows, b = -rhs.
    let (mut colptr, mut rowval, mut nzval) = (vec![0], vec![], vec![]);
    for k in 0..d {
        for (t, &i) in order.iter().enumerate() {
            if rows[i][k] != 0.0 {
                rowval.push(t);
                nzval.push(-rows[i][k]);
            }
        }
        colptr.push(rowval.len());
    }
    let a = CscMatrix::new(rows.len(), d, colptr, rowval, nzval);
    let b: Vec<f64> = order.iter().map(|&i| -rhs[i]).collect();
    let p = CscMatrix::identity(d);
    let cones = [SupportedConeT::ZeroConeT(equalities), SupportedConeT::NonnegativeConeT(rows.len() - equalities)];
    let settings = DefaultSettings {
        verbose: false,
        tol_gap_abs: 1e-11,
        tol_gap_rel: 1e-11,
        tol_feas: 1e-11,
        ..Default::default()
    };
    let mut solver = DefaultSolver::new(&p, &vec![0.0; d], &a, &b, &cones, settings).expect("valid settings");
    solver.solve();
    match solver.solution.status {
        SolverStatus::Solved | SolverStatus::AlmostSolved => {
            Some(solver.solution.x.iter().map(|v| v * v).sum::<f64>().sqrt())
        }
        SolverStatus::PrimalInfeasible | SolverStatus::AlmostPrimalInfeasible => None,
        other => panic!("reference solver ended {other:?}"),
    }
}

/// The least norm of one neuron of weight c on the least loss: own labels fitted, others silent.
pub(crate) fn one_neuron(x: &Mat, y: &[f64], c: f64) -> Option<f64> {
    let (mut rows, mut rhs, mut equality) = (vec![], vec![], vec![]);
    for i in 0..y.len() {
        let own = y[i] * c > 0.0;
        rows.push(x.row(i).iter().map(|v| if own { *v } else { -v }).collect());
        rhs.push(if own { y[i] / c } else { 0.0 });
        equality.push(own);
    }
    least_norm(&rows, &rhs, &equality)
}

/// The least norm of two neurons of opposite sign with a given pattern (bit i of `both`: both active at i).
pub(crate) fn two_neurons(x: &Mat, y: &[f64], c: [f64; 2], both: usize) -> Option<f64> {
    let d = x.cols();
    let (mut rows, mut rhs, mut equality) = (vec![], vec![], vec![]);
    for i in 0..y.len() {
        let own = usize::from(y[i] * c[0] < 0.0);
        let row = |s: [f64; 2]| [0, 1].map(|j| x.row(i).iter().map(|v| s[j] * v).collect::<Vec<_>>()).concat();
        let mut unit = [0.0; 2];
        if y[i] == 0.0 && both >> i & 1 == 0 {
            for (j, equal) in [(0, false), (1, false)] {
                let mut silent = [0.0; 2];
                silent[j] = -1.0;
                rows.push(row(silent));
                rhs.push(0.0);
                equality.push(equal);
            }
            continue;
        }
        if both >> i & 1 == 1 {
            rows.push(row(c));
            unit[1 - own] = 1.0;
        } else {
            let mut fit = [0.0; 2];
            fit[own] = c[own];
            rows.push(row(fit));
            unit[1 - own] = -1.0;
        }
        rhs.push(y[i]);
        equality.push(true);
        rows.push(row(unit));
        rhs.push(0.0);
        equality.push(false);
    }
    assert_eq!(rows[0].len(), 2 * d);
    least_norm(&rows, &rhs, &equality)
}
