//! Why no direction has all examples on its positive side: exact multipliers (Gordan).
//!
//! ```text
//! either some w has x_i . w > 0 for all i,  or  sum_i m_i x_i = 0 with m >= 0, not all 0;  never both
//! ```

use std::fmt::Write;

use dashu_int::IBig;
use dashu_int::ops::BitTest;

use super::circuit::{cancels, circuit_behind};
use crate::num::Mat;

/// Positive integers m_i with `sum_i m_i x_i = 0` in every column, exactly: no w has `x_i . w > 0` for all these rows.
///
/// The support is minimal: leaving out any of its rows makes the rest independent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gordan {
    rows: Vec<usize>,
    multipliers: Vec<IBig>,
}

impl Gordan {
    /// The rows that cancel, ascending; at most rank + 1 of them.
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// Their multipliers: positive integers without common factor.
    pub fn multipliers(&self) -> &[IBig] {
        &self.multipliers
    }

    /// Whether the statement holds for the rows of `x` (n x D), in exact arithmetic. O(k D) integer products.
    pub fn verify(&self, x: &Mat) -> bool {
        let sound = !self.rows.is_empty()
            && self.rows.len() == self.multipliers.len()
            && self.rows.windows(2).all(|p| p[0] < p[1])
            && self.rows.iter().all(|&i| i < x.rows())
            && self.multipliers.iter().all(|m| *m > IBig::ZERO);
        sound && cancels(x, &self.rows, &self.multipliers)
    }

    /// The statement in words; `name` says how a row is called.
    pub fn words(&self, name: &dyn Fn(usize) -> String) -> String {
        let small = self.multipliers.iter().all(|m| m.bit_len() <= 20);
        if self.rows.len() <= 6 && small {
            let mut sum = String::new();
            for (k, (&i, m)) in self.rows.iter().zip(&self.multipliers).enumerate() {
                let plus = if k == 0 { "" } else { " + " };
                let _ = write!(sum, "{plus}{m} x ({})", name(i));
            }
            return format!("{sum} = 0 exactly in every column");
        }
        let digits = self.multipliers.iter().map(BitTest::bit_len).max().unwrap_or(0) * 30_103 / 100_000 + 1;
        format!(
            "{} examples ({} to {}), taken with exact positive integers of up to {digits} digits, add up to exactly 0 in every column",
            self.rows.len(),
            name(self.rows[0]),
            name(self.rows[self.rows.len() - 1])
        )
    }
}

/// The exact multipliers behind approximate ones, or `None` when the rows do not cancel exactly.
///
/// `candidate` (n entries, at least 0) is what `num::least_norm` returns for rows it finds impossible; the rows where
/// it is positive are tried, and brought down to a minimal support.
///
/// # Returns
/// A certificate that has been verified in exact arithmetic. `None` proves nothing.
///
/// # Cost
/// O(k^3 + k^2 D) modular and O(k^2) exact operations for k candidate rows: 10 ms for 22 rows of 1,047 columns.
pub fn infeasible_orthant(x: &Mat, candidate: &[f64]) -> Option<Gordan> {
    let (rows, multipliers) = circuit_behind(x, candidate, &[], &[])?.into_iter().unzip();
    let found = Gordan { rows, multipliers };
    found.verify(x).then_some(found)
}
