//! Cells and faces against an interior-point solver that knows nothing of arrangements, for all sign vectors.

use std::ops::ControlFlow;

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus, SupportedConeT};
use relimit_core::certify::pattern::{Decision, decide};
use relimit_core::collapse::regions;
use relimit_core::net::Network;
use relimit_core::num::Mat;
use relimit_core::pattern::faces::{covector_of, for_each_covector};
use relimit_core::pattern::{Arrangement, Covector, Options, for_each_cell};

/// The largest t with `s_i x_i . u >= t |x_i|` where s_i is not 0, `x_i . u = 0` where it is, `|u_c| <= 1`.
///
/// Small integer data leave a gap between 0 and the smallest positive value.
fn margin(x: &Mat, s: &[i8]) -> f64 {
    let (n, d) = (x.rows(), x.cols());
    let equal: Vec<usize> = (0..n).filter(|&i| s[i] == 0).collect();
    let strict: Vec<usize> = (0..n).filter(|&i| s[i] != 0).collect();
    let length = |i: usize| x.row(i).iter().map(|v| v * v).sum::<f64>().sqrt();
    let mut rows: Vec<Vec<f64>> = vec![];
    for &i in &equal {
        rows.push(x.row(i).iter().copied().chain([0.0]).collect());
    }
    for &i in &strict {
        rows.push(x.row(i).iter().map(|v| -f64::from(s[i]) * v).chain([length(i)]).collect());
    }
    let mut b = vec![0.0; n];
    for c in 0..=d {
        for sign in [1.0, -1.0] {
            rows.push((0..=d).map(|k| if k == c { sign } else { 0.0 }).collect());
            b.push(1.0);
        }
    }
    let a = CscMatrix::from(&rows);
    let p = CscMatrix::zeros((d + 1, d + 1));
    let q: Vec<f64> = (0..=d).map(|c| if c == d { -1.0 } else { 0.0 }).collect();
    let cones = [SupportedConeT::ZeroConeT(equal.len()), SupportedConeT::NonnegativeConeT(b.len() - equal.len())];
    let settings = DefaultSettings { verbose: false, ..DefaultSettings::default() };
    let mut solver = DefaultSolver::new(&p, &q, &a, &b, &cones, settings).expect("a well-formed program");
    solver.solve();
    assert!(matches!(solver.solution.status, SolverStatus::Solved | SolverStatus::AlmostSolved), "{s:?}");
    solver.solution.x[d]
}

fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn integers(state: &mut u64, n: usize, d: usize) -> Mat {
    let row = |state: &mut u64| -> Vec<f64> {
        loop {
            let row: Vec<f64> = (0..d).map(|_| (next(state) % 5) as f64 - 2.0).collect();
            if row.iter().any(|v| *v != 0.0) {
                return row;
            }
        }
    };
    Mat::from_rows(&(0..n).map(|_| row(state)).collect::<Vec<_>>())
}

fn by_program(x: &Mat, choices: &[i8]) -> Vec<Covector> {
    let mut found = vec![];
    for k in 0..choices.len().pow(x.rows() as u32) {
        let s: Vec<i8> = (0..x.rows()).map(|i| choices[k / choices.len().pow(i as u32) % choices.len()]).collect();
        let m = margin(x, &s);
        assert!(!(1e-6..1e-3).contains(&m), "{s:?}: margin {m}");
        let wanted = Covector::from_signs(s.iter().map(|v| v.cmp(&0)));
        // Each question is decided with proof as well.
        let exists = match decide(x, &wanted, &|| false) {
            Decision::Realisable(w) => w.verify(x, &wanted),
            Decision::Impossible(p) => !p.verify(x, &wanted),
            Decision::Stopped => panic!("nobody stopped it"),
        };
        assert_eq!(exists, m > 1e-4, "{s:?}: margin {m}");
        if m > 1e-4 {
            found.push(wanted);
        }
    }
    found.sort();
    found
}

#[test]
fn cells_are_the_feasible_programs() {
    let mut state = 31;
    for (n, d) in [(3, 2), (6, 2), (5, 3), (7, 3), (8, 4), (9, 3), (9, 5), (4, 6)] {
        let x = integers(&mut state, n, d);
        let a = Arrangement::new(&x);
        let mut rows = vec![0; 1];
        let mut cells = vec![];
        for_each_cell(&a, &Options::all(), &mut |cell| {
            cell.write_rows(&mut rows);
            cells.push(covector_of(&a, &rows));
            ControlFlow::Continue(())
        });
        cells.sort();
        assert_eq!(cells, by_program(&x, &[-1, 1]), "{n}x{d}");
    }
}

#[test]
fn faces_are_the_feasible_programs() {
    let mut state = 32;
    for (n, d) in [(3, 2), (5, 2), (4, 3), (6, 3), (5, 4)] {
        let x = integers(&mut state, n, d);
        let a = Arrangement::new(&x);
        let mut faces = vec![];
        for_each_covector(&a, &Options::all(), 0..=a.rank(), &mut |face| {
            faces.push(face.covector.clone());
            ControlFlow::Continue(())
        });
        faces.sort();
        // The margin of the all-zero vector is that of no condition: its program has t = 1.
        assert_eq!(faces, by_program(&x, &[-1, 0, 1]), "{n}x{d}");
    }
}

/// Regions of networks of small integers: one program for each of the 2^m sets of active units, `(x, t)` with t > 0.
#[test]
fn regions_of_a_network_are_the_feasible_programs() {
    let mut state = 33;
    for (m, d) in [(5, 1), (10, 2), (8, 3), (6, 4)] {
        let mut units = integers(&mut state, m, d);
        // one unit twice, turned round and doubled
        let turned: Vec<f64> = units.row(1).iter().map(|v| -2.0 * v).collect();
        units.row_mut(0).copy_from_slice(&turned);
        let mut b: Vec<f64> = (0..m).map(|_| (next(&mut state) % 7) as f64 - 3.0).collect();
        b[0] = -2.0 * b[1];
        let row = |j: usize, k: usize| {
            if j == m {
                f64::from(u8::from(k == d))
            } else if k == d {
                b[j]
            } else {
                units[(j, k)]
            }
        };
        let rows = Mat::from_fn(m + 1, d + 1, row);
        let feasible = (0..1usize << m).filter(|k| {
            let s: Vec<i8> = (0..=m).map(|j| if j == m || k >> j & 1 == 1 { 1 } else { -1 }).collect();
            let t = margin(&rows, &s);
            assert!(!(1e-6..1e-3).contains(&t), "{s:?}: margin {t}");
            t > 1e-4
        });
        let expected = feasible.count().to_string();
        let counted = regions(&Network::scalar(units, b.clone(), vec![1.0; m], 0.0), u64::MAX, &|| false);
        assert_eq!((counted.lower, counted.upper), (expected.clone(), expected), "{m} units in {d}");
    }
}
