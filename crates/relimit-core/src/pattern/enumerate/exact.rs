//! The questions that the filter leaves open, answered in integers: one basis for each level of the search, made on demand.

use crate::pattern::basis::{ExactBasis, sign};
use crate::pattern::space::Space;

/// The bases of the prefixes of the current set.
#[derive(Clone, Debug)]
pub(super) struct ExactStack {
    /// Row and column of each exchange, row 0 first; level k of the search has k + 1 of them.
    pivots: Vec<(usize, usize)>,
    bases: Vec<Option<ExactBasis>>,
    /// Questions answered.
    pub(super) asked: u64,
}

impl ExactStack {
    /// Level 0, where row 0 holds column c.
    pub(super) fn new(c: usize) -> Self {
        Self { pivots: vec![(0, c)], bases: vec![None], asked: 0 }
    }

    /// The set grows by row i in column c.
    pub(super) fn push(&mut self, i: usize, c: usize) {
        self.pivots.push((i, c));
        self.bases.push(None);
    }

    /// The set loses its last row.
    pub(super) fn pop(&mut self) {
        self.pivots.pop();
        self.bases.pop();
    }

    /// The basis of the whole set.
    pub(super) fn basis(&mut self, space: &Space) -> &ExactBasis {
        let level = self.bases.len() - 1;
        let known = self.bases.iter().rposition(Option::is_some);
        for next in known.map_or(0, |k| k + 1)..=level {
            let above = next.checked_sub(1).and_then(|k| self.bases[k].clone());
            let mut basis = above.unwrap_or_else(|| ExactBasis::new(space.rank));
            let (i, c) = self.pivots[next];
            basis.pivot(&space.rows()[i], c);
            self.bases[next] = Some(basis);
        }
        self.bases[level].as_ref().expect("made above")
    }

    /// The sign of the coordinate of row or flag i in column c.
    pub(super) fn entry_sign(&mut self, space: &Space, i: usize, c: usize) -> i8 {
        self.asked += 1;
        let basis = self.basis(space);
        let at = |fine| sign(&basis.coordinate(space.row(i, fine), c));
        let coarse = at(false);
        if coarse == 0 && i >= space.n() { at(true) } else { coarse }
    }

    /// The sign of `t_xc t_yf - t_xf t_yc` for rows or flags x, y and columns c, f.
    pub(super) fn determinant(&mut self, space: &Space, x: usize, y: usize, c: usize, f: usize) -> i8 {
        self.asked += 1;
        let basis = self.basis(space);
        let at = |fine| {
            let (x, y) = (space.row(x, fine), space.row(y, fine));
            let products = basis.coordinate(x, c) * basis.coordinate(y, f);
            sign(&(products - basis.coordinate(x, f) * basis.coordinate(y, c)))
        };
        let coarse = at(false);
        if coarse == 0 && (x >= space.n() || y >= space.n()) { at(true) } else { coarse }
    }
}
