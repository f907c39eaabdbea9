//! Exact solution of larger integer systems by p-adic lifting: one inverse modulo a prime, then k^2 work a digit.
//!
//! ```text
//! A x = b:   x = sum_t x_t p^t,   x_t = A^-1 r_t mod p,   r_{t+1} = (r_t - A x_t) / p,   r_0 = b
//! ```
//!
//! p = 2^61 - 1. The digits are turned back into fractions with one common denominator; a short answer is found with
//! few digits. Bareiss elimination does the same work in O(k^3) products of numbers k times as long.
//!
//! Source: Dixon, "Exact solution of linear equations using p-adic expansions", Numer. Math. 40 (1982).

use dashu_int::IBig;

use super::modular::{PRIME, power, reduce};

/// Solves the k x k system `A x = b` exactly: numerators and their common positive denominator.
///
/// `None` when A is singular modulo 2^61 - 1 (so, but for odds of 2^-61, singular), or when k max|A| or b are too long
/// for 128 bits. The answer has been found by reconstruction: a caller that needs proof multiplies it out.
///
/// # Cost
/// O(k^3) modular operations, k^2 a digit, at most about k (bits of the entries + log2 k) / 30 digits.
pub fn solve_lifted(a: &[Vec<i128>], b: &[i128]) -> Option<(Vec<IBig>, IBig)> {
    let k = a.len();
    assert_eq!(b.len(), k, "{} right-hand sides for {k} equations", b.len());
    assert!(a.iter().all(|row| row.len() == k), "a system of {k} equations is not square");
    let largest = a.iter().flatten().chain(b).map(|v| v.unsigned_abs()).max().unwrap_or(0);
    // Residuals stay below (k + 1) max |entry|.
    if largest.checked_mul(k as u128 + 1).is_none_or(|v| v >= 1 << 126) {
        return None;
    }
    let inverse = inverse(a)?;
    // Cramer: numerators and denominator are minors, below the Hadamard bound 2^bits.
    let row_bits = |(row, rhs): (&Vec<i128>, &i128)| {
        let square: f64 = row.iter().chain([rhs]).map(|v| (*v as f64) * (*v as f64)).sum();
        0.5 * libm::log2(square.max(1.0))
    };
    let bits: f64 = a.iter().zip(b).map(row_bits).sum();
    let most = ((2.0 * bits + 2.0) / 60.9) as usize + 2;
    let mut r = b.to_vec();
    let mut digits: Vec<Vec<u64>> = vec![];
    let mut attempt = 4;
    while digits.len() < most {
        let digit = multiply(&inverse, &r);
        r = r.iter().zip(a).map(|(r, row)| exact_quotient(*r, row, &digit)).collect();
        digits.push(digit);
        if digits.len() == attempt.min(most) {
            if let Some(found) = fractions(&digits) {
                return Some(found);
            }
            attempt *= 2;
        }
    }
    None
}

/// `A^-1` modulo the prime, row by row (Gauss-Jordan).
fn inverse(a: &[Vec<i128>]) -> Option<Vec<Vec<u64>>> {
    let k = a.len();
    let mut rows: Vec<Vec<u64>> = a
        .iter()
        .enumerate()
        .map(|(i, row)| row.iter().map(|v| residue(*v)).chain((0..k).map(|c| u64::from(c == i))).collect())
        .collect();
    for s in 0..k {
        let pivot = (s..k).find(|&i| rows[i][s] != 0)?;
        rows.swap(s, pivot);
        let scale = power(rows[s][s], PRIME - 2);
        for v in &mut rows[s] {
            *v = reduce(u128::from(*v) * u128::from(scale));
        }
        let top = rows[s].clone();
        for (i, row) in rows.iter_mut().enumerate() {
            let factor = PRIME - row[s];
            if i != s && factor != PRIME {
                // Columns before s are unit vectors already.
                for (v, p) in row[s..].iter_mut().zip(&top[s..]) {
                    *v = reduce(u128::from(*v) + u128::from(factor) * u128::from(*p));
                }
            }
        }
    }
    Some(rows.into_iter().map(|mut row| row.split_off(k)).collect())
}

fn residue(v: i128) -> u64 {
    v.rem_euclid(i128::from(PRIME)) as u64
}

/// `C r` modulo the prime.
fn multiply(c: &[Vec<u64>], r: &[i128]) -> Vec<u64> {
    let r: Vec<u64> = r.iter().map(|v| residue(*v)).collect();
    let term = |(x, y): (&u64, &u64)| u128::from(*x) * u128::from(*y);
    c.iter()
        .map(|row| {
            // 32 products of 122 bits fit 128 bits.
            let blocks = row.chunks(32).zip(r.chunks(32));
            reduce(blocks.map(|(p, q)| u128::from(reduce(p.iter().zip(q).map(term).sum()))).sum())
        })
        .collect()
}

