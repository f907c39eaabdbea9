//! `num::least_norm` against exhaustive active sets, certificates and degenerate inputs.

use relimit_core::num::Mat;
use relimit_core::num::least_norm::{Kkt, LeastNorm, least_norm};
use relimit_core::num::mat::{dot, norm2};

struct Random(u64);

impl Random {
    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    fn uniform(&mut self) -> f64 {
        (self.word() >> 11) as f64 / (1u64 << 53) as f64
    }
    /// Roughly normal: a sum of twelve uniforms.
    fn bell(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
    fn integer(&mut self, size: i64) -> i64 {
        (self.word() % (2 * size as u64 + 1)).cast_signed() - size
    }
}

struct Point {
    w: Vec<f64>,
    multipliers: Vec<f64>,
    residual: Kkt,
    pivots: usize,
}

fn solve(x: &Mat, b: &[f64]) -> Option<Point> {
    match least_norm(x, b, &|| false) {
        LeastNorm::Point { w, multipliers, residual, pivots } => Some(Point { w, multipliers, residual, pivots }),
        LeastNorm::Infeasible { multipliers } => {
            // Evidence in floating point: a >= 0, X'a = 0 to rounding, b.a > 0.
            assert!(multipliers.iter().all(|a| *a >= 0.0));
            let size: f64 = multipliers.iter().enumerate().map(|(i, a)| a * norm2(x.row(i))).sum();
            assert!(norm2(&x.tmul_vec(&multipliers)) <= 1e-9 * size);
            assert!(dot(b, &multipliers) > 0.0);
            None
        }
        LeastNorm::Undecided { pivots } => panic!("undecided after {pivots} pivots"),
    }
}

/// Optimality re-measured here: feasible, a >= 0, w = X'a, a_i > 0 only on tight rows. Sufficient for the minimum.
fn check(x: &Mat, b: &[f64], p: &Point, tolerance: f64) {
    let size = norm2(&p.w);
    let stationary: Vec<f64> = x.tmul_vec(&p.multipliers).iter().zip(&p.w).map(|(u, v)| u - v).collect();
    assert!(norm2(&stationary) <= tolerance * size, "stationarity {}", norm2(&stationary) / size);
    for i in 0..x.rows() {
        let (z, length) = (dot(x.row(i), &p.w), norm2(x.row(i)));
        // The plain product in this test carries its own rounding of about 1e-15.
        assert!(z - b[i] >= -2e-14 * length * size, "row {i}: {z} < {}", b[i]);
        assert!(p.multipliers[i] >= 0.0);
        if p.multipliers[i] > 0.0 {
            assert!((z - b[i]).abs() <= tolerance * length * size, "row {i} is not tight: {}", z - b[i]);
        }
    }
    assert!(p.residual.max() <= tolerance, "{:?}", p.residual);
    assert!(p.residual.primal <= 1e-14);
}

/// Gaussian elimination with full pivoting, for the reference only.
fn eliminate(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Option<Vec<f64>> {
    let k = b.len();
    let mut order: Vec<usize> = (0..k).collect();
    for s in 0..k {
        let (mut pi, mut pk) = (s, s);
        for i in s..k {
            for c in s..k {
                if a[i][c].abs() > a[pi][pk].abs() {
                    (pi, pk) = (i, c);
                }
            }
        }
        if a[pi][pk].abs() < 1e-11 {
            return None;
        }
        a.swap(s, pi);
        b.swap(s, pi);
        for row in &mut a {
            row.swap(s, pk);
        }
        order.swap(s, pk);
        for i in s + 1..k {
            let f = a[i][s] / a[s][s];
            for c in s..k {
                a[i][c] -= f * a[s][c];
            }
            b[i] -= f * b[s];
        }
    }
    let mut y = vec![0.0; k];
    for s in (0..k).rev() {
        y[s] = (b[s] - (s + 1..k).map(|c| a[s][c] * y[c]).sum::<f64>()) / a[s][s];
    }
    let mut out = vec![0.0; k];
    (0..k).for_each(|s| out[order[s]] = y[s]);
    Some(out)
}

/// The shortest feasible vector among those with some subset of rows tight: all 2^n subsets.
fn exhaustive(x: &Mat, b: &[f64]) -> Option<Vec<f64>> {
    let mut best: Option<Vec<f64>> = None;
    'subsets: for set in 0u32..1 << x.rows() {
        let rows: Vec<usize> = (0..x.rows()).filter(|i| set >> i & 1 == 1).collect();
        let g: Vec<Vec<f64>> = rows.iter().map(|&i| rows.iter().map(|&k| dot(x.row(i), x.row(k))).collect()).collect();
        let mut w = vec![0.0; x.cols()];
        // Refined, because the Gram matrix squares the condition.
        for _ in 0..3 {
            let miss = rows.iter().map(|&i| b[i] - dot(x.row(i), &w)).collect();
            let Some(a) = eliminate(g.clone(), miss) else { continue 'subsets };
            for (&i, a) in rows.iter().zip(&a) {
                x.row(i).iter().zip(&mut w).for_each(|(v, w)| *w += a * v);
            }
        }
        let feasible = (0..x.rows()).all(|i| dot(x.row(i), &w) >= b[i] - 1e-9);
        if feasible && best.as_ref().is_none_or(|v| norm2(&w) < norm2(v)) {
            best = Some(w);
        }
    }
    best
}

#[test]
fn equals_the_best_active_set_of_all() {
    let mut random = Random(1);
    let (mut points, mut none) = (0, 0);
    for case in 0..1500 {
        let (n, d) = (1 + case % 6, 1 + case / 6 % 4);
        // Half of them small integers, so that ties, duplicates and zero rows abound.
        let x = Mat::from_fn(n, d, |_, _| if case % 2 == 0 { random.integer(2) as f64 } else { random.bell() });
        let b: Vec<f64> = (0..n).map(|_| if case % 3 == 0 { random.integer(2) as f64 } else { 1.0 }).collect();
        match (solve(&x, &b), exhaustive(&x, &b)) {
            (Some(p), Some(w)) => {
                points += 1;
                check(&x, &b, &p, 1e-11);
                let apart: Vec<f64> = p.w.iter().zip(&w).map(|(u, v)| u - v).collect();
                assert!(norm2(&apart) <= 1e-9 * (1.0 + norm2(&w)), "case {case}: {:?} and {w:?}", p.w);
            }
            (None, None) => none += 1,
            (p, w) => panic!("case {case}: {:?} against {w:?}", p.map(|p| p.w)),
        }
    }
    assert!(points > 400 && none > 300, "{points} points, {none} without");
}

#[test]
fn degenerate_rows() {
    // One row five times over: w = x / |x|^2.
    let x = Mat::from_fn(5, 2, |_, k| [3.0, 4.0][k]);
    let p = solve(&x, &[1.0; 5]).unwrap();
    check(&x, &[1.0; 5], &p, 1e-14);
    assert!((p.w[0] - 0.12).abs() < 1e-15 && (p.w[1] - 0.16).abs() < 1e-15);
    // Proportional rows: the shortest one binds, at the end of the list or at its head.
    for order in [[1.0, 2.0, 0.5], [0.5, 1.0, 2.0]] {
        let x = Mat::from_fn(3, 2, |i, k| order[i] * [3.0, 4.0][k]);
        let p = solve(&x, &[1.0; 3]).unwrap();
        assert!((p.w[0] - 0.24).abs() < 1e-15 && (p.w[1] - 0.32).abs() < 1e-15);
        assert_eq!(p.multipliers.iter().filter(|a| **a > 0.0).count(), 1);
    }
    // Opposite rows, and a zero row, allow nothing; with right-hand side 0 they do.
    assert!(solve(&Mat::from_rows(&[[1.0, 1.0], [-2.0, -2.0]]), &[1.0, 1.0]).is_none());
    let zero = Mat::from_rows(&[[1.0, 0.0], [0.0, 0.0]]);
    assert!(solve(&zero, &[1.0, 1.0]).is_none());
    assert_eq!(solve(&zero, &[1.0, 0.0]).unwrap().w, [1.0, 0.0]);
    // Nothing to do: no rows, or b <= 0.
    assert_eq!(solve(&Mat::zeros(0, 3), &[]).unwrap().w, [0.0; 3]);
    assert_eq!(solve(&zero, &[-1.0, 0.0]).unwrap().w, [0.0; 2]);
    // One input t >= 2.4 with a bias, and many ties: only the smallest t binds, w = (t, 1) / (t^2 + 1).
    let x = Mat::from_fn(133, 2, |i, k| [2.4 + (i * 31 % 133 / 2) as f64 * 0.4, 1.0][k]);
    let p = solve(&x, &[1e-3; 133]).unwrap();
    check(&x, &[1e-3; 133], &p, 1e-14);
    assert!((p.w[0] - 2.4e-3 / 6.76).abs() < 1e-18 && (p.w[1] - 1e-3 / 6.76).abs() < 1e-18);
    // Points on a circle arc round (1, 0), with many ties between active sets.
    let x = Mat::from_fn(41, 2, |i, k| {
        let t = (i as f64 - 20.0) / 20.0;
        [1.0 - t * t, 2.0 * t][k] / (1.0 + t * t) + if k == 0 { 1.5 } else { 0.0 }
    });
    let p = solve(&x, &[1.0; 41]).unwrap();
    check(&x, &[1.0; 41], &p, 1e-13);
}

#[test]
fn ten_thousand_rows_of_eleven_columns() {
    let mut random = Random(7);
    let (n, d) = (10_000, 11);
    // Rows with x.u >= 0.05 for a hidden direction u, a hundred of them repeated.
    let u: Vec<f64> = (0..d).map(|_| random.bell()).collect();
    let mut rows: Vec<Vec<f64>> = vec![];
    while rows.len() < n - 100 {
        let v: Vec<f64> = (0..d).map(|_| random.bell()).collect();
        if dot(&v, &u).abs() > 0.05 * norm2(&u) {
            let s = dot(&v, &u).signum();
            rows.push(v.iter().map(|t| t * s).collect());
        }
    }
    rows.extend_from_within(0..100);
    let x = Mat::from_rows(&rows);
    let b = vec![1e-3; n];
    let p = solve(&x, &b).unwrap();
    check(&x, &b, &p, 1e-12);
    let active = p.multipliers.iter().filter(|a| **a > 0.0).count();
    assert!(active <= d, "{active} active rows in {d} dimensions");
    assert!(p.pivots < 200, "{} pivots", p.pivots);
    // Without the hidden direction half of the rows oppose the others.
    let y = Mat::from_fn(n, d, |_, _| random.bell());
    assert!(solve(&y, &b).is_none());
}

#[test]
fn more_columns_than_rows_meet_equations() {
    // Nearly orthogonal rows: all bind, so X w = b, and the norm is b'G^-1 b.
    let mut random = Random(3);
    let x = Mat::from_fn(30, 2000, |_, _| random.bell());
    let b: Vec<f64> = (0..30).map(|i| 1.0 + i as f64 / 30.0).collect();
    let p = solve(&x, &b).unwrap();
    check(&x, &b, &p, 1e-13);
    let g: Vec<Vec<f64>> = (0..30).map(|i| (0..30).map(|k| dot(x.row(i), x.row(k))).collect()).collect();
    let a = eliminate(g, b.clone()).unwrap();
    assert!(a.iter().zip(&p.multipliers).all(|(s, t)| (s - t).abs() <= 1e-13 * s.abs()));
}

#[test]
fn powers_of_two_scale_exactly() {
    let mut random = Random(11);
    for case in 0..60 {
        let (n, d) = (12, 2 + case % 7);
        let x = Mat::from_fn(n, d, |_, k| if k == 0 { 2.0 + random.uniform() } else { random.bell() });
        let b = vec![0.001; n];
        let p = solve(&x, &b).unwrap();
        for e in [-900, -31, 3, 400, 900] {
            let s = 2f64.powi(e);
            let y = Mat::from_fn(n, d, |i, k| x[(i, k)] * s);
            let q = solve(&y, &b).unwrap();
            assert!(p.w.iter().zip(&q.w).all(|(u, v)| u / s == *v), "case {case}, 2^{e}");
            assert_eq!((p.residual, p.pivots), (q.residual, q.pivots));
            if e.abs() < 401 {
                assert!(p.multipliers.iter().zip(&q.multipliers).all(|(u, v)| u / s / s == *v));
            }
        }
        let q = solve(&x, &vec![0.001 * 2f64.powi(-40); n]).unwrap();
        assert!(p.w.iter().zip(&q.w).all(|(u, v)| u * 2f64.powi(-40) == *v));
    }
}

#[test]
fn ill_conditioned_rows_are_met_too() {
    // Rows (1, t, t^2, ..., t^6) on [1, 2]: condition about 1e9, a positive point exists (w = e_0).
    let x = Mat::from_fn(60, 7, |i, k| (0..k).fold(1.0, |p, _| p * (1.0 + i as f64 / 59.0)));
    let b: Vec<f64> = (0..60).map(|i| 1.0 + ((i * 7) % 5) as f64 * 1e-3).collect();
    let p = solve(&x, &b).unwrap();
    assert!(p.residual.primal <= 1e-14);
    check(&x, &b, &p, 1e-9);
}

#[test]
fn an_interrupt_is_a_status() {
    let x = Mat::from_rows(&[[1.0, 0.0], [0.0, 1.0]]);
    assert_eq!(least_norm(&x, &[1.0, 1.0], &|| true), LeastNorm::Undecided { pivots: 0 });
}

#[test]
#[should_panic(expected = "right-hand side of 2 entries for 3x1 rows")]
fn misuse_names_both_shapes() {
    least_norm(&Mat::zeros(3, 1), &[1.0, 1.0], &|| false);
}
