//! Exact cancelling combinations behind approximate ones: down to a minimal dependent set of rows with the right signs.

use dashu_int::IBig;
use dashu_int::ops::{BitTest, Gcd};

use crate::num::Mat;
use crate::num::exact::{integers, solve};
use crate::num::lifting::solve_lifted;
use crate::num::modular::modular_rank;

/// Exact multipliers on a minimal dependent set: `sum_i m_i x_i = 0`, rows ascending, m_i without common factor.
pub(super) type Circuit = Vec<(usize, IBig)>;

/// The circuit behind approximate multipliers, or `None` when the rows do not cancel exactly.
///
/// `candidate` (n entries, at least 0) weighs the rows `s_i x_i`, `negative[i]` being s_i = -1 (none: all +1); rows in
/// `free` may take part with any multiplier. On return s_i m_i > 0 on the rows that are not free, and there is such a row.
///
/// # Cost
/// O(k^3 + k^2 D) modular and O(k^2) exact operations for k candidate rows.
pub(super) fn circuit_behind(x: &Mat, candidate: &[f64], negative: &[bool], free: &[usize]) -> Option<Circuit> {
    assert_eq!(candidate.len(), x.rows(), "{} multipliers for {} rows", candidate.len(), x.rows());
    let turned = |i: usize| negative.get(i).copied().unwrap_or(false);
    let length = |i: usize| x.row(i).iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    let independent = modular_rank(x, free).independent;
    let free: Vec<usize> = independent.into_iter().map(|t| free[t]).collect();
    let mut support: Vec<(usize, f64)> = candidate
        .iter()
        .enumerate()
        .filter(|(i, m)| **m > 0.0 && !free.contains(i))
        .map(|(i, m)| (i, m * length(i)))
        .collect();
    // Heaviest contributions first, so that a circuit is found among those that carry the sum.
    support.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut weights: Vec<(usize, f64)> = support.iter().map(|&(i, _)| (i, candidate[i])).collect();
    while !weights.is_empty() {
        let rows: Vec<usize> = free.iter().copied().chain(weights.iter().map(|w| w.0)).collect();
        let circuit = dependency(x, &rows)?;
        let signed: Vec<IBig> = rows[free.len()..]
            .iter()
            .zip(&circuit[free.len()..])
            .map(|(&i, m)| if turned(i) { -m } else { m.clone() })
            .collect();
        let (plus, minus) = (signed.iter().any(|v| *v > IBig::ZERO), signed.iter().any(|v| *v < IBig::ZERO));
        if plus != minus {
            return Some(primitive(&rows, circuit, minus));
        }
        if !plus {
            return None;
        }
        // The circuit has both signs: move along it until the first multiplier reaches 0, and drop that row.
        let direction = to_floats(&signed);
        let ratio = |k: &usize| weights[*k].1 / direction[*k];
        let first = (0..weights.len()).filter(|&k| direction[k] > 0.0).min_by(|a, b| ratio(a).total_cmp(&ratio(b)))?;
        let t = ratio(&first);
        weights.iter_mut().zip(&direction).for_each(|(w, v)| w.1 = (w.1 - t * v).max(0.0));
        weights.remove(first);
    }
    None
}

/// `sum_i m_i x_i = 0` in every column, exactly.
pub(super) fn cancels(x: &Mat, rows: &[usize], m: &[IBig]) -> bool {
    (0..x.cols()).all(|c| {
        let column = integers(rows.iter().map(|&i| x[(i, c)]));
        let sum = column.iter().zip(m).fold(IBig::ZERO, |s, (v, m)| if v.is_zero() { s } else { s + v * m });
        sum.is_zero()
    })
}

/// The nonzero multipliers, turned round if asked, over their greatest common divisor, by ascending row.
pub(super) fn primitive(rows: &[usize], m: Vec<IBig>, turn: bool) -> Circuit {
    let mut pairs: Circuit =
        rows.iter().zip(m).filter(|(_, v)| !v.is_zero()).map(|(&i, v)| (i, if turn { -v } else { v })).collect();
    pairs.sort_by_key(|p| p.0);
    let divisor = pairs.iter().fold(IBig::ZERO, |g, (_, v)| IBig::from(if g.is_zero() { v.gcd(v) } else { g.gcd(v) }));
    pairs.into_iter().map(|(i, v)| (i, v / &divisor)).collect()
}

/// Integers, one for each listed row, with `sum_i m_i x_i = 0` exactly, nonzero only on a minimal dependent set.
fn dependency(x: &Mat, rows: &[usize]) -> Option<Vec<IBig>> {
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

/// Integers as doubles, times one power of two so that the largest is near 1.
fn to_floats(m: &[IBig]) -> Vec<f64> {
    let bits = m.iter().map(BitTest::bit_len).max().unwrap_or(0);
    let shift = bits.saturating_sub(1000);
    m.iter().map(|v| (v >> shift).to_f64().value()).collect()
}
