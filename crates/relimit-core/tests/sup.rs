//! The certified supremum of q over the ball: values against enumeration, work, and what must not change it.

mod common;

use common::Rng;
use relimit_core::certify::sup::{End, SupOptions, ascend, local_maxima, sup, sup_free_bias};
use relimit_core::num::Mat;

/// Normal rows with a bias column, normal weights.
fn random(n: usize, d: usize, seed: u64) -> (Mat, Vec<f64>) {
    let mut rng = Rng(seed);
    let rows: Vec<Vec<f64>> = (0..n).map(|_| (0..d).map(|_| rng.normal()).chain([1.0]).collect()).collect();
    (Mat::from_rows(&rows), (0..n).map(|_| rng.normal()).collect())
}

fn q(x: &Mat, r: &[f64], u: &[f64]) -> f64 {
    (0..x.rows()).map(|i| r[i] * x.row(i).iter().zip(u).map(|(a, b)| a * b).sum::<f64>().max(0.0)).sum()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(p, q)| p * q).sum()
}

fn remove(v: &mut [f64], unit: &[f64]) {
    let t = dot(v, unit);
    v.iter_mut().zip(unit).for_each(|(a, b)| *a -= t * b);
}

fn normalised(v: &[f64]) -> Option<Vec<f64>> {
    let n = dot(v, v).sqrt();
    (n > 1e-9).then(|| v.iter().map(|a| a / n).collect())
}

/// The supremum by enumeration: in the cell of a maximiser, on the face where the rows Z vanish, q is linear, so the
/// maximiser is the projection of `sum_active r_i x_i` on the face's span. All active sets, all Z of up to D - 1 rows.
fn enumerated(x: &Mat, r: &[f64]) -> f64 {
    let (n, dim) = (x.rows(), x.cols());
    let mut bases: Vec<Vec<Vec<f64>>> = vec![vec![]];
    let mut level: Vec<(usize, Vec<Vec<f64>>)> = vec![(0, vec![])];
    for _ in 1..dim {
        let mut next = vec![];
        for (from, basis) in &level {
            for i in *from..n {
                let mut v = x.row(i).to_vec();
                for _ in 0..2 {
                    for b in basis {
                        remove(&mut v, b);
                    }
                }
                if let Some(u) = normalised(&v) {
                    let mut longer = basis.clone();
                    longer.push(u);
                    bases.push(longer.clone());
                    next.push((i + 1, longer));
                }
            }
        }
        level = next;
    }
    let mut best = 0.0f64;
    for active in 0..1u32 << n {
        let mut g = vec![0.0; dim];
        for i in (0..n).filter(|i| active >> i & 1 == 1) {
            g.iter_mut().zip(x.row(i)).for_each(|(a, b)| *a += r[i] * b);
        }
        for basis in &bases {
            let mut v = g.clone();
            for _ in 0..2 {
                for b in basis {
                    remove(&mut v, b);
                }
            }
            if let Some(u) = normalised(&v) {
                best = best.max(q(x, r, &u));
            }
        }
    }
    best
}

#[test]
fn the_supremum_is_that_of_enumeration() {
    let mut rng = Rng(3);
    for case in 0..120 {
        let (n, dim) = (1 + rng.below(6), 2 + rng.below(3));
        let grid = case % 3 == 0;
        let x = Mat::from_fn(n, dim, |_, _| if grid { rng.below(5) as f64 - 2.0 } else { rng.normal() });
        let r: Vec<f64> = (0..n).map(|_| rng.normal()).collect();
        let expected = enumerated(&x, &r);
        let found = sup(&x, &r, &SupOptions::to_accuracy(1e-10));
        assert_eq!(found.end, End::Proved, "case {case}");
        assert!(found.upper >= expected * (1.0 - 1e-14), "case {case}: {} below {expected}", found.upper);
        // Where nothing is gained, what is left is the rounding of the bounds.
        assert!(found.upper <= expected * (1.0 + 1.1e-10) + 1e-11, "case {case}: {} above {expected}", found.upper);
        assert!(found.lower <= expected * (1.0 + 1e-14), "case {case}: {} above {expected}", found.lower);
        assert!(found.lower >= expected * (1.0 - 1e-10), "case {case}: {} below {expected}", found.lower);
        assert!((q(&x, &r, &found.argmax) - found.lower).abs() <= 1e-12 * (1.0 + expected));
    }
}

