//! One feature: rows, the fitted function, its kinks and the slopes between them.

use relimit_solve::answer::OptimumAnswer;

use super::Fit;
use crate::figure::canvas::{At, Canvas, Group, ink, text_width};
use crate::figure::plot::{Frame, MARGIN, Plot, Point, TEXT, range};
use crate::figure::thin::dots;
use crate::number::{count, four};
use crate::text::short;

/// Kinks whose vertical guides are drawn.
const GUIDED: usize = 40;
/// Size of the slopes above the plot.
const SMALL: f64 = 11.0;

/// Draws the panel and says what it shows.
pub(super) fn draw(canvas: &mut Canvas, plot: Plot, answer: &OptimumAnswer, fit: &Fit<'_>) -> String {
    let xs = fit.x.as_slice();
    let x = range(xs, false, plot.left, plot.right);
    let (low, high) = x.ends();
    let kinks: Vec<f64> = answer.kinks.iter().flatten().copied().filter(|v| (low..=high).contains(v)).collect();
    let place = |v: f64| (v, fit.at(&[v]));
    let corners: Vec<Point> = kinks.iter().map(|v| place(*v)).collect();
    let curve: Vec<Point> = std::iter::once(place(low)).chain(corners.iter().copied()).chain([place(high)]).collect();
    let heights: Vec<f64> = fit.y.iter().copied().chain(curve.iter().map(|p| p.1)).collect();
    let frame = Frame { x, y: range(&heights, false, plot.bottom, plot.top), plot };
    if corners.len() <= GUIDED {
        canvas.group(Group { class: "muted", dash: Some((3.0, 3.0)), title: None }, |pen| {
            for p in &corners {
                let at = frame.pixel(*p);
                pen.segment((at.0, plot.top - 14.0), (at.0, plot.bottom), ink::FAINT, 1.0);
            }
        });
    }
    canvas.group(Group::class("ink"), |pen| {
        plot.axes(pen, &frame.x, &frame.y, (&short(&fit.features[0], 40), ""), 5);
        pen.text((MARGIN, plot.top - 28.0), At::Left, TEXT, ink::DATA, &short(fit.target, 40));
    });
    let radius = if xs.len() > 150 { 2.0 } else { 3.0 };
    let title = format!("{} rows", count(xs.len() as u64));
    canvas.group(Group { class: "dots", dash: None, title: Some(&title) }, |pen| {
        for at in dots(xs.iter().zip(fit.y).map(|(a, b)| frame.pixel((*a, *b)))) {
            pen.dot(at, radius, ink::MUTED_TEXT);
        }
    });
    canvas.group(Group { class: "pos", dash: None, title: Some("the fitted function") }, |pen| {
        let path: Vec<Point> = curve.iter().map(|p| frame.pixel(*p)).collect();
        pen.line(&path, ink::POSITIVE, 2.0, 1.0);
    });
    for p in &corners {
        let title = format!("kink at {}", four(p.0));
        canvas.group(Group { class: "neg", dash: None, title: Some(&title) }, |pen| {
            let at = frame.pixel(*p);
            pen.ring(at, 4.0, ink::NEGATIVE);
            pen.segment((at.0, plot.bottom), (at.0, plot.bottom - 8.0), ink::NEGATIVE, 2.0);
        });
    }
    slopes(canvas, &frame, &curve);
    format!(
        "Dots are the rows, the line is the fitted function, rings and ticks on the axis are its {} kinks; above the \
         plot, the slope of each piece.",
        corners.len()
    )
}

/// The slope of each piece that is wide enough, above the plot.
fn slopes(canvas: &mut Canvas, frame: &Frame, curve: &[Point]) {
    let at = frame.plot.top - 9.0;
    canvas.group(Group::class("muted"), |pen| {
        for w in curve.windows(2) {
            let (a, b) = (frame.pixel(w[0]), frame.pixel(w[1]));
            let slope = (w[1].1 - w[0].1) / (w[1].0 - w[0].0);
            let mut text = four(slope).replace('-', "−");
            if w[0] == curve[0] {
                text = format!("slope {text}");
            }
            if slope.is_finite() && text_width(&text, SMALL) + 6.0 <= b.0 - a.0 {
                pen.text((0.5 * (a.0 + b.0), at), At::Middle, SMALL, ink::MUTED_TEXT, &text);
            }
        }
    });
}
