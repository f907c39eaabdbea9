//! Proofs of impossibility, verified again by code that shares nothing with them.

use relimit_core::certify::{CentredRows, infeasible_orthant};
use relimit_core::num::Mat;
use relimit_core::num::least_norm::{LeastNorm, least_norm};
use relimit_core::num::mat::dot;

fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn integer(state: &mut u64, size: i64) -> i64 {
    (next(state) % (2 * size as u64 + 1)).cast_signed() - size
}

fn as_mat(x: &[Vec<i64>]) -> Mat {
    Mat::from_rows(&x.iter().map(|r| r.iter().map(|v| *v as f64).collect::<Vec<f64>>()).collect::<Vec<_>>())
}

/// The null space of the transpose when it is one-dimensional: integer elimination in i128, each row kept primitive.
fn dependency(rows: &[&Vec<i64>]) -> Option<Vec<i128>> {
    let (k, d) = (rows.len(), rows[0].len());
    let mut a: Vec<Vec<i128>> = (0..d).map(|c| rows.iter().map(|r| i128::from(r[c])).collect()).collect();
    let gcd = |a: i128, b: i128| {
        let (mut a, mut b) = (a.abs(), b.abs());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let (mut pivots, mut top) = (vec![], 0);
    for c in 0..k {
        let Some(p) = (top..d).find(|&i| a[i][c] != 0) else { continue };
        a.swap(top, p);
        for i in (0..d).filter(|&i| i != top) {
            let (f, g) = (a[i][c], a[top][c]);
            if f != 0 {
                for t in 0..k {
                    a[i][t] = a[i][t] * g - a[top][t] * f;
                }
                let divisor = a[i].iter().fold(0, |s, v| gcd(s, *v)).max(1);
                a[i].iter_mut().for_each(|v| *v /= divisor);
            }
        }
        pivots.push(c);
        top += 1;
    }
    let free: Vec<usize> = (0..k).filter(|c| !pivots.contains(c)).collect();
    let &[free] = &free[..] else { return None };
    let scale = (0..pivots.len()).fold(1i128, |l, r| l / gcd(l, a[r][pivots[r]]) * a[r][pivots[r]].abs());
    let mut m = vec![0; k];
    m[free] = scale;
    for (r, &c) in pivots.iter().enumerate() {
        m[c] = -a[r][free] * scale / a[r][c];
    }
    Some(m)
}

/// Whether some subset of at most d + 1 rows cancels with positive multipliers (Gordan and Caratheodory).
fn impossible(x: &[Vec<i64>]) -> bool {
    let d = x[0].len();
    (1u32..1 << x.len()).filter(|s| s.count_ones() as usize <= d + 1).any(|set| {
        let rows: Vec<&Vec<i64>> = (0..x.len()).filter(|i| set >> i & 1 == 1).map(|i| &x[i]).collect();
        dependency(&rows).is_some_and(|m| m.iter().all(|v| *v > 0) || m.iter().all(|v| *v < 0))
    })
}

#[test]
fn a_point_or_a_proof_never_both() {
    let mut state = 5;
    let (mut points, mut proofs) = (0, 0);
    for case in 0..600 {
        let (n, d) = (2 + case % 7, 1 + case % 4);
        let x: Vec<Vec<i64>> = (0..n).map(|_| (0..d).map(|_| integer(&mut state, 3)).collect()).collect();
        let mat = as_mat(&x);
        match least_norm(&mat, &vec![1.0; n], &|| false) {
            LeastNorm::Point { w, .. } => {
                points += 1;
                assert!(!impossible(&x), "case {case}: {x:?} has a point {w:?} and a proof");
                assert!((0..n).all(|i| dot(mat.row(i), &w) > 0.999), "case {case}");
                assert!(infeasible_orthant(&mat, &vec![1.0; n]).is_none());
            }
            LeastNorm::Infeasible { multipliers } => {
                proofs += 1;
                assert!(impossible(&x), "case {case}: {x:?}");
                let g = infeasible_orthant(&mat, &multipliers).unwrap();
                assert!(g.verify(&mat) && g.rows().len() <= d + 1);
                let m: Vec<i128> = g.multipliers().iter().map(|v| v.to_string().parse().unwrap()).collect();
                assert!(m.iter().all(|v| *v > 0));
                for c in 0..d {
                    let sum: i128 = g.rows().iter().zip(&m).map(|(&i, m)| m * i128::from(x[i][c])).sum();
                    assert_eq!(sum, 0, "case {case}, column {c}");
                }
            }
            LeastNorm::Undecided { .. } => panic!("case {case}: {x:?} undecided"),
        }
    }
    assert!(points > 150 && proofs > 150, "{points} points, {proofs} proofs");
}

/// Rows -sum of positive integer combinations of others, hidden among rows that take no part.
#[test]
fn planted_proofs_are_found_in_large_data() {
    let mut state = 17;
    for (n, d, k) in [(30, 400, 21), (200, 12, 12), (21, 1047, 20), (130, 110, 110)] {
        let mut x: Vec<Vec<i64>> = (0..n).map(|_| (0..d).map(|_| integer(&mut state, 1_000_000)).collect()).collect();
        let planted: Vec<i64> = (0..k).map(|_| 25 + integer(&mut state, 24)).collect();
        let last: Vec<i64> = (0..d).map(|c| -(0..k).map(|i| planted[i] * x[i][c]).sum::<i64>()).collect();
        x.push(last);
        let mat = as_mat(&x);
        let LeastNorm::Infeasible { multipliers } = least_norm(&mat, &vec![1.0; n + 1], &|| false) else {
            panic!("{n}x{d}: a point for rows that cancel")
        };
        let g = infeasible_orthant(&mat, &multipliers).unwrap();
        let m: Vec<i128> = g.multipliers().iter().map(|v| v.to_string().parse().unwrap_or(0)).collect();
        // In more columns than rows the planted dependency is the only one.
        if n < d {
            assert_eq!(g.rows(), [(0..k).collect::<Vec<usize>>(), vec![n]].concat());
            let divisor = planted[0] as i128 / m[0];
            assert!(planted.iter().zip(&m).all(|(p, m)| i128::from(*p) == m * divisor) && m[k] * divisor == 1);
        }
        assert!(g.verify(&mat) && g.rows().len() <= d + 1);
        // A proof for other data is refused.
        x[g.rows()[0]][d / 2] += 1;
        assert!(!g.verify(&as_mat(&x)));
    }
}

#[test]
fn supports_shrink_to_circuits() {
    // Two independent circuits and one row in between; all five rows offered as candidates.
    let x = Mat::from_rows(&[[1.0, 0.0, 0.5], [-3.0, 0.0, -1.5], [0.0, 0.1, 0.0], [0.0, -0.2, 0.0], [0.0, 5.0, 0.0]]);
    let g = infeasible_orthant(&x, &[3.0, 1.0, 1.0, 3.0, 0.1]).unwrap();
    assert!(g.verify(&x) && g.rows().len() == 2, "{:?}", g.rows());
    // (1,1) and (1,-1) and (-1,0) cancel 1:1:2; candidates also hold (1,0), whose circuit with the first two has both signs.
    let x = Mat::from_rows(&[[1.0, 1.0], [1.0, -1.0], [1.0, 0.0], [-1.0, 0.0]]);
    let g = infeasible_orthant(&x, &[1.0, 1.0, 0.5, 2.5]).unwrap();
    assert!(g.verify(&x));
    assert!(g.rows() == [2, 3] || g.rows() == [0, 1, 3]);
    // The two heaviest rows are parallel: the first circuit has both signs, and the heavier row 1 has to go.
    let x = Mat::from_rows(&[[1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [-1.0, 1.0, 0.0], [-1.0, -1.0, 1.0], [-1.0, 0.0, -1.0]]);
    let g = infeasible_orthant(&x, &[1.3, 0.55, 0.8, 0.8, 0.8]).unwrap();
    assert!(g.verify(&x) && g.rows() == [0, 2, 3, 4], "{:?}", g.rows());
    // 0.1 + 0.2 - 0.3 is not 0 in doubles, and neither is a proof.
    let x = Mat::from_rows(&[[0.1, 0.0], [0.2, 0.0], [-0.3, 1e-30]]);
    assert!(infeasible_orthant(&x, &[1.0, 1.0, 1.0]).is_none());
    let words = infeasible_orthant(&Mat::from_rows(&[[1.0], [-2.0]]), &[2.0, 1.0]).unwrap();
    assert_eq!(words.words(&|i| format!("row {}", i + 2)), "2 x (row 2) + 1 x (row 3) = 0 exactly in every column");
}

#[test]
fn centred_glucose_rows_cancel_exactly_only_in_rationals() {
    let (_, x) = glucose();
    let (n, d) = (x.rows(), x.cols());
    assert_eq!((n, d), (21, 1047));
    let mean: Vec<f64> = (0..d).map(|k| (0..n).map(|i| x[(i, k)]).sum::<f64>() / n as f64).collect();
    let centred = Mat::from_fn(n, d, |i, k| x[(i, k)] - mean[k]);
    let proof = CentredRows::prove(&x, Some(&centred)).unwrap();
    assert_eq!((proof.rows(), proof.columns()), (21, 1047));
    // Reference: 40 of 1,047 columns sum exactly to 0 after centring in double precision.
    assert_eq!(proof.inexact_columns(), 1047 - 40);
}

fn glucose() -> (Vec<f64>, Mat) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/data/glucose_spectra.csv");
    let text = std::fs::read_to_string(path).expect("the data file");
    let rows: Vec<Vec<f64>> =
        text.lines().skip(1).map(|l| l.split(',').map(|v| v.trim().parse().expect("a number")).collect()).collect();
    let y = rows.iter().map(|r| r[0]).collect();
    (y, Mat::from_rows(&rows.iter().map(|r| r[1..].to_vec()).collect::<Vec<_>>()))
}