/// One input: w = +-1, and q is piecewise linear in b with kinks at -w x_j.
#[test]
fn a_free_bias_on_a_line_is_searched_at_its_kinks() {
    let mut rng = Rng(8);
    for case in 0..60 {
        let n = 2 + rng.below(12);
        let x = rng.normals(n, 1);
        // Sixteenths, so that the sum is exactly 0.
        let mut r: Vec<f64> = (0..n).map(|_| (rng.normal() * 16.0).round() / 16.0).collect();
        r[0] -= r.iter().sum::<f64>();
        let with_ones = Mat::from_fn(n, 2, |i, k| if k == 0 { x[(i, 0)] } else { 1.0 });
        let mut expected = 0.0f64;
        for w in [1.0, -1.0] {
            for j in 0..n {
                expected = expected.max(q(&with_ones, &r, &[w, -w * x[(j, 0)]]).abs());
            }
        }
        let found = sup_free_bias(&x, &r, &SupOptions::to_accuracy(1e-10));
        assert_eq!(found.end, End::Proved, "case {case}");
        assert!(
            (found.upper - expected).abs() <= 1.1e-10 * expected + 1e-13,
            "case {case}: {} {expected}",
            found.upper
        );
        assert!(found.upper >= expected * (1.0 - 1e-14) && found.lower <= expected * (1.0 + 1e-14));
        if let Some(t) = &found.best {
            assert!((t.sign * q(&with_ones, &r, &t.u) - expected).abs() < 1e-9 * expected, "case {case}");
        }
        r[0] += 1e-3;
        assert_eq!(sup_free_bias(&x, &r, &SupOptions::below(1.0)).upper, f64::INFINITY);
    }
}

/// Two inputs: many directions w, all kinks b; the values lie below the bound and come close to it.
#[test]
fn a_free_bias_in_the_plane_is_not_beaten_by_scanning() {
    let mut rng = Rng(21);
    for case in 0..8 {
        let n = 4 + rng.below(8);
        let x = rng.normals(n, 2);
        let mut r: Vec<f64> = (0..n).map(|_| (rng.normal() * 16.0).round() / 16.0).collect();
        r[0] -= r.iter().sum::<f64>();
        let found = sup_free_bias(&x, &r, &SupOptions::to_accuracy(1e-9));
        let mut best = 0.0f64;
        for k in 0..4000 {
            let (s, c) = (f64::from(k) * std::f64::consts::TAU / 4000.0).sin_cos();
            let z: Vec<f64> = (0..n).map(|i| c * x[(i, 0)] + s * x[(i, 1)]).collect();
            for j in 0..n {
                best = best.max((0..n).map(|i| r[i] * (z[i] - z[j]).max(0.0)).sum::<f64>().abs());
            }
        }
        assert!(best <= found.upper && best >= 0.995 * found.upper, "case {case}: {best} and {}", found.upper);
    }
}

/// Both sides of the supremum meet, within a few times the nodes measured when the bounds were chosen.
#[test]
fn random_suprema_close() {
    for (n, d, most) in [(10, 2, 4), (20, 4, 20), (40, 3, 20), (40, 6, 60), (100, 4, 1000), (60, 10, 300)] {
        let (x, r) = random(n, d, 1);
        let found = sup(&x, &r, &SupOptions { max_nodes: most, random_starts: 200, ..SupOptions::to_accuracy(1e-9) });
        println!("n={n} d={d}: [{}, {}], {} nodes", found.lower, found.upper, found.nodes);
        assert_eq!(found.end, End::Proved, "n={n} d={d}: {} nodes", found.nodes);
        assert!(found.lower <= found.upper && found.upper <= found.lower * (1.0 + 1.1e-9), "n={n} d={d}");
    }
}

/// The same answer to the bit for any number of threads; an interrupted or limited search is an honest interval.
#[test]
fn threads_do_not_change_the_answer_and_less_work_widens_it() {
    let (x, r) = random(100, 4, 1);
    let options = SupOptions::to_accuracy(1e-9);
    let full = sup(&x, &r, &options);
    assert_eq!(full.end, End::Proved);
    assert_eq!(sup(&x, &r, &SupOptions { threads: 3, ..options }), full);
    let mut last = f64::INFINITY;
    for max_nodes in [1, 9, 33, 129] {
        let part = sup(&x, &r, &SupOptions { max_nodes, ..options });
        assert!(part.nodes <= max_nodes + 1, "{} nodes of {max_nodes}", part.nodes);
        assert!(part.upper >= full.lower && part.upper <= last, "{max_nodes} nodes: {} after {last}", part.upper);
        last = part.upper;
    }
    let stopped = sup(&x, &r, &SupOptions { stop: &|| true, ..options });
    assert!(stopped.end == End::Stopped && stopped.nodes == 1 && stopped.upper >= full.lower);
}

