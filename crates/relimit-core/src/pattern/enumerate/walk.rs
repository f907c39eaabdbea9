//! The search for no-broken-circuit sets: depth first, one row more at each level, larger indices first.

use std::sync::Arc;

use super::block::{Block, OWN};
use super::clear::{Below, Clear};
use super::exact::ExactStack;
use super::kernel::Kernel;
use super::line::{Closed, Line, Scratch, put_closed};
use super::sweep::{MOST_ROWS, SWEEP_FROM};
use super::tableau::Tableau;
use crate::pattern::basis::{bits, sign};
use crate::pattern::cell::{bit, put};
use crate::pattern::space::{Space, generic};
use crate::pattern::vertex::cell_of;

/// Lines with so many candidates or more are swept even where doubles decide every sign.
const SCANNED: u32 = 400;

/// A node of the search: the set at one depth.
#[derive(Clone, Debug)]
struct Level {
    table: Tableau,
    /// Rows by which the set may still grow, smallest first; taken from the end.
    children: Vec<u32>,
    /// Closed rows known before this node.
    closed_before: usize,
    /// Bits of rows that need no question at this node: row 0, the set, closed rows, padding.
    settled: Vec<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Enter,
    Grow,
    Done,
}

/// A part of the search: a set and all that contain it as their largest rows, or the set alone.
#[derive(Clone, Debug)]
pub(super) struct Part {
    prefix: Vec<u32>,
    whole: bool,
}

/// The search as a machine that stops after every node.
#[derive(Clone, Debug)]
pub(super) struct Walker {
    space: Arc<Space>,
    kernel: Kernel,
    levels: Vec<Level>,
    set: Vec<u32>,
    closed: Vec<Closed>,
    exact: ExactStack,
    work: (Tableau, Tableau),
    scratch: Scratch,
    clear: Clear,
    next: Next,
    /// The search does not leave the prefix of this length.
    base: usize,
    /// The search does not go below sets of this size.
    deepest: usize,
    from_scratch: u64,
    lines: u64,
}

impl Walker {
    /// At the root.
    pub(super) fn new(space: Arc<Space>) -> Self {
        let rank = space.rank;
        let blank = Tableau::blank(&space);
        let mut settled = vec![u64::MAX; space.words()];
        (1..space.n()).for_each(|i| put(&mut settled, i, false));
        let level = Level { table: blank.clone(), children: vec![], closed_before: 0, settled };
        let mut levels = vec![level; rank.max(1)];
        let kernel = Kernel::detect();
        let chart = if rank > 0 { levels[0].table.start(&space, kernel) } else { 0 };
        Self {
            kernel,
            levels,
            set: vec![],
            closed: vec![],
            exact: ExactStack::new(chart),
            work: (blank.clone(), blank),
            scratch: Scratch::default(),
            clear: Clear::default(),
            next: Next::Enter,
            base: 0,
            deepest: rank.saturating_sub(1),
            from_scratch: 0,
            lines: 0,
            space,
        }
    }

    /// The same search with the loops for any processor.
    #[cfg(test)]
    pub(super) fn portable(mut self) -> Self {
        self.kernel = Kernel::portable();
        self
    }

    /// Questions settled in integers.
    pub(super) fn fallbacks(&self) -> u64 {
        self.exact.asked + self.from_scratch
    }

    /// Lines walked.
    pub(super) fn lines(&self) -> u64 {
        self.lines
    }

    /// The cells of the next node, and of its children if that is a line; false at the end.
    pub(super) fn next_block(&mut self, block: &mut Block) -> bool {
        loop {
            match self.next {
                Next::Done => return false,
                Next::Enter => {
                    if !self.enter() {
                        self.leave();
                        continue;
                    }
                    block.clear(&self.set);
                    if self.set.len() + 2 == self.space.rank {
                        self.line(block);
                        self.leave();
                    } else {
                        self.own_cell(block);
                        self.list_children();
                        self.next = Next::Grow;
                    }
                    block.finish();
                    return true;
                }
                Next::Grow => match self.levels[self.set.len()].children.pop() {
                    Some(j) => {
                        if self.clear_line(j, block) {
                            return true;
                        }
                        if self.grow(j) {
                            self.next = Next::Enter;
                        }
                    }
                    None => self.leave(),
                },
            }
        }
    }

    /// The cells of the line of the set and row j, if doubles decide them all; the search does not leave the set for that.
    fn clear_line(&mut self, j: u32, block: &mut Block) -> bool {
        let k = self.set.len();
        let Level { table, settled, .. } = &self.levels[k];
        if k + 3 != self.space.rank || j >= SCANNED {
            return false;
        }
        let column = table.pivot_column(j as usize);
        if table.stays_exact(j as usize, column) {
            return false;
        }
        block.clear(&self.set);
        block.prefix.push(j);
        let (set, closed, n) = (&self.set[..], &self.closed[..], self.space.n());
        let below = Below { table, n, set, closed, settled, row: j, column };
        let clear = self.clear.line(&below, self.kernel, block);
        self.lines += u64::from(clear);
        clear
    }

