//! Every cell of the arrangement once, in a fixed order, without a table of what has been seen.

mod block;
mod clear;
#[cfg(test)]
mod clear_tests;
mod compare;
mod exact;
mod kernel;
mod line;
mod parallel;
mod sweep;
mod tableau;
mod walk;
#[cfg(test)]
mod walk_tests;

use std::ops::ControlFlow;
use std::sync::Arc;

use block::Block;
use walk::Walker;

use super::arrangement::Arrangement;
use super::cell::{Cell, OwnedCell};
use super::space::Space;

/// What to enumerate, and when to stop.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// Stop after this many cells, both antipodes counted.
    pub max_cells: Option<u64>,
    /// Visit one cell of each antipodal pair, that on the positive side of class 0; the other has every sign reversed.
    /// Cells are counted as ever.
    pub pairs: bool,
    /// Threads; the cells and their order do not depend on it.
    pub threads: usize,
    /// Whether cells that are kept carry a point inside.
    pub witnesses: bool,
    /// Seed of the flag; it decides the order of the cells, never which cells there are.
    pub seed: u64,
    /// Polled at every node of the search; true stops it.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

impl Options<'static> {
    /// Every cell, on one thread, without witnesses.
    pub fn all() -> Self {
        Self { max_cells: None, pairs: false, threads: 1, witnesses: false, seed: 0, stop: &|| false }
    }
}

/// How an enumeration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Every cell was visited.
    Complete,
    /// The number of cells asked for was reached, or the visitor broke off.
    Limit,
    /// The polled function said stop.
    Stopped,
}

/// What an enumeration did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enumeration {
    /// Cells found, both antipodes counted.
    pub cells: u64,
    /// How it ended.
    pub end: End,
    /// Pairs of cells by the size k of their no-broken-circuit set; complete, `c_k + c_{k-1}` is the k-th Whitney number.
    pub by_size: Vec<u64>,
    /// Questions that were settled in big integers.
    pub fallbacks: u64,
    /// Lines walked.
    pub lines: u64,
}

/// Visits every cell once, a cell and its antipode one after the other, until the visitor breaks off; with `o.pairs` the
/// first of the two alone.
///
/// The order depends on the arrangement and the seed alone. The visitor runs on the calling thread. O(n D^2) memory a
/// thread.
pub fn for_each_cell(a: &Arrangement, o: &Options, visit: &mut dyn FnMut(&Cell) -> ControlFlow<()>) -> Enumeration {
    if o.threads > 1 {
        return parallel::visit_in_order(a, o, visit);
    }
    let space = Arc::new(Space::new(a, o.seed));
    let mut walker = Walker::new(Arc::clone(&space));
    let mut block = Block::new(&space, o.pairs);
    let mut out = Enumeration::start(&space);
    let cap = o.max_cells.unwrap_or(u64::MAX);
    while walker.next_block(&mut block) {
        if (o.stop)() {
            out.end = End::Stopped;
            break;
        }
        if out.visit_block(a, &space, &block, cap, visit).is_break() {
            out.end = End::Limit;
            break;
        }
    }
    out.fallbacks = walker.fallbacks();
    out.lines = walker.lines();
    out
}

impl Enumeration {
    fn start(space: &Space) -> Self {
        Self { cells: 0, end: End::Complete, by_size: vec![0; space.rank.max(1)], fallbacks: 0, lines: 0 }
    }

    /// Adds what another part of the same search did.
    fn add(&mut self, other: &Self) {
        self.cells += other.cells;
        if other.end != End::Complete {
            self.end = other.end;
        }
        for (c, more) in self.by_size.iter_mut().zip(&other.by_size) {
            *c += more;
        }
        self.fallbacks += other.fallbacks;
        self.lines += other.lines;
    }