/// A target below the supremum is not proved: the search ends with a direction above it.
#[test]
fn a_target_that_is_too_low_is_exceeded() {
    let (x, r) = random(30, 3, 2);
    let top = sup(&x, &r, &SupOptions::to_accuracy(1e-9));
    let below = sup(&x, &r, &SupOptions::below(0.9 * top.lower));
    assert_eq!(below.end, End::Exceeded);
    assert!(!below.incumbents.is_empty() && below.upper >= top.lower);
    assert!(below.incumbents.iter().all(|u| q(&x, &r, u) > 0.9 * top.lower));
    let above = sup(&x, &r, &SupOptions::below(1.1 * top.upper));
    assert!(above.end == End::Proved && above.upper <= 1.1 * top.upper * (1.0 + 1e-15));
    let (value, u) = ascend(&x, &r, &top.argmax);
    assert!((value / top.lower - 1.0).abs() < 1e-12 && (q(&x, &r, &u) / value - 1.0).abs() < 1e-12);
}

/// A search that may raise its target ends at a direction above it within `back` nodes, and goes on beyond them.
#[test]
fn a_direction_above_the_target_ends_the_search_only_early() {
    let (x, r) = random(40, 3, 5);
    let top = sup(&x, &r, &SupOptions::to_accuracy(1e-9));
    let low = SupOptions { rise: Some(1e-9), ..SupOptions::below(0.9 * top.lower) };
    let early = sup(&x, &r, &SupOptions { back: 1, ..low });
    assert!(early.end == End::Exceeded && early.nodes == 1 && early.upper >= top.lower, "{early:?}");
    assert!(q(&x, &r, &early.argmax) > 0.9 * top.lower);
    // without local search nothing is known at the first node, and the target rises later
    let late = sup(&x, &r, &SupOptions { back: 1, random_starts: 0, ..low });
    assert!(late.end == End::Proved && late.upper <= top.lower * (1.0 + 2e-9) && late.upper >= top.lower, "{late:?}");
}

/// Every direction is a unit vector above the target from where no small turn rises; the supremum is among them.
#[test]
fn local_search_alone_ends_at_maxima() {
    let mut rng = Rng(11);
    for seed in 0..20 {
        let (x, r) = random(25, 3, 100 + seed);
        let top = sup(&x, &r, &SupOptions::to_accuracy(1e-9)).lower;
        let target = 0.3 * top;
        let found = local_maxima(&x, &r, &SupOptions { random_starts: 100, ..SupOptions::below(target) });
        assert!((q(&x, &r, &found[0]) / top - 1.0).abs() < 1e-8, "seed {seed}");
        for u in &found {
            let value = q(&x, &r, u);
            assert!((dot(u, u) - 1.0).abs() < 1e-12 && value > target, "seed {seed}: {u:?}");
            for _ in 0..50 {
                let turned: Vec<f64> = u.iter().map(|a| a + 1e-6 * rng.normal()).collect();
                assert!(
                    q(&x, &r, &normalised(&turned).expect("near u")) <= value * (1.0 + 1e-13),
                    "seed {seed}: {u:?}"
                );
            }
        }
        assert!(local_maxima(&x, &r, &SupOptions::below(1.01 * top)).is_empty());
    }
}

