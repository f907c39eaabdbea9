//! More arithmetic on exact numbers `m 2^e`: order, rounding to f64, quotients, residues.

use std::cmp::Ordering;

use dashu_int::IBig;
use dashu_int::ops::{Abs, BitTest, UnsignedAbs};

use super::exact::Dyadic;

/// The Mersenne prime `2^61 - 1`, modulus of [`Dyadic::residue`].
pub const PRIME: u64 = (1 << 61) - 1;

impl Dyadic {
    /// The number `mantissa 2^exponent`.
    pub fn scaled(mantissa: IBig, exponent: i64) -> Self {
        Self { mantissa, exponent }
    }

    /// Whether it is 0.
    pub fn is_zero(&self) -> bool {
        self.mantissa == IBig::ZERO
    }

    /// The negative.
    pub fn neg(&self) -> Self {
        Self { mantissa: -&self.mantissa, exponent: self.exponent }
    }

    /// The exact difference.
    pub fn sub(&self, other: &Self) -> Self {
        self.add(&other.neg())
    }

    /// The absolute value.
    pub fn abs(&self) -> Self {
        Self { mantissa: self.mantissa.clone().abs(), exponent: self.exponent }
    }

    /// The product with an integer.
    pub fn times(&self, factor: &IBig) -> Self {
        Self { mantissa: &self.mantissa * factor, exponent: self.exponent }
    }

    /// The larger of two.
    pub fn max(self, other: Self) -> Self {
        if self.sub(&other).sign() == Ordering::Less { other } else { self }
    }

    /// The nearest f64, ties to even; infinite beyond the range.
    pub fn nearest(&self) -> f64 {
        let (q, shift, rest) = self.split(53);
        let up = match rest {
            Rest::More => true,
            Rest::Half => q & 1 == 1,
            Rest::Less | Rest::Nothing => false,
        };
        self.signed(q + u64::from(up), shift)
    }

    /// The least f64 that is not below.
    pub fn up(&self) -> f64 {
        let (q, shift, rest) = self.split(53);
        let outward = rest != Rest::Nothing && self.sign() == Ordering::Greater;
        self.signed(q + u64::from(outward), shift)
    }

    /// The greatest f64 that is not above.
    pub fn down(&self) -> f64 {
        0.0 - self.neg().up()
    }

    /// `self / other` to within two units in the last place, exact where it is an f64 of the normal range. Panics if
    /// `other` is 0.
    pub fn ratio(&self, other: &Self) -> f64 {
        assert!(!other.is_zero(), "division of an exact number by 0");
        if self.is_zero() {
            return 0.0;
        }
        let bits = |v: &IBig| v.unsigned_abs_ref().bit_len().cast_signed() as i64;
        let shift = (bits(&other.mantissa) - bits(&self.mantissa) + 120).max(0);
        let numerator = &self.mantissa << shift as usize;
        let quotient = &numerator / &other.mantissa;
        Self { mantissa: quotient, exponent: self.exponent - other.exponent - shift }.nearest()
    }

    /// The numbers as integers times one power of two: the integers and its exponent.
    pub fn common(values: &[Self]) -> (Vec<IBig>, i64) {
        let least = values.iter().filter(|v| !v.is_zero()).map(|v| v.exponent).min().unwrap_or(0);
        let shift = |v: &Self| if v.is_zero() { IBig::ZERO } else { &v.mantissa << (v.exponent - least) as usize };
        (values.iter().map(shift).collect(), least)
    }

    /// The least f64 that is not below `self / other`, other above 0; infinite beyond the range.
    pub fn ratio_up(&self, other: &Self) -> f64 {
        let above = |v: f64| v == f64::INFINITY || other.mul(&Self::new(v)).sub(self).sign() != Ordering::Less;
        // The quotient is computed to two units in the last place.
        let mut v = self.ratio(other);
        while !above(v) {
            v = v.next_up();
        }
        while v.next_down().is_finite() && above(v.next_down()) {
            v = v.next_down();
        }
        v
    }

