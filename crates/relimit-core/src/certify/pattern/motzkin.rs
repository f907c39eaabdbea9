//! Why no point has a sign pattern: exact multipliers (Gordan; with wanted zeros Motzkin).
//!
//! ```text
//! either  some u has sign(x_i . u) = s_i for all i,
//! or      sum_i m_i x_i = 0  with  s_i m_i >= 0 where s_i != 0, and not all of these 0;   never both
//! ```
//!
//! On rows with s_i = 0 the multipliers have any sign. A dependence among those rows alone proves nothing, which is
//! why one with s_i != 0 has to take part.

use std::cmp::Ordering;
use std::fmt::Write;

use dashu_int::IBig;
use dashu_int::ops::{BitTest, UnsignedAbs};
use serde::{Deserialize, Serialize};

use crate::certify::circuit::cancels;
use crate::num::Mat;
use crate::pattern::Covector;

/// Nonzero integers m_i, without common factor, with `sum_i m_i x_i = 0` on a minimal dependent set of rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Motzkin {
    /// The rows that cancel, ascending; at most rank + 1 of them.
    pub rows: Vec<usize>,
    /// Their multipliers.
    #[serde(with = "super::decimal")]
    pub multipliers: Vec<IBig>,
}

impl Motzkin {
    /// Whether the multipliers exclude the wanted signs on the rows of `x` (n x D), in exact arithmetic.
    ///
    /// O(k D) integer products for k rows.
    pub fn verify(&self, x: &Mat, wanted: &Covector) -> bool {
        let pairs = || self.rows.iter().zip(&self.multipliers);
        wanted.n() == x.rows()
            && self.rows.len() == self.multipliers.len()
            && self.rows.windows(2).all(|p| p[0] < p[1])
            && self.rows.iter().all(|&i| i < x.rows())
            && pairs().all(|(&i, m)| match wanted.get(i) {
                Ordering::Equal => !m.is_zero(),
                sign => m.cmp(&IBig::ZERO) == sign,
            })
            && self.rows.iter().any(|&i| wanted.get(i) != Ordering::Equal)
            && cancels(x, &self.rows, &self.multipliers)
    }

    /// The statement in words; `name` says how a row is called. Long sums are described, not written out.
    pub fn words(&self, name: &dyn Fn(usize) -> String) -> String {
        let digits = |m: &IBig| m.unsigned_abs().to_string();
        if self.rows.len() > 6 || self.multipliers.iter().any(|m| m.bit_len() > 20) {
            let longest = self.multipliers.iter().map(|m| digits(m).len()).max().unwrap_or(0);
            return format!(
                "{} examples, taken with exact integers of up to {longest} digits, add up to exactly 0 in every column",
                self.rows.len()
            );
        }
        let mut sum = String::new();
        for (k, (&i, m)) in self.rows.iter().zip(&self.multipliers).enumerate() {
            let sign = match (k, *m < IBig::ZERO) {
                (0, false) => "",
                (0, true) => "-",
                (_, false) => " + ",
                (_, true) => " - ",
            };
            let _ = write!(sum, "{sign}{} x ({})", digits(m), name(i));
        }
        format!("{sum} = 0 exactly in every column")
    }
}
