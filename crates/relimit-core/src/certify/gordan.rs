//! Why no direction has all examples on its positive side: exact multipliers (Gordan).
//!
//! ```text
//! either some w has x_i . w > 0 for all i,  or  sum_i m_i x_i = 0 with m >= 0, not all 0;  never both
//! ```

use std::fmt::Write;

use dashu_int::IBig;
use dashu_int::ops::{BitTest, Gcd};

use crate::num::Mat;
use crate::num::exact::{integers, solve};
use crate::num::lifting::solve_lifted;
use crate::num::modular::modular_rank;

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
    assert_eq!(candidate.len(), x.rows(), "{} multipliers for {} rows", candidate.len(), x.rows());
    let length = |i: usize| x.row(i).iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    let mut support: Vec<(usize, f64)> =
        candidate.iter().enumerate().filter(|(_, m)| **m > 0.0).map(|(i, m)| (i, m * length(i))).collect();
    // Heaviest contributions first, so that a circuit is found among those that carry the sum.
    support.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut weights: Vec<(usize, f64)> = support.iter().map(|&(i, _)| (i, candidate[i])).collect();
    while !weights.is_empty() {
        let rows: Vec<usize> = weights.iter().map(|w| w.0).collect();
        let circuit = circuit(x, &rows)?;
        if let Some(found) = one_sign(&rows, &circuit) {
            return found.verify(x).then_some(found);
        }
        // The circuit has both signs: move along it until the first multiplier reaches 0, and drop that row.
        let direction = to_floats(&circuit);
        let ratio = |k: &usize| weights[*k].1 / direction[*k];
        let first = (0..weights.len()).filter(|&k| direction[k] > 0.0).min_by(|a, b| ratio(a).total_cmp(&ratio(b)))?;
        let t = ratio(&first);
        weights.iter_mut().zip(&direction).for_each(|(w, v)| w.1 = (w.1 - t * v).max(0.0));
        weights.remove(first);
    }
    None
}

/// Integers, one for each listed row, with `sum_i m_i x_i = 0` exactly, nonzero only on a minimal dependent set.
fn circuit(x: &Mat, rows: &[usize]) -> Option<Vec<IBig>> {
    let rank = modular_rank(x, rows);
    let &last = rank.dependent.first()?;
    // Only independent rows before the dependent one take part: one equation a pivot column.
    let before: Vec<usize> = rank.independent.iter().copied().filter(|&t| t < last).collect();
    let (mut a, mut b) = (vec![], vec![]);
    for &c in &rank.columns[..before.len()] {
        let mut column = integers(before.iter().chain([&last]).map(|&t| x[(rows[t], c)]));
        b.push(-column.pop()?);
        a.push(column);
    }
    let (numerators, denominator) = solve_integers(a, b)?;
    let mut m = vec![IBig::ZERO; rows.len()];
    m[last] = denominator;
    before.iter().zip(numerators).for_each(|(&t, v)| m[t] = v);
    cancels(x, rows, &m).then_some(m)
}

/// Elimination for small systems and for entries of many bits, lifting for large ones; `None` when both would be slow.
fn solve_integers(a: Vec<Vec<IBig>>, b: Vec<IBig>) -> Option<(Vec<IBig>, IBig)> {
    if a.len() > 12 {
        let word = |v: &IBig| i128::try_from(v).ok();
        let short: Option<Vec<Vec<i128>>> = a.iter().map(|row| row.iter().map(word).collect()).collect();
        if let (Some(a), Some(b)) = (short, b.iter().map(word).collect::<Option<Vec<i128>>>())
            && let Some(found) = solve_lifted(&a, &b)
        {
            return Some(found);
        }
        if a.len() > 60 {
            return None;
        }
    }
    solve(a, b)
}

/// `sum_i m_i x_i = 0` in every column, exactly.
fn cancels(x: &Mat, rows: &[usize], m: &[IBig]) -> bool {
    (0..x.cols()).all(|c| {
        let column = integers(rows.iter().map(|&i| x[(i, c)]));
        let sum = column.iter().zip(m).fold(IBig::ZERO, |s, (v, m)| if v.is_zero() { s } else { s + v * m });
        sum.is_zero()
    })
}

/// The certificate, when all nonzero multipliers have one sign.
fn one_sign(rows: &[usize], m: &[IBig]) -> Option<Gordan> {
    let negative = m.iter().any(|v| *v < IBig::ZERO);
    if negative && m.iter().any(|v| *v > IBig::ZERO) {
        return None;
    }
    let mut pairs: Vec<(usize, IBig)> = rows
        .iter()
        .zip(m)
        .filter(|(_, v)| !v.is_zero())
        .map(|(&i, v)| (i, if negative { -v } else { v.clone() }))
        .collect();
    pairs.sort_by_key(|p| p.0);
    let divisor = pairs.iter().fold(IBig::ZERO, |g, (_, v)| if g.is_zero() { v.clone() } else { IBig::from(g.gcd(v)) });
    let (rows, multipliers) = pairs.into_iter().map(|(i, v)| (i, v / &divisor)).unzip();
    Some(Gordan { rows, multipliers })
}

/// Integers as doubles, times one power of two so that the largest is near 1.
fn to_floats(m: &[IBig]) -> Vec<f64> {
    let bits = m.iter().map(BitTest::bit_len).max().unwrap_or(0);
    let shift = bits.saturating_sub(1000);
    m.iter().map(|v| (v >> shift).to_f64().value()).collect()
}
