//! Two features: rows over the shaded levels of the fitted function, and the creases of its neurons.

use relimit_core::num::Mat;
use relimit_solve::answer::OptimumAnswer;

use super::Fit;
use crate::figure::canvas::{At, Canvas, Colour, Group, Pen, ink};
use crate::figure::plot::{Frame, MARGIN, Plot, Point, TEXT, range};
use crate::figure::scale::Scale;
use crate::text::short;

/// Shaded cells across and down.
const CELLS: (usize, usize) = (96, 48);
/// Steps of the bar of levels.
const STEPS: usize = 40;
/// Right of the plot: the bar and its labels.
const BAR: f64 = 96.0;

/// Draws the panel and says what it shows.
pub(super) fn draw(canvas: &mut Canvas, page: Plot, answer: &OptimumAnswer, fit: &Fit<'_>) -> String {
    let plot = Plot { right: page.right - BAR, ..page };
    let column = |k: usize| (0..fit.x.rows()).map(|i| fit.x[(i, k)]).collect::<Vec<f64>>();
    let x = range(&column(0), false, plot.left, plot.right);
    let y = range(&column(1), false, plot.bottom, plot.top);
    let frame = Frame { x, y, plot };
    let grid = Grid::new(&frame, fit);
    grid.shade(canvas, &frame);
    grid.contours(canvas, &frame);
    creases(canvas, &frame, fit);
    rows(canvas, &frame, fit);
    bar(canvas, plot, &grid, fit);
    canvas.group(Group::class("ink"), |pen| {
        plot.axes(pen, &frame.x, &frame.y, (&short(&fit.features[0], 40), &short(&fit.features[1], 40)), 5);
    });
    canvas.group(Group::class("muted"), |pen| {
        let text = "dots: rows, rings where the label lies below the fit; lines: creases, dashed where c < 0";
        pen.text((MARGIN, plot.top - 38.0), At::Left, 11.0, ink::MUTED_TEXT, text);
    });
    format!(
        "Shading and thin lines are levels of the fitted function; its {} creases (thick, dashed where c < 0) are where a \
         neuron switches. Dots are rows whose label lies on or above the fit, rings rows below it.",
        answer.width
    )
}

/// Values of the fit at the corners of the cells.
struct Grid {
    at: Vec<f64>,
    up: Vec<f64>,
    f: Mat,
    low: f64,
    high: f64,
}

impl Grid {
    fn new(frame: &Frame, fit: &Fit<'_>) -> Self {
        let steps = |(low, high): (f64, f64), k: usize| -> Vec<f64> {
            (0..=k).map(|i| low + (high - low) * i as f64 / k as f64).collect()
        };
        let (at, up) = (steps(frame.x.ends(), CELLS.0), steps(frame.y.ends(), CELLS.1));
        let f = Mat::from_fn(at.len(), up.len(), |i, k| fit.at(&[at[i], up[k]]));
        let (low, high) =
            f.as_slice().iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(*v), b.max(*v)));
        Self { at, up, f, low, high }
    }

    fn colour(&self, value: f64) -> Colour {
        shade(if self.high > self.low { (value - self.low) / (self.high - self.low) } else { 0.0 })
    }

    /// Neighbours of one shade in a row are one rectangle.
    fn shade(&self, canvas: &mut Canvas, frame: &Frame) {
        canvas.group(Group::class("shade"), |pen| {
            for k in (0..CELLS.1).rev() {
                let top = frame.y.pixel(self.up[k + 1]);
                let bottom = (frame.y.pixel(self.up[k]) + 0.8).min(frame.plot.bottom);
                let of = |i: usize| {
                    self.colour(
                        0.25 * (self.f[(i, k)] + self.f[(i + 1, k)] + self.f[(i, k + 1)] + self.f[(i + 1, k + 1)]),
                    )
                };
                let mut from = 0;
                for i in 1..=CELLS.0 {
                    if i == CELLS.0 || of(i) != of(from) {
                        let (left, right) = (frame.x.pixel(self.at[from]), frame.x.pixel(self.at[i]));
                        // a little over the neighbours, so that no seam shows
                        pen.rect((left, top), ((right + 0.8).min(frame.plot.right), bottom), of(from));
                        from = i;
                    }
                }
            }
        });
    }

    /// Levels at round numbers, linear within each half of a cell.
    fn contours(&self, canvas: &mut Canvas, frame: &Frame) {
        for (level, text) in self.levels() {
            let title = format!("level {text}");
            canvas.group(Group { class: "shade", dash: None, title: Some(&title) }, |pen| {
                for i in 0..CELLS.0 {
                    for k in 0..CELLS.1 {
                        let corner = |a: usize, b: usize| ((self.at[a], self.up[b]), self.f[(a, b)]);
                        let (p, q, r, s) = (corner(i, k), corner(i + 1, k), corner(i + 1, k + 1), corner(i, k + 1));
                        for triangle in [[p, q, r], [p, r, s]] {
                            crossing(pen, frame, &triangle, level);
                        }
                    }
                }
            });
        }
    }

    fn levels(&self) -> Vec<(f64, String)> {
        if self.high > self.low { Scale::linear(self.low, self.high, 0.0, 1.0).ticks(8) } else { vec![] }
    }
}

