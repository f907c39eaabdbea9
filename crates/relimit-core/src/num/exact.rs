//! Exact arithmetic on double-precision data: every f64 is an integer times a power of two.
//!
//! ```text
//! v = m 2^e        (m odd, or 0)
//! ```
//!
//! Columns are brought to integers by their own power of two, which changes no linear dependence of rows; small
//! integer systems are solved without fractions (Bareiss), so that every intermediate number is a minor.
//!
//! Source: Bareiss, "Sylvester's identity and multistep integer-preserving Gaussian elimination", Math. Comp. 22 (1968).

use std::cmp::Ordering;

use dashu_int::IBig;

/// `v = m 2^e` with m odd (0 gives (0, 0)). Panics on NaN and infinity.
pub fn decompose(v: f64) -> (i64, i32) {
    assert!(v.is_finite(), "{v} has no exact value");
    if v == 0.0 {
        return (0, 0);
    }
    let bits = v.to_bits();
    let (biased, fraction) = (((bits >> 52) & 0x7ff) as i32, bits & ((1 << 52) - 1));
    let (m, e) = if biased == 0 { (fraction, -1074) } else { (fraction | 1 << 52, biased - 1075) };
    let zeros = m.trailing_zeros();
    let m = (m >> zeros).cast_signed();
    (if v < 0.0 { -m } else { m }, e + zeros.cast_signed())
}

/// An exact number `m 2^e`.
#[derive(Clone, Debug)]
pub struct Dyadic {
    pub(super) mantissa: IBig,
    pub(super) exponent: i64,
}

impl Dyadic {
    /// Zero.
    pub fn zero() -> Self {
        Self { mantissa: IBig::ZERO, exponent: 0 }
    }

    /// The exact value of `v`; panics on NaN and infinity.
    pub fn new(v: f64) -> Self {
        let (m, e) = decompose(v);
        Self { mantissa: IBig::from(m), exponent: i64::from(e) }
    }

    /// The exact sum.
    pub fn add(&self, other: &Self) -> Self {
        let exponent = self.exponent.min(other.exponent);
        let shifted = |v: &Self| &v.mantissa << (v.exponent - exponent) as usize;
        Self { mantissa: shifted(self) + shifted(other), exponent }
    }

    /// The exact product.
    pub fn mul(&self, other: &Self) -> Self {
        Self { mantissa: &self.mantissa * &other.mantissa, exponent: self.exponent + other.exponent }
    }

    /// Negative, zero or positive.
    pub fn sign(&self) -> Ordering {
        self.mantissa.cmp(&IBig::ZERO)
    }
}

impl PartialEq for Dyadic {
    fn eq(&self, other: &Self) -> bool {
        let exponent = self.exponent.min(other.exponent);
        let shifted = |v: &Self| &v.mantissa << (v.exponent - exponent) as usize;
        shifted(self) == shifted(other)
    }
}

/// `sum_i a_i b_i`, exactly. Panics on different lengths, NaN and infinity.
pub fn dot(a: &[f64], b: &[f64]) -> Dyadic {
    assert_eq!(a.len(), b.len(), "dot product of {} and {} entries", a.len(), b.len());
    let terms: Vec<(i128, i32)> = a
        .iter()
        .zip(b)
        .filter(|(x, y)| **x != 0.0 && **y != 0.0)
        .map(|(x, y)| {
            let ((m, e), (p, f)) = (decompose(*x), decompose(*y));
            (i128::from(m) * i128::from(p), e + f)
        })
        .collect();
    let exponent = terms.iter().map(|t| t.1).min().unwrap_or(0);
    let mut mantissa = IBig::ZERO;
    for (m, e) in terms {
        mantissa += IBig::from(m) << (e - exponent) as usize;
    }
    Dyadic { mantissa, exponent: i64::from(exponent) }
}

/// Whether the values sum to exactly 0. Panics on NaN and infinity.
pub fn sum_is_zero(values: &[f64]) -> bool {
    dot(values, &vec![1.0; values.len()]).sign() == Ordering::Equal
}

/// The values times their common power of two: integers that are in the same ratios. Panics on NaN and infinity.
pub fn integers(values: impl IntoIterator<Item = f64>) -> Vec<IBig> {
    let parts: Vec<(i64, i32)> = values.into_iter().map(decompose).collect();
    let least = parts.iter().filter(|p| p.0 != 0).map(|p| p.1).min().unwrap_or(0);
    let shift = |(m, e): (i64, i32)| if m == 0 { IBig::ZERO } else { IBig::from(m) << (e - least) as usize };
    parts.into_iter().map(shift).collect()
}

