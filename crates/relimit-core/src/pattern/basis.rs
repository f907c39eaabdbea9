//! Coordinates of integer rows in a basis of rows, exactly and without fractions.
//!
//! ```text
//! n = sum_c t_c b_c          (b_c: the basis vector that holds column c, at first the unit vector)
//! ```
//!
//! The state is the matrix M with `t = n M / den`, den > 0. Exchanging the vector of one column is a step of fraction-free
//! elimination, so that every number is a minor of the rows involved.
//!
//! Source: Bareiss, "Sylvester's identity and multistep integer-preserving Gaussian elimination", Math. Comp. 22 (1968).

use dashu_int::IBig;
use dashu_int::ops::BitTest;

/// A basis of D-dimensional space in which some unit vectors have been exchanged for rows.
#[derive(Clone, Debug)]
pub(super) struct ExactBasis {
    dim: usize,
    /// Column-major D x D; column c gives the coordinate of column c, times `den`.
    m: Vec<IBig>,
    den: IBig,
}

/// Length of an integer in binary digits.
pub(super) fn bits(v: &IBig) -> usize {
    v.bit_len()
}

/// -1, 0 or 1.
pub(super) fn sign(v: &IBig) -> i8 {
    if v.is_zero() {
        0
    } else if *v > IBig::ZERO {
        1
    } else {
        -1
    }
}

impl ExactBasis {
    /// The unit vectors.
    pub(super) fn new(dim: usize) -> Self {
        let mut m = vec![IBig::ZERO; dim * dim];
        for c in 0..dim {
            m[c * dim + c] = IBig::ONE;
        }
        Self { dim, m, den: IBig::ONE }
    }

    /// The common denominator of all coordinates, positive.
    pub(super) fn den(&self) -> &IBig {
        &self.den
    }

    /// Coordinate c of a row, times `den`. D products.
    pub(super) fn coordinate(&self, row: &[IBig], c: usize) -> IBig {
        let mut sum = IBig::ZERO;
        for (v, w) in row.iter().zip(&self.m[c * self.dim..(c + 1) * self.dim]) {
            if !v.is_zero() && !w.is_zero() {
                sum += v * w;
            }
        }
        sum
    }

    /// All coordinates of a row, times `den`. D^2 products.
    pub(super) fn coordinates(&self, row: &[IBig]) -> Vec<IBig> {
        (0..self.dim).map(|c| self.coordinate(row, c)).collect()
    }

    /// The vector that has product `den` with the basis vector of column c and 0 with the others.
    pub(super) fn dual(&self, c: usize) -> &[IBig] {
        &self.m[c * self.dim..(c + 1) * self.dim]
    }

    /// Puts `row` in the place of the vector of column c; the row's coordinate there must not be 0. 2 D^2 products.
    pub(super) fn pivot(&mut self, row: &[IBig], c: usize) {
        let entries = self.coordinates(row);
        let pivot = &entries[c];
        assert!(!pivot.is_zero(), "column {c} cannot hold a row without a part along it");
        let negative = *pivot < IBig::ZERO;
        let (own, dim) = (self.dual(c).to_vec(), self.dim);
        for other in (0..dim).filter(|&other| other != c) {
            for (v, y) in self.m[other * dim..(other + 1) * dim].iter_mut().zip(&own) {
                let next = (&*v * pivot - y * &entries[other]) / &self.den;
                *v = if negative { -next } else { next };
            }
        }
        if negative {
            for v in &mut self.m[c * dim..(c + 1) * dim] {
                *v = -&*v;
            }
        }
        self.den = if negative { -pivot } else { pivot.clone() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(v: &[i64]) -> Vec<IBig> {
        v.iter().map(|&v| IBig::from(v)).collect()
    }

    #[test]
    fn coordinates_in_a_basis_of_rows() {
        // (5, 7, 1) = 2 (1, 2, 0) + 1 (3, 3, 0) + 1 (0, 0, 1), by hand; columns 1, 0, 2 hold the three.
        let mut basis = ExactBasis::new(3);
        basis.pivot(&row(&[1, 2, 0]), 1);
        basis.pivot(&row(&[3, 3, 0]), 0);
        let den = basis.den().clone();
        assert!(den > IBig::ZERO);
        let expected = [IBig::from(1) * &den, IBig::from(2) * &den, den.clone()];
        assert_eq!(basis.coordinates(&row(&[5, 7, 1])), expected);
        let product = |a: &[IBig], b: &[IBig]| a.iter().zip(b).fold(IBig::ZERO, |s, (x, y)| s + x * y);
        assert_eq!(product(basis.dual(0), &row(&[3, 3, 0])), den);
        assert_eq!(product(basis.dual(0), &row(&[1, 2, 0])), IBig::ZERO);
        assert_eq!((sign(&IBig::from(-3)), sign(&IBig::ZERO), bits(&IBig::from(9))), (-1, 0, 4));
    }
}