fn shade(share: f64) -> Colour {
    ink::mix(ink::LOW, ink::HIGH, (share * STEPS as f64).round() / STEPS as f64)
}

/// The piece of a level inside a triangle.
fn crossing(pen: &mut Pen<'_>, frame: &Frame, triangle: &[(Point, f64); 3], level: f64) {
    let mut ends = Vec::with_capacity(2);
    for k in 0..3 {
        let ((a, f), (b, g)) = (triangle[k], triangle[(k + 1) % 3]);
        if (f < level) != (g < level) {
            let t = (level - f) / (g - f);
            ends.push(frame.pixel((a.0 + t * (b.0 - a.0), a.1 + t * (b.1 - a.1))));
        }
    }
    if let [a, b] = ends[..] {
        pen.segment(a, b, ink::MUTED_TEXT, 0.6);
    }
}

/// Where neurons switch: w . x + b = 0.
fn creases(canvas: &mut Canvas, frame: &Frame, fit: &Fit<'_>) {
    let net = fit.network;
    for j in 0..net.width() {
        let (w, b, c) = (net.w.row(j), net.b[j], net.c[(0, j)]);
        // The axis along which the crease can be solved for.
        let (k, (low, high)) = if w[1].abs() * span(frame.y.ends()) >= w[0].abs() * span(frame.x.ends()) {
            (1, frame.x.ends())
        } else {
            (0, frame.y.ends())
        };
        if w[k] == 0.0 {
            continue;
        }
        let point = |t: f64| {
            let other = -(w[1 - k] * t + b) / w[k];
            if k == 1 { (t, other) } else { (other, t) }
        };
        let (colour, class, dash) =
            if c > 0.0 { (ink::POSITIVE, "crease", None) } else { (ink::NEGATIVE, "crease", Some((7.0, 4.0))) };
        let title = format!("crease of a neuron with c {} 0", if c > 0.0 { ">" } else { "<" });
        canvas.group(Group { class, dash, title: Some(&title) }, |pen| {
            frame.through(pen, point(low), point(high), colour, 2.0);
        });
    }
}

fn span((low, high): (f64, f64)) -> f64 {
    high - low
}

/// The rows: a dot on or above the fit, a ring below it.
fn rows(canvas: &mut Canvas, frame: &Frame, fit: &Fit<'_>) {
    let radius = if fit.y.len() > 150 { 2.0 } else { 3.2 };
    canvas.group(Group::class("mark"), |pen| {
        for (i, y) in fit.y.iter().enumerate() {
            let (row, at) = (fit.x.row(i), frame.pixel((fit.x[(i, 0)], fit.x[(i, 1)])));
            if *y >= fit.at(row) {
                pen.dot(at, radius, ink::DATA);
            } else {
                pen.ring(at, radius, ink::DATA);
            }
        }
    });
}

/// The bar of levels with their labels.
fn bar(canvas: &mut Canvas, plot: Plot, grid: &Grid, fit: &Fit<'_>) {
    let (left, right) = (plot.right + 18.0, plot.right + 32.0);
    let scale = Scale::linear(grid.low, grid.high, plot.bottom, plot.top);
    canvas.group(Group::class("shade"), |pen| {
        let height = (plot.bottom - plot.top) / STEPS as f64;
        for k in 0..STEPS {
            let bottom = plot.bottom - height * k as f64;
            let share = (k as f64 + 0.5) / STEPS as f64;
            pen.rect((left, bottom - height - 0.1), (right, bottom), shade(share));
        }
    });
    canvas.group(Group::class("ink"), |pen| {
        for (level, text) in grid.levels() {
            let y = scale.pixel(level);
            pen.segment((right, y), (right + 3.0, y), ink::DATA, 1.0);
            pen.text((right + 6.0, y), At::Left, 11.0, ink::DATA, &text);
        }
        pen.text((left, plot.top - 18.0), At::Left, TEXT, ink::DATA, &short(fit.target, 12));
    });
}