/// Solves the k x k integer system `A x = b` exactly: numerators and their common denominator, or `None` when A is
/// singular. O(k^3) products of integers of up to k times the length of the entries.
pub fn solve(mut a: Vec<Vec<IBig>>, b: Vec<IBig>) -> Option<(Vec<IBig>, IBig)> {
    let k = a.len();
    assert_eq!(b.len(), k, "{} right-hand sides for {k} equations", b.len());
    for (row, rhs) in a.iter_mut().zip(b) {
        assert_eq!(row.len(), k, "{} unknowns in {k} equations", row.len());
        row.push(rhs);
    }
    let mut previous = IBig::ONE;
    for s in 0..k {
        let pivot = (s..k).find(|&i| !a[i][s].is_zero())?;
        a.swap(s, pivot);
        let (done, rest) = a.split_at_mut(s + 1);
        let top = &done[s];
        for row in rest {
            let lead = std::mem::replace(&mut row[s], IBig::ZERO);
            for c in s + 1..=k {
                row[c] = (&row[c] * &top[s] - &lead * &top[c]) / &previous;
            }
        }
        previous.clone_from(&top[s]);
    }
    // Back substitution on numerators over the determinant (up to sign): every division is exact.
    let det = previous;
    let mut x = vec![IBig::ZERO; k];
    for s in (0..k).rev() {
        let mut t = &a[s][k] * &det;
        for c in s + 1..k {
            t -= &a[s][c] * &x[c];
        }
        x[s] = t / &a[s][s];
    }
    Some((x, det))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::mat;

    fn big(v: i64) -> IBig {
        IBig::from(v)
    }

    #[test]
    fn decomposition_is_exact_over_the_whole_range() {
        let ends = [1.0, -0.1, 3.0e300, f64::MAX, f64::MIN_POSITIVE, 5e-324, -1.5e-310, 6.0, 0.0];
        for v in ends {
            let (m, e) = decompose(v);
            // Two factors, so that the power does not underflow before the product is taken.
            let half = e / 2;
            assert_eq!((m as f64) * 2f64.powi(half) * 2f64.powi(e - half), v);
            assert!(m == 0 || m % 2 != 0);
        }
    }

    #[test]
    fn dot_sees_what_rounding_hides() {
        // 0.1 + 0.2 - 0.3 is 2^-55 + 2^-56 - ... in doubles: positive, although 0.1f + 0.2f rounds up further.
        let exact = dot(&[0.1, 0.2, 0.3], &[1.0, 1.0, -1.0]);
        assert_eq!(exact.sign(), Ordering::Greater);
        assert_eq!(exact, Dyadic::new(0.5f64.powi(55)));
        // The plain sum loses the small terms altogether.
        let (a, b) = ([1e300, 1e-300, -1e300], [1.0, 1.0, 1.0]);
        assert_eq!(mat::dot(&a, &b), 0.0);
        assert_eq!(dot(&a, &b), Dyadic::new(1e-300));
        assert_eq!(dot(&[3.0, 4.0], &[4.0, -3.0]).sign(), Ordering::Equal);
        let x = Dyadic::new(0.1);
        assert_eq!(x.mul(&x).add(&x.mul(&Dyadic::new(-0.1))), Dyadic::zero());
    }

    #[test]
    fn sums_vanish_exactly_or_not_at_all() {
        assert!(sum_is_zero(&[1e300, 1e-300, -1e300, -1e-300]) && sum_is_zero(&[]));
        assert!(!sum_is_zero(&[0.1, 0.2, -0.3]));
    }

    #[test]
    fn integers_keep_ratios() {
        assert_eq!(integers([0.75, -1.5, 0.0, 6.0]), vec![big(3), big(-6), big(0), big(24)]);
        assert_eq!(integers([0.0, 0.0]), vec![big(0), big(0)]);
    }

    #[test]
    fn hilbert_systems_have_their_known_solution() {
        // (lcm) H x = (lcm) H 1 has x = 1; H_8 has condition 1.5e10, and a zero first pivot is forced by swapping signs.
        let lcm = 360_360;
        let a: Vec<Vec<IBig>> = (0..8).map(|i| (0..8).map(|k| big(lcm / (i + k + 1))).collect()).collect();
        let b: Vec<IBig> = a.iter().map(|r| r.iter().fold(IBig::ZERO, |s, v| s + v)).collect();
        let (x, det) = solve(a, b).unwrap();
        assert!(x.iter().all(|v| *v == det) && det != IBig::ZERO);
        let (x, det) = solve(vec![vec![big(0), big(2)], vec![big(3), big(4)]], vec![big(2), big(7)]).unwrap();
        assert_eq!((&x[0] / &det, &x[1] / &det), (big(1), big(1)));
        assert!(solve(vec![vec![big(1), big(2)], vec![big(2), big(4)]], vec![big(1), big(1)]).is_none());
    }
}