    /// Cuts the search at sets of `depth` rows; from the root, which uses this walker up.
    pub(super) fn parts(mut self, depth: usize) -> Vec<Part> {
        let mut out = vec![];
        while self.next != Next::Done {
            if self.next == Next::Enter {
                if !self.enter() {
                    self.leave();
                    continue;
                }
                let whole = self.set.len() == depth;
                out.push(Part { prefix: self.set.clone(), whole });
                if whole {
                    self.leave();
                    continue;
                }
                self.list_children();
                self.next = Next::Grow;
            }
            match self.levels[self.set.len()].children.pop() {
                Some(j) if self.grow(j) => self.next = Next::Enter,
                Some(_) => {}
                None => self.leave(),
            }
        }
        out
    }

    /// Goes to a part; [`Self::next_block`] then gives its blocks and no others.
    pub(super) fn seek(&mut self, part: &Part) {
        let common = self.set.iter().zip(&part.prefix).take_while(|(a, b)| a == b).count();
        self.base = 0;
        // Every level that is kept was entered on the way to the part before.
        let common = common.min(part.prefix.len().saturating_sub(1));
        while self.set.len() > common {
            self.leave();
        }
        self.descend(&part.prefix, false);
        self.base = self.set.len();
        self.deepest = if part.whole { self.space.rank.saturating_sub(1) } else { part.prefix.len() };
    }

    /// Goes from the root to a node that was visited before; the search goes on with that node.
    pub(super) fn resume(&mut self, prefix: &[u32]) {
        self.descend(prefix, true);
    }

    /// Goes on from the current node, which was entered before, to one below it. A line is reached from the node above, as
    /// in the search. Siblings that come before the nodes on the way are left out, those after it too unless asked for.
    fn descend(&mut self, prefix: &[u32], siblings: bool) {
        let known = self.set.len();
        for (depth, &j) in prefix.iter().enumerate().skip(known) {
            if depth > known {
                let entered = self.enter();
                assert!(entered, "{:?} is no node of the search", self.set);
            }
            let line = depth + 3 == self.space.rank;
            if siblings {
                self.list_children();
                self.levels[depth].children.retain(|&c| c < j || (line && c == j));
            } else if line {
                self.levels[depth].children.clear();
                self.levels[depth].children.push(j);
            }
            if line {
                self.next = Next::Grow;
                return;
            }
            let grown = self.grow(j);
            assert!(grown, "{prefix:?} is no node of the search");
        }
        self.next = Next::Enter;
    }

    /// Takes the last row out of the set again.
    fn leave(&mut self) {
        if self.set.len() == self.base {
            self.next = Next::Done;
            return;
        }
        self.closed.truncate(self.levels[self.set.len()].closed_before);
        self.set.pop();
        self.exact.pop();
        self.next = Next::Grow;
    }

    /// Adds row j; false if it lies in the span of row 0 and the set, up to a part along row 0.
    fn grow(&mut self, j: u32) -> bool {
        let (k, row) = (self.set.len(), j as usize);
        let (upper, lower) = self.levels.split_at_mut(k + 1);
        let (from, to) = (&upper[k].table, &mut lower[0].table);
        let mut c = from.pivot_column(row);
        let filtered = from.entry_sign(row, c).is_some_and(|s| s != 0);
        if filtered && from.pivot(to, row, c, row, self.kernel) {
            self.exact.push(row, c);
        } else {
            let entries = self.exact.basis(&self.space).coordinates(&self.space.rows()[row]);
            let Some(longest) = from.free.iter().copied().max_by_key(|&c| bits(&entries[c])) else { return false };
            if entries[longest].is_zero() {
                return false;
            }
            self.from_scratch += 1;
            c = longest;
            self.exact.push(row, c);
            to.chart = from.chart;
            to.set.clone_from(&from.set);
            to.free.clear();
            to.free.extend(from.free.iter().filter(|&&x| x != c));
            to.fill(&self.space, self.exact.basis(&self.space), from.is_exact());
        }
        to.set.push(c);
        lower[0].closed_before = self.closed.len();
        self.set.push(j);
        true
    }

