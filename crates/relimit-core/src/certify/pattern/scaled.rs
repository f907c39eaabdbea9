//! The rows of a pattern problem as integers of balanced size.
//!
//! Multiplying a row by a positive number changes no sign; multiplying a column changes u alone. With powers of two
//! for both, data at scales of 1e300 and 1e-300 become short integers.

use dashu_int::IBig;
use dashu_int::ops::{BitTest, Gcd, UnsignedAbs};

use crate::num::Mat;
use crate::num::exact::decompose;

/// `a_ic = x_ic 2^(-r_i - k_c)`, integers.
pub(super) struct Scaled {
    pub(super) rows: Vec<Vec<IBig>>,
    exponents: Vec<i32>,
    columns: Vec<i32>,
}

impl Scaled {
    pub(super) fn new(x: &Mat) -> Self {
        let mut parts: Vec<Vec<(i64, i32)>> =
            (0..x.rows()).map(|i| x.row(i).iter().map(|v| decompose(*v)).collect()).collect();
        let lowest = |row: &Vec<(i64, i32)>| row.iter().filter(|p| p.0 != 0).map(|p| p.1).min().unwrap_or(0);
        let exponents: Vec<i32> = parts.iter().map(lowest).collect();
        for (row, r) in parts.iter_mut().zip(&exponents) {
            for part in row {
                part.1 -= r;
            }
        }
        let least = |c: usize| parts.iter().map(|row| row[c]).filter(|p| p.0 != 0).map(|p| p.1).min().unwrap_or(0);
        let columns: Vec<i32> = (0..x.cols()).map(least).collect();
        let entry = |((m, e), k): (&(i64, i32), &i32)| match m {
            0 => IBig::ZERO,
            m => IBig::from(*m) << (e - k) as usize,
        };
        let rows = parts.iter().map(|row| row.iter().zip(&columns).map(entry).collect()).collect();
        Self { rows, exponents, columns }
    }

    /// The power of two r_i that row i was divided by.
    pub(super) fn row_exponent(&self, i: usize) -> i32 {
        self.exponents[i]
    }

    /// The point of the data that a point of these rows stands for: `u_c = v_c 2^-k_c`, as a primitive integer vector.
    pub(super) fn point(&self, v: &[IBig]) -> Vec<IBig> {
        let most = self.columns.iter().copied().max().unwrap_or(0);
        let u: Vec<IBig> = v.iter().zip(&self.columns).map(|(v, k)| v << (most - k) as usize).collect();
        primitive(u)
    }
}

/// The vector over its greatest common divisor.
pub(super) fn primitive(u: Vec<IBig>) -> Vec<IBig> {
    let mut divisor = IBig::ZERO;
    for v in u.iter().filter(|v| !v.is_zero()) {
        divisor = if divisor.is_zero() { v.unsigned_abs().into() } else { (&divisor).gcd(v).into() };
    }
    if divisor.is_zero() || divisor.is_one() { u } else { u.into_iter().map(|v| v / &divisor).collect() }
}

/// Rows in floating point, each column and then each row brought to entries of at most 1 by powers of two.
pub(super) struct Balanced {
    pub(super) rows: Mat,
    /// The exponents that the columns were divided by.
    pub(super) columns: Vec<usize>,
    /// Those of the rows.
    pub(super) exponents: Vec<isize>,
}

impl Balanced {
    pub(super) fn new(rows: &[Vec<IBig>], dim: usize) -> Self {
        let columns: Vec<usize> = (0..dim).map(|c| rows.iter().map(|r| r[c].bit_len()).max().unwrap_or(0)).collect();
        let mut out = Mat::zeros(rows.len(), dim);
        let mut exponents = vec![];
        for (i, row) in rows.iter().enumerate() {
            let size = |(v, k): (&IBig, &usize)| v.bit_len().cast_signed() - k.cast_signed();
            let nonzero = row.iter().zip(&columns).filter(|(v, _)| !v.is_zero());
            let largest = nonzero.map(size).max().unwrap_or(0);
            for (out, (v, k)) in out.row_mut(i).iter_mut().zip(row.iter().zip(&columns)) {
                let drop = v.bit_len().saturating_sub(64);
                let exponent = drop.cast_signed() - k.cast_signed() - largest;
                *out = libm::scalbn((v >> drop).to_f64().value(), exponent.clamp(-5000, 5000) as i32);
            }
            exponents.push(largest);
        }
        Self { rows: out, columns, exponents }
    }
}
