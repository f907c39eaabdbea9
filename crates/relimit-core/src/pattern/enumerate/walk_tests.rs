//! The filtered search against the definition: every subset of the rows judged by integers alone.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::block::Block;
use super::walk::Walker;
use crate::num::Mat;
use crate::num::test_random::Random;
use crate::pattern::Arrangement;
use crate::pattern::space::Space;
use crate::pattern::vertex::cell_of;

type Found = BTreeMap<Vec<u32>, Vec<u64>>;

/// Sets and signs as the search gives them, and the questions it settled in integers.
fn searched(space: &Space) -> (Found, u64) {
    let mut walker = Walker::new(Arc::new(space.clone()));
    let mut block = Block::new(space, false);
    let mut out = Found::new();
    while walker.next_block(&mut block, &|| false) {
        for t in 0..block.len() {
            let (set, signs) = (block.basis(t).to_vec(), block.signs(t, false).to_vec());
            let opposite: Vec<u64> = block.signs(t, true).to_vec();
            let all = signs.iter().zip(&opposite).map(|(a, b)| (a ^ b).count_ones() as usize).sum::<usize>();
            assert_eq!(all, space.n(), "the antipode has every sign turned");
            assert!(out.insert(set, signs).is_none());
        }
    }
    (out, walker.fallbacks())
}

/// Sets and signs by definition, over all subsets.
fn defined(space: &Space) -> Found {
    let mut out = Found::new();
    let mut sets: Vec<Vec<u32>> = vec![vec![]];
    while let Some(set) = sets.pop() {
        // Subsets of such sets are such sets.
        let Some(signs) = cell_of(space, &set, &|| false) else { continue };
        if set.len() + 1 < space.rank {
            sets.extend((1..*set.last().unwrap_or(&(space.n() as u32))).map(|j| [set.clone(), vec![j]].concat()));
        }
        out.insert(set, signs);
    }
    out
}

fn check(a: &Arrangement, flag_bits: Option<usize>) -> u64 {
    let space = Space::with_flags(a, 1, flag_bits);
    let (found, fallbacks) = searched(&space);
    let expected = defined(&space);
    assert_eq!(found.len(), expected.len());
    assert!(found == expected, "{a:?}");
    fallbacks
}

#[test]
fn small_integers_with_many_degeneracies() {
    let mut random = Random(3);
    for trial in 0..60 {
        let (n, dim) = (5 + random.below(6), 2 + trial % 4);
        check(&Arrangement::new(&Mat::from_fn(n, dim, |_, _| random.below(5) as f64 - 2.0)), None);
    }
}

#[test]
fn flags_that_are_hit_are_refined() {
    let mut random = Random(4);
    for bits in [1, 2, 3] {
        let mut hits = 0;
        for trial in 0..12 {
            let (n, dim) = (6 + random.below(4), 3 + trial % 3);
            let a = Arrangement::new(&Mat::from_fn(n, dim, |_, _| random.below(5) as f64 - 2.0));
            if a.rank() > 2 {
                hits += check(&a, Some(bits));
            }
        }
        assert!(hits > 0, "flags of {bits} digits are never hit");
    }
}

#[test]
fn doubles_with_ties_and_near_ties() {
    let mut random = Random(5);
    let values: Vec<f64> = (0..4).map(|_| random.unit()).collect();
    let mut open = 0;
    for trial in 0..24 {
        let (n, dim) = (8 + random.below(3), 3 + trial % 3);
        let x = Mat::from_fn(n, dim, |_, c| {
            let v = values[random.below(4)];
            // Exact ties of long numbers, ties broken in the last place, and a column of ones.
            if c == 0 {
                1.0
            } else if random.below(4) == 0 && trial % 2 == 0 {
                v.next_up()
            } else {
                v
            }
        });
        open += u32::from(check(&Arrangement::new(&x), None) > 0);
    }
    assert!(open > 12, "only {open} of 24 sets ask for integers");
}

/// Enough rows for sweeps, with ties on the lines: a lattice of integers, and one of doubles.
#[test]
fn swept_lines() {
    let mut random = Random(6);
    let steps: Vec<f64> = (0..8).map(|_| random.unit()).collect();
    for exact in [true, false] {
        let x = Mat::from_fn(56, 3, |i, c| {
            let k = [i % 8, i / 8, 0][c];
            match (c, exact) {
                (2, _) => 1.0,
                (_, true) => k as f64,
                (_, false) => steps[k],
            }
        });
        let fallbacks = check(&Arrangement::new(&x), None);
        assert_eq!(fallbacks == 0, exact, "{fallbacks} questions in integers");
    }
}

/// Integers of 25 digits outgrow 2^53 on the way down: exact tableaux give way to rounded ones within one search.
#[test]
fn middle_sized_integers() {
    let mut random = Random(8);
    for trial in 0..8 {
        let dim = 3 + trial % 3;
        let x = Mat::from_fn(9, dim, |_, _| (random.below(1 << 17) as f64 - 65536.0) * [1.0, 3.0][random.below(2)]);
        check(&Arrangement::new(&x), None);
    }
}

/// One cell in many dimensions takes long in integers: it is left at the poll that says stop, with one poll an exchange.
#[test]
fn a_cell_in_integers_ends_at_the_poll_that_says_stop() {
    let mut random = Random(9);
    let space = Space::new(&Arrangement::new(&random.matrix(30, 24)), 1);
    let polls = std::cell::Cell::new(0);
    let after = |most: usize| {
        polls.set(0);
        cell_of(&space, &[20, 10, 5], &|| {
            polls.set(polls.get() + 1);
            polls.get() > most
        })
    };
    assert!(after(7).is_none());
    assert_eq!(polls.get(), 9, "the eighth ends the coarse flag, the ninth the fine one");
    assert!(after(usize::MAX).is_some());
    assert_eq!(polls.get(), 24, "one for each row of the basis");
}
