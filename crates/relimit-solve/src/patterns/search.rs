//! The search over cells or faces: counted on all threads, or listed one by one in a fixed order.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use dashu_int::IBig;
use relimit_core::num::Mat;
use relimit_core::pattern::faces::for_each_covector;
use relimit_core::pattern::{Arrangement, Cell, End, Options, Role, fold_cells, for_each_cell};

use super::{Sink, histogram, single};

/// What is searched, and how far.
pub(super) struct Search<'a> {
    pub(super) a: &'a Arrangement,
    pub(super) options: &'a Options<'a>,
    /// The rows of the data, where each listed pattern gets a witness.
    pub(super) witness: Option<&'a Mat>,
    /// Weights for the data as they were given.
    pub(super) unscaled: &'a dyn Fn(Vec<IBig>) -> Vec<IBig>,
}

/// What a search found.
pub(super) struct Seen {
    /// Cells visited.
    pub(super) cells: u64,
    pub(super) end: End,
    /// Cells by their number of active rows.
    pub(super) active: Option<Vec<u64>>,
    /// Faces by dimension, when those were searched.
    pub(super) faces: Option<Vec<u64>>,
}

impl Search<'_> {
    /// Counts the cells by active rows; where their number is `known` and the directions independent, without a search.
    pub(super) fn counted(&self, known: bool) -> Seen {
        let a = self.a;
        if known && a.classes() == a.rank() {
            return Seen { cells: 0, end: End::Complete, active: histogram::of_independent(a), faces: None };
        }
        let n = a.n();
        let nonzero = a.roles().iter().filter(|role| **role != Role::Zero).count();
        let (mut active, seen) = fold_cells(
            a,
            &Options { pairs: true, ..*self.options },
            || vec![0u64; n + 1],
            |counts: &mut Vec<u64>, cell| counts[cell.active()] += 1,
            |mut sum, more| {
                sum.iter_mut().zip(&more).for_each(|(s, m)| *s += m);
                sum
            },
        );
        if a.rank() > 0 {
            // In the antipode of a cell the other rows are active, but for those that are 0.
            let one_side = active.clone();
            for (k, count) in one_side[..=nonzero].iter().enumerate() {
                active[nonzero - k] += count;
            }
        }
        Seen { cells: seen.cells, end: seen.end, active: Some(active), faces: None }
    }

    /// Lists the cells, and counts them by active rows.
    pub(super) fn listed(&self, sink: &mut Sink<'_>) -> Seen {
        let a = self.a;
        let mut active = vec![0u64; a.n() + 1];
        let mut signs = vec![0i8; a.n()];
        let seen = for_each_cell(a, self.options, &mut |cell| {
            write_signs(cell, a.roles(), &mut signs);
            self.pass(&signs, || Some(cell.witness()), sink)?;
            active[positive(&signs)] += 1;
            ControlFlow::Continue(())
        });
        Seen { cells: active.iter().sum(), end: seen.end, active: Some(active), faces: None }
    }

    /// Visits all faces, and lists them where there is a sink; cells come first.
    pub(super) fn faces(&self, mut sink: Option<&mut Sink<'_>>) -> Seen {
        let (a, rank) = (self.a, self.a.rank());
        let mut active = vec![0u64; a.n() + 1];
        let mut by_dimension = vec![0u64; rank + 1];
        let mut signs = vec![0i8; a.n()];
        let seen = for_each_covector(a, self.options, 0..=rank, &mut |face| {
            for (to, sign) in signs.iter_mut().zip(face.covector.signs()) {
                *to = match sign {
                    Ordering::Less => -1,
                    Ordering::Equal => 0,
                    Ordering::Greater => 1,
                };
            }
            if let Some(sink) = &mut sink {
                self.pass(&signs, || None, sink)?;
            }
            by_dimension[face.dimension] += 1;
            if face.dimension == rank {
                active[positive(&signs)] += 1;
            }
            ControlFlow::Continue(())
        });
        Seen { cells: by_dimension[rank], end: seen.end, active: Some(active), faces: Some(by_dimension) }
    }

    /// Hands one sign vector on, with its witness; `inside` is used when there is no time for a short one.
    fn pass(&self, signs: &[i8], inside: impl Fn() -> Option<Vec<IBig>>, sink: &mut Sink<'_>) -> ControlFlow<()> {
        let Some(x) = self.witness else { return sink(signs, None) };
        match single::witness(x, signs, inside, self.options.stop) {
            Some(u) => sink(signs, Some(&digits(&(self.unscaled)(u)))),
            None => ControlFlow::Break(()),
        }
    }
}

fn write_signs(cell: &Cell<'_>, roles: &[Role], signs: &mut [i8]) {
    for (i, sign) in signs.iter_mut().enumerate() {
        *sign = match roles[i] {
            Role::Zero => 0,
            Role::Multiple { .. } if cell.row_positive(i) => 1,
            Role::Multiple { .. } => -1,
        };
    }
}

fn positive(signs: &[i8]) -> usize {
    signs.iter().filter(|s| **s == 1).count()
}

/// Whole numbers in digits, separated by commas.
fn digits(values: &[IBig]) -> String {
    let texts: Vec<String> = values.iter().map(ToString::to_string).collect();
    texts.join(",")
}