    /// The least f64 that is not below the root of `self`, which is at least 0.
    pub fn root_up(&self) -> f64 {
        let above = |v: f64| v == f64::INFINITY || Self::new(v).mul(&Self::new(v)).sub(self).sign() != Ordering::Less;
        if self.is_zero() {
            return 0.0;
        }
        // Squares leave the range where their roots do not.
        let near = |half: i64| (Self { exponent: self.exponent + 2 * half, ..self.clone() }.nearest(), half);
        let inside = [0, 500, -500].map(near).into_iter().find(|(square, _)| (1e-290..1e290).contains(square));
        let Some((square, half)) = inside else { return f64::INFINITY };
        let mut v = square.sqrt() * f64::powi(2.0, -half as i32);
        while !above(v) {
            v = v.next_up();
        }
        while v > 0.0 && above(v.next_down()) {
            v = v.next_down();
        }
        v
    }

    /// The residue modulo [`PRIME`]: equal numbers have equal residues, and sums and products pass over.
    pub fn residue(&self) -> u64 {
        let remainder = &self.mantissa % IBig::from(PRIME);
        let m = i64::try_from(&remainder).unwrap_or(0).rem_euclid(PRIME.cast_signed()).cast_unsigned();
        // 2 has order 61 modulo 2^61 - 1
        let e = self.exponent.rem_euclid(61) as u32;
        multiply(m, (1u64 << e) % PRIME)
    }

    /// `|self| = (q + rest) 2^shift` with q below `2^bits` and shift at least -1074.
    fn split(&self, bits: i64) -> (u64, i64, Rest) {
        let size = self.mantissa.unsigned_abs_ref();
        let surplus = (size.bit_len().cast_signed() as i64 - bits).max(-1074 - self.exponent);
        if surplus <= 0 {
            return (u64::try_from(size).unwrap_or(0), self.exponent, Rest::Nothing);
        }
        let q = u64::try_from(&(&size >> surplus as usize)).unwrap_or(0);
        let half = size.bit(surplus as usize - 1);
        let exact = size.trailing_zeros().unwrap_or(0).cast_signed() as i64;
        let rest = match half {
            _ if size.bit_len() == 0 || exact >= surplus => Rest::Nothing,
            false => Rest::Less,
            true if exact == surplus - 1 => Rest::Half,
            true => Rest::More,
        };
        (q, self.exponent + surplus, rest)
    }

    fn signed(&self, q: u64, shift: i64) -> f64 {
        let size = load(q, shift);
        if self.sign() == Ordering::Less { -size } else { size }
    }
}

/// What a truncation left off, in units of the last bit kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rest {
    Nothing,
    Less,
    Half,
    More,
}

/// `q 2^shift` for q up to `2^53` and shift at least -1074: no rounding but to infinity.
fn load(q: u64, shift: i64) -> f64 {
    let mut v = q as f64;
    let mut left = shift.clamp(-1074, 2000);
    while left != 0 && v != 0.0 && v.is_finite() {
        let part = left.clamp(-1000, 1000);
        // multiples of 2^-1074 all the way, since shift is at least -1074 and v an integer at first
        v *= f64::powi(2.0, part as i32);
        left -= part;
    }
    v
}

/// `a b` modulo [`PRIME`].
pub fn multiply(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    add_residues((product & u128::from(PRIME)) as u64, (product >> 61) as u64)
}

/// `a + b` modulo [`PRIME`], for a and b at most PRIME.
pub fn add_residues(a: u64, b: u64) -> u64 {
    let sum = a + b;
    if sum >= PRIME { sum - PRIME } else { sum }
}

trait SizeOf {
    fn unsigned_abs_ref(&self) -> dashu_int::UBig;
}

