//! The cells themselves: distinct, realised by their witnesses, in one order, and the same set however the data are written.

mod common;

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use common::Rng;
use relimit_core::num::Mat;
use relimit_core::pattern::enumerate::{Cursor, cells_from};
use relimit_core::pattern::{Arrangement, End, Options, Role, cells, cover, fold_cells, for_each_cell};
use relimit_core::zoo::arrangements::{braid, grid, resonance, threshold_functions};

/// Entries of 1e300, 1 and 1e-300 in one row: every sign is decided by integers of 2000 digits.
#[test]
fn mixed_scales_within_a_row_are_exact() {
    let mut rng = Rng(17);
    for dim in 1..5 {
        let n = [30, 20, 9, 7][dim - 1];
        let a = Arrangement::new(&Mat::from_fn(n, dim, |_, _| rng.normal() * [1e300, 1e-300, 1.0][rng.below(3)]));
        assert_eq!(cover(a.classes(), dim), number(&a).into(), "{n} x {dim}");
    }
}

/// All patterns on the rows of the data, as packed bits; checks that none comes twice and each has an exact witness.
fn patterns(a: &Arrangement) -> BTreeSet<Vec<u64>> {
    let mut out = BTreeSet::new();
    let mut row_bits = vec![0; a.n().div_ceil(64)];
    for_each_cell(a, &Options { seed: 3, ..Options::all() }, &mut |cell| {
        // The witness asserts its own signs with integers.
        let u = cell.witness();
        assert_eq!(u.len(), a.dim());
        cell.write_rows(&mut row_bits);
        for (i, role) in a.roles().iter().enumerate() {
            assert_eq!(row_bits[i / 64] >> (i % 64) & 1 == 1, cell.row_positive(i));
            assert!(*role != Role::Zero || !cell.row_positive(i));
        }
        assert_eq!(cell.active(), row_bits.iter().map(|w| w.count_ones() as usize).sum());
        assert!(out.insert(row_bits.clone()), "a pattern came twice");
        ControlFlow::Continue(())
    });
    out
}

fn number(a: &Arrangement) -> u64 {
    for_each_cell(a, &Options::all(), &mut |_| ControlFlow::Continue(())).cells
}

#[test]
fn five_hundred_sets_in_general_position_follow_cover() {
    let mut rng = Rng(11);
    for trial in 0..500 {
        let dim = 1 + trial % 7;
        let n = 1 + rng.below([40, 40, 30, 18, 14, 12, 11][dim - 1]);
        let x = match trial % 3 {
            0 => rng.normals(n, dim),
            // Integers, where a dependence has odds of about 1e-6 at most for these seeds.
            1 => Mat::from_fn(n, dim, |_, _| (rng.normal() * 3e5).round()),
            _ => {
                let mut scales = |k| (0..k).map(|_| [1e150, 1e-150, 1.0][rng.below(3)]).collect::<Vec<_>>();
                let (rows, columns) = (scales(n), scales(dim));
                Mat::from_fn(n, dim, |i, c| rng.normal() * rows[i] * columns[c])
            }
        };
        let a = Arrangement::new(&x);
        let distinct = a.classes();
        assert!(distinct == n || dim == 1);
        assert_eq!(cover(distinct, dim), number(&a).into(), "{n} x {dim}, trial {trial}");
    }
}

#[test]
fn patterns_are_distinct_and_realised() {
    for known in [grid(&[3, 3]), resonance(4), threshold_functions(3), braid(4)] {
        let a = known.arrangement();
        assert_eq!(patterns(&a).len() as u64, known.cells, "{}", known.name);
    }
    let mut rng = Rng(5);
    for trial in 0..40 {
        let (n, dim) = (3 + rng.below(7), 1 + trial % 5);
        // Small entries: zero, proportional and dependent rows are frequent.
        let a = Arrangement::new(&Mat::from_fn(n, dim, |_, _| rng.below(5) as f64 - 2.0));
        let found = patterns(&a);
        assert_eq!(found.len() as u64, number(&a));
        assert_eq!(found.len() % 2, usize::from(a.rank() == 0));
    }
}

