//! Scales and their ticks: linear, and logarithmic with a linear piece around 0.

use crate::number::{count, four, power_of_ten};

/// Maps values to pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    /// Below this magnitude a logarithmic scale is linear; `None` for a linear scale.
    threshold: Option<f64>,
    from: f64,
    to: f64,
}

/// A tick: value, label (empty for a small tick).
pub(super) type Tick = (f64, String);

impl Scale {
    /// A linear scale over [low, high], widened when that is a single point.
    pub(super) fn linear(low: f64, high: f64, from: f64, to: f64) -> Self {
        let (low, high) = if low < high { (low, high) } else { (low - 0.5, low + 0.5) };
        Self { low, high, threshold: None, from, to }
    }

    /// A scale that is linear within +-threshold (one decade wide) and logarithmic outside: it can show 0.
    pub(super) fn log(low: f64, high: f64, threshold: f64, from: f64, to: f64) -> Self {
        assert!(threshold > 0.0 && low < high, "log scale over [{low}, {high}] with threshold {threshold}");
        Self { low, high, threshold: Some(threshold), from, to }
    }

    /// The lowest and the highest value.
    pub(super) fn ends(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    /// Whether the scale is logarithmic.
    pub(super) fn is_log(&self) -> bool {
        self.threshold.is_some()
    }

    /// The power of ten from which the scale is logarithmic.
    pub(super) fn log_from(&self) -> Option<i32> {
        self.threshold.map(|t| t.log10().round() as i32)
    }

    /// The pixel of a value.
    pub(super) fn pixel(&self, v: f64) -> f64 {
        let (a, b) = (self.warp(self.low), self.warp(self.high));
        self.from + (self.warp(v) - a) / (b - a) * (self.to - self.from)
    }

    fn warp(&self, v: f64) -> f64 {
        match self.threshold {
            Some(t) if v.abs() > t => v.signum() * (1.0 + (v.abs() / t).log10()),
            Some(t) => v / t,
            None => v,
        }
    }

    /// Ticks at round numbers (linear, about `wanted` of them) or at powers of ten and 0 (logarithmic).
    pub(super) fn ticks(&self, wanted: usize) -> Vec<Tick> {
        match self.threshold {
            None => self.round_ticks(wanted),
            Some(t) => self.power_ticks(t, wanted),
        }
    }

    fn round_ticks(&self, wanted: usize) -> Vec<Tick> {
        let step = round_step((self.high - self.low) / wanted as f64);
        // a range that is not finite, or so small that no round number lies in it
        if !step.is_normal() {
            return vec![];
        }
        let first = (self.low / step - 1e-9).ceil() as i64;
        let last = (self.high / step + 1e-9).floor() as i64;
        (first..=last).map(|k| (k as f64 * step, label(k as f64 * step, step))).collect()
    }

    fn power_ticks(&self, threshold: f64, wanted: usize) -> Vec<Tick> {
        let first = threshold.log10().round() as i32;
        let top = self.low.abs().max(self.high.abs());
        let last = (top.log10() + 1e-9).floor() as i32;
        let sides = if self.low < 0.0 && self.high > 0.0 { 2 } else { 1 };
        let decades = (last - first + 1).max(1) as usize * sides;
        let fits = |every: &i32| decades <= *every as usize * wanted.max(2);
        let every = [1, 2, 3, 5, 10, 20, 50].into_iter().find(fits).unwrap_or(100);
        let inside = |v: f64| v >= self.low - 1e-9 * top && v <= self.high + 1e-9 * top;
        let mut out: Vec<Tick> = Vec::new();
        if inside(0.0) {
            out.push((0.0, "0".to_owned()));
        }
        for k in first..=last {
            for sign in [1.0, -1.0] {
                let power = sign * 10f64.powi(k);
                if inside(power) {
                    let text = if k % every == 0 { power_of_ten(k) } else { String::new() };
                    let minus = if sign < 0.0 && !text.is_empty() { "−" } else { "" };
                    out.push((power, format!("{minus}{text}")));
                }
                if decades <= 8 {
                    out.extend(
                        (2..10).map(|d| f64::from(d) * power).filter(|v| inside(*v)).map(|v| (v, String::new())),
                    );
                }
            }
        }
        out.sort_by(|a, b| a.0.total_cmp(&b.0));
        out
    }
}

/// The smallest of 1, 2, 5 times a power of ten that is at least `least`.
fn round_step(least: f64) -> f64 {
    let power = 10f64.powi(least.log10().floor() as i32);
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|k| k * power).find(|s| *s >= least * (1.0 - 1e-9)).unwrap_or(10.0 * power)
}