impl SizeOf for IBig {
    fn unsigned_abs_ref(&self) -> dashu_int::UBig {
        self.clone().unsigned_abs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one_ulp() -> Dyadic {
        Dyadic::scaled(IBig::ONE, -52)
    }

    #[test]
    fn every_f64_comes_back_and_ties_go_to_even() {
        for v in [0.0, 1.0, -0.1, 1e300, -3e-310, 5e-324, f64::MAX, f64::MIN_POSITIVE, 1.0 / 3.0] {
            let exact = Dyadic::new(v);
            assert_eq!((exact.nearest(), exact.up(), exact.down()), (v, v, v));
        }
        let half = Dyadic::scaled(IBig::ONE, -53);
        let one = Dyadic::new(1.0);
        assert_eq!(one.add(&half).nearest(), 1.0, "tie to even");
        assert_eq!(one.add(&one_ulp()).add(&half).nearest(), 1.0f64.next_up().next_up(), "tie to even");
        assert_eq!(one.add(&half).up(), 1.0f64.next_up());
        assert_eq!(one.add(&half).down(), 1.0);
        assert_eq!(one.add(&half).neg().up(), -1.0);
        let tiny = Dyadic::scaled(IBig::ONE, -1200);
        assert_eq!((tiny.nearest(), tiny.up(), tiny.down()), (0.0, 5e-324, 0.0));
        assert_eq!(Dyadic::new(f64::MAX).add(&Dyadic::new(f64::MAX)).nearest(), f64::INFINITY);
        let last = Dyadic::new(1.0).sub(&Dyadic::scaled(IBig::ONE, -54));
        assert_eq!((last.nearest(), last.down()), (1.0, 1.0f64.next_down()), "half of a unit below 1 goes to even");
    }

    #[test]
    fn quotients_of_products_are_exact() {
        for (a, b) in [(0.1, 3.0), (-1e300, 1e-5), (7.0, 0.3)] {
            let product = Dyadic::new(a).mul(&Dyadic::new(b));
            assert_eq!((product.ratio(&Dyadic::new(b)), product.ratio(&Dyadic::new(a))), (a, b));
        }
        assert_eq!(Dyadic::new(1.0).ratio(&Dyadic::new(3.0)), 1.0 / 3.0);
    }

    #[test]
    fn outward_quotients_and_roots_are_the_least_that_are_not_below() {
        let third = Dyadic::new(1.0).ratio_up(&Dyadic::new(3.0));
        assert_eq!(third, (1.0f64 / 3.0).next_up(), "0.333... is nearest from below");
        assert_eq!(Dyadic::new(-1.0).ratio_up(&Dyadic::new(3.0)), -1.0 / 3.0);
        assert_eq!(Dyadic::new(6.0).ratio_up(&Dyadic::new(3.0)), 2.0);
        assert_eq!(Dyadic::new(9.0).root_up(), 3.0);
        assert_eq!(Dyadic::new(2.0).root_up(), 2f64.sqrt(), "1.41421356237309514 is nearest from above");
        assert_eq!(Dyadic::new(3.0).root_up(), 3f64.sqrt().next_up(), "1.73205080756887719 is nearest from below");
        let far = Dyadic::new(3e-200);
        assert_eq!((far.mul(&far).root_up(), Dyadic::zero().root_up()), (3e-200, 0.0));
        let far = Dyadic::new(3e200);
        assert_eq!(far.mul(&far).root_up(), 3e200);
    }

    #[test]
    fn numbers_share_their_least_exponent() {
        let (whole, exponent) = Dyadic::common(&[Dyadic::new(0.75), Dyadic::zero(), Dyadic::new(-4.0)]);
        assert_eq!((whole, exponent), (vec![IBig::from(3), IBig::ZERO, IBig::from(-16)], -2));
    }

    #[test]
    fn residues_pass_over_sums_and_products() {
        let (a, b) = (Dyadic::new(0.1), Dyadic::new(-1234.5e-7));
        assert_eq!(a.mul(&b).residue(), multiply(a.residue(), b.residue()));
        assert_eq!(a.add(&b).residue(), add_residues(a.residue(), b.residue()));
        assert_eq!(a.sub(&a).residue(), 0);
        // 2^61 = 1 and 3/2 = 3 (2^60) modulo 2^61 - 1
        assert_eq!(Dyadic::new(2f64.powi(61)).residue(), 1);
        assert_eq!(Dyadic::new(1.5).residue(), multiply(3, 1 << 60));
    }
}
