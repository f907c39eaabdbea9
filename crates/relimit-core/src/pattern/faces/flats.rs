//! The flats of the arrangement: every intersection of hyperplanes once, with all hyperplanes that contain it.
//!
//! Each flat has one basis that a greedy choice by ascending class finds. The search extends a basis by a class larger
//! than all of it and keeps the result exactly if the greedy choice would: no smaller class has come into the flat.
//! Leaving out the largest element of a greedy basis gives a greedy basis, so every flat is reached, once, with no table.

use std::ops::ControlFlow;

use super::contraction::Contraction;
use crate::pattern::arrangement::Arrangement;

/// A flat while it is visited.
#[derive(Clone, Copy, Debug)]
pub struct Flat<'a> {
    /// The classes that vanish on it, in the order in which they were met.
    pub classes: &'a [usize],
    /// Its greedy basis: ascending classes, as many as its rank.
    pub basis: &'a [usize],
    pub(super) contraction: &'a Contraction,
}

impl Flat<'_> {
    /// Its rank: D minus its dimension.
    pub fn rank(&self) -> usize {
        self.basis.len()
    }
}

/// Visits every flat of at most `max_rank` once, depth first and so each before those inside it, until the visitor
/// breaks off.
///
/// O(n D) memory a level of the search, O(n D) integer products a flat.
pub fn for_each_flat(
    a: &Arrangement,
    max_rank: usize,
    visit: &mut dyn FnMut(&Flat) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut search = Search { max_rank, classes: vec![], basis: vec![], visit };
    search.below(&Contraction::new(a))
}

struct Search<'a> {
    max_rank: usize,
    classes: Vec<usize>,
    basis: Vec<usize>,
    visit: &'a mut dyn FnMut(&Flat) -> ControlFlow<()>,
}

impl Search<'_> {
    fn below(&mut self, contraction: &Contraction) -> ControlFlow<()> {
        (self.visit)(&Flat { classes: &self.classes, basis: &self.basis, contraction })?;
        if self.basis.len() >= self.max_rank || contraction.dim == 0 {
            return ControlFlow::Continue(());
        }
        let largest = self.basis.last().copied();
        for group in contraction.parallel() {
            if largest.is_some_and(|l| group[0] < l) {
                continue;
            }
            let before = self.classes.len();
            self.classes.extend(&group);
            self.basis.push(group[0]);
            let flow = self.below(&contraction.onto(group[0]));
            self.basis.pop();
            self.classes.truncate(before);
            flow?;
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Flats of the braid arrangement of m + 1 letters are partitions of the letters: Stirling numbers by rank.
    #[test]
    fn flats_of_the_braid_arrangement_are_partitions() {
        let letters = 5;
        let mut rows = vec![];
        for i in 0..letters {
            for j in i + 1..letters {
                let mut row = vec![0i64; letters];
                (row[i], row[j]) = (1, -1);
                rows.extend(row);
            }
        }
        let a = Arrangement::from_integers(10, letters, &rows);
        let mut by_rank = [0; 5];
        let mut seen = std::collections::BTreeSet::new();
        let _ = for_each_flat(&a, usize::MAX, &mut |f| {
            by_rank[f.rank()] += 1;
            let mut classes = f.classes.to_vec();
            classes.sort_unstable();
            assert!(f.basis.iter().all(|b| classes.contains(b)) && f.basis.windows(2).all(|p| p[0] < p[1]));
            assert!(seen.insert(classes));
            ControlFlow::Continue(())
        });
        // S(5, 5), S(5, 4), .., S(5, 1)
        assert_eq!(by_rank, [1, 10, 25, 15, 1]);
        let mut visits = 0;
        let flow = for_each_flat(&a, 1, &mut |_| {
            visits += 1;
            if visits == 4 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert!(flow.is_break() && visits == 4);
    }
}
