//! The central arrangement of a data set: one hyperplane `x_i . u = 0` for each direction among its rows.
//!
//! Only directions matter to a sign pattern, so each row becomes the primitive integer vector along it (every f64 is an
//! integer times a power of two), zero rows are set aside, and rows along one line share one class.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use dashu_int::IBig;
use dashu_int::ops::{Gcd, UnsignedAbs};

use super::space::Reduced;
use crate::num::Mat;
use crate::num::exact::integers;
use crate::num::modular::modular_rank_of_integers;

/// What a row of the data is to the arrangement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The row is 0: its sign is 0 for every u.
    Zero,
    /// The row is a multiple of the row of its class.
    Multiple {
        /// Index of the class.
        class: usize,
        /// Whether the factor is negative: then its sign is the opposite of the class's.
        negative: bool,
    },
}

/// The hyperplanes `x_i . u = 0` of n rows in D dimensions, with exact integer normals.
#[derive(Clone, Debug)]
pub struct Arrangement {
    dim: usize,
    roles: Vec<Role>,
    rows: Vec<Vec<IBig>>,
    rank: usize,
    columns: Vec<usize>,
    reduced: OnceLock<Arc<Reduced>>,
}

impl Arrangement {
    /// The arrangement of the rows of X (n x D), a bias column included where there is one.
    ///
    /// Panics on an entry that is not finite. O(n D r) operations for rank r.
    pub fn new(x: &Mat) -> Self {
        let rows = (0..x.rows()).map(|i| {
            let row = x.row(i);
            assert!(row.iter().all(|v| v.is_finite()), "row {i} of the arrangement is not finite: {row:?}");
            integers(row.iter().copied())
        });
        Self::from_rows(x.cols(), rows.collect())
    }

    /// The arrangement of n integer rows of length D, one after the other. Panics unless there are n D entries.
    pub fn from_integers(n: usize, dim: usize, rows: &[i64]) -> Self {
        assert_eq!(rows.len(), n * dim, "{} entries for {n} rows of length {dim}", rows.len());
        let row = |i: usize| rows[i * dim..(i + 1) * dim].iter().map(|&v| IBig::from(v)).collect();
        Self::from_rows(dim, (0..n).map(row).collect())
    }

    fn from_rows(dim: usize, rows: Vec<Vec<IBig>>) -> Self {
        let mut classes: BTreeMap<Vec<IBig>, (usize, bool)> = BTreeMap::new();
        let mut primitive = vec![];
        let mut roles = vec![];
        for row in rows {
            let Some((row, flipped)) = canonical(row) else {
                roles.push(Role::Zero);
                continue;
            };
            // A class is oriented as its first row.
            let &mut (class, orientation) = classes.entry(row.clone()).or_insert((primitive.len(), flipped));
            if class == primitive.len() {
                primitive.push(if flipped { row.iter().map(|v| -v).collect() } else { row });
            }
            roles.push(Role::Multiple { class, negative: flipped != orientation });
        }
        let (rank, columns) = rank_and_columns(dim, &primitive);
        Self { dim, roles, rows: primitive, rank, columns, reduced: OnceLock::new() }
    }

    /// Number of rows of the data.
    pub fn n(&self) -> usize {
        self.roles.len()
    }

    /// Length D of a row.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Rank of the rows.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Number of different hyperplanes.
    pub fn classes(&self) -> usize {
        self.rows.len()
    }

    /// The role of each row of the data.
    pub fn roles(&self) -> &[Role] {
        &self.roles
    }

    /// The primitive integer normal of a class, D entries, in the direction of its first row.
    pub fn row(&self, class: usize) -> &[IBig] {
        &self.rows[class]
    }

    /// The first row of the data in each class.
    pub fn first_rows(&self) -> Vec<usize> {
        let mut first = vec![usize::MAX; self.classes()];
        for (i, role) in self.roles.iter().enumerate().rev() {
            if let Role::Multiple { class, .. } = *role {
                first[class] = i;
            }
        }
        first
    }

    /// Columns, as many as the rank, on which the rows keep their rank.
    pub(super) fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// The rows in those columns, reduced at the first call.
    pub(super) fn reduced(&self) -> &Arc<Reduced> {
        self.reduced.get_or_init(|| Arc::new(Reduced::new(self)))
    }
}

