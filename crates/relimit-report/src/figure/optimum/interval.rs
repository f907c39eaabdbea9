//! The trace: the proved interval over nodes, and its relative width over seconds.

use relimit_solve::answer::{OptimumAnswer, TracePoint};

use crate::figure::canvas::{At, Canvas, Group, ink};
use crate::figure::plot::{LEFT, MARGIN, Plot, Point};
use crate::figure::scale::Scale;
use crate::number::{count, four, interval, percent};

/// Draws both panels and says what they show.
pub(super) fn draw(canvas: &mut Canvas, page: Plot, answer: &OptimumAnswer) -> String {
    let points: &[TracePoint] = answer.trace.as_deref().unwrap_or(&[]);
    let split = page.left + 0.5 * (page.right - page.left);
    let left = Plot { right: split - 8.0, ..page };
    let right = Plot { left: split + MARGIN + LEFT - 8.0, ..page };
    bounds(canvas, left, points);
    gaps(canvas, right, points);
    let last = points.last().map_or_else(String::new, |p| {
        format!(" After {} nodes, {} s: {}.", count(p.nodes), four(p.seconds), interval(p.lower, p.upper))
    });
    format!(
        "Left: objective of the network found (upper line) and proved lower bound of all networks (lower line) over the \
         nodes of the sign trees. Right: the gap between both over the seconds that so many nodes take.{last}"
    )
}

/// A logarithmic scale over counts that span two decades or more, else a linear one from 0.
fn counts(values: impl Iterator<Item = f64> + Clone, from: f64, to: f64) -> Scale {
    let low = 0.8 * values.clone().fold(f64::INFINITY, f64::min).max(1.0);
    let high = 1.25 * values.fold(1.0, f64::max);
    if high > 100.0 * low { Scale::log(low, high, low, from, to) } else { Scale::linear(0.0, high, from, to) }
}

fn bounds(canvas: &mut Canvas, plot: Plot, points: &[TracePoint]) {
    let x = counts(points.iter().map(|p| p.nodes as f64), plot.left, plot.right);
    let top = points.iter().map(|p| p.upper).fold(0.0, f64::max);
    let y = Scale::linear(0.0, 1.12 * top, plot.bottom, plot.top);
    canvas.group(Group::class("ink"), |pen| plot.axes(pen, &x, &y, ("nodes", "objective"), 5));
    let at = |f: &dyn Fn(&TracePoint) -> f64| -> Vec<Point> {
        points.iter().map(|p| (x.pixel(p.nodes as f64), y.pixel(f(p)))).collect()
    };
    let (upper, lower) = (at(&|p| p.upper), at(&|p| p.lower));
    canvas.group(Group { class: "ink", dash: None, title: Some("objective of the network found") }, |pen| {
        pen.line(&upper, ink::DATA, 1.5, 1.0);
    });
    canvas.group(Group { class: "bound", dash: None, title: Some("lower bound of every network") }, |pen| {
        pen.line(&lower, ink::BOUND, 1.5, 1.0);
    });
    for (p, at) in points.iter().zip(&lower) {
        let tip = format!("{} nodes: {}", count(p.nodes), interval(p.lower, p.upper));
        canvas.group(Group { class: "bound", dash: None, title: Some(&tip) }, |pen| pen.dot(*at, 3.0, ink::BOUND));
    }
    let (Some(p), Some(a), Some(b)) = (points.first(), upper.first(), lower.last()) else { return };
    canvas.group(Group::class("ink"), |pen| {
        pen.text((a.0 + 4.0, a.1 - 11.0), At::Left, 12.0, ink::DATA, &format!("network found {}", four(p.upper)));
    });
    canvas.group(Group::class("bound"), |pen| {
        pen.text((b.0, b.1 + 16.0), At::Right, 12.0, ink::BOUND_TEXT, "no network is below");
    });
}

fn gaps(canvas: &mut Canvas, plot: Plot, points: &[TracePoint]) {
    let share = |p: &TracePoint| if p.upper > 0.0 { 100.0 * (p.upper - p.lower).max(0.0) / p.upper } else { 0.0 };
    let longest = points.iter().map(|p| p.seconds).fold(0.0, f64::max);
    let x = Scale::linear(0.0, 1.06 * longest, plot.left, plot.right);
    let most = points.iter().map(share).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let y = Scale::linear(0.0, 1.06 * most, plot.bottom, plot.top);
    let name = ("seconds", "gap, % of the objective");
    canvas.group(Group::class("ink"), |pen| plot.axes(pen, &x, &y, name, 5));
    let line: Vec<Point> = points.iter().map(|p| (x.pixel(p.seconds), y.pixel(share(p)))).collect();
    canvas.group(Group { class: "bound", dash: None, title: Some("relative gap") }, |pen| {
        pen.line(&line, ink::BOUND, 1.5, 1.0);
    });
    for (p, at) in points.iter().zip(&line) {
        let tip = format!("{} s: {}", four(p.seconds), percent(share(p) / 100.0));
        canvas.group(Group { class: "bound", dash: None, title: Some(&tip) }, |pen| pen.dot(*at, 3.0, ink::BOUND));
    }
    if let (Some(p), Some(at)) = (points.last(), line.last()) {
        canvas.group(Group::class("bound"), |pen| {
            let text = format!("{} after {} s", percent(share(p) / 100.0), four(p.seconds));
            let y = if at.1 - 14.0 < plot.top { at.1 + 16.0 } else { at.1 - 14.0 };
            pen.text((at.0 + 4.0, y), At::Right, 12.0, ink::BOUND_TEXT, &text);
        });
    }
}