/// Data that need integers: points of a lattice moved by one unit in the last place, and 53-bit coordinates in one plane.
#[test]
fn near_degenerate_and_long_data_are_exact() {
    let mut rng = Rng(9);
    let mut long = || (rng.normal() * 2f64.powi(51)).round();
    for dim in [2, 3] {
        let side = if dim == 2 { 4 } else { 3 };
        let count = if dim == 2 { 16 } else { 20 };
        let moved = Mat::from_fn(count, dim + 1, |i, c| {
            let v = (i / side_power(side, c) % side) as f64 + 1.0;
            if c == dim {
                1.0
            } else if (i + c) % 3 == 0 {
                v.next_up()
            } else {
                v
            }
        });
        let a = Arrangement::new(&moved);
        assert_eq!(patterns(&a).len() as u64, number(&a));
        // The third column is a combination of the others for every row: rank 2 or 3 with 53-bit entries.
        let planar = Mat::from_fn(10, 4, |_, _| long());
        let planar = Mat::from_fn(10, 4, |i, c| if c < 3 { planar[(i, c)] } else { planar[(i, 0)] });
        let a = Arrangement::new(&planar);
        assert_eq!(a.rank(), 3);
        assert_eq!(cover(10, 3), (patterns(&a).len() as u64).into());
    }
}

fn side_power(side: usize, c: usize) -> usize {
    side.pow(c as u32)
}

#[test]
fn the_set_of_patterns_does_not_depend_on_how_the_data_are_written() {
    let mut rng = Rng(21);
    for trial in 0..30 {
        let (n, dim) = (4 + rng.below(5), 2 + trial % 3);
        let x = Mat::from_fn(n, dim, |_, _| rng.below(7) as f64 - 3.0);
        let base = patterns(&Arrangement::new(&x));
        let plain = |p: &[u64], i: usize| p[0] >> i & 1 == 1;

        let mut order: Vec<usize> = (0..n).collect();
        for t in (1..n).rev() {
            order.swap(t, rng.below(t + 1));
        }
        let moved = patterns(&Arrangement::new(&x.select_rows(&order)));
        let back = |p: &Vec<u64>| vec![(0..n).map(|t| u64::from(plain(p, t)) << order[t]).sum::<u64>()];
        assert_eq!(moved.iter().map(back).collect::<BTreeSet<_>>(), base, "permutation");

        let factor: Vec<f64> = (0..n).map(|_| [2.0, 0.375, 2f64.powi(600), 2f64.powi(-600)][rng.below(4)]).collect();
        let scaled = Mat::from_fn(n, dim, |i, c| x[(i, c)] * factor[i]);
        assert_eq!(patterns(&Arrangement::new(&scaled)), base, "scaling");

        let sheared = Mat::from_fn(n, dim, |i, c| x[(i, c)] + if c == 0 { 3.0 * x[(i, dim - 1)] } else { 0.0 });
        assert_eq!(patterns(&Arrangement::new(&sheared)), base, "unimodular");

        let flipped = Mat::from_fn(n, dim, |i, c| if i == 1 { -x[(i, c)] } else { x[(i, c)] });
        let zero = (0..dim).all(|c| x[(1, c)] == 0.0);
        let turn = |p: &Vec<u64>| vec![if zero { p[0] } else { p[0] ^ 2 }];
        assert_eq!(patterns(&Arrangement::new(&flipped)), base.iter().map(turn).collect(), "sign");

        let doubled =
            Mat::from_fn(
                n + 2,
                dim,
                |i, c| if i < n { x[(i, c)] } else { x[(0, c)] * (1.5 * (n + 1 - i) as f64 - 1.0) },
            );
        let turned = patterns(&Arrangement::new(&doubled));
        assert_eq!(turned.iter().map(|p| vec![p[0] & ((1 << n) - 1)]).collect::<BTreeSet<_>>(), base, "duplicates");
        assert_eq!(turned.len(), base.len());
    }
}

