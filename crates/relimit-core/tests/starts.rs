//! Starting points: what is promised of X w, and the refusal of starts that cannot exist.

use relimit_core::certify::Impossible;
use relimit_core::descent::{Initial, Problem, Start, StartError, disjoint_shares, start};
use relimit_core::num::Mat;
use relimit_core::num::mat::{dot, norm2};

fn unit(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

fn random(n: usize, d: usize, seed: u64) -> Mat {
    let mut s = seed;
    Mat::from_fn(n, d, |_, _| (0..12).map(|_| unit(&mut s)).sum::<f64>() - 6.0)
}

fn labels(n: usize) -> Vec<f64> {
    (0..n).map(|i| [1.0, -1.0, 0.5][i % 3]).collect()
}

/// `w_j = X' alpha_j + offset_j`.
fn weights(p: &Problem, s: &Initial) -> Mat {
    let rows: Vec<Vec<f64>> = (0..p.m())
        .map(|j| p.x().tmul_vec(s.alpha.row(j)).iter().zip(s.offset.row(j)).map(|(u, v)| u + v).collect())
        .collect();
    Mat::from_rows(&rows)
}

/// The largest |x_i . w_j - z_ji| / (|x_i| |w_j|): the state must be consistent with itself.
fn inconsistency(p: &Problem, s: &Initial) -> f64 {
    assert_eq!((s.alpha.rows(), s.alpha.cols()), (p.m(), p.n()));
    assert_eq!((s.z.rows(), s.z.cols()), (p.m(), p.n()));
    assert_eq!((s.offset.rows(), s.offset.cols()), (p.m(), p.dim()));
    let w = weights(p, s);
    let mut worst: f64 = 0.0;
    for j in 0..p.m() {
        for i in 0..p.n() {
            let miss = (dot(p.x().row(i), w.row(j)) - s.z[(j, i)]).abs();
            worst = worst.max(miss / (norm2(p.x().row(i)) * norm2(w.row(j))).max(f64::MIN_POSITIVE));
        }
    }
    worst
}

fn with_ones(x: &Mat) -> Mat {
    Mat::from_fn(x.rows(), x.cols() + 1, |i, k| if k < x.cols() { x[(i, k)] } else { 1.0 })
}

fn csv(name: &str) -> Mat {
    let path = format!("{}/../../examples/data/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the data file");
    let rows: Vec<Vec<f64>> =
        text.lines().skip(1).map(|l| l.split(',').map(|v| v.trim().parse().expect("a number")).collect()).collect();
    Mat::from_rows(&rows)
}

fn glucose() -> (Mat, Vec<f64>) {
    let all = csv("glucose_spectra.csv");
    let y: Vec<f64> = (0..all.rows()).map(|i| all[(i, 0)]).collect();
    let mean = y.iter().sum::<f64>() / y.len() as f64;
    let sd = (y.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / y.len() as f64).sqrt();
    let x = Mat::from_fn(all.rows(), all.cols() - 1, |i, k| all[(i, k + 1)]);
    (x, y.iter().map(|v| (v - mean) / sd).collect())
}

fn centred(x: &Mat) -> Mat {
    let n = x.rows() as f64;
    let mean: Vec<f64> = (0..x.cols()).map(|k| (0..x.rows()).map(|i| x[(i, k)]).sum::<f64>() / n).collect();
    Mat::from_fn(x.rows(), x.cols(), |i, k| x[(i, k)] - mean[k])
}

#[test]
fn golden_orthant() {
    // G = 16 I + 1 1': alpha = eps / 19.
    let x = Mat::from_rows(&[[4.0, 0.0, 0.0, 1.0], [0.0, 4.0, 0.0, 1.0], [0.0, 0.0, 4.0, 1.0]]);
    let p = Problem::new(x, vec![1.0, 2.0, -1.0], vec![1.0, -1.0], false);
    let s = start(&p, &Start::Orthant(0.01), None).unwrap();
    for j in 0..2 {
        assert!(s.alpha.row(j).iter().all(|a| (a * 1900.0 - 1.0).abs() < 1e-15));
        assert!(s.z.row(j).iter().all(|z| (z - 0.01).abs() < 1e-17));
    }
    assert_eq!(s.offset.max_abs(), 0.0);
}

#[test]
fn orthant_of_independent_rows_is_exact() {
    for (n, d) in [(1, 1), (1, 40), (12, 12), (20, 400), (60, 61)] {
        let p = Problem::new(random(n, d, 3), labels(n), vec![1.0, -2.0], false);
        let s = start(&p, &Start::Orthant(1e-3), None).unwrap();
        let size = norm2(weights(&p, &s).row(0));
        assert!((0..n).all(|i| (s.z[(0, i)] - 1e-3).abs() <= 1e-13 * norm2(p.x().row(i)) * size), "{n}x{d}");
        assert!(inconsistency(&p, &s) < 1e-13);
        assert_eq!(s.alpha.row(0), s.alpha.row(1));
    }
}

#[test]
fn orthant_of_dependent_rows_is_the_shortest() {
    // Duplicates and a multiple in few columns with a bias: the weights are 0 except the bias, which alone gives eps.
    let x = with_ones(&Mat::from_rows(&[[1.0, 2.0], [1.0, 2.0], [-1.0, 0.5], [0.0, -3.0], [0.0, 0.0]]));
    let p = Problem::new(x, labels(5), vec![1.0], false);
    let s = start(&p, &Start::Orthant(0.25), None).unwrap();
    assert!(s.z.row(0).iter().all(|z| *z >= 0.25 * (1.0 - 1e-14)));
    let w = weights(&p, &s);
    // The zero row forces b >= eps, and (0, 0, eps) is feasible: it is the shortest.
    assert!(w[(0, 0)].abs() < 1e-16 && w[(0, 1)].abs() < 1e-16 && (w[(0, 2)] - 0.25).abs() < 1e-16);
    // n <= D but two rows equal: one equation, w = eps x / |x|^2.
    let p = Problem::new(Mat::from_fn(2, 3, |_, k| [2.0, 0.0, 1.0][k]), vec![1.0, -1.0], vec![1.0], false);
    let s = start(&p, &Start::Orthant(0.5), None).unwrap();
    let w = weights(&p, &s);
    assert!((w[(0, 0)] - 0.2).abs() < 1e-16 && w[(0, 1)] == 0.0 && (w[(0, 2)] - 0.1).abs() < 1e-16);
    // 2,000 x 10 with a bias: active rows only, still w = X'alpha.
    let x = with_ones(&random(2000, 9, 4));
    let p = Problem::new(x, labels(2000), vec![1.0, 1.0, -1.0], false);
    assert!(p.gram().is_none());
    let s = start(&p, &Start::Orthant(1e-3), None).unwrap();
    assert!(inconsistency(&p, &s) < 1e-12 && s.z.as_slice().iter().all(|z| *z > 0.999e-3));
}

#[test]
fn glucose_raw_and_centred() {
    let (x, y) = glucose();
    let raw = Problem::new(x.clone(), y.clone(), vec![1.0, -1.0], false);
    let s = start(&raw, &Start::Orthant(1e-3), None).unwrap();
    assert!(s.z.as_slice().iter().all(|z| (z - 1e-3).abs() < 1e-10), "{}", s.z.max_abs());
    assert!(s.alpha.as_slice().iter().any(|a| *a < 0.0), "X w = eps, not merely X w >= eps");

    let z = centred(&x);
    let bare = Problem::new(z.clone(), y.clone(), vec![1.0], false);
    let error = start(&bare, &Start::Orthant(1e-3), Some(&x)).unwrap_err();
    let StartError::NoOrthant { reason: Impossible::Centred(proof), .. } = &error else { panic!("{error}") };
    assert_eq!((proof.rows(), proof.columns(), proof.inexact_columns()), (21, 1047, 1007));
    let text = error.to_string();
    for part in ["21 centred examples", "exactly 0 in all 1047 columns", "--bias penalised", "--start disjoint:0.1"] {
        assert!(text.contains(part), "{text}");
    }
    // All neurons silent everywhere is as impossible; a neuron with a share is not.
    let silent = Problem::new(z.clone(), vec![1.0; 21], vec![1.0, -1.0], false);
    let error = start(&silent, &Start::Disjoint(0.1), Some(&x)).unwrap_err();
    assert!(matches!(error, StartError::NoDisjoint { neuron: 0, reason: Impossible::Centred(_), .. }));
    let mixed = start(&Problem::new(z.clone(), y.clone(), vec![1.0, -1.0], false), &Start::Disjoint(0.1), Some(&x));
    let mixed = mixed.unwrap();
    for i in 0..21 {
        assert_eq!((mixed.z[(0, i)] > 0.0, mixed.z[(1, i)] > 0.0), (y[i] > 0.0, y[i] < 0.0));
        assert!(mixed.z.row(0)[i].abs() > 0.1 * (1.0 - 1e-9));
    }

    // With a bias column G = G_c + 1 1' is nonsingular: X w = eps, whose shortest w is the bias alone.
    let biased = Problem::new(with_ones(&z), y, vec![1.0], false);
    let s = start(&biased, &Start::Orthant(1e-3), Some(&x)).unwrap();
    assert!(s.z.as_slice().iter().all(|z| (z - 1e-3).abs() < 1e-10));
    let w = weights(&biased, &s);
    assert!((w[(0, 1047)] - 1e-3).abs() < 1e-9 && w.row(0)[..1047].iter().all(|v| v.abs() < 1e-9));
}

#[test]
fn impossible_orthants_are_refused_with_proof() {
    let p = Problem::new(Mat::from_rows(&[[1.0, 2.0], [0.0, 0.0]]), vec![1.0, 2.0], vec![1.0], false);
    let error = start(&p, &Start::Orthant(0.1), None).unwrap_err();
    assert!(matches!(error, StartError::NoOrthant { reason: Impossible::ZeroRow(1), .. }));
    assert!(error.describe(&|i| format!("row {}", i + 2)).contains("because row 3 is all zeros"));
    assert!(error.to_string().contains("example 1 (from 0) is all zeros"));
    // (1,2) + (1,-1) + 2 (-1,-1/2) = 0.
    let x = Mat::from_rows(&[[1.0, 2.0], [1.0, -1.0], [-1.0, -0.5], [5.0, 1.0]]);
    let p = Problem::new(x.clone(), labels(4), vec![1.0], false);
    let error = start(&p, &Start::Orthant(0.1), None).unwrap_err();
    let StartError::NoOrthant { reason: Impossible::Gordan(g), .. } = &error else { panic!("{error}") };
    assert!(g.verify(&x));
    let found: Vec<(usize, String)> = g.rows().iter().zip(g.multipliers()).map(|(i, m)| (*i, m.to_string())).collect();
    let expected = |list: &[(usize, &str)]| list.iter().map(|(i, m)| (*i, (*m).to_string())).collect::<Vec<_>>();
    assert!(
        found == expected(&[(0, "1"), (1, "1"), (2, "2")]) || found == expected(&[(0, "1"), (2, "11"), (3, "2")]),
        "{found:?}"
    );
    // The cure works.
    let cured = Problem::new(with_ones(&x), labels(4), vec![1.0], false);
    assert!(start(&cured, &Start::Orthant(0.1), None).is_ok());
}

#[test]
fn rows_that_nearly_cancel_stay_unresolved() {
    let x = Mat::from_rows(&[[0.1, 1.0], [0.2, 2.0], [-0.3, -3.0]]);
    let p = Problem::new(x, labels(3), vec![1.0], false);
    let error = start(&p, &Start::Orthant(0.1), None).unwrap_err();
    // Rows 0 and 1 are proportional exactly and (0.3, 3) differs in the last bit: no small w exists.
    assert!(matches!(error, StartError::Unresolved { n: 3, .. }), "{error}");
}

#[test]
fn disjoint_deals_examples_round_robin() {
    let y = [1.0, -1.0, 2.0, 0.0, 3.0, -2.0, 4.0, 5.0];
    let shares = disjoint_shares(&y, &[1.0, -0.5, 2.0, 3.0]);
    assert_eq!(shares, [vec![0, 6], vec![1, 5], vec![2, 7], vec![4]]);
    assert_eq!(disjoint_shares(&[1.0, -1.0], &[1.0, 1.0]), [vec![0], vec![]]);
}

#[test]
fn disjoint_starts_are_active_on_their_shares_alone() {
    // More columns than rows: +-delta exactly; fewer: at least delta away on the right side.
    let mut tried = 0;
    for (n, d, c) in [(10, 60, vec![1.0, 1.0, -1.0]), (3, 3, vec![1.0, -1.0, 1.0, 1.0, 1.0]), (6, 4, vec![1.0, -1.0])] {
        for seed in 0..20 {
            let x = with_ones(&random(n, d, 40 + seed));
            let p = Problem::new(x, labels(n), c.clone(), false);
            let shares = disjoint_shares(p.y(), p.c());
            match start(&p, &Start::Disjoint(0.03), None) {
                Ok(s) => {
                    tried += 1;
                    assert!(inconsistency(&p, &s) < 1e-12);
                    for j in 0..c.len() {
                        for i in 0..n {
                            let side = if shares[j].contains(&i) { 1.0 } else { -1.0 };
                            let z = s.z[(j, i)] * side;
                            assert!(z >= 0.03 * (1.0 - 1e-9), "z = {z}");
                            assert!(n > d + 1 || z <= 0.03 * (1.0 + 1e-9));
                        }
                    }
                }
                Err(StartError::NoDisjoint { neuron, reason: Impossible::Gordan(g), .. }) => {
                    assert!(n > d + 1);
                    let turn = |i: usize| if shares[neuron].contains(&i) { 1.0 } else { -1.0 };
                    let turned = Mat::from_fn(n, d + 1, |i, k| turn(i) * p.x()[(i, k)]);
                    assert!(g.verify(&turned) && !g.verify(p.x()));
                }
                Err(e) => panic!("{e}"),
            }
        }
    }
    assert!(tried >= 45, "{tried} of 60");
}

#[test]
fn given_weights_are_kept() {
    // Independent rows, full column rank in more rows than columns, dependent rows in either shape.
    let base = random(4, 30, 8);
    let low = Mat::from_fn(9, 30, |i, k| base[(i % 4, k)] * (1.0 + (i / 4) as f64));
    let cases = [random(6, 30, 5), random(80, 5, 6), low.clone(), low.transpose(), random(7, 7, 1), Mat::zeros(3, 2)];
    for (case, x) in cases.into_iter().enumerate() {
        let (n, d) = (x.rows(), x.cols());
        let p = Problem::new(x, labels(n), vec![1.0, -1.0, 0.5], false);
        let w = random(3, d, 77);
        let s = start(&p, &Start::Weights(w.clone()), None).unwrap();
        assert!(inconsistency(&p, &s) < 1e-13);
        for j in 0..3 {
            for i in 0..n {
                assert_eq!(s.z[(j, i)], dot(p.x().row(i), w.row(j)));
                // The offset does not see the data.
                let seen = dot(p.x().row(i), s.offset.row(j)).abs();
                assert!(seen <= 1e-12 * norm2(p.x().row(i)) * norm2(w.row(j)), "case {case}: {seen}");
            }
            let kept: Vec<f64> = weights(&p, &s).row(j).iter().zip(w.row(j)).map(|(u, v)| u - v).collect();
            assert!(norm2(&kept) <= 1e-13 * norm2(w.row(j)));
            // Pythagoras: the offset is what lies outside the row space.
            let inside = norm2(&p.x().tmul_vec(s.alpha.row(j)));
            let total = inside * inside + norm2(s.offset.row(j)).powi(2);
            assert!((total - norm2(w.row(j)).powi(2)).abs() <= 1e-12 * total);
        }
        if case == 1 || case == 4 {
            assert!(norm2(s.offset.as_slice()) < 1e-12, "the rows span everything");
        }
    }
}

#[test]
fn gaussian_starts_are_reproducible_and_scaled() {
    let p = Problem::new(random(5, 300, 2), labels(5), vec![1.0; 40], false);
    let s = start(&p, &Start::Gaussian { scale: 0.5, seed: 9 }, None).unwrap();
    let same = start(&p, &Start::Gaussian { scale: 0.5, seed: 9 }, None).unwrap();
    assert_eq!(s, same);
    assert_ne!(s, start(&p, &Start::Gaussian { scale: 0.5, seed: 10 }, None).unwrap());
    let w = weights(&p, &s);
    let square = w.as_slice().iter().map(|v| v * v).sum::<f64>() / 12_000.0;
    // 12,000 draws: the mean square has standard deviation 0.25 sqrt(2 / 12000) = .0032.
    assert!((square - 0.25).abs() < 0.016, "{square}");
    let twice = start(&p, &Start::Gaussian { scale: 1.0, seed: 9 }, None).unwrap();
    assert!(s.z.as_slice().iter().zip(twice.z.as_slice()).all(|(u, v)| 2.0 * u == *v));
}

#[test]
fn powers_of_two_scale_every_start_exactly() {
    for (n, d) in [(8, 40), (40, 6)] {
        let x = with_ones(&random(n, d, 21));
        let p = Problem::new(x.clone(), labels(n), vec![1.0, -1.0], true);
        for e in [-60, 1, 90] {
            let t = 2f64.powi(e);
            let scaled = Mat::from_fn(n, d + 1, |i, k| x[(i, k)] * t);
            let q = Problem::new(scaled, labels(n), vec![1.0, -1.0], true);
            let (a, b) = (start(&p, &Start::Orthant(1e-3), None), start(&q, &Start::Orthant(1e-3), None));
            let (a, b) = (a.unwrap(), b.unwrap());
            assert_eq!(a.z, b.z);
            assert!(a.alpha.as_slice().iter().zip(b.alpha.as_slice()).all(|(u, v)| u / t / t == *v));
            let w = Start::Weights(random(2, d + 1, 5));
            let (a, b) = (start(&p, &w, None).unwrap(), start(&q, &w, None).unwrap());
            assert_eq!(a.offset, b.offset);
            assert!(a.z.as_slice().iter().zip(b.z.as_slice()).all(|(u, v)| u * t == *v));
            assert!(a.alpha.as_slice().iter().zip(b.alpha.as_slice()).all(|(u, v)| u / t == *v));
        }
    }
}

#[test]
fn bad_input_is_a_typed_error_with_its_cure() {
    let p = Problem::new(random(4, 6, 1), labels(4), vec![1.0, -1.0], false);
    let text = |s: Start| start(&p, &s, None).unwrap_err().to_string();
    assert!(text(Start::Zero).contains("--relu-at-zero 1"));
    assert!(text(Start::Weights(Mat::zeros(3, 6))).contains("3 x 6, expected 2 x 6"));
    let mut w = Mat::zeros(2, 6);
    w[(1, 4)] = f64::NAN;
    assert!(text(Start::Weights(w)).contains("NaN of neuron 1, column 4"));
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(text(Start::Orthant(bad)).contains("positive finite number"));
        assert!(text(Start::Disjoint(bad)).contains("--start disjoint:"));
        assert!(text(Start::Gaussian { scale: bad, seed: 1 }).contains("--start gaussian:"));
    }
    for size in [1e300, 1e-300] {
        let x = Mat::from_fn(4, 6, |i, k| p.x()[(i, k)] * size);
        let q = Problem::new(x, labels(4), vec![1.0], false);
        let error = start(&q, &Start::Orthant(1e-3), None).unwrap_err();
        assert!(matches!(error, StartError::Range { .. }) && error.to_string().contains("--scale standardise"));
    }
    let zero = Problem::new(random(4, 6, 1), labels(4), vec![1.0, -1.0], true);
    let s = start(&zero, &Start::Zero, None).unwrap();
    assert_eq!((s.alpha.max_abs(), s.z.max_abs(), s.offset.max_abs()), (0.0, 0.0, 0.0));
    assert_eq!((s.z.rows(), s.z.cols(), s.offset.cols()), (2, 4, 6));
}

#[test]
#[should_panic(expected = "raw features 4x3 of centred 4x6")]
fn raw_features_of_another_shape_are_misuse() {
    let p = Problem::new(random(4, 6, 1), labels(4), vec![1.0], false);
    let _ = start(&p, &Start::Orthant(0.1), Some(&Mat::zeros(4, 3)));
}
