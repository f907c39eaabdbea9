//! Numbers of patterns against closed forms, published tables and every degenerate case with a known count.

use relimit_core::num::Mat;
use relimit_core::pattern::{Arrangement, CountStatus, Options, count, cover, for_each_cell};
use relimit_core::zoo::arrangements::{
    KnownArrangement, braid, cross_polytope, demicube, grid, resonance, threshold_functions, type_b, type_d, type_e,
    type_f4,
};

fn cells(a: &Arrangement) -> u64 {
    for_each_cell(a, &Options::all(), &mut |_| std::ops::ControlFlow::Continue(())).cells
}

/// Points with a bias column.
fn points<const D: usize>(p: &[[f64; D]]) -> Arrangement {
    Arrangement::new(&Mat::from_fn(p.len(), D + 1, |i, c| if c < D { p[i][c] } else { 1.0 }))
}

fn check(known: &KnownArrangement) {
    let found = count(&known.arrangement(), &Options::all());
    assert_eq!(found.patterns(), Some(&known.cells.into()), "{}", known.name);
    if let Some(whitney) = &known.whitney {
        let expected: Vec<_> = whitney.iter().map(|&b| b.into()).collect();
        assert_eq!(found.whitney.as_ref(), Some(&expected), "{}", known.name);
    }
}

#[test]
fn named_arrangements_have_their_published_counts() {
    for m in 2..=4 {
        check(&resonance(m));
    }
    for m in 2..=4 {
        check(&threshold_functions(m));
    }
    check(&braid(4));
    check(&type_b(3));
    check(&type_d(4));
    check(&type_f4());
    check(&grid(&[3, 3]));
    for m in 3..=5 {
        check(&cross_polytope(m));
        check(&demicube(m));
    }
}

#[test]
fn cover_and_count_of_small_sets() {
    assert_eq!(cover(8, 4), 128u32.into());
    let found = count(&points(&[[0.0], [0.0], [1.0], [1.0], [2.0]]), &Options::all());
    assert_eq!((found.status, found.patterns()), (CountStatus::Exact, Some(&6u32.into())));
    assert_eq!((found.cover_bound, found.general_position), (10u32.into(), Some(false)));
    assert_eq!(cells(&points(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [0.0, 1.0]])), 12);
    let _ = type_e;
}
