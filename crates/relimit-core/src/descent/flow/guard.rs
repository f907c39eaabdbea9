//! The first time at which a sum of decaying exponentials leaves its sign, with every earlier time excluded.

use std::borrow::Cow;

/// What a guard watches on its pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An active preactivation falls to 0.
    Fall,
    /// A silent preactivation rises above 0.
    Rise,
    /// The push that holds a sliding pair at 0 falls to 0: the pair goes silent.
    Drop,
    /// That push reaches all that the example can give: the pair goes active.
    Stick,
    /// The pull of an example on a collapsed neuron, inwards so far, falls to 0.
    Turn,
}

/// `h(t) = h0 + sign sum_l a_l (1 - exp(-mu_l t))`, which must stay nonnegative.
///
/// `err` bounds the rounding error of h. The guard is violated below `-2 err`, so a violation is real and a value that
/// starts on 0 does not trip over its own rounding; it is clear where it provably stays above `-3 err`. Between the
/// two either answer is right, so no search has to resolve more than h can.
pub(super) struct Guard<'a> {
    /// Neuron.
    pub(super) j: usize,
    /// Example.
    pub(super) i: usize,
    /// What is watched.
    pub(super) kind: Kind,
    /// Value at the start of the stretch.
    pub(super) h0: f64,
    /// Factor of the coefficients.
    pub(super) sign: f64,
    /// Coefficients, one a mode.
    pub(super) a: Cow<'a, [f64]>,
    /// Bound on the rounding error of h.
    pub(super) err: f64,
    /// Bound on the rounding error of its derivative at the start.
    pub(super) slope_err: f64,
}

/// The exponentials at one time.
#[derive(Clone)]
pub(super) struct At {
    /// Time since the start of the stretch.
    pub(super) t: f64,
    /// `1 - exp(-mu_l t)`.
    pub(super) gone: Vec<f64>,
    /// `exp(-mu_l t)`.
    pub(super) left: Vec<f64>,
}

impl At {
    /// Rates `mu` (positive) at time `t`, which may be infinite.
    pub(super) fn new(mu: &[f64], t: f64) -> Self {
        // 0 times an infinite t never occurs: rates are positive.
        let gone = mu.iter().map(|m| -libm::expm1(-m * t)).collect();
        let left = mu.iter().map(|m| libm::exp(-m * t)).collect();
        Self { t, gone, left }
    }
}

impl Guard<'_> {
    /// h at one time.
    pub(super) fn value(&self, x: &At) -> f64 {
        self.h0 + self.sign * self.a.iter().zip(&x.gone).map(|(a, e)| a * e).sum::<f64>()
    }

    /// Whether h provably stays above `-3 err` from `x1` to `x2`.
    ///
    /// Three bounds: each term monotone (exact at its better end); the chord between the ends less
    /// `h^2/8` times the largest second derivative; and, from a start that is not below, a derivative that stays
    /// nonnegative, or starts so and only grows.
    fn clear(&self, mu: &[f64], x1: &At, x2: &At) -> bool {
        let (mut low, mut v1, mut v2) = (0.0f64, 0.0f64, 0.0f64);
        let (mut slope, mut slope_low, mut curve_low, mut curve_high) = (0.0f64, 0.0f64, 0.0f64, 0.0f64);
        for (l, m) in mu.iter().enumerate() {
            let a = self.sign * self.a[l];
            let (u, v) = (a * x1.gone[l], a * x2.gone[l]);
            low += u.min(v);
            v1 += u;
            v2 += v;
            let (du, dv) = (a * m * x1.left[l], a * m * x2.left[l]);
            slope += du;
            slope_low += du.min(dv);
            curve_low -= (du * m).max(dv * m);
            curve_high -= (du * m).min(dv * m);
        }
        if x2.t.is_finite() {
            let h = x2.t - x1.t;
            low = low.max(v1.min(v2) - 0.125 * h * h * curve_high.max(0.0));
        }
        let floor = -3.0 * self.err;
        self.h0 + low > floor
            || (self.h0 + v1 >= floor && (slope_low >= 0.0 || (slope >= -self.slope_err && curve_low >= 0.0)))
    }
}

