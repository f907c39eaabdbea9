//! What pictures with axes share: the panel, its scales, headline and subtitle.

use super::canvas::{At, Canvas, Colour, Group, Pen, ink, text_width};
use super::scale::{Scale, Tick};

pub(super) const WIDTH: f64 = 800.0;
pub(super) const HEIGHT: f64 = 430.0;
pub(super) const MARGIN: f64 = 16.0;
/// Left of a plot: tick labels.
pub(super) const LEFT: f64 = 58.0;
pub(super) const TEXT: f64 = 12.0;

/// A place in data or in pixels.
pub(super) type Point = (f64, f64);

/// Headline lines and the subtitle under them.
pub(super) fn write_head(canvas: &mut Canvas, head: &[String], subtitle: &str) {
    canvas.group(Group::class("ink"), |pen| {
        for (k, line) in head.iter().enumerate() {
            pen.text((MARGIN, MARGIN + 8.0 + 20.0 * k as f64), At::Left, 15.0, ink::DATA, line);
        }
    });
    canvas.group(Group::class("muted"), |pen| {
        let y = MARGIN + 8.0 + 20.0 * head.len() as f64;
        pen.text((MARGIN, y), At::Left, TEXT, ink::MUTED_TEXT, subtitle);
    });
}

/// Edges of a plotting area in pixels.
#[derive(Clone, Copy)]
pub(super) struct Plot {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

impl Plot {
    /// Axis lines, ticks (about `rows` on the vertical axis) and names; the name of the vertical axis stands above it.
    pub(super) fn axes(self, pen: &mut Pen<'_>, x: &Scale, y: &Scale, names: (&str, &str), rows: usize) {
        self.across(pen, x, names.0);
        self.up(pen, y, y.ticks(rows), names.1);
    }

    /// The horizontal axis alone.
    fn across(self, pen: &mut Pen<'_>, x: &Scale, name: &str) {
        pen.segment((self.left, self.bottom), (self.right, self.bottom), ink::DATA, 1.0);
        for (value, text) in x.ticks(((self.right - self.left) / 60.0) as usize) {
            let at = x.pixel(value);
            pen.segment((at, self.bottom), (at, self.bottom + 4.0), ink::DATA, 1.0);
            // the last one is moved in where it would leave the picture
            let place = at.min(WIDTH - 3.0 - 0.5 * text_width(&text, TEXT));
            pen.text((place, self.bottom + 13.0), At::Middle, TEXT, ink::DATA, &text);
        }
        let middle = 0.5 * (self.left + self.right);
        pen.text((middle, self.bottom + 33.0), At::Middle, TEXT, ink::DATA, name);
    }

    /// The vertical axis alone, with the ticks given.
    fn up(self, pen: &mut Pen<'_>, y: &Scale, ticks: Vec<Tick>, name: &str) {
        pen.segment((self.left, self.top), (self.left, self.bottom), ink::DATA, 1.0);
        for (value, text) in ticks {
            let at = y.pixel(value);
            pen.segment((self.left - 4.0, at), (self.left, at), ink::DATA, 1.0);
            pen.text((self.left - 7.0, at), At::Right, TEXT, ink::DATA, &text);
        }
        pen.text((self.left - LEFT + 8.0, self.top - 18.0), At::Left, TEXT, ink::DATA, name);
    }

    /// Axes of angles: the horizontal one as in [`Plot::axes`], degrees every quarter turn on the vertical one.
    pub(super) fn degrees(self, pen: &mut Pen<'_>, x: &Scale, y: &Scale, names: (&str, &str)) {
        self.across(pen, x, names.0);
        let ticks = [-180, -90, 0, 90, 180].map(|v: i32| (f64::from(v), v.to_string().replace('-', "−")));
        self.up(pen, y, ticks.to_vec(), names.1);
    }
}

/// Scales of a panel.
pub(super) struct Frame {
    pub(super) x: Scale,
    pub(super) y: Scale,
    pub(super) plot: Plot,
}

impl Frame {
    pub(super) fn pixel(&self, p: Point) -> Point {
        (self.x.pixel(p.0), self.y.pixel(p.1))
    }

    /// The part inside the plot of the line through two points.
    pub(super) fn through(&self, pen: &mut Pen<'_>, a: Point, b: Point, colour: Colour, width: f64) {
        let (a, b) = (self.pixel(a), self.pixel(b));
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        // a + t (b - a) is inside for t in [low, high] (Liang and Barsky)
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        let p = self.plot;
        for (d, from, to) in [(dx, p.left - a.0, p.right - a.0), (dy, p.top - a.1, p.bottom - a.1)] {
            if d == 0.0 {
                continue;
            }
            let (s, t) = (from / d, to / d);
            low = low.max(s.min(t));
            high = high.min(s.max(t));
        }
        if low < high && low.is_finite() && high.is_finite() {
            let at = |t: f64| (a.0 + t * dx, a.1 + t * dy);
            pen.segment(at(low), at(high), colour, width);
        }
    }
}

/// A scale over values with a margin, 0 included on request.
pub(super) fn range(values: &[f64], zero: bool, from: f64, to: f64) -> Scale {
    let start = if zero { (0.0, 0.0) } else { (f64::INFINITY, f64::NEG_INFINITY) };
    let (low, high) = values.iter().fold(start, |(a, b), v| (a.min(*v), b.max(*v)));
    let pad = 0.08 * (high - low);
    Scale::linear(low - pad, high + pad, from, to)
}
