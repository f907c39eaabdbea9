//! The cells of one node of the search: a set of rows, and the cells of the sets with one row more.

use crate::pattern::cell::BasisOf;
use crate::pattern::space::Space;

/// Marks the cell of the prefix itself.
pub(super) const OWN: u32 = u32::MAX;

/// Cells (on the side `sigma_0 = +`) that share a prefix; each with its antipode where both are asked for.
#[derive(Clone, Debug)]
pub(super) struct Block {
    words: usize,
    /// Patterns kept for a cell: 2 with its antipode, else 1.
    sides: usize,
    tail: u64,
    /// The prefix, largest class first.
    pub(super) prefix: Vec<u32>,
    signs: Vec<u64>,
    last: Vec<u32>,
}

/// In rank 0 the only cell is its own antipode.
fn sides(space: &Space, pairs: bool) -> usize {
    if pairs || space.rank == 0 { 1 } else { 2 }
}

/// See [`Block::cells`].
pub(super) struct Rooms<'a> {
    step: usize,
    signs: &'a mut [u64],
    last: &'a mut [u32],
    done: usize,
}

impl<'a> Rooms<'a> {
    /// Room for the next pattern, whose class beyond the prefix is `last`; all of its words are to be written.
    #[inline]
    pub(super) fn next(&mut self, last: u32, words: usize) -> &'a mut [u64] {
        let (room, rest) = std::mem::take(&mut self.signs).split_at_mut(self.step);
        self.signs = rest;
        self.last[self.done] = last;
        self.done += 1;
        &mut room[..words]
    }

    /// Patterns so far.
    pub(super) fn done(&self) -> usize {
        self.done
    }
}

impl Block {
    pub(super) fn new(space: &Space, pairs: bool) -> Self {
        let tail = if space.n().is_multiple_of(64) { u64::MAX } else { (1 << (space.n() % 64)) - 1 };
        Self { words: space.words(), sides: sides(space, pairs), tail, prefix: vec![], signs: vec![], last: vec![] }
    }

    pub(super) fn clear(&mut self, prefix: &[u32]) {
        self.prefix.clear();
        self.prefix.extend_from_slice(prefix);
        self.signs.clear();
        self.last.clear();
    }

    /// Makes room for at most so many patterns in an empty block, to be written through [`Self::cells`].
    pub(super) fn open(&mut self, most: usize) {
        self.signs.resize(most * self.sides * self.words, 0);
        self.last.resize(most, OWN);
    }

    /// The patterns of the room, one by one.
    pub(super) fn cells(&mut self) -> Rooms<'_> {
        Rooms { step: self.sides * self.words, signs: &mut self.signs, last: &mut self.last, done: 0 }
    }

    /// Gives back the room after so many patterns, whose bits beyond n are 0, and fills in their antipodes.
    pub(super) fn close(&mut self, found: usize) {
        self.signs.truncate(found * self.sides * self.words);
        self.last.truncate(found);
        if self.sides == 2 {
            self.finish();
        }
    }

    /// Room for a pattern (zeroed), to be written by the caller; `last` is the class beyond the prefix or [`OWN`].
    pub(super) fn push(&mut self, last: u32) -> &mut [u64] {
        let at = self.signs.len();
        self.signs.resize(at + self.sides * self.words, 0);
        self.last.push(last);
        &mut self.signs[at..at + self.words]
    }

    /// Takes back the last pattern.
    pub(super) fn pop(&mut self) {
        self.signs.truncate(self.signs.len() - self.sides * self.words);
        self.last.pop();
    }

    /// Clears the bits beyond n and fills in the antipodes.
    pub(super) fn finish(&mut self) {
        if self.words == 0 {
            return;
        }
        for pair in self.signs.chunks_exact_mut(self.sides * self.words) {
            let (plus, minus) = pair.split_at_mut(self.words);
            plus[self.words - 1] &= self.tail;
            if let Some(last) = minus.len().checked_sub(1) {
                for (p, m) in plus.iter().zip(minus.iter_mut()) {
                    *m = !p;
                }
                minus[last] &= self.tail;
            }
        }
    }

    /// Cells that one pattern stands for: 2 where antipodes are left out.
    pub(super) fn stands_for(&self, space: &Space) -> u64 {
        if self.sides == 1 && space.rank > 0 { 2 } else { 1 }
    }

    /// Patterns of each cell: 2 if its antipode is kept as well.
    pub(super) fn sides(&self) -> usize {
        self.sides
    }

    pub(super) fn len(&self) -> usize {
        self.last.len()
    }

    pub(super) fn signs(&self, t: usize, antipode: bool) -> &[u64] {
        let at = (self.sides * t + usize::from(antipode)) * self.words;
        &self.signs[at..at + self.words]
    }

    pub(super) fn basis(&self, t: usize) -> BasisOf<'_> {
        BasisOf { prefix: &self.prefix, last: Some(self.last[t]).filter(|&j| j != OWN) }
    }
}
