//! Why centred data without a bias column have no positive direction: the rows add up to 0.
//!
//! ```text
//! sum_i (n x_i - sum_l x_l) = 0        (n times the centred rows; exact rationals of the raw data)
//! ```
//!
//! After centring in double precision most columns do not add up to 0 in the last bit, so the statement is about the
//! exact centred rows. Dividing a column by a positive number (standardising) changes nothing in it.

use dashu_int::IBig;

use crate::num::Mat;
use crate::num::exact::{decompose, integers};

/// Proof that the exactly centred rows of a raw n x d matrix cancel with all multipliers 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CentredRows {
    n: usize,
    d: usize,
    inexact: usize,
}

impl CentredRows {
    /// Adds up `n x_i - sum_l x_l` over the rows, in every column, in integers; `None` if a sum were not 0 (or n = 0).
    ///
    /// `centred`, when given, is the matrix in use (n x d, centred in double precision): the proof then also counts
    /// the columns that fail to add up to 0 there. O(n d) integer operations.
    pub fn prove(raw: &Mat, centred: Option<&Mat>) -> Option<Self> {
        let (n, d) = (raw.rows(), raw.cols());
        let cancels = |c: usize| centred_sum_is_zero((0..n).map(|i| raw[(i, c)]).collect());
        if n == 0 || !(0..d).all(cancels) {
            return None;
        }
        let inexact = centred.map_or(0, |z| {
            assert_eq!((z.rows(), z.cols()), (n, d), "centred {}x{} of raw {n}x{d}", z.rows(), z.cols());
            let sum = |c: usize| integers((0..n).map(|i| z[(i, c)])).into_iter().fold(IBig::ZERO, |s, v| s + v);
            (0..d).filter(|&c| !sum(c).is_zero()).count()
        });
        Some(Self { n, d, inexact })
    }

    /// Number of rows that add up to 0: all of them, each with multiplier 1.
    pub fn rows(&self) -> usize {
        self.n
    }

    /// Number of columns in which they do.
    pub fn columns(&self) -> usize {
        self.d
    }

    /// Columns of the matrix centred in double precision that do not add up to 0 exactly.
    pub fn inexact_columns(&self) -> usize {
        self.inexact
    }

    /// The statement in words.
    pub fn words(&self) -> String {
        let rounding = if self.inexact > 0 {
            format!(" (in double precision {} of them miss 0 by rounding, which is not evidence)", self.inexact)
        } else {
            String::new()
        };
        format!(
            "the {} centred examples, each taken once, add up to exactly 0 in all {} columns{rounding}",
            self.n, self.d
        )
    }
}

/// Whether `sum_i (n v_i - sum_l v_l)` is 0, computed term by term in integers.
fn centred_sum_is_zero(column: Vec<f64>) -> bool {
    let n = column.len();
    let parts: Vec<(i64, i32)> = column.iter().map(|v| decompose(*v)).collect();
    let nonzero = || parts.iter().filter(|p| p.0 != 0);
    let least = nonzero().map(|p| p.1).min().unwrap_or(0);
    let bits = nonzero().map(|p| (p.1 - least) as u32 + 64 - p.0.unsigned_abs().leading_zeros()).max().unwrap_or(0);
    // Every term is at most 2 n max|v|, their sum 2 n^2 max|v|.
    if bits + 2 * (usize::BITS - n.leading_zeros()) + 2 < 127 {
        let v: Vec<i128> = parts.iter().map(|(m, e)| if *m == 0 { 0 } else { i128::from(*m) << (e - least) }).collect();
        let total: i128 = v.iter().sum();
        return v.iter().map(|v| n as i128 * v - total).sum::<i128>() == 0;
    }
    let v = integers(column);
    let total = v.iter().fold(IBig::ZERO, |s, v| s + v);
    let n = IBig::from(n);
    v.iter().fold(IBig::ZERO, |s, v| s + (&n * v - &total)).is_zero()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_widths_of_integers_prove_it() {
        // The second column spans 600 binary orders: the wide path.
        let raw = Mat::from_rows(&[[0.1, 1e90], [0.7, -1e-90], [1e9, 3.0], [-0.3, 0.0]]);
        let proof = CentredRows::prove(&raw, None).unwrap();
        assert_eq!((proof.rows(), proof.columns()), (4, 2));
        assert!(CentredRows::prove(&Mat::zeros(0, 3), None).is_none());
    }

    #[test]
    fn rounded_centring_is_told_apart() {
        let raw = Mat::from_rows(&[[0.1, 1.0], [0.2, 2.0], [0.4, 3.0]]);
        let mean: Vec<f64> = (0..2).map(|c| (raw[(0, c)] + raw[(1, c)] + raw[(2, c)]) / 3.0).collect();
        let centred = Mat::from_fn(3, 2, |i, c| raw[(i, c)] - mean[c]);
        let proof = CentredRows::prove(&raw, Some(&centred)).unwrap();
        assert_eq!(proof.inexact_columns(), 1);
        assert!(proof.words().contains("1 of them miss 0 by rounding"));
    }
}
