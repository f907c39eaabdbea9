//! The gap to the minimum norm against the dimension, with the line that theory predicts.

use super::Figure;
use super::canvas::{At, Canvas, Group, ink, lines};
use crate::number::{four, power_of_ten};

/// One dimension of a sweep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GapPoint {
    /// Dimension d (or another size on the horizontal axis).
    pub d: f64,
    /// Mean absolute gap.
    pub gap: f64,
    /// Lower end of its interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Predicted gap, leading order.
    pub predicted: f64,
}

const WIDTH: f64 = 800.0;
const HEIGHT: f64 = 400.0;

/// Log-log picture of gap against d: points with intervals, theory line, fitted slope in the headline.
///
/// Panics on points that are not positive; needs two or more.
pub fn gap_against_d(points: &[GapPoint], setting: &str) -> Figure {
    assert!(points.len() >= 2, "{} points make no line", points.len());
    for p in points {
        let positive = p.d > 0.0 && p.gap > 0.0 && p.low > 0.0 && p.predicted > 0.0;
        assert!(positive && p.low <= p.gap && p.gap <= p.high, "a log-log point needs 0 < low <= gap <= high: {p:?}");
    }
    let slope = slope(points);
    let title = format!("The gap to the minimum norm goes as d to the power {slope:.2}; theory says -0.5.");
    let caption = format!(
        "Distance of the limit of gradient descent to the minimum-norm network against the dimension d ({setting}). \
         Points: mean with interval; line: leading order |y_silent| / (C sqrt(tau)). Fitted slope {}, theory -0.5.",
        four(slope)
    );
    let (left, right, top, bottom) = (78.0, WIDTH - 100.0, 76.0, HEIGHT - 56.0);
    let x = Log::around(points.iter().map(|p| p.d), left, right);
    let y = Log::around(points.iter().flat_map(|p| [p.low, p.high, p.predicted]), bottom, top);
    let mut canvas = Canvas::new(WIDTH, HEIGHT);
    canvas.group(Group::class("ink"), |pen| {
        for (k, line) in lines(&title, 15.0, WIDTH - 32.0).iter().enumerate() {
            pen.text((16.0, 24.0 + 20.0 * k as f64), At::Left, 15.0, ink::DATA, line);
        }
        pen.text((16.0, top - 16.0), At::Left, 12.0, ink::DATA, "gap to the minimum norm (units of the weights)");
        pen.text((0.5 * (left + right), HEIGHT - 16.0), At::Middle, 12.0, ink::DATA, "dimension d");
        pen.segment((left, top), (left, bottom), ink::DATA, 1.0);
        pen.segment((left, bottom), (right, bottom), ink::DATA, 1.0);
        for (v, text) in x.ticks() {
            let length = if text.is_empty() { 2.0 } else { 4.0 };
            pen.segment((x.pixel(v), bottom), (x.pixel(v), bottom + length), ink::DATA, 1.0);
            pen.text((x.pixel(v), bottom + 14.0), At::Middle, 12.0, ink::DATA, &text);
        }
        for (v, text) in y.ticks() {
            let length = if text.is_empty() { 2.0 } else { 4.0 };
            pen.segment((left - length, y.pixel(v)), (left, y.pixel(v)), ink::DATA, 1.0);
            pen.text((left - 8.0, y.pixel(v)), At::Right, 12.0, ink::DATA, &text);
        }
    });
    let end = points
        .iter()
        .max_by(|a, b| a.d.total_cmp(&b.d))
        .map_or((right, bottom), |p| (x.pixel(p.d), y.pixel(p.predicted)));
    canvas.group(Group { class: "bound", dash: Some((6.0, 3.5)), title: Some("theory, leading order") }, |pen| {
        let mut sorted = points.to_vec();
        sorted.sort_by(|a, b| a.d.total_cmp(&b.d));
        let path: Vec<(f64, f64)> = sorted.iter().map(|p| (x.pixel(p.d), y.pixel(p.predicted))).collect();
        pen.line(&path, ink::BOUND, 1.5, 1.0);
    });
    canvas.group(Group::class("bound"), |pen| {
        pen.text((end.0 + 10.0, end.1 - 10.0), At::Left, 12.0, ink::BOUND_TEXT, "theory");
    });
    for p in points {
        let tip = format!("d {}: gap {} in [{}, {}]", four(p.d), four(p.gap), four(p.low), four(p.high));
        canvas.group(Group { class: "ink", dash: None, title: Some(&tip) }, |pen| {
            let at = x.pixel(p.d);
            pen.segment((at, y.pixel(p.low)), (at, y.pixel(p.high)), ink::DATA, 1.5);
            pen.ring((at, y.pixel(p.gap)), 3.0, ink::DATA);
        });
    }
    canvas.group(Group::class("ink"), |pen| {
        if let Some(p) = points.iter().max_by(|a, b| a.d.total_cmp(&b.d)) {
            pen.text((end.0 + 10.0, y.pixel(p.gap) + 10.0), At::Left, 12.0, ink::DATA, "measured");
        }
    });
    Figure { svg: canvas.finish(&title, &caption), title, caption }
}