#[test]
fn scale_order_copies_and_empty_rows_do_not_change_the_supremum() {
    let (x, r) = random(15, 3, 7);
    let options = SupOptions::to_accuracy(1e-10);
    let plain = sup(&x, &r, &options);
    let close = |v: f64, what: &str| assert!((v / plain.upper - 1.0).abs() < 3e-10, "{what}: {v} and {}", plain.upper);
    // Powers of two are exact: the same search, bit for bit.
    let (big, small) = (2f64.powi(900), 2f64.powi(-800));
    let scaled = Mat::from_fn(15, 4, |i, k| x[(i, k)] * big);
    let shrunk: Vec<f64> = r.iter().map(|v| v * small).collect();
    let found = sup(&scaled, &shrunk, &options);
    assert_eq!((found.upper.next_down() / big / small, found.nodes), (plain.upper.next_down(), plain.nodes));
    let back: Vec<usize> = (0..15).rev().collect();
    close(sup(&x.select_rows(&back), &back.iter().map(|&i| r[i]).collect::<Vec<_>>(), &options).upper, "reversed");
    // Each row thrice: at half the length with half the weight, at twice the length with a fourth, and a zero row.
    let rows: Vec<Vec<f64>> =
        (0..45).map(|k| x.row(k % 15).iter().map(|v| v * [1.0, 3.0, 0.0][k / 15]).collect()).collect();
    let weights: Vec<f64> = (0..45).map(|k| r[k % 15] * [0.25, 0.25, 5.0][k / 15]).collect();
    close(sup(&Mat::from_rows(&rows), &weights, &options).upper, "copies");
}

#[test]
fn small_and_degenerate_problems_have_their_plain_answers() {
    let one = sup(&Mat::from_rows(&[[3.0, 4.0]]), &[2.0], &SupOptions::to_accuracy(1e-12));
    assert!((one.upper - 10.0).abs() < 1e-10 && one.lower <= 10.0 && one.upper >= 10.0);
    // Only negative weights: nothing is gained.
    let none = sup(&Mat::from_rows(&[[3.0, 4.0], [-1.0, 2.0]]), &[-2.0, -1.0], &SupOptions::to_accuracy(1e-9));
    assert!(none.upper < 1e-11 && none.lower == 0.0 && none.end == End::Proved);
    // No weight, no rows, rows of zeros.
    for (x, r) in
        [(Mat::from_rows(&[[1.0, 2.0]]), vec![0.0]), (Mat::zeros(0, 3), vec![]), (Mat::zeros(2, 3), vec![1.0, -1.0])]
    {
        let s = sup(&x, &r, &SupOptions::to_accuracy(1e-9));
        assert!(s.end == End::Proved && s.upper < 1e-280 && s.upper >= 0.0, "{s:?}");
    }
    // One column: relu(u) and relu(-u) apart.
    let line = sup(&Mat::from_rows(&[[2.0], [-3.0]]), &[1.0, 5.0], &SupOptions::to_accuracy(1e-12));
    assert!((line.upper - 15.0).abs() < 1e-10);
    // More columns than any storage: one bound of the whole ball, and a direction.
    let mut rng = Rng(4);
    let wide = rng.normals(3, 300);
    let s = sup(&wide, &[1.0, -0.5, 2.0], &SupOptions::to_accuracy(1e-9));
    assert!(s.lower > 0.0 && s.upper >= s.lower && s.upper < 4.0 * s.lower, "{s:?}");
}

#[test]
#[should_panic(expected = "2 rows and 1 weights")]
fn shapes_that_do_not_match_are_refused() {
    let _ = sup(&Mat::zeros(2, 2), &[1.0], &SupOptions::below(1.0));
}

/// Time limits hold if they are asked about often: once in 32 nodes, and the search ends there.
#[test]
fn a_stop_is_asked_for_in_every_batch() {
    use std::sync::atomic::{AtomicU64, Ordering};
    let (x, r) = random(800, 10, 1);
    let polls = AtomicU64::new(0);
    let run = |from: u64| {
        polls.store(0, Ordering::Relaxed);
        let stop = || polls.fetch_add(1, Ordering::Relaxed) + 1 >= from;
        let options = SupOptions { stop: &stop, max_nodes: 400, random_starts: 2, ..SupOptions::below(1e-6) };
        // no direction ends it: the target rises
        sup(&x, &r, &SupOptions { rise: Some(1e-9), ..options })
    };
    let whole = run(u64::MAX);
    assert_eq!(whole.end, End::Nodes);
    assert!(32 * polls.load(Ordering::Relaxed) + 32 >= whole.nodes, "{polls:?} for {} nodes", whole.nodes);
    let cut = run(3);
    assert_eq!((cut.end, polls.load(Ordering::Relaxed)), (End::Stopped, 3));
    assert!(cut.nodes <= 2 * 32 + 1 && cut.upper >= whole.upper, "{} nodes", cut.nodes);
}
