//! Lines that doubles decide, against the definition, against the other copy of their loops and against integers.

use std::sync::Arc;

use super::block::Block;
use super::compare::Vertex;
use super::walk::Walker;
use crate::num::Mat;
use crate::num::exact::Dyadic;
use crate::num::test_random::Random;
use crate::pattern::Arrangement;
use crate::pattern::space::Space;
use crate::pattern::vertex::cell_of;

fn uniform(n: usize, dim: usize, seed: u64) -> Mat {
    let mut random = Random(seed);
    Mat::from_fn(n, dim, |_, _| random.unit() - 0.5)
}

/// One word, words on both sides of their boundary, and the rank from which sets have members that lose a column.
#[test]
fn cells_are_those_of_the_definition_in_any_number_of_words() {
    for (n, dim) in [(9, 3), (31, 3), (64, 3), (65, 3), (130, 3), (20, 4), (70, 4), (12, 5), (10, 6)] {
        let space = Space::new(&Arrangement::new(&uniform(n, dim, n as u64)), 3);
        let mut walker = Walker::new(Arc::new(space.clone()));
        let mut block = Block::new(&space, true);
        let (mut cells, mut seen) = (0, 0);
        while walker.next_block(&mut block) {
            cells += block.len();
            // Every block of small data, some of the others.
            if n > 31 && block.prefix.iter().sum::<u32>() % 31 != 5 {
                continue;
            }
            for t in 0..block.len() {
                let set = block.basis(t).to_vec();
                let expected = cell_of(&space, &set).expect("a set without broken circuits");
                assert_eq!(block.signs(t, false), expected, "{n} x {dim}: {set:?}");
                seen += 1;
            }
        }
        let choose = |k: usize| (0..k).fold(1, |c, i| c * (n - 1 - i) / (i + 1));
        assert_eq!(cells, (0..dim).map(choose).sum::<usize>(), "{n} x {dim}");
        assert!(seen > 36, "{n} x {dim}: {seen} cells compared");
        assert_eq!(walker.fallbacks(), 0, "{n} x {dim}");
    }
}

/// Not only the cells, also their order: what is left open by doubles must not depend on the processor.
#[test]
fn both_copies_give_the_same_blocks() {
    let mut random = Random(11);
    let values: Vec<f64> = (0..6).map(|_| random.unit()).collect();
    let lattice = Mat::from_fn(40, 4, |_, c| if c == 0 { 1.0 } else { values[random.below(6)] });
    for x in [uniform(70, 3, 1), uniform(24, 5, 2), uniform(131, 3, 3), lattice] {
        let space = Arc::new(Space::new(&Arrangement::new(&x), 0));
        let (mut fast, mut slow) = (Walker::new(Arc::clone(&space)), Walker::new(Arc::clone(&space)).portable());
        let (mut a, mut b) = (Block::new(&space, false), Block::new(&space, false));
        loop {
            let more = fast.next_block(&mut a);
            assert_eq!(more, slow.next_block(&mut b));
            if !more {
                break;
            }
            assert_eq!((&a.prefix, a.len()), (&b.prefix, b.len()));
            for t in 0..a.len() {
                assert_eq!((a.basis(t).last, a.signs(t, true)), (b.basis(t).last, b.signs(t, true)));
            }
        }
        assert_eq!(fast.fallbacks(), slow.fallbacks());
    }
}

/// Rows from number 400 on grow to lines that are swept, so the order within a block tells which way was gone.
#[test]
fn long_lines_are_swept_and_short_ones_scanned() {
    let x = uniform(420, 3, 5);
    let space = Space::new(&Arrangement::new(&x), 0);
    let mut walker = Walker::new(Arc::new(space.clone()));
    let mut block = Block::new(&space, true);
    let mut cells = 0;
    while walker.next_block(&mut block) {
        cells += block.len();
        let last: Vec<Option<u32>> = (0..block.len()).map(|t| block.basis(t).last).collect();
        let by_rows = last[0].is_none() && last.is_sorted();
        if let [j] = block.prefix[..] {
            assert_eq!(by_rows, j < 400 || last.len() < 3, "row {j}");
        }
    }
    assert_eq!(cells, 1 + 419 + 419 * 418 / 2);
}

/// The exact quotient of perturbed numbers lies in both intervals, for errors from nothing to what ends the attempt.
#[test]
fn intervals_hold_the_exact_vertex() {
    let mut random = Random(12);
    let (mut finite, mut open) = (0, 0);
    for trial in 0..4000 {
        let mut scale = || f64::powi(2.0, [-40, -21, -3, 0, 2, 17, 39][random.below(7)]);
        let (p, q, r, s) = (scale(), scale(), scale(), scale());
        let a = (random.unit() - 0.5) * p;
        let b = (random.unit() - 0.5) * q;
        let (e, g) = match trial % 3 {
            0 => (0.0, 0.0),
            1 => (r * 1e-12, s * 1e-12),
            _ => (a.abs() * 1e-7, b.abs() * 1e-7),
        };
        let vertex = Vertex::new(a, b, e, g);
        if vertex.radius.is_infinite() {
            assert!(g * 1048576.0 > b.abs());
            assert_eq!(vertex.interval(), (f32::NEG_INFINITY, f32::INFINITY));
            open += 1;
            continue;
        }
        finite += 1;
        let (low, high) = vertex.interval();
        let exact = |u: f64, v: f64| Dyadic::new(u).add(&Dyadic::new(v));
        let ends = [
            (exact(vertex.t, -vertex.radius), exact(vertex.t, vertex.radius)),
            (Dyadic::new(f64::from(low)), Dyadic::new(f64::from(high))),
        ];
        for (u, v) in [(e, g), (e, -g), (-e, g), (-e, -g)] {
            // low <= -top / bottom <= high.
            let (top, bottom) = (exact(a, u), exact(b, v));
            let side = |end: &Dyadic| end.mul(&bottom).add(&top).sign();
            for (low, high) in &ends {
                let (below, above) = (side(low), side(high));
                let (below, above) = if bottom.sign().is_lt() { (above, below) } else { (below, above) };
                assert!(below.is_le() && above.is_ge(), "trial {trial}: {a} + {b} t, {e}, {g}");
            }
        }
    }
    assert!(finite > 2000 && open > 20, "{finite} finite and {open} open intervals");
}
