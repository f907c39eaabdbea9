//! The unit of the network: ReLU, or the smooth bounded unit that the theorems on noisy gradient descent assume.

use crate::net::{mask, relu};

/// The activation of every hidden unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Activation {
    /// `c relu(w . x + b)`.
    Relu,
    /// `v(c) T(softplus(v(w) . x + b))`, see [`Smooth`].
    Smooth(Smooth),
}

/// The smooth unit `sigma_{m,tau}`: softplus of a sharpness, truncated at a cap; c and every w are truncated too.
///
/// ```text
/// softplus(z) = log(1 + e^(sharpness z)) / sharpness
/// v(t) = sign(t) int_0^|t| [1 - S((s - (cap - 1/sharpness)) sharpness / 2)] ds,   S(z) = 35 z^4 - 84 z^5 + 70 z^6 - 20 z^7 on [0, 1]
/// T(h) = h up to cap^2,  cap^2 (1 + z - C(z)) with z = h/cap^2 - 1 <= 1,  cap^2 (2 - C(2 - z)) up to z = 2,  2 cap^2 beyond
/// C(t) = t^5/2 - t^6/2 + t^7/7
/// ```
///
/// v is the identity up to `cap - 1/sharpness` and constant from `cap + 1/sharpness`; T is C^4 and 1-Lipschitz.
///
/// # Source
/// The conditions are those of Shevchenko, Kungurtsev, Mondelli 2022 (JMLR 23(130)), section 3.2; the closed forms are
/// ours: math notes on noisy SGD, section 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Smooth {
    /// Truncation m > 1/sharpness.
    pub cap: f64,
    /// Sharpness of the softplus.
    pub sharpness: f64,
}

impl Smooth {
    /// Value and derivative of the hidden unit at preactivation `z`.
    pub fn unit(&self, z: f64) -> (f64, f64) {
        let t = self.sharpness * z;
        let (soft, slope) = if t > 0.0 {
            let e = libm::exp(-t);
            (z + libm::log1p(e) / self.sharpness, 1.0 / (1.0 + e))
        } else {
            let e = libm::exp(t);
            (libm::log1p(e) / self.sharpness, e / (1.0 + e))
        };
        let (value, outer) = self.truncated(soft);
        (value, outer * slope)
    }

    /// T and its derivative at `h >= 0`.
    fn truncated(&self, h: f64) -> (f64, f64) {
        let square = self.cap * self.cap;
        let z = h / square - 1.0;
        let bend = |t: f64| t.powi(5) * (0.5 - 0.5 * t + t * t / 7.0);
        let slope = |t: f64| t.powi(4) * (2.5 - 3.0 * t + t * t);
        if z <= 0.0 {
            (h, 1.0)
        } else if z <= 1.0 {
            (square * (1.0 + z - bend(z)), 1.0 - slope(z))
        } else if z <= 2.0 {
            (square * (2.0 - bend(2.0 - z)), slope(2.0 - z))
        } else if z.is_nan() {
            (z, z)
        } else {
            (2.0 * square, 0.0)
        }
    }

    /// Value and derivative of the truncation v of a weight.
    pub fn weight(&self, t: f64) -> (f64, f64) {
        let begins = self.cap - 1.0 / self.sharpness;
        let z = (t.abs() - begins) * self.sharpness / 2.0;
        // int_0^z S = 7 z^5 - 14 z^6 + 10 z^7 - 5/2 z^8, 1/2 at z = 1
        if z <= 0.0 {
            (t, 1.0)
        } else if z < 1.0 {
            let lost = z.powi(5) * (7.0 - 14.0 * z + 10.0 * z * z - 2.5 * z.powi(3));
            let slope = 1.0 - z.powi(4) * (35.0 - 84.0 * z + 70.0 * z * z - 20.0 * z.powi(3));
            ((t.abs() - lost * 2.0 / self.sharpness).copysign(t), slope)
        } else if z.is_nan() {
            (z, z)
        } else {
            (self.cap.copysign(t), 0.0)
        }
    }
}

impl Activation {
    /// Value and derivative of the hidden unit at preactivation `z`; relu'(0) = 0, and NaN stays NaN.
    pub fn unit(&self, z: f64) -> (f64, f64) {
        match self {
            Self::Relu if z.is_nan() => (z, z),
            Self::Relu => (relu(z), f64::from(u8::from(mask(z, false)))),
            Self::Smooth(s) => s.unit(z),
        }
    }

    /// Value and derivative of a weight (c or w) as it enters the network.
    pub fn weight(&self, t: f64) -> (f64, f64) {
        match self {
            Self::Relu => (t, 1.0),
            Self::Smooth(s) => s.weight(t),
        }
    }
}
