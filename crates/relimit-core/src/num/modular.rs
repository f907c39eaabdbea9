//! Rank of double-precision rows modulo the prime 2^61 - 1: independence seen there is independence, proved.
//!
//! A minor that is not 0 modulo the prime is not 0. The converse can fail (with odds of about 2^-61 a minor), so a
//! dependence found here is a proposal, to be confirmed with integers.

use dashu_int::IBig;

use super::Mat;
use super::exact::decompose;

pub(crate) const PRIME: u64 = (1 << 61) - 1;

/// Rows independent modulo 2^61 - 1, each with the column that it was eliminated on, and the other rows.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct ModularRank {
    /// Positions (in the list given) of independent rows; the minor on these rows and `columns` is not 0.
    pub independent: Vec<usize>,
    /// Columns of that minor.
    pub columns: Vec<usize>,
    /// Positions of rows that depend on independent rows before them.
    pub dependent: Vec<usize>,
}

/// Eliminates the listed rows of X, in that order, modulo 2^61 - 1. O(k r D) for k rows of rank r.
pub fn modular_rank(x: &Mat, rows: &[usize]) -> ModularRank {
    eliminate(rows.iter().map(|&i| x.row(i).iter().map(|v| residue(*v)).collect()))
}

/// The same for integer rows. O(k r D) for k rows of rank r.
pub fn modular_rank_of_integers(rows: &[Vec<IBig>]) -> ModularRank {
    eliminate(rows.iter().map(residues))
}

fn eliminate(rows: impl Iterator<Item = Vec<u64>>) -> ModularRank {
    let mut out = ModularRank::default();
    let mut reduced: Vec<Vec<u64>> = vec![];
    for (t, mut row) in rows.enumerate() {
        for (done, &c) in reduced.iter().zip(&out.columns) {
            // Earlier rows are 1 at their own column.
            let factor = PRIME - row[c];
            if factor != PRIME {
                for (v, p) in row.iter_mut().zip(done) {
                    *v = reduce(u128::from(*v) + u128::from(factor) * u128::from(*p));
                }
            }
        }
        let Some(c) = row.iter().position(|v| *v != 0) else {
            out.dependent.push(t);
            continue;
        };
        let inverse = power(row[c], PRIME - 2);
        for v in &mut row {
            *v = reduce(u128::from(*v) * u128::from(inverse));
        }
        reduced.push(row);
        out.columns.push(c);
        out.independent.push(t);
    }
    out
}

/// `m 2^e` modulo 2^61 - 1, where 2^61 = 1.
fn residue(v: f64) -> u64 {
    let (m, e) = decompose(v);
    let size = reduce(u128::from(m.unsigned_abs()) << e.rem_euclid(61));
    if m < 0 && size != 0 { PRIME - size } else { size }
}

/// Integers modulo 2^61 - 1.
pub(crate) fn residues<'a>(values: impl IntoIterator<Item = &'a IBig>) -> Vec<u64> {
    values.into_iter().map(residue_of).collect()
}

fn residue_of(v: &IBig) -> u64 {
    let rest = i64::try_from(v % IBig::from(PRIME)).unwrap_or(0);
    if rest < 0 { PRIME - rest.unsigned_abs() } else { rest.unsigned_abs() }
}

pub(crate) fn reduce(v: u128) -> u64 {
    // v < 2^123: fold the bits above 61 twice.
    let folded = (v & u128::from(PRIME)) + (v >> 61);
    let folded = ((folded & u128::from(PRIME)) + (folded >> 61)) as u64;
    if folded >= PRIME { folded - PRIME } else { folded }
}

pub(crate) fn power(mut base: u64, mut exponent: u64) -> u64 {
    let mut out = 1;
    while exponent > 0 {
        if exponent & 1 == 1 {
            out = reduce(u128::from(out) * u128::from(base));
        }
        base = reduce(u128::from(base) * u128::from(base));
        exponent >>= 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn residues_follow_arithmetic() {
        // The double 0.1 is 3602879701896397 / 2^55, so 10 times it is 1 + 2^-54, and 2^-54 = 2^7.
        assert_eq!(reduce(u128::from(residue(0.1)) * 10), 1 + 128);
        assert_eq!(reduce(u128::from(residue(0.375)) * 8), 3);
        assert_eq!(residue(-1.0), PRIME - 1);
        assert_eq!(residue(2f64.powi(61)), 1);
        assert_eq!(residue(2f64.powi(-61)), 1);
        assert_eq!(reduce(u128::from(power(12_345, PRIME - 2)) * 12_345), 1);
    }

    #[test]
    fn ranks_of_small_integer_rows() {
        let x = Mat::from_rows(&[
            [1.0, 2.0, 3.0, 0.0],
            [2.0, 4.0, 6.0, 0.0],
            [0.0, 0.0, 0.5, 0.1],
            [0.0, 0.0, 0.0, 0.0],
            [1.0, 2.0, 3.5, 0.1],
            [0.0, 7.0, 0.0, 1.0],
        ]);
        let rank = modular_rank(&x, &[0, 1, 2, 3, 4, 5]);
        assert_eq!(rank.independent, [0, 2, 5]);
        assert_eq!(rank.dependent, [1, 3, 4]);
        assert_eq!(rank.columns, [0, 2, 1]);
        assert_eq!(modular_rank(&x, &[5, 1, 0]).dependent, [2]);
        let (p, q) = (IBig::from(PRIME), IBig::ONE);
        // As integers: (1, -2), (-3, 6) and, modulo the prime alone, (1, p - 2).
        let integers =
            [vec![q.clone(), IBig::from(-2)], vec![IBig::from(-3), IBig::from(6)], vec![q, p - IBig::from(2)]];
        assert_eq!(modular_rank_of_integers(&integers).dependent, [1, 2]);
    }

    #[test]
    fn rounding_noise_is_independence() {
        // 3 * 0.1 is not 0.3 in doubles: the rows differ in one bit, and are independent as data.
        let x = Mat::from_rows(&[[0.1, 1.0], [0.3, 3.0], [3.0 * 0.1, 3.0]]);
        assert_eq!(modular_rank(&x, &[0, 1]).independent.len(), 2);
        let y = Mat::from_rows(&[[0.125, 1.0], [0.375, 3.0]]);
        assert_eq!(modular_rank(&y, &[0, 1]).independent.len(), 1);
    }
}
