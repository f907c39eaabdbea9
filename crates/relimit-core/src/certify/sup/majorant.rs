//! Parabolas above relu on an interval.

use super::rows::TINY;

/// Slope terms `(a, b)` of the parabola `a z^2 + b z + c >= relu(z)` on [lo, hi], lo < 0 < hi, of least mean for the given moments.
///
/// Tangent on both sides, tangent on one and through the end of the other, or through both ends.
pub(super) fn touching(lo: f64, hi: f64, mean: f64, second: f64) -> (f64, f64) {
    if lo >= 0.0 {
        return (0.0, 1.0);
    }
    if hi <= 0.0 {
        return (0.0, 0.0);
    }
    // relu(z) = z + relu(-z): the longer side is brought to the right.
    let flip = hi < -lo;
    let (l, h, mean) = if flip { (hi, -lo, -mean) } else { (-lo, hi, mean) };
    let spread = second.sqrt();
    let (a, b) = if spread > 0.0 && spread <= l {
        (0.25 / spread, 0.5)
    } else {
        let at = ((second + mean * l) / (l + mean).max(1e-12)).max(l);
        if l + mean <= 0.0 || at >= h {
            let w = h + l;
            let a = if second - (h - l) * mean - h * l < 0.0 { l / (w * w) } else { 0.0 };
            (a, h / w - a * (h - l))
        } else {
            let a = l / ((l + at) * (l + at));
            (a, 1.0 - 2.0 * a * at)
        }
    };
    if flip { (a, 1.0 - b) } else { (a, b) }
}

/// The least c, rounded up, with `r relu(z) <= a z^2 + b z + c` on [lo, hi]; a >= 0, r >= 0, all three exact as given.
pub(super) fn excess(r: f64, a: f64, b: f64, lo: f64, hi: f64) -> f64 {
    let left = if lo < 0.0 { concave(b, a, -lo) } else { 0.0 };
    let right = if hi > 0.0 { concave(r - b, a, hi) } else { 0.0 };
    // An interval on one side of 0 still needs the value at its inner end; the whole of [0, hi] or [lo, 0] is covered instead.
    left.max(right).max(0.0) + TINY
}

/// Upper bound of the maximum of `p t - a t^2` over 0 <= t <= end; p carries one rounding.
fn concave(p: f64, a: f64, end: f64) -> f64 {
    const UP: f64 = 8.0 * f64::EPSILON;
    if p <= 0.0 {
        return 0.0;
    }
    if p < 2.0 * a * end {
        return p * p / (4.0 * a) * (1.0 + UP);
    }
    let (linear, square) = (p * end, a * end * end);
    (linear - square) + UP * (linear + square)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::test_random::Random;

    /// The parabola lies above relu at many points of the interval, and touches it where it should be tight.
    #[test]
    fn parabolas_lie_above_relu_and_touch_it() {
        let mut rng = Random(4);
        for _ in 0..2000 {
            let (lo, hi) = (-0.01 - rng.unit(), 0.01 + rng.unit());
            let mean = lo + (hi - lo) * rng.unit();
            let second = mean * mean + (hi - lo) * (hi - lo) * rng.unit() * 0.3;
            let r = 0.1 + rng.unit();
            let (a, b) = touching(lo, hi, mean, second);
            let c = excess(r, r * a, r * b, lo, hi);
            let mut least = f64::INFINITY;
            for k in 0..=4000 {
                let z = lo + (hi - lo) * f64::from(k) / 4000.0;
                let above = r * a * z * z + r * b * z + c - r * z.max(0.0);
                least = least.min(above);
                assert!(above >= -1e-15, "[{lo}, {hi}] at {z}: {above}");
            }
            assert!(least < 1e-6, "[{lo}, {hi}]: {least} above everywhere");
        }
    }
}
