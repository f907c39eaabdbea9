//! An interior-point solver over all cells of the arrangement, on small sets.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus, SupportedConeT};
use relimit_core::num::Mat;

use super::common::Draw;
use super::support::{half_mean, solve};

/// Every sign vector of rows in general position in three dimensions: each cell has a vertex on two rows.
fn cells(x: &[[f64; 3]]) -> Vec<Vec<f64>> {
    let dot = |a: &[f64; 3], b: &[f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let mut out: Vec<Vec<f64>> = vec![];
    for i in 0..x.len() {
        for j in 0..i {
            let (a, b) = (&x[i], &x[j]);
            let v = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
            for turn in [1.0, -1.0] {
                for (p, q) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
                    let sign = |k: usize| {
                        if k == i {
                            p
                        } else if k == j {
                            q
                        } else {
                            (turn * dot(&x[k], &v)).signum()
                        }
                    };
                    let s: Vec<f64> = (0..x.len()).map(sign).collect();
                    if !out.contains(&s) {
                        out.push(s);
                    }
                }
            }
        }
    }
    out
}

/// `min 1/(2n) |sum_s D_s X (v_s - w_s) - y|^2 + lambda sum (|v_s| + |w_s|)`, v_s and w_s in the closed cell of s.
fn over_cells(x: &[[f64; 3]], y: &[f64], lambda: f64) -> f64 {
    let n = y.len();
    let blocks: Vec<(Vec<f64>, f64)> = cells(x)
        .into_iter()
        .filter(|s| s.iter().any(|v| *v > 0.0))
        .flat_map(|s| [(s.clone(), 1.0), (s, -1.0)])
        .collect();
    // variables: (t, v) a block
    let vars = 4 * blocks.len();
    let phi = |i: usize, k: usize| {
        let (s, sign) = &blocks[k / 4];
        if k.is_multiple_of(4) || s[i] < 0.0 { 0.0 } else { sign * x[i][k % 4 - 1] }
    };
    let mut p: Vec<Vec<f64>> = vec![vec![0.0; vars]; vars];
    let mut linear = vec![0.0; vars];
    for a in 0..vars {
        for b in a..vars {
            p[a][b] = (0..n).map(|i| phi(i, a) * phi(i, b)).sum::<f64>() / n as f64;
        }
        linear[a] = if a % 4 == 0 { lambda } else { -(0..n).map(|i| phi(i, a) * y[i]).sum::<f64>() / n as f64 };
    }
    let rows = blocks.len() * (n + 4);
    let cone = blocks.len() * n;
    let mut columns: Vec<Vec<(usize, f64)>> = vec![vec![]; vars];
    for (k, (s, _)) in blocks.iter().enumerate() {
        for c in 0..3 {
            for i in 0..n {
                columns[4 * k + 1 + c].push((k * n + i, -s[i] * x[i][c]));
            }
        }
        for c in 0..4 {
            columns[4 * k + c].push((cone + 4 * k + c, -1.0));
        }
    }
    let compress = |m: usize, columns: &[Vec<(usize, f64)>]| {
        let (mut start, mut index, mut value) = (vec![0], vec![], vec![]);
        for column in columns {
            for (r, v) in column.iter().filter(|e| e.1 != 0.0) {
                index.push(*r);
                value.push(*v);
            }
            start.push(index.len());
        }
        CscMatrix::new(m, columns.len(), start, index, value)
    };
    let upper: Vec<Vec<(usize, f64)>> = (0..vars).map(|b| (0..=b).map(|a| (a, p[a][b])).collect()).collect();
    let mut cones = vec![SupportedConeT::NonnegativeConeT(cone)];
    cones.extend(blocks.iter().map(|_| SupportedConeT::SecondOrderConeT(4)));
    let settings = DefaultSettings {
        verbose: false,
        tol_gap_abs: 1e-10,
        tol_gap_rel: 1e-10,
        tol_feas: 1e-10,
        ..Default::default()
    };
    let (p, a) = (compress(vars, &upper), compress(rows, &columns));
    let mut solver = DefaultSolver::new(&p, &linear, &a, &vec![0.0; rows], &cones, settings).expect("valid settings");
    solver.solve();
    assert!(
        matches!(solver.solution.status, SolverStatus::Solved | SolverStatus::AlmostSolved),
        "{:?}",
        solver.solution.status
    );
    solver.solution.obj_val + y.iter().map(|v| v * v).sum::<f64>() / (2.0 * n as f64)
}

#[test]
fn an_interior_point_solver_over_all_cells_agrees() {
    let mut draw = Draw(31);
    for case in 0..30 {
        let n = 3 + case % 4;
        let rows: Vec<[f64; 3]> = (0..n).map(|_| [draw.normal(), draw.normal(), 1.0]).collect();
        let y: Vec<f64> = (0..n).map(|_| draw.normal()).collect();
        let lambda = [0.003, 0.02, 0.1][case % 3];
        let found = solve(&half_mean(&Mat::from_fn(n, 2, |i, k| rows[i][k]), &y, lambda), 1e-10);
        let expected = over_cells(&rows, &y, lambda);
        assert!((found.candidate.value - expected).abs() < 1e-6, "case {case}: {} {expected}", found.candidate.value);
    }
}