/// The earliest violation among `guards` for from <= t <= to (which may be infinite): its time and which guards are
/// violated then. None of them may be violated at `from`.
///
/// Bisection: an interval is dropped once every guard is clear on it, so nothing before the answer is missed
/// (up to the error bounds, and to time steps of 4e-15 relative). `None`: no guard is ever violated.
pub(super) fn first_violation(guards: &[Guard], mu: &[f64], from: f64, to: f64) -> Option<(f64, Vec<usize>)> {
    if mu.is_empty() || guards.is_empty() {
        return None;
    }
    let fastest = mu.iter().fold(0.0f64, |a, b| a.max(*b));
    let search = Search { guards, mu, fastest };
    let all: Vec<usize> = (0..guards.len()).collect();
    search.within(&all, &At::new(mu, from), &At::new(mu, to))
}

struct Search<'a> {
    guards: &'a [Guard<'a>],
    mu: &'a [f64],
    fastest: f64,
}

impl Search<'_> {
    fn within(&self, list: &[usize], x1: &At, x2: &At) -> Option<(f64, Vec<usize>)> {
        let open: Vec<usize> = list.iter().copied().filter(|&q| !self.guards[q].clear(self.mu, x1, x2)).collect();
        let tiny = x2.t.is_finite() && (x2.t - x1.t <= 4e-15 * x2.t || x2.t * self.fastest < 1e-16);
        if open.is_empty() || tiny {
            let violated = |q: &usize| self.guards[*q].value(x2) < -2.0 * self.guards[*q].err;
            let hit: Vec<usize> = list.iter().copied().filter(violated).collect();
            return (x2.t.is_finite() && !hit.is_empty()).then_some((x2.t, hit));
        }
        let middle = if !x2.t.is_finite() {
            if x1.left.iter().all(|p| *p < 1e-18) {
                return None; // settled: the limit itself lies within rounding of 0
            }
            (4.0 * x1.t).max(0.05 / self.fastest)
        } else if x1.t == 0.0 {
            0.125 * x2.t
        } else if x2.t > 8.0 * x1.t {
            (x1.t * x2.t).sqrt()
        } else {
            0.5 * (x1.t + x2.t)
        };
        let x = At::new(self.mu, middle);
        self.within(&open, x1, &x).or_else(|| self.within(&open, &x, x2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard(h0: f64, a: &[f64], err: f64) -> Guard<'_> {
        let a = Cow::Borrowed(a);
        Guard { j: 0, i: 0, kind: Kind::Fall, h0, sign: 1.0, a, err, slope_err: err }
    }

    #[test]
    fn finds_the_earlier_root_of_a_dip() {
        // h = 0.2 - 1 (1 - e^-3t) + (1 - e^-t) = e^-3t - e^-t + 0.2, least value 0.2 - 2/(3 sqrt 3) = -0.185
        let (mu, a) = ([3.0, 1.0], [-1.0, 1.0]);
        let (t, hit) = first_violation(&[guard(0.2, &a, 1e-16)], &mu, 0.0, f64::INFINITY).unwrap();
        // independent: with s = e^-t the first root solves s - s^3 = 0.2 on s > 1/sqrt 3
        let (mut lo, mut hi) = (1.0 / 3.0f64.sqrt(), 1.0);
        for _ in 0..100 {
            let s = 0.5 * (lo + hi);
            if s - s * s * s > 0.2 { lo = s } else { hi = s }
        }
        assert_eq!(hit, [0]);
        assert!((t + lo.ln()).abs() < 1e-13, "{t}");
    }

    #[test]
    fn proves_that_a_narrow_miss_never_hits() {
        let least = 2.0 / (3.0 * 3.0f64.sqrt());
        assert!(
            first_violation(&[guard(least + 1e-9, &[-1.0, 1.0], 1e-16)], &[3.0, 1.0], 0.0, f64::INFINITY).is_none()
        );
        assert!(
            first_violation(&[guard(least - 1e-9, &[-1.0, 1.0], 1e-16)], &[3.0, 1.0], 0.0, f64::INFINITY).is_some()
        );
    }

    #[test]
    fn a_limit_on_zero_is_no_violation() {
        assert!(first_violation(&[guard(1.0, &[-1.0], 1e-15)], &[2.0], 0.0, f64::INFINITY).is_none());
    }

    #[test]
    fn an_earlier_guard_wins_over_a_later_one() {
        let (first, second) = ([-2.0], [-1.5]);
        let gs = [guard(1.0, &second, 1e-16), guard(1.0, &first, 1e-16)];
        let (t, hit) = first_violation(&gs, &[1.0], 0.0, f64::INFINITY).unwrap();
        assert_eq!(hit, [1]);
        assert!((t - 2.0f64.ln()).abs() < 1e-13);
    }
}