/// Least-squares slope of log gap against log d.
fn slope(points: &[GapPoint]) -> f64 {
    let n = points.len() as f64;
    let (mx, my) = points.iter().fold((0.0, 0.0), |(a, b), p| (a + p.d.ln() / n, b + p.gap.ln() / n));
    let (top, bottom) = points.iter().fold((0.0, 0.0), |(a, b), p| {
        let dx = p.d.ln() - mx;
        (a + dx * (p.gap.ln() - my), b + dx * dx)
    });
    top / bottom
}

/// A logarithmic scale without 0.
struct Log {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Log {
    /// Covers the values with 5 % of room at both ends.
    fn around(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let (low, high) = values.fold((f64::INFINITY, 0.0f64), |(a, b), v| (a.min(v), b.max(v)));
        let pad = (high / low).powf(0.05).max(1.02);
        Self { low: low / pad, high: high * pad, from, to }
    }

    fn pixel(&self, v: f64) -> f64 {
        self.from + (v / self.low).ln() / (self.high / self.low).ln() * (self.to - self.from)
    }

    /// Powers of ten named, 2 to 9 small; when less than one power is inside, 1, 2 and 5 times powers are named.
    fn ticks(&self) -> Vec<(f64, String)> {
        let (first, last) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
        let inside = |v: &f64| *v >= self.low && *v <= self.high;
        let powers = (first..=last).filter(|k| inside(&10f64.powi(*k))).count();
        let mut out = Vec::new();
        for k in first..=last {
            for digit in 1..10 {
                let v = f64::from(digit) * 10f64.powi(k);
                let named = if powers >= 3 { digit == 1 } else { [1, 2, 5].contains(&digit) };
                let text = match (named, digit) {
                    (false, _) => String::new(),
                    (true, 1) => power_of_ten(k),
                    (true, _) => format!("{digit}·{}", power_of_ten(k)),
                };
                if inside(&v) {
                    out.push((v, text));
                }
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slope_of_an_exact_power() {
        let point = |d: f64| GapPoint {
            d,
            gap: 2.0 / d.sqrt(),
            low: 1.9 / d.sqrt(),
            high: 2.1 / d.sqrt(),
            predicted: 2.0 / d.sqrt(),
        };
        let points: Vec<GapPoint> = [1e3, 2e3, 4e3, 8e3].map(point).to_vec();
        assert!((slope(&points) + 0.5).abs() < 1e-12);
        let figure = gap_against_d(&points, "n = 20");
        assert!(figure.title.contains("power -0.50;"), "{}", figure.title);
    }

    #[test]
    fn few_decades_still_have_named_ticks() {
        let named = |low: f64, high: f64| {
            Log { low, high, from: 0.0, to: 1.0 }
                .ticks()
                .into_iter()
                .map(|t| t.1)
                .filter(|t| !t.is_empty())
                .collect::<Vec<_>>()
        };
        assert_eq!(named(900.0, 17_000.0), ["10³", "2·10³", "5·10³", "10⁴"]);
        assert_eq!(named(0.004, 0.03), ["5·10⁻³", "10⁻²", "2·10⁻²"]);
    }
}
