//! The arrangement on the intersection of some of its hyperplanes, in coordinates of that subspace.

use std::collections::BTreeMap;

use dashu_int::IBig;

use super::small_cells::shortest;
use crate::pattern::arrangement::{Arrangement, gcd_of};

/// The rows of all classes as functions on a flat: zero for the classes that vanish there.
///
/// Multiplying a row by a positive number changes no sign, so rows are kept primitive, and short.
#[derive(Clone, Debug)]
pub(super) struct Contraction {
    /// One row a class, of length `dim`.
    pub(super) rows: Vec<Vec<IBig>>,
    /// Dimension of the flat, the part that no row sees left out.
    pub(super) dim: usize,
}

impl Contraction {
    /// The arrangement itself, on as many columns as its rank (which changes no sign vector).
    pub(super) fn new(a: &Arrangement) -> Self {
        let part = |k: usize| primitive(a.columns().iter().map(|&c| a.row(k)[c].clone()).collect());
        Self { rows: (0..a.classes()).map(part).collect(), dim: a.rank() }
    }

    /// The part of it where the row of class k vanishes; that row is not 0. O(classes dim).
    pub(super) fn onto(&self, k: usize) -> Self {
        self.onto_row(&self.rows[k], shortest(&self.rows[k]))
    }

    /// The part where `top` vanishes, in the coordinates other than column c, in which `top` is not 0.
    pub(super) fn onto_row(&self, top: &[IBig], c: usize) -> Self {
        let negative = top[c] < IBig::ZERO;
        let reduce = |row: &Vec<IBig>| {
            // row - (row_c / top_c) top, times |top_c|.
            let factor = if negative { -&row[c] } else { row[c].clone() };
            let entry = |q: usize| {
                let scaled = if negative { -&row[q] * &top[c] } else { &row[q] * &top[c] };
                if factor.is_zero() { scaled } else { scaled - &factor * &top[q] }
            };
            primitive((0..self.dim).filter(|q| *q != c).map(entry).collect())
        };
        Self { rows: self.rows.iter().map(reduce).collect(), dim: self.dim - 1 }
    }

    /// Classes whose rows are along one line here, each group ascending, groups by their first; zero rows are in none.
    pub(super) fn parallel(&self) -> Vec<Vec<usize>> {
        let mut groups: BTreeMap<Vec<IBig>, Vec<usize>> = BTreeMap::new();
        for (k, row) in self.rows.iter().enumerate() {
            let Some(first) = row.iter().find(|v| !v.is_zero()) else { continue };
            let line = if *first < IBig::ZERO { row.iter().map(|v| -v).collect() } else { row.clone() };
            groups.entry(line).or_default().push(k);
        }
        let mut groups: Vec<Vec<usize>> = groups.into_values().collect();
        groups.sort();
        groups
    }
}

/// The vector over its greatest common divisor; 0 stays 0.
pub(super) fn primitive(row: Vec<IBig>) -> Vec<IBig> {
    let divisor = gcd_of(row.iter());
    if divisor.is_zero() || divisor == IBig::ONE { row } else { row.into_iter().map(|v| v / &divisor).collect() }
}