#[test]
fn threads_and_cursors_keep_the_order() {
    let gaussian = Arrangement::new(&Rng(2).normals(70, 3));
    let known = [threshold_functions(4).arrangement(), grid(&[3, 3, 3]).arrangement(), gaussian];
    for a in &known {
        let listed = |threads| {
            let mut out = vec![];
            let o = Options { threads, ..Options::all() };
            let seen = for_each_cell(a, &o, &mut |c| {
                out.push(c.signs().to_vec());
                ControlFlow::Continue(())
            });
            assert_eq!((seen.end, seen.cells), (End::Complete, out.len() as u64));
            (out, seen.by_size)
        };
        let one = listed(1);
        assert_eq!(listed(2), one);
        assert_eq!(listed(3), one);
        let folded = |threads| {
            let o = Options { threads, ..Options::all() };
            let hash = |h: &mut u64, s: &[u64]| {
                for w in s {
                    *h = (h.rotate_left(5) ^ w).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                }
            };
            let merge = |a: (u64, u64), b: (u64, u64)| (a.0.rotate_left(9) ^ b.0, a.1 + b.1);
            let visit = |t: &mut (u64, u64), c: &relimit_core::pattern::Cell| {
                hash(&mut t.0, c.signs());
                t.1 += 1;
            };
            fold_cells(a, &o, || (1, 0), visit, merge)
        };
        let (value, seen) = folded(1);
        assert_eq!((value.1, seen.cells, &seen.by_size), (one.0.len() as u64, one.0.len() as u64, &one.1));
        assert_eq!(folded(2).0, value);
        assert_eq!(folded(3).0, value);

        let all: Vec<Vec<u64>> = cells(a, &Options::all()).map(|c| c.signs().to_vec()).collect();
        assert_eq!(all, one.0);
        for stop in [0, 1, 7, 100, all.len() / 2, all.len() - 1] {
            let mut first = cells(a, &Options { max_cells: Some(stop as u64), ..Options::all() });
            assert_eq!(first.by_ref().count(), stop);
            let cursor: Cursor = first.cursor();
            let rest: Vec<Vec<u64>> = cells_from(a, &Options::all(), &cursor).map(|c| c.signs().to_vec()).collect();
            assert_eq!(rest, all[stop..], "from cell {stop}");
        }
    }
}

