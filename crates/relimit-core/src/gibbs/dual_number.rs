//! A number with its derivative along one direction.

use std::ops::{Add, Mul, Neg, Sub};

/// `v + d t` modulo `t^2`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Dual {
    /// Value.
    pub(super) v: f64,
    /// Derivative.
    pub(super) d: f64,
}

impl Dual {
    /// Square root of a positive number.
    pub(super) fn sqrt(self) -> Self {
        let v = self.v.sqrt();
        Self { v, d: 0.5 * self.d / v }
    }

    /// `1 / x`.
    pub(super) fn recip(self) -> Self {
        let v = 1.0 / self.v;
        Self { v, d: -self.d * v * v }
    }

    /// `s x`.
    pub(super) fn times(self, s: f64) -> Self {
        Self { v: s * self.v, d: s * self.d }
    }
}

impl Add for Dual {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self { v: self.v + o.v, d: self.d + o.d }
    }
}

impl Sub for Dual {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self { v: self.v - o.v, d: self.d - o.d }
    }
}

impl Mul for Dual {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        Self { v: self.v * o.v, d: self.v * o.d + self.d * o.v }
    }
}

impl Neg for Dual {
    type Output = Self;
    fn neg(self) -> Self {
        self.times(-1.0)
    }
}
