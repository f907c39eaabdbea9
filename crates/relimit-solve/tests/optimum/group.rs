//! Several outputs against an interior-point solver on directions that are refined, not priced: shares no step with ours.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus, SupportedConeT};
use relimit_core::certify::Claim;
use relimit_core::certify::optimum::Objective as Claimed;
use relimit_core::num::Mat;
use relimit_solve::optimum::{Effort, VectorObjective, vector_optimum};

use super::common::Draw;

/// `min 1/(2n) |Phi C - Y|^2 + lambda sum_j |C_j|` for given unit directions: the value and |C_j|.
fn group_lasso(directions: &[Vec<f64>], x: &Mat, y: &Mat, lambda: f64) -> (f64, Vec<f64>) {
    let (n, k, m) = (x.rows(), y.cols(), directions.len());
    let phi = |i: usize, j: usize| (0..x.cols()).map(|t| x[(i, t)] * directions[j][t]).sum::<f64>().max(0.0);
    // variables: (t_j, C_j) a direction, then the residuals e (n k) with e = Phi C - Y
    let width = k + 1;
    let vars = m * width + n * k;
    let mut columns: Vec<Vec<(usize, f64)>> = vec![vec![]; vars];
    for j in 0..m {
        for l in 0..k {
            let column = &mut columns[j * width + 1 + l];
            column.extend((0..n).map(|i| (i * k + l, phi(i, j))).filter(|e| e.1 != 0.0));
        }
        for l in 0..width {
            columns[j * width + l].push((n * k + j * width + l, -1.0));
        }
    }
    for e in 0..n * k {
        columns[m * width + e].push((e, -1.0));
    }
    let compress = |rows: usize, columns: &[Vec<(usize, f64)>]| {
        let (mut start, mut index, mut value) = (vec![0], vec![], vec![]);
        for column in columns {
            for (r, v) in column {
                index.push(*r);
                value.push(*v);
            }
            start.push(index.len());
        }
        CscMatrix::new(rows, columns.len(), start, index, value)
    };
    let square: Vec<Vec<(usize, f64)>> =
        (0..vars).map(|v| if v < m * width { vec![] } else { vec![(v, 1.0 / n as f64)] }).collect();
    let linear: Vec<f64> = (0..vars).map(|v| if v < m * width && v % width == 0 { lambda } else { 0.0 }).collect();
    let mut rhs: Vec<f64> = y.as_slice().to_vec();
    rhs.extend(vec![0.0; m * width]);
    let mut cones = vec![SupportedConeT::ZeroConeT(n * k)];
    cones.extend((0..m).map(|_| SupportedConeT::SecondOrderConeT(width)));
    let settings = DefaultSettings {
        verbose: false,
        tol_gap_abs: 1e-10,
        tol_gap_rel: 1e-10,
        tol_feas: 1e-10,
        ..Default::default()
    };
    let (p, a) = (compress(vars, &square), compress(rhs.len(), &columns));
    let mut solver = DefaultSolver::new(&p, &linear, &a, &rhs, &cones, settings).expect("valid settings");
    solver.solve();
    assert!(
        matches!(solver.solution.status, SolverStatus::Solved | SolverStatus::AlmostSolved),
        "{:?}",
        solver.solution.status
    );
    (solver.solution.obj_val, (0..m).map(|j| solver.solution.x[j * width]).collect())
}

/// Unit vectors on the extreme rays of the cells: orthogonal to D - 1 rows, both ways.
fn vertices(x: &Mat) -> Vec<Vec<f64>> {
    let mut out = vec![];
    for i in 0..x.rows() {
        let a = x.row(i);
        match a.len() {
            2 => out.push(vec![a[1], -a[0]]),
            _ => out.extend((0..i).map(|j| {
                let b = x.row(j);
                vec![a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
            })),
        }
    }
    out.iter().flat_map(|v| [unit(v), unit(&v.iter().map(|a| -a).collect::<Vec<_>>())]).collect()
}

fn unit(v: &[f64]) -> Vec<f64> {
    let size = v.iter().map(|a| a * a).sum::<f64>().sqrt();
    v.iter().map(|a| a / size).collect()
}

/// The optimum over all cells: from their vertices and sums of two or three of them, each active direction is moved
/// towards every vertex of its cell by steps that are halved.
fn by_refinement(x: &Mat, y: &Mat, lambda: f64) -> f64 {
    let corners = vertices(x);
    let z = |u: &[f64], i: usize| (0..x.cols()).map(|t| x[(i, t)] * u[t]).sum::<f64>();
    let together = |u: &[f64], v: &[f64]| (0..x.rows()).all(|i| z(u, i) * z(v, i) > -1e-12);
    let mix = |u: &[f64], v: &[f64], h: f64| unit(&u.iter().zip(v).map(|(a, b)| a + h * b).collect::<Vec<_>>());
    let mut directions = corners.clone();
    for (p, u) in corners.iter().enumerate() {
        directions.extend(corners[..p].iter().filter(|v| together(u, v)).map(|v| mix(u, v, 1.0)));
    }
    let mut value = f64::INFINITY;
    for round in 0..16 {
        let (reached, sizes) = group_lasso(&directions, x, y, lambda);
        value = value.min(reached);
        let mut order: Vec<usize> = (0..directions.len()).collect();
        order.sort_by(|a, b| sizes[*b].total_cmp(&sizes[*a]));
        let active: Vec<Vec<f64>> = order.iter().take(16).map(|&j| directions[j].clone()).collect();
        let step = 0.5f64.powi(round);
        directions.clone_from(&active);
        for u in &active {
            for v in corners.iter().filter(|v| together(u, v)) {
                directions.extend([1.0, 0.4].map(|s| mix(u, v, s * step)));
            }
        }
        let mut kept: Vec<Vec<f64>> = vec![];
        for u in directions {
            if !kept.iter().any(|v| v.iter().zip(&u).all(|(a, b)| (a - b).abs() < 1e-7)) {
                kept.push(u);
            }
        }
        directions = kept;
    }
    value
}

#[test]
fn refinement_with_an_interior_point_solver_agrees() {
    let mut draw = Draw(77);
    for (case, (n, d)) in
        [(2, 1), (3, 1), (4, 1), (5, 1), (6, 1), (4, 1), (6, 1), (3, 2), (4, 2), (5, 2), (5, 2)].into_iter().enumerate()
    {
        let features = draw.gaussian(n, d);
        let y = draw.gaussian(n, 2);
        let lambda = [0.01, 0.05][case % 2];
        let objective = VectorObjective::new(Claimed::half_mean(lambda), features, y.clone());
        let found = vector_optimum(&objective, vec![], &Effort::default());
        let expected = by_refinement(&objective.one.x, &y, lambda);
        let at = objective.value(&found.net);
        assert!((at - expected).abs() < 1e-6 * (1.0 + at), "case {case}: {at} {expected}");
        assert!(found.certified.status == Claim::Certified, "case {case}: {:?}", found.certified);
    }
}
