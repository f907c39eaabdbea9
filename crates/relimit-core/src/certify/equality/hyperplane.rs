//! The hyperplane on which a unit changes sides, as a primitive integer vector: equal exactly when proportional.

use dashu_int::IBig;
use dashu_int::ops::{Gcd, UnsignedAbs};

use crate::num::exact::{Dyadic, decompose};

/// `{x : w . x + b = 0}` as coprime integers (w, b) whose first entry other than 0 is positive.
///
/// Every f64 is a dyadic rational, so rows (w, b) are proportional exactly when their hyperplanes are equal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hyperplane(Vec<IBig>);

impl Hyperplane {
    /// The hyperplane of a row (w, b) of d + 1 numbers and the number t with `row = t * hyperplane`; `None` if w = 0.
    ///
    /// O(d) products and greatest common divisors of integers as long as the range of the exponents.
    pub fn of(row: &[f64]) -> Option<(Self, Dyadic)> {
        let (_, w) = row.split_last()?;
        if w.iter().all(|v| *v == 0.0) {
            return None;
        }
        let parts: Vec<(i64, i32)> = row.iter().map(|v| decompose(*v)).collect();
        let least = parts.iter().filter(|p| p.0 != 0).map(|p| p.1).min()?;
        let shifted = |(m, e): (i64, i32)| if m == 0 { IBig::ZERO } else { IBig::from(m) << (e - least) as usize };
        let mut entries: Vec<IBig> = parts.into_iter().map(shifted).collect();
        let mut common = IBig::ZERO;
        for v in entries.iter().filter(|v| !v.is_zero()) {
            common = if common.is_zero() { v.clone().unsigned_abs().into() } else { common.gcd(v).into() };
            if common == IBig::ONE {
                break;
            }
        }
        if entries.iter().find(|v| !v.is_zero()).is_some_and(|v| *v < IBig::ZERO) {
            common = -common;
        }
        if common != IBig::ONE {
            for v in &mut entries {
                *v = &*v / &common;
            }
        }
        Some((Self(entries), Dyadic::scaled(common, i64::from(least))))
    }

    /// The d + 1 integers.
    pub fn entries(&self) -> &[IBig] {
        &self.0
    }

    /// The same as exact numbers.
    pub fn row(&self) -> Vec<Dyadic> {
        self.0.iter().map(|v| Dyadic::scaled(v.clone(), 0)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proportional_rows_share_a_hyperplane() {
        let (h, t) = Hyperplane::of(&[0.0, -1.5, 3.0]).unwrap();
        assert_eq!(h.entries(), [0, 1, -2].map(IBig::from));
        assert_eq!(t, Dyadic::new(-1.5));
        // 3 * 0.1 rounds: not proportional to (1, 3) times 0.1 although 0.3 / 0.1 prints as 3 within an ulp.
        let (a, _) = Hyperplane::of(&[0.1, 0.3]).unwrap();
        let (b, _) = Hyperplane::of(&[1.0, 3.0]).unwrap();
        assert_ne!(a, b);
        let (c, t) = Hyperplane::of(&[0.2, 0.6]).unwrap();
        assert_eq!(a, c);
        let (_, s) = Hyperplane::of(&[0.1, 0.3]).unwrap();
        assert_eq!(t, s.mul(&Dyadic::new(2.0)));
        assert!(Hyperplane::of(&[0.0, 0.0, 3.0]).is_none());
        let (tiny, _) = Hyperplane::of(&[5e-324, 1e300]).unwrap();
        assert_eq!(tiny.entries()[0], IBig::ONE);
    }
}
