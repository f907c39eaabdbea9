//! Numbers of patterns against closed forms, published tables and every degenerate case with a known count.

use std::sync::atomic::{AtomicU32, Ordering};

use dashu_int::UBig;
use relimit_core::num::Mat;
use relimit_core::pattern::{Arrangement, Count, CountStatus, Options, count, cover};
use relimit_core::zoo::arrangements::{
    KnownArrangement, braid, cross_polytope, demicube, grid, resonance, threshold_functions, type_b, type_d, type_e,
    type_f4,
};

/// Points with a bias column.
fn points<R: AsRef<[f64]>>(p: &[R]) -> Arrangement {
    let d = p[0].as_ref().len();
    Arrangement::new(&Mat::from_fn(p.len(), d + 1, |i, c| if c < d { p[i].as_ref()[c] } else { 1.0 }))
}

fn ask(a: &Arrangement) -> Count {
    count(a, &Options::all())
}

fn check(known: &KnownArrangement) {
    let found = ask(&known.arrangement());
    assert_eq!(found.patterns(), Some(&known.cells.into()), "{}", known.name);
    let whitney = found.whitney.as_ref().expect("all are known");
    if let Some(expected) = &known.whitney {
        let expected: Vec<UBig> = expected.iter().map(|&b| b.into()).collect();
        assert_eq!(*whitney, expected, "{}", known.name);
    }
    // The characteristic polynomial of a central arrangement vanishes at 1, and its second coefficient is the number of rows.
    let alternating = |odd: usize| whitney.iter().skip(odd).step_by(2).fold(UBig::ZERO, |s, b| s + b);
    assert_eq!(alternating(0), alternating(1), "{}", known.name);
    assert_eq!(whitney[1], known.n().into(), "{}", known.name);
}

#[test]
fn named_arrangements_have_their_published_counts() {
    (2..=5).map(resonance).for_each(|k| check(&k));
    (2..=5).map(threshold_functions).for_each(|k| check(&k));
    (2..=7).map(braid).for_each(|k| check(&k));
    (2..=6).map(type_b).for_each(|k| check(&k));
    (3..=6).map(type_d).for_each(|k| check(&k));
    (3..=7).map(cross_polytope).for_each(|k| check(&k));
    (3..=5).map(demicube).for_each(|k| check(&k));
    check(&type_f4());
    check(&type_e(6));
    for sides in [&[3, 3][..], &[3, 3, 3], &[10, 10], &[4, 4, 4]] {
        check(&grid(sides));
    }
}

#[test]
fn long_named_arrangements() {
    check(&resonance(6));
    if std::env::var_os("RELIMIT_SOAK").is_some() {
        check(&threshold_functions(6));
        check(&type_e(7));
        check(&braid(8));
        check(&type_b(7));
        check(&type_d(7));
        check(&demicube(6));
        check(&resonance(7));
    }
}

/// P by dimension of the points and number of them, in general position.
///
/// Source: enumeration by linear programs over all sign vectors; equal to Cover's formula.
#[test]
fn the_table_of_small_general_sets() {
    let table: [[u32; 8]; 3] =
        [[2, 4, 6, 8, 10, 12, 14, 16], [2, 4, 8, 14, 22, 32, 44, 58], [2, 4, 8, 16, 30, 52, 84, 128]];
    for (d, row) in table.iter().enumerate() {
        for (n, &patterns) in row.iter().enumerate() {
            // Points on the moment curve are in general position.
            let curve: Vec<Vec<f64>> = (0..=n).map(|i| (1..=d as u32 + 1).map(|k| i.pow(k) as f64).collect()).collect();
            let found = ask(&points(&curve));
            assert_eq!(found.patterns(), Some(&patterns.into()), "{} points in {} dimensions", n + 1, d + 1);
            assert_eq!((found.general_position, found.cover_bound), (Some(true), patterns.into()));
        }
    }
}

