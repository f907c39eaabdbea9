//! One feature: rows, the trained function, the kinks of its groups and those of the optimum.

use relimit_solve::answer::TrainAnswer;

use crate::figure::Fit;
use crate::figure::canvas::{At, Canvas, Group, ink};
use crate::figure::plot::{Frame, MARGIN, Plot, Point, TEXT, range};
use crate::number::{count, four};
use crate::text::short;

/// Places at which the function is drawn.
const PLACES: usize = 481;

/// Draws the panel and says what it shows.
pub(super) fn draw(canvas: &mut Canvas, plot: Plot, answer: &TrainAnswer, fit: &Fit<'_>) -> String {
    let xs = fit.x.as_slice();
    let x = range(xs, false, plot.left, plot.right);
    let (low, high) = x.ends();
    let at = |k: usize| low + (high - low) * k as f64 / (PLACES - 1) as f64;
    let curve: Vec<Point> = (0..PLACES).map(|k| (at(k), fit.at(&[at(k)]))).collect();
    let heights: Vec<f64> = fit.y.iter().copied().chain(curve.iter().map(|p| p.1)).collect();
    let frame = Frame { x, y: range(&heights, false, plot.bottom, plot.top), plot };
    canvas.group(Group::class("ink"), |pen| {
        plot.axes(pen, &frame.x, &frame.y, (&short(&fit.features[0], 40), ""), 5);
        pen.text((MARGIN, plot.top - 18.0), At::Left, TEXT, ink::DATA, &short(fit.target, 40));
    });
    let radius = if xs.len() > 150 { 2.0 } else { 3.0 };
    let rows = format!("{} rows", count(xs.len() as u64));
    canvas.group(Group { class: "dots", dash: None, title: Some(&rows) }, |pen| {
        for (a, b) in xs.iter().zip(fit.y) {
            pen.dot(frame.pixel((*a, *b)), radius, ink::MUTED_TEXT);
        }
    });
    canvas.group(Group { class: "pos", dash: None, title: Some("the trained function") }, |pen| {
        let path: Vec<Point> = curve.iter().map(|p| frame.pixel(*p)).collect();
        pen.line(&path, ink::POSITIVE, 2.0, 1.0);
    });
    let inside = |v: &f64| (low..=high).contains(v);
    let of_optimum: Vec<f64> = answer.rays.iter().flat_map(|r| &r.rays).filter_map(|t| t.kink).filter(inside).collect();
    for at in &of_optimum {
        let title = format!("kink of the optimum at {}", four(*at));
        canvas.group(Group { class: "bound", dash: Some((4.0, 3.0)), title: Some(&title) }, |pen| {
            let p = frame.x.pixel(*at);
            pen.segment((p, plot.bottom), (p, plot.top), ink::BOUND, 1.0);
        });
    }
    let of_groups: Vec<(f64, f64)> =
        answer.groups.iter().filter_map(|g| Some((g.kink?, g.share))).filter(|k| inside(&k.0)).collect();
    for (at, share) in &of_groups {
        let title = format!("kink of a group at {}", four(*at));
        canvas.group(Group { class: "neg", dash: None, title: Some(&title) }, |pen| {
            let p = frame.pixel((*at, fit.at(&[*at])));
            pen.ring(p, 3.0 + 6.0 * share.sqrt(), ink::NEGATIVE);
            pen.segment((p.0, plot.bottom), (p.0, plot.bottom - 8.0), ink::NEGATIVE, 2.0);
        });
    }
    let optimum = if of_optimum.is_empty() { "" } else { "; dashed lines are the kinks of the optimum" };
    let groups = if answer.groups.is_empty() {
        ""
    } else {
        ", rings and ticks on the axis are the kinks of groups of neurons, larger with more coefficient"
    };
    format!("Dots are the rows, the line is the trained function{groups}{optimum}.")
}