/// The primitive vector along a row with its first nonzero entry positive, and whether that turned it round; `None` for 0.
fn canonical(mut row: Vec<IBig>) -> Option<(Vec<IBig>, bool)> {
    let flipped = row.iter().find(|v| !v.is_zero())? < &IBig::ZERO;
    let divisor = gcd_of(row.iter());
    for v in &mut row {
        *v = if flipped { -&*v / &divisor } else { &*v / &divisor };
    }
    Some((row, flipped))
}

/// The greatest common divisor of integers that are not all 0.
pub(super) fn gcd_of<'a>(values: impl Iterator<Item = &'a IBig>) -> IBig {
    let mut divisor = IBig::ZERO;
    for v in values {
        if divisor == IBig::ONE {
            break;
        }
        if !v.is_zero() {
            divisor = if divisor.is_zero() { v.unsigned_abs().into() } else { (&divisor).gcd(v).into() };
        }
    }
    divisor
}

/// Rank of integer rows and columns of a minor that shows it.
///
/// Modulo a prime first: a minor that is not 0 there is not 0. Short of the full rank the proof is exact elimination.
fn rank_and_columns(dim: usize, rows: &[Vec<IBig>]) -> (usize, Vec<usize>) {
    let modular = modular_rank_of_integers(rows);
    let mut columns = modular.columns;
    if columns.len() < dim.min(rows.len()) {
        let mut basis = super::basis::ExactBasis::new(dim);
        columns.clear();
        for row in rows {
            let entries = basis.coordinates(row);
            let free = (0..dim).filter(|c| !columns.contains(c));
            // The shortest entry keeps the numbers short.
            if let Some(c) = free.filter(|&c| !entries[c].is_zero()).min_by_key(|&c| super::basis::bits(&entries[c])) {
                basis.pivot(row, c);
                columns.push(c);
            }
        }
    }
    columns.sort_unstable();
    (columns.len(), columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_along_one_line_share_a_class() {
        let x = Mat::from_rows(&[[0.0, -0.0], [0.5, 1.5], [-0.1, -0.3], [2.0, 6.0], [-1.0, -3.0], [1e300, 0.0]]);
        let a = Arrangement::new(&x);
        let multiple = |class, negative| Role::Multiple { class, negative };
        // 0.3 is not exactly 3 times 0.1 as doubles, so that row has a class of its own.
        let expected = [
            Role::Zero,
            multiple(0, false),
            multiple(1, false),
            multiple(0, false),
            multiple(0, true),
            multiple(2, false),
        ];
        assert_eq!(a.roles(), expected);
        assert_eq!((a.n(), a.dim(), a.classes(), a.rank()), (6, 2, 3, 2));
        assert_eq!(a.row(0), [IBig::from(1), IBig::from(3)]);
        assert_eq!(a.row(2), [IBig::from(1), IBig::from(0)]);
        assert_eq!(a.first_rows(), [1, 2, 5]);
    }

    #[test]
    fn ranks_are_exact() {
        let rank = |n, dim, rows: &[i64]| Arrangement::from_integers(n, dim, rows).rank();
        assert_eq!(rank(3, 3, &[1, 2, 3, 4, 5, 6, 7, 8, 9]), 2);
        assert_eq!(rank(3, 3, &[1, 2, 3, 4, 5, 6, 7, 8, 10]), 3);
        assert_eq!(rank(2, 4, &[1, 2, 3, 4, 2, 4, 6, 8]), 1);
        assert_eq!(rank(2, 1, &[0, 0]), 0);
        assert_eq!(rank(0, 4, &[]), 0);
        // Dependent modulo 2^61 - 1, independent as integers.
        let p = (1i64 << 61) - 1;
        assert_eq!(rank(2, 2, &[1, 2, 1, 2 + p]), 2);
    }

    #[test]
    #[should_panic(expected = "not finite")]
    fn not_finite_is_misuse() {
        Arrangement::new(&Mat::from_rows(&[[1.0, f64::NAN]]));
    }
}
