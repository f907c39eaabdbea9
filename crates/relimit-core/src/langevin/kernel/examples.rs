//! The examples of a step as the fused kernel reads them: tiles that fill the registers, without gaps.

use super::Real;

/// Rows of a tile of the forward pass.
pub(super) const ROWS: usize = 6;
/// Features of a tile of the gradient, beside the bias in the first and in the others.
pub(super) const FIRST: usize = 5;
pub(super) const OTHERS: usize = 6;

/// Rows x of some examples in d features, three times.
#[derive(Clone, Debug, Default)]
pub(in crate::langevin) struct Rows<E> {
    /// n x d.
    pub(super) x: Vec<E>,
    /// Tiles of [`ROWS`] rows, the last of what is left; in a tile the rows of feature 0, of feature 1, ...
    pub(super) tall: Vec<E>,
    /// Tiles of [`FIRST`] and then [`OTHERS`] features, the last of what is left; in a tile the features of row 0, of row
    /// 1, ...
    pub(super) wide: Vec<E>,
}

impl<E: Real> Rows<E> {
    /// Takes the examples `which` of `x` (row-major, d features).
    pub(in crate::langevin) fn gather(&mut self, x: &[E], d: usize, which: &[usize]) {
        self.x.clear();
        self.tall.clear();
        self.wide.clear();
        for &i in which {
            self.x.extend_from_slice(&x[i * d..(i + 1) * d]);
        }
        for tile in which.chunks(ROWS) {
            for k in 0..d {
                self.tall.extend(tile.iter().map(|i| x[i * d + k]));
            }
        }
        for (from, size) in tiles(d) {
            for &i in which {
                self.wide.extend_from_slice(&x[i * d + from..i * d + from + size]);
            }
        }
    }
}

/// First feature and size of the tiles of the gradient.
#[inline]
pub(super) fn tiles(d: usize) -> impl Iterator<Item = (usize, usize)> {
    let size = move |from: usize| if from == 0 { FIRST } else { OTHERS }.min(d - from);
    let first = (d > 0).then(|| (0, size(0)));
    std::iter::successors(first, move |(from, length)| {
        let next = from + length;
        (next < d).then(|| (next, size(next)))
    })
}