/// A tick label with the decimals that its step needs and a true minus sign.
fn label(v: f64, step: f64) -> String {
    digits(v, step).replace('-', "−")
}

fn digits(v: f64, step: f64) -> String {
    let large = v.abs() >= 1e5;
    if step >= 1.0 && !large {
        let text = count(v.abs().round() as u64);
        return if v < 0.0 { format!("-{text}") } else { text };
    }
    if large || step < 1e-3 {
        return four(v);
    }
    let decimals = (-step.log10()).ceil().max(0.0) as usize;
    let text = format!("{v:.decimals$}");
    if text.trim_start_matches('-').chars().all(|c| c == '0' || c == '.') { "0".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: &Scale, wanted: usize) -> Vec<String> {
        scale.ticks(wanted).into_iter().map(|t| t.1).filter(|t| !t.is_empty()).collect()
    }

    #[test]
    fn linear_ticks_are_round() {
        assert_eq!(labels(&Scale::linear(-0.4, 2.1, 0.0, 1.0), 5), ["0", "0.5", "1.0", "1.5", "2.0"]);
        assert_eq!(labels(&Scale::linear(0.0, 60.0, 0.0, 1.0), 6), ["0", "10", "20", "30", "40", "50", "60"]);
        assert_eq!(labels(&Scale::linear(-2e6, 2e6, 0.0, 1.0), 4), ["−2e6", "−1e6", "0", "1e6", "2e6"]);
        assert_eq!(labels(&Scale::linear(3.0, 3.0, 0.0, 1.0), 2), ["2.5", "3.0", "3.5"]);
        assert!(labels(&Scale::linear(0.0, 1e-322, 0.0, 1.0), 5).is_empty());
        assert!(labels(&Scale::linear(f64::NEG_INFINITY, f64::INFINITY, 0.0, 1.0), 5).is_empty());
    }

    #[test]
    fn log_ticks_are_powers_with_0_in_place() {
        let steps = Scale::log(0.0, 1e6, 1.0, 0.0, 700.0);
        assert_eq!(labels(&steps, 8), ["0", "10⁰", "10¹", "10²", "10³", "10⁴", "10⁵", "10⁶"]);
        assert!((steps.pixel(0.0)).abs() < 1e-9 && (steps.pixel(1.0) - 100.0).abs() < 1e-9);
        assert!((steps.pixel(1e6) - 700.0).abs() < 1e-9 && (steps.pixel(1e3) - 400.0).abs() < 1e-9);
        let wide = Scale::log(-1e12, 1e12, 1.0, 0.0, 100.0);
        assert_eq!(labels(&wide, 6), ["−10¹⁰", "−10⁵", "−10⁰", "0", "10⁰", "10⁵", "10¹⁰"]);
    }

    #[test]
    fn pixels_keep_order() {
        for scale in [Scale::linear(-3.0, 5.0, 10.0, 90.0), Scale::log(-3.0, 500.0, 0.1, 10.0, 90.0)] {
            let mut last = f64::NEG_INFINITY;
            for k in 0..=100 {
                let p = scale.pixel(-3.0 + 0.08 * f64::from(k));
                assert!(p > last && (10.0..=90.0 + 1e-9).contains(&p));
                last = p;
            }
        }
    }
}