    /// Finds the rows that the set has closed; false if one of them shows that the set holds a broken circuit.
    fn enter(&mut self) -> bool {
        let k = self.set.len();
        let Some(&last) = self.set.last() else { return true };
        let (above, here) = self.levels.split_at_mut(k);
        let Level { table, settled, .. } = &mut here[0];
        settled.copy_from_slice(&above[k - 1].settled);
        put(settled, last as usize, true);
        let Scratch { open, running: plus, .. } = &mut self.scratch;
        open.resize(self.space.words(), 0);
        plus.resize(self.space.words(), 0);
        let column = table.rows(table.chart);
        self.kernel.scan((column, column), (1.0, 0.0), table.error(table.chart), plus, open);
        for w in 0..self.space.words() {
            let mut rows = open[w] & !settled[w];
            while rows != 0 {
                let i = 64 * w + rows.trailing_zeros() as usize;
                rows &= rows - 1;
                let zero = |c: &usize| table.entry_sign(i, *c).is_none_or(|s| s == 0);
                if !table.free.iter().all(zero) {
                    continue;
                }
                let coefficient = |q: usize| -> i8 {
                    if table.is_exact() { table.entry_sign(i, table.set[q]).unwrap_or(0) } else { 0 }
                };
                let support = if table.is_exact() {
                    (0..k).rev().map(|q| (q, coefficient(q))).find(|s| s.1 != 0)
                } else {
                    self.exact.asked += 1;
                    let entries = self.exact.basis(&self.space).coordinates(&self.space.rows()[i]);
                    let inside = table.free.iter().chain([&table.chart]).all(|&c| entries[c].is_zero());
                    if !inside {
                        continue;
                    }
                    (0..k).rev().map(|q| (q, sign(&entries[table.set[q]]))).find(|s| s.1 != 0)
                };
                let (q, sign) = support.expect("a row is not 0");
                let least = self.set[q];
                if least as usize > i {
                    return false;
                }
                self.closed.push(Closed { row: i as u32, least, same: sign > 0 });
                put(settled, i, true);
            }
        }
        true
    }

    fn line(&mut self, block: &mut Block) {
        self.lines += 1;
        let Level { table, settled, .. } = &self.levels[self.set.len()];
        let mut line = Line {
            space: &self.space,
            table,
            exact: &mut self.exact,
            set: &self.set,
            closed: &self.closed,
            settled,
            kernel: self.kernel,
            chart: table.chart,
            free: table.free[0],
        };
        if line.candidates() >= SWEEP_FROM && self.space.n() < MOST_ROWS {
            line.sweep(&mut self.scratch, block);
        } else {
            line.scan(&mut self.scratch, block);
        }
    }

    /// The cell of the set itself.
    fn own_cell(&mut self, block: &mut Block) {
        let signs = block.push(OWN);
        if self.space.rank == 0 || self.own_cell_filtered(signs) {
            return;
        }
        self.from_scratch += 1;
        let exact = cell_of(&self.space, &self.set).expect("a set that was entered has no broken circuit");
        signs.copy_from_slice(&exact);
    }

    /// False if a sign is left open.
    fn own_cell_filtered(&mut self, signs: &mut [u64]) -> bool {
        let (n, rank, k) = (self.space.n(), self.space.rank, self.set.len());
        let Level { table: own, settled, .. } = &self.levels[k];
        let (mut at, mut other) = (&mut self.work.0, &mut self.work.1);
        let mut first = true;
        for flag in (n + k..n + rank - 1).rev() {
            let from = if first { own } else { &*at };
            let c = from.pivot_column(flag);
            if !from.pivot_rounded(other, flag, c, 0, self.kernel) {
                return false;
            }
            std::mem::swap(&mut at, &mut other);
            first = false;
        }
        let table = if first { own } else { &*at };
        let column = table.rows(table.chart);
        self.scratch.open.resize(self.space.words(), 0);
        let open = &mut self.scratch.open;
        self.kernel.scan((column, column), (1.0, 0.0), table.error(table.chart), signs, open);
        if open.iter().zip(settled).any(|(open, settled)| open & !settled != 0) {
            return false;
        }
        put(signs, 0, true);
        if k > 0 {
            let multiplier = n + k - 1;
            let Some(chart @ (1 | -1)) = table.entry_sign(multiplier, table.chart) else { return false };
            for q in 0..k {
                let Some(s @ (1 | -1)) = table.entry_sign(multiplier, table.set[q]) else { return false };
                put(signs, self.set[q] as usize, generic(s) == chart);
            }
        }
        put_closed(&self.closed, signs);
        true
    }

    /// Rows by which the set may grow: below its least member, outside its span, and in exact tableaux only the first of
    /// those that are parallel within the flat of the set (the others would close a broken circuit).
    fn list_children(&mut self) {
        let k = self.set.len();
        let Level { table, children, settled, .. } = &mut self.levels[k];
        children.clear();
        if k == self.deepest || self.space.rank < 2 {
            return;
        }
        let below = self.set.last().map_or(self.space.n(), |&s| s as usize);
        let candidates = (1..below).filter(|&j| !bit(settled, j));
        if !table.is_exact() {
            children.extend(candidates.map(|j| j as u32));
            return;
        }
        for j in candidates {
            let Some(c) = table.free.iter().copied().find(|&c| table.entry(j, c) != 0.0) else { continue };
            let parallel = |&i: &u32| {
                let i = i as usize;
                table.entry(i, c) != 0.0
                    && table.determinant(i, j, table.chart, c) == Some(0)
                    && table.free.iter().all(|&f| f == c || table.determinant(i, j, f, c) == Some(0))
            };
            if !children.iter().any(parallel) {
                children.push(j as u32);
            }
        }
    }
}