    fn visit_block(
        &mut self,
        a: &Arrangement,
        space: &Space,
        block: &Block,
        cap: u64,
        visit: &mut dyn FnMut(&Cell) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let each = block.stands_for(space);
        for t in 0..block.len() {
            let basis = block.basis(t);
            for side in 0..block.sides() {
                if cap - self.cells < each {
                    return ControlFlow::Break(());
                }
                let antipode = side == 1;
                if !antipode {
                    self.by_size[basis.prefix.len() + usize::from(basis.last.is_some())] += 1;
                }
                self.cells += each;
                let signs = block.signs(t, antipode);
                visit(&Cell { arrangement: a, space, signs, basis, antipode })?;
            }
        }
        ControlFlow::Continue(())
    }
}

/// Where an iteration stands: a node of the search and how many of its cells are done.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Cursor {
    node: Vec<u32>,
    done: usize,
}

/// The cells one by one; see [`cells`].
pub struct Cells<'a> {
    arrangement: &'a Arrangement,
    space: Arc<Space>,
    walker: Walker,
    block: Block,
    done: usize,
    left: u64,
    /// Cells that one item stands for.
    each: u64,
    stop: &'a (dyn Fn() -> bool + Sync),
    witnesses: bool,
}

/// The cells one by one, in the order of [`for_each_cell`], on the calling thread.
///
/// `o.max_cells` ends the iterator; `o.stop` is polled at every node.
pub fn cells<'a>(a: &'a Arrangement, o: &Options<'a>) -> Cells<'a> {
    cells_from(a, o, &Cursor::default())
}

/// The cells after the point where a [`Cells`] of the same arrangement, seed and `pairs` stood. `o.max_cells` counts anew.
pub fn cells_from<'a>(a: &'a Arrangement, o: &Options<'a>, cursor: &Cursor) -> Cells<'a> {
    let space = Arc::new(Space::new(a, o.seed));
    let mut walker = Walker::new(Arc::clone(&space));
    walker.resume(&cursor.node);
    let mut block = Block::new(&space, o.pairs);
    let each = block.stands_for(&space);
    if cursor.done > 0 {
        walker.next_block(&mut block);
    }
    Cells {
        arrangement: a,
        space,
        walker,
        block,
        done: cursor.done,
        left: o.max_cells.unwrap_or(u64::MAX),
        each,
        stop: o.stop,
        witnesses: o.witnesses,
    }
}

impl Cells<'_> {
    /// Where the iteration stands; [`cells_from`] goes on from there.
    pub fn cursor(&self) -> Cursor {
        Cursor { node: self.block.prefix.clone(), done: self.done }
    }

    /// Cells of the current block.
    fn ready(&self) -> usize {
        self.block.len() * self.block.sides()
    }
}

impl Iterator for Cells<'_> {
    type Item = OwnedCell;

    fn next(&mut self) -> Option<OwnedCell> {
        if self.left < self.each {
            return None;
        }
        while self.done == self.ready() {
            if (self.stop)() || !self.walker.next_block(&mut self.block) {
                return None;
            }
            self.done = 0;
        }
        self.left -= self.each;
        let (t, antipode) = (self.done / self.block.sides(), self.done % self.block.sides() == 1);
        self.done += 1;
        let (basis, signs) = (self.block.basis(t), self.block.signs(t, antipode));
        let cell = Cell { arrangement: self.arrangement, space: &self.space, signs, basis, antipode };
        Some(cell.to_owned(self.witnesses))
    }
}

/// Folds the cells of each prefix of the search into a value of its own, and the values in the order of the prefixes.
///
/// Prefixes depend on the arrangement and the seed alone, so the result is the same for any number of threads. With
/// `o.max_cells` the first cells in order are folded: all threads work until that many have been found together, then one
/// fills the gaps before the last of them. Memory: one value for each prefix (at most n^2/2 for
/// n < 64, else n).
pub fn fold_cells<T: Send>(
    a: &Arrangement,
    o: &Options,
    init: impl Fn() -> T + Sync,
    visit: impl Fn(&mut T, &Cell) + Sync,
    merge: impl FnMut(T, T) -> T,
) -> (T, Enumeration) {
    parallel::fold(a, o, &init, &visit, merge)
}