#[test]
fn budgets_end_with_a_label() {
    let a = threshold_functions(4).arrangement();
    for threads in [1, 2] {
        let o = Options { max_cells: Some(101), threads, ..Options::all() };
        let mut met = 0;
        let seen = for_each_cell(&a, &o, &mut |_| {
            met += 1;
            ControlFlow::Continue(())
        });
        assert_eq!((seen.cells, met, seen.end), (101, 101, End::Limit));
        let (folded, seen) = fold_cells(&a, &o, || 0u32, |t, _| *t += 1, |a, b| a + b);
        assert_eq!((seen.cells, folded, seen.end), (101, 101, End::Limit));
        // A cap that is met exactly is no limit.
        let o = Options { max_cells: Some(1882), threads, ..Options::all() };
        assert_eq!(for_each_cell(&a, &o, &mut |_| ControlFlow::Continue(())).end, End::Complete);
        let mut left = 10;
        let seen = for_each_cell(&a, &Options { threads, ..Options::all() }, &mut |_| {
            left -= 1;
            if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!((seen.cells, seen.end), (10, End::Limit));
        let polls = std::sync::atomic::AtomicU32::new(0);
        let stop = || polls.fetch_add(1, std::sync::atomic::Ordering::Relaxed) >= 20;
        let seen =
            for_each_cell(&a, &Options { threads, stop: &stop, ..Options::all() }, &mut |_| ControlFlow::Continue(()));
        assert!(seen.end == End::Stopped && seen.cells < 1882, "{seen:?}");
    }
}

#[test]
fn witnesses_are_kept_on_request() {
    let a = grid(&[3, 3]).arrangement();
    let with = cells(&a, &Options { witnesses: true, ..Options::all() });
    for cell in with {
        let u = cell.witness().expect("asked for");
        for class in 0..a.classes() {
            let product = a.row(class).iter().zip(u).fold(dashu_int::IBig::ZERO, |s, (x, v)| s + x * v);
            assert_eq!(product > dashu_int::IBig::ZERO, cell.signs()[0] >> class & 1 == 1);
            assert!(!product.is_zero());
        }
    }
    assert!(cells(&a, &Options::all()).all(|c| c.witness().is_none()));
}

/// One of each pair: every second cell of the whole order, from every way of asking, with the counts of the whole.
#[test]
fn pairs_are_every_second_cell() {
    let known =
        [threshold_functions(4).arrangement(), Arrangement::new(&Rng(5).normals(70, 3)), braid(5).arrangement()];
    for a in &known {
        let mut whole = vec![];
        let every = for_each_cell(a, &Options::all(), &mut |c| {
            whole.push(c.signs().to_vec());
            ControlFlow::Continue(())
        });
        let firsts: Vec<Vec<u64>> = whole.iter().step_by(2).cloned().collect();
        for threads in [1, 2, 3] {
            let o = Options { pairs: true, threads, ..Options::all() };
            let mut half = vec![];
            let seen = for_each_cell(a, &o, &mut |c| {
                half.push(c.signs().to_vec());
                ControlFlow::Continue(())
            });
            assert_eq!((&half, seen.cells, &seen.by_size), (&firsts, every.cells, &every.by_size));
        }
        let o = Options { pairs: true, ..Options::all() };
        let mut begun = cells(a, &Options { max_cells: Some(21), ..o });
        let mut joined: Vec<Vec<u64>> = begun.by_ref().map(|c| c.signs().to_vec()).collect();
        assert_eq!(joined.len(), 10);
        let cursor = begun.cursor();
        joined.extend(cells_from(a, &o, &cursor).map(|c| c.signs().to_vec()));
        assert_eq!(joined, firsts);
    }
    let nothing = Arrangement::new(&Mat::zeros(3, 2));
    for pairs in [false, true] {
        let o = Options { pairs, ..Options::all() };
        assert_eq!(for_each_cell(&nothing, &o, &mut |_| ControlFlow::Continue(())).cells, 1);
    }
}

/// The first cells in order are folded, wherever the cap falls and whatever the threads found beyond it.
#[test]
fn capped_folds_do_not_depend_on_the_threads() {
    for a in [threshold_functions(4).arrangement(), Arrangement::new(&Rng(8).normals(90, 3))] {
        let mut order = vec![];
        for_each_cell(&a, &Options::all(), &mut |c| {
            order.push(c.signs().to_vec());
            ControlFlow::Continue(())
        });
        let all = order.len() as u64;
        for cap in [0, 1, 2, 40, 501, all / 2, all - 1, all, all + 1] {
            for (threads, pairs) in [(1, false), (2, false), (5, false), (1, true), (3, true)] {
                let o = Options { max_cells: Some(cap), threads, pairs, ..Options::all() };
                let push = |to: &mut Vec<Vec<u64>>, c: &relimit_core::pattern::Cell| to.push(c.signs().to_vec());
                let join = |mut a: Vec<_>, b: Vec<_>| {
                    a.extend(b);
                    a
                };
                let (folded, seen) = fold_cells(&a, &o, Vec::new, push, join);
                let step = if pairs { 2 } else { 1 };
                let first = (cap.min(all) / step * step) as usize;
                let expected: Vec<Vec<u64>> = order[..first].iter().step_by(step as usize).cloned().collect();
                assert_eq!(folded, expected, "{cap} of {all} cells on {threads} threads");
                let end = if cap < all { End::Limit } else { End::Complete };
                assert_eq!((seen.cells, seen.end), (first as u64, end));
            }
        }
    }
}
