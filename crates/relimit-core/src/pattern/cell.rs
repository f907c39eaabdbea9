//! One cell of the arrangement: its sign pattern, in packed bits, and an exact point inside.

use dashu_int::IBig;

use super::arrangement::{Arrangement, Role};
use super::basis::sign;
use super::space::Space;
use super::vertex;

/// The no-broken-circuit set of a cell, largest class first: the prefix of its block and one more.
#[derive(Clone, Copy, Debug)]
pub(super) struct BasisOf<'a> {
    pub(super) prefix: &'a [u32],
    pub(super) last: Option<u32>,
}

impl BasisOf<'_> {
    pub(super) fn to_vec(self) -> Vec<u32> {
        self.prefix.iter().copied().chain(self.last).collect()
    }
}

/// A cell while it is visited.
#[derive(Clone, Copy, Debug)]
pub struct Cell<'a> {
    pub(super) arrangement: &'a Arrangement,
    pub(super) space: &'a Space,
    pub(super) signs: &'a [u64],
    pub(super) basis: BasisOf<'a>,
    pub(super) antipode: bool,
}

impl Cell<'_> {
    /// Bit c (word c/64, bit c mod 64) is 1 where the row of class c is positive, 0 where it is negative.
    pub fn signs(&self) -> &[u64] {
        self.signs
    }

    /// Whether `x_i . u > 0` for row i of the data; a zero row never is.
    pub fn row_positive(&self, i: usize) -> bool {
        row_positive(self.arrangement, self.signs, i)
    }

    /// Writes bit i = 1 iff `x_i . u > 0` for the n rows of the data; `out` has ceil(n/64) words.
    pub fn write_rows(&self, out: &mut [u64]) {
        let (n, words) = (self.arrangement.n(), out.len());
        assert_eq!(words, n.div_ceil(64), "{words} words for {n} rows");
        if self.space.plain {
            out.copy_from_slice(self.signs);
            return;
        }
        out.fill(0);
        for i in 0..n {
            if self.row_positive(i) {
                out[i / 64] |= 1 << (i % 64);
            }
        }
    }

    /// Number of rows of the data that are positive.
    pub fn active(&self) -> usize {
        if self.space.plain {
            self.signs.iter().map(|w| w.count_ones() as usize).sum()
        } else {
            (0..self.arrangement.n()).filter(|&i| self.row_positive(i)).count()
        }
    }

    /// An integer point u of D coordinates with exactly these signs, all of them strict, verified before it is returned.
    ///
    /// Found on request: O(n D) products of integers of about D times the length of the entries. Panics (an error of
    /// this program) if a sign came out wrong.
    pub fn witness(&self) -> Vec<IBig> {
        let (a, space) = (self.arrangement, self.space);
        let point = vertex::inside(space, &self.basis.to_vec(), self.signs, self.antipode);
        let mut u = space.lift(a, &point);
        if self.antipode {
            for v in &mut u {
                *v = -&*v;
            }
        }
        for class in 0..a.classes() {
            let product = a.row(class).iter().zip(&u).fold(IBig::ZERO, |s, (x, v)| s + x * v);
            let expected = if bit(self.signs, class) { 1 } else { -1 };
            assert_eq!(sign(&product), expected, "class {class} at the witness of {:?}", self.basis);
        }
        u
    }

    /// A copy that outlives the visit, with its witness if asked for.
    pub fn to_owned(&self, witness: bool) -> OwnedCell {
        OwnedCell { signs: self.signs.into(), witness: witness.then(|| self.witness()) }
    }
}

/// A cell that was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedCell {
    signs: Box<[u64]>,
    witness: Option<Vec<IBig>>,
}

impl OwnedCell {
    /// Packed bits per class, as [`Cell::signs`].
    pub fn signs(&self) -> &[u64] {
        &self.signs
    }

    /// Whether `x_i . u > 0` for row i of the data of `a`, the arrangement of the cell.
    pub fn row_positive(&self, a: &Arrangement, i: usize) -> bool {
        row_positive(a, &self.signs, i)
    }

    /// The point inside, if the options asked for witnesses.
    pub fn witness(&self) -> Option<&[IBig]> {
        self.witness.as_deref()
    }
}

/// Bit i of packed bits.
pub(super) fn bit(signs: &[u64], i: usize) -> bool {
    signs[i / 64] >> (i % 64) & 1 == 1
}

/// Sets bit i of packed bits.
pub(super) fn put(signs: &mut [u64], i: usize, value: bool) {
    let mask = 1 << (i % 64);
    if value {
        signs[i / 64] |= mask;
    } else {
        signs[i / 64] &= !mask;
    }
}

fn row_positive(a: &Arrangement, signs: &[u64], i: usize) -> bool {
    match a.roles()[i] {
        Role::Zero => false,
        Role::Multiple { class, negative } => bit(signs, class) != negative,
    }
}
