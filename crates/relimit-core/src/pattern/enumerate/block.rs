//! The cells of one node of the search: a set of rows, and the cells of the sets with one row more.

use crate::pattern::cell::BasisOf;
use crate::pattern::space::Space;

/// Marks the cell of the prefix itself.
pub(super) const OWN: u32 = u32::MAX;

/// Cells (on the side `sigma_0 = +`) that share a prefix; each with its antipode.
#[derive(Clone, Debug)]
pub(super) struct Block {
    words: usize,
    tail: u64,
    /// The prefix, largest class first.
    pub(super) prefix: Vec<u32>,
    signs: Vec<u64>,
    last: Vec<u32>,
}

impl Block {
    pub(super) fn new(space: &Space) -> Self {
        let tail = if space.n().is_multiple_of(64) { u64::MAX } else { (1 << (space.n() % 64)) - 1 };
        Self { words: space.words(), tail, prefix: vec![], signs: vec![], last: vec![] }
    }

    pub(super) fn clear(&mut self, prefix: &[u32]) {
        self.prefix.clear();
        self.prefix.extend_from_slice(prefix);
        self.signs.clear();
        self.last.clear();
    }

    /// Room for a pattern (zeroed), to be written by the caller; `last` is the class beyond the prefix or [`OWN`].
    pub(super) fn push(&mut self, last: u32) -> &mut [u64] {
        let at = self.signs.len();
        self.signs.resize(at + 2 * self.words, 0);
        self.last.push(last);
        &mut self.signs[at..at + self.words]
    }

    /// Takes back the last pattern.
    pub(super) fn pop(&mut self) {
        self.signs.truncate(self.signs.len() - 2 * self.words);
        self.last.pop();
    }

    /// Clears the bits beyond n and fills in the antipodes.
    pub(super) fn finish(&mut self) {
        if self.words == 0 {
            return;
        }
        for pair in self.signs.chunks_exact_mut(2 * self.words) {
            let (plus, minus) = pair.split_at_mut(self.words);
            plus[self.words - 1] &= self.tail;
            for (p, m) in plus.iter().zip(minus.iter_mut()) {
                *m = !p;
            }
            minus[self.words - 1] &= self.tail;
        }
    }

    pub(super) fn len(&self) -> usize {
        self.last.len()
    }

    pub(super) fn signs(&self, t: usize, antipode: bool) -> &[u64] {
        let at = (2 * t + usize::from(antipode)) * self.words;
        &self.signs[at..at + self.words]
    }

    pub(super) fn basis(&self, t: usize) -> BasisOf<'_> {
        BasisOf { prefix: &self.prefix, last: Some(self.last[t]).filter(|&j| j != OWN) }
    }
}