/// `(r - a . x) / p`, which is known to be an integer of less than 127 bits: so arithmetic modulo 2^128 finds it.
fn exact_quotient(r: i128, a: &[i128], x: &[u64]) -> i128 {
    // The inverse of 2^61 - 1 modulo 2^128: -(1 + 2^61 + 2^122).
    const INVERSE: i128 = -(1 + (1 << 61) + (1 << 122));
    let sum = a.iter().zip(x).fold(0i128, |s, (a, x)| s.wrapping_add(a.wrapping_mul(i128::from(*x))));
    r.wrapping_sub(sum).wrapping_mul(INVERSE)
}

/// Fractions with a common denominator, all short enough to be determined by the digits.
fn fractions(digits: &[Vec<u64>]) -> Option<(Vec<IBig>, IBig)> {
    let prime = IBig::from(PRIME);
    let modulus = prime.pow(digits.len());
    // Numerators and denominators of less than half the bits of the modulus.
    let half = 61 * digits.len() / 2 - 1;
    let mut denominator = IBig::ONE;
    let mut numerators: Vec<IBig> = vec![];
    for i in 0..digits[0].len() {
        let value = digits.iter().rev().fold(IBig::ZERO, |s, digit| s * &prime + IBig::from(digit[i]));
        let value = (value * &denominator) % &modulus;
        let (numerator, factor) = short_fraction(value, &modulus, half);
        if !factor.is_one() {
            denominator *= &factor;
            if bits(&denominator) > half {
                return None;
            }
            for v in &mut numerators {
                *v *= &factor;
            }
        }
        numerators.push(numerator);
    }
    Some((numerators, denominator))
}

/// A fraction N / D = value modulo the modulus with N of at most `half` bits and D positive and least (Euclid's steps).
fn short_fraction(value: IBig, modulus: &IBig, half: usize) -> (IBig, IBig) {
    let other = &value - modulus;
    if bits(&other) <= half {
        return (other, IBig::ONE);
    }
    let (mut r, mut next) = (modulus.clone(), value);
    let (mut d, mut d_next) = (IBig::ZERO, IBig::ONE);
    while bits(&next) > half {
        let q = &r / &next;
        let (t, u) = (r - &q * &next, d - &q * &d_next);
        (r, next) = (next, t);
        (d, d_next) = (d_next, u);
    }
    if d_next < IBig::ZERO { (-next, -d_next) } else { (next, d_next) }
}

fn bits(v: &IBig) -> usize {
    dashu_int::ops::BitTest::bit_len(v)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::exact::solve;

    fn entries(k: usize, size: u32, seed: u64) -> (Vec<Vec<i128>>, Vec<i128>) {
        let mut s = seed;
        let mut next = || {
            s = s.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (i128::from(s >> 1) << 32 ^ i128::from(s)) % (1i128 << size) - (1i128 << (size - 1))
        };
        ((0..k).map(|_| (0..k).map(|_| next()).collect()).collect(), (0..k).map(|_| next()).collect())
    }

    #[test]
    fn agrees_with_fraction_free_elimination() {
        for (k, size) in [(1, 5), (2, 8), (5, 60), (7, 90), (12, 20), (24, 53)] {
            let (a, b) = entries(k, size, 40 + k as u64);
            let big = |v: &Vec<i128>| v.iter().map(|v| IBig::from(*v)).collect::<Vec<IBig>>();
            let (x, det) = solve(a.iter().map(big).collect(), big(&b)).unwrap();
            let (y, d) = solve_lifted(&a, &b).unwrap();
            assert!(d > IBig::ZERO);
            for (x, y) in x.iter().zip(&y) {
                assert_eq!(x * &d, y * &det, "order {k}");
            }
        }
    }

    #[test]
    fn short_answers_and_refusals() {
        // x = (1/2, -3, 0): found with few digits whatever the size of A.
        let a = vec![vec![2 << 70, 0, 5], vec![4, 1, 7 << 80], vec![0, 1, 3]];
        let b = [1 << 70, -1, -3];
        let (x, d) = solve_lifted(&a, &b).unwrap();
        assert_eq!((x, d), (vec![IBig::from(1), IBig::from(-6), IBig::ZERO], IBig::from(2)));
        assert!(solve_lifted(&[vec![1, 2], vec![2, 4]], &[1, 1]).is_none());
        assert!(solve_lifted(&[vec![1 << 126]], &[1]).is_none());
        assert_eq!(solve_lifted(&[], &[]), Some((vec![], IBig::ONE)));
    }
}
