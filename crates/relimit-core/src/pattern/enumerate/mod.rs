//! Every cell of the arrangement once, in a fixed order, without a table of what has been seen.

mod block;
mod walk;

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
        Self { max_cells: None, threads: 1, witnesses: false, seed: 0, stop: &|| false }
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
    /// Cells visited, both antipodes counted.
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

/// Visits every cell once, a cell and its antipode one after the other, until the visitor breaks off.
///
/// The order depends on the arrangement and the seed alone. O(n D) memory a thread.
pub fn for_each_cell(a: &Arrangement, o: &Options, visit: &mut dyn FnMut(&Cell) -> ControlFlow<()>) -> Enumeration {
    let space = Arc::new(Space::new(a, o.seed));
    let mut walker = Walker::new(Arc::clone(&space));
    let mut block = Block::new(&space);
    let mut out = Enumeration::start(&space);
    let cap = o.max_cells.unwrap_or(u64::MAX);
    loop {
        if (o.stop)() {
            out.end = End::Stopped;
            break;
        }
        if !walker.next_block(&mut block) {
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

    fn visit_block(
        &mut self,
        a: &Arrangement,
        space: &Space,
        block: &Block,
        cap: u64,
        visit: &mut dyn FnMut(&Cell) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        for t in 0..block.len() {
            let basis = block.basis(t);
            for antipode in [false, true] {
                if antipode && space.rank == 0 {
                    continue;
                }
                if self.cells >= cap {
                    return ControlFlow::Break(());
                }
                if !antipode {
                    self.by_size[basis.prefix.len() + usize::from(basis.last.is_some())] += 1;
                }
                self.cells += 1;
                let signs = block.signs(t, antipode);
                visit(&Cell { arrangement: a, space, signs, basis, antipode })?;
            }
        }
        ControlFlow::Continue(())
    }
}

/// The cells one by one, in the order of [`for_each_cell`], on the calling thread.
///
/// `o.max_cells` ends the iterator; `o.stop` is polled at every node.
pub fn cells<'a>(a: &'a Arrangement, o: &Options<'a>) -> impl Iterator<Item = OwnedCell> + 'a {
    let space = Arc::new(Space::new(a, o.seed));
    let mut walker = Walker::new(Arc::clone(&space));
    let mut block = Block::new(&space);
    let (mut t, mut antipode, mut left) = (0, false, o.max_cells.unwrap_or(u64::MAX));
    let (stop, witnesses) = (o.stop, o.witnesses);
    std::iter::from_fn(move || {
        while t == block.len() {
            if stop() || !walker.next_block(&mut block) {
                return None;
            }
            t = 0;
        }
        left = left.checked_sub(1)?;
        let (basis, signs) = (block.basis(t), block.signs(t, antipode));
        let cell = Cell { arrangement: a, space: &space, signs, basis, antipode }.to_owned(witnesses);
        if antipode || space.rank == 0 {
            t += 1;
            antipode = false;
        } else {
            antipode = true;
        }
        Some(cell)
    })
}

/// Folds the cells of each prefix of the search into a value of its own, and the values in the order of the prefixes.
///
/// Prefixes depend on the arrangement alone, so the result is the same for any number of threads.
pub fn fold_cells<T: Send>(
    a: &Arrangement,
    o: &Options,
    init: impl Fn() -> T + Sync,
    visit: impl Fn(&mut T, &Cell) + Sync,
    merge: impl FnMut(T, T) -> T,
) -> (T, Enumeration) {
    let _ = merge;
    let mut value = init();
    let enumeration = for_each_cell(a, o, &mut |cell| {
        visit(&mut value, cell);
        ControlFlow::Continue(())
    });
    (value, enumeration)
}