/// (points, P, Cover's number): every degenerate case with a count by linear programs.
#[test]
fn degenerate_cases_have_their_counts() {
    let pentagon: Vec<Vec<f64>> = (0..5)
        .map(|k| {
            let angle = f64::from(k) * std::f64::consts::TAU / 5.0;
            vec![angle.cos(), angle.sin()]
        })
        .collect();
    let line = |n: usize| -> Vec<Vec<f64>> { (0..n).map(|i| vec![i as f64, 2.0 * i as f64]).collect() };
    let lattice =
        |a: usize, b: usize| -> Vec<Vec<f64>> { (0..a * b).map(|i| vec![(i % a) as f64, (i / a) as f64]).collect() };
    let list = |p: &[&[f64]]| -> Vec<Vec<f64>> { p.iter().map(|r| r.to_vec()).collect() };
    let square = list(&[&[0.0, 0.0], &[1.0, 0.0], &[0.0, 1.0], &[1.0, 1.0]]);
    let tetrahedron = list(&[&[0.0, 0.0, 0.0], &[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0], &[0.0, 0.0, 1.0]]);
    let with = |mut p: Vec<Vec<f64>>, extra: &[f64]| {
        p.push(extra.to_vec());
        p
    };
    let corner = list(&[&[0.0, 0.0], &[1.0, 0.0], &[2.0, 0.0], &[0.0, 1.0]]);
    let cube: Vec<Vec<f64>> = (0..8).map(|i| (0..3).map(|q| f64::from(i >> q & 1)).collect()).collect();
    let coplanar = list(&[&[0.0, 0.0, 1.0], &[1.0, 0.0, 1.0], &[0.0, 1.0, 1.0], &[3.0, 2.0, 1.0], &[2.0, 5.0, 1.0]]);
    let cases: Vec<(Vec<Vec<f64>>, u32, u32)> = vec![
        (list(&[&[0.0], &[0.0], &[1.0]]), 4, 6),
        (list(&[&[0.0], &[0.0], &[1.0], &[1.0], &[2.0]]), 6, 10),
        (line(3), 6, 8),
        (line(4), 8, 14),
        (line(5), 10, 22),
        (corner.clone(), 12, 14),
        (with(corner, &[1.0, 2.0]), 20, 22),
        (square.clone(), 14, 14),
        (pentagon, 22, 22),
        (with(square, &[0.5, 0.5]), 18, 22),
        (lattice(3, 2), 28, 32),
        (lattice(3, 3), 58, 74),
        (cube, 104, 128),
        (coplanar, 22, 30),
        (tetrahedron.clone(), 16, 16),
        (with(tetrahedron, &[1.0, 0.0, 0.0]), 16, 30),
    ];
    for (set, patterns, bound) in cases {
        let found = ask(&points(&set));
        assert_eq!(found.patterns(), Some(&patterns.into()), "{set:?}");
        assert_eq!(found.cover_bound, bound.into(), "{set:?}");
        assert_eq!(found.general_position, Some(patterns == bound), "{set:?}");
    }
}

#[test]
fn edges_of_the_definition() {
    let number = |n, dim, rows: &[i64]| ask(&Arrangement::from_integers(n, dim, rows)).patterns().cloned();
    assert_eq!(number(0, 3, &[]), Some(1u32.into()));
    assert_eq!(number(2, 2, &[0, 0, 0, 0]), Some(1u32.into()));
    assert_eq!(number(3, 1, &[2, -3, 0]), Some(2u32.into()));
    assert_eq!(number(2, 2, &[1, 2, -1, -2]), Some(2u32.into()));
    // Independent rows: every pattern, whatever their number.
    let identity: Vec<i64> = (0..100 * 100).map(|k| i64::from(k % 101 == 0)).collect();
    assert_eq!(number(100, 100, &identity), Some(UBig::ONE << 100));
    // Two dimensions: two patterns for each direction.
    let fan: Vec<i64> = (0..5000).flat_map(|k| [k, 1]).collect();
    assert_eq!(number(5000, 2, &fan), Some(10_000u32.into()));
}

#[test]
fn cover_is_the_sum_of_binomials() {
    assert_eq!([cover(8, 4), cover(200, 4), cover(0, 3), cover(3, 0)], [128u32, 2_627_200, 1, 1].map(UBig::from));
    // n <= r: every pattern. n = 2 r: half of them.
    assert_eq!(cover(70, 90), UBig::ONE << 70);
    assert_eq!(cover(200, 100), UBig::ONE << 199);
}

#[test]
fn budgets_give_an_interval_that_holds_the_number() {
    let known = threshold_functions(4);
    let a = known.arrangement();
    let some = count(&a, &Options { max_cells: Some(500), ..Options::all() });
    assert_eq!((some.status, &some.lower, some.patterns()), (CountStatus::Partial, &500u32.into(), None));
    assert!(some.upper >= known.cells.into() && some.general_position.is_none() && some.whitney.is_none());
    for threads in [1, 2] {
        let polls = AtomicU32::new(0);
        let stop = || polls.fetch_add(1, Ordering::Relaxed) >= 30;
        let some = count(&a, &Options { stop: &stop, threads, ..Options::all() });
        assert!(
            some.status == CountStatus::Partial && some.lower < known.cells.into() && some.upper >= known.cells.into()
        );
        let none = count(&a, &Options { stop: &|| true, threads, ..Options::all() });
        assert!(none.status == CountStatus::Bound && none.lower >= 32u32.into());
    }
    // A repeated row settles general position even so.
    let twice = Arrangement::from_integers(5, 3, &[1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2]);
    assert_eq!(count(&twice, &Options { stop: &|| true, ..Options::all() }).general_position, Some(false));
}
