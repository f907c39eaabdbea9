//! Two inputs of a neuron: where on the circle of directions the coefficient is, step by step.

use relimit_solve::answer::TrainAnswer;

use super::NAMES;
use crate::figure::canvas::{At, Canvas, Group, ink};
use crate::figure::plot::{Plot, TEXT};
use crate::figure::scale::Scale;
use crate::number::four;

/// Radius of a mark that holds all of the coefficient, in pixels.
const LARGEST: f64 = 13.0;
/// Least radius of a mark.
const SMALLEST: f64 = 0.8;
/// Radius from which on a ring is seen as one.
pub(super) const RING: f64 = 2.0;
/// Least distance of two names, in pixels.
const APART: f64 = 13.0;

/// Draws the panel and says what it shows.
pub(super) fn draw(canvas: &mut Canvas, plot: Plot, answer: &TrainAnswer) -> String {
    let last = answer.record.last().map_or(1, |p| p.step).max(1) as f64;
    // room for the largest mark at both ends
    let x = Scale::log(0.0, last, 1.0, plot.left + LARGEST, plot.right - LARGEST);
    let y = Scale::linear(-180.0, 180.0, plot.bottom, plot.top);
    canvas.group(Group::class("ink"), |pen| {
        let axis = if answer.data.d == 1 { "angle of (weight, bias), degrees" } else { "angle of (w1, w2), degrees" };
        plot.degrees(pen, &x, &y, ("step", axis));
    });
    rays(canvas, plot, &y, answer);
    for sign in [1.0, -1.0] {
        let (class, colour, name) =
            if sign > 0.0 { ("pos", ink::POSITIVE, "c > 0") } else { ("neg", ink::NEGATIVE, "c < 0") };
        canvas.group(Group { class, dash: None, title: Some(name) }, |pen| {
            for p in &answer.record {
                let all: f64 = p.arcs.iter().map(|a| a[1].abs()).sum();
                for [degrees, c] in p.arcs.iter().filter(|a| a[1] * sign > 0.0) {
                    let at = (x.pixel(p.step as f64), y.pixel(*degrees));
                    let radius = (LARGEST * (c.abs() / all).sqrt()).max(SMALLEST);
                    // a filled mark against a ring: the sign without colour, where there is room for a ring
                    if sign > 0.0 || radius < RING {
                        pen.dot(at, radius, colour);
                    } else {
                        pen.ring(at, radius, colour);
                    }
                }
            }
        });
    }
    let key = plot.top - 18.0;
    canvas.group(Group::class("pos"), |pen| {
        pen.dot((plot.right - 150.0, key), 4.5, ink::POSITIVE);
        pen.text((plot.right - 141.0, key), At::Left, TEXT, ink::POSITIVE, "c > 0");
    });
    canvas.group(Group::class("neg"), |pen| {
        pen.ring((plot.right - 86.0, key), 4.5, ink::NEGATIVE);
        pen.text((plot.right - 77.0, key), At::Left, TEXT, ink::NEGATIVE_TEXT, "c < 0");
    });
    let optimum = if answer.rays.is_some() { " Dashed lines are the rays of the optimum." } else { "" };
    format!(
        "Marks are arcs of 5 degrees of the circle of directions: filled for c > 0, rings for c < 0, with an area in \
         proportion to the coefficient |c| |u| that they hold.{optimum}"
    )
}

/// A dashed line for every ray, with its name at the right.
fn rays(canvas: &mut Canvas, plot: Plot, y: &Scale, answer: &TrainAnswer) {
    let Some(found) = &answer.rays else { return };
    let mut named: Vec<(f64, usize)> = found
        .rays
        .iter()
        .enumerate()
        .map(|(k, t)| {
            let second = if answer.data.d == 1 { t.b } else { t.w[1] };
            (second.atan2(t.w[0]).to_degrees(), k)
        })
        .collect();
    named.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut below = f64::NEG_INFINITY;
    for (degrees, k) in named {
        let t = &found.rays[k];
        let sign = if t.c.is_sign_positive() { "+" } else { "−" };
        let title = format!("ray {} at {} degrees, c = {}", k + 1, four(degrees), four(t.c));
        let at = y.pixel(degrees);
        canvas.group(Group { class: "bound", dash: Some((5.0, 4.0)), title: Some(&title) }, |pen| {
            pen.segment((plot.left, at), (plot.right, at), ink::BOUND, 1.0);
        });
        let label = at.max(below + APART);
        below = label;
        canvas.group(Group::class("bound"), |pen| {
            pen.segment((plot.right, at), (plot.right + 8.0, label), ink::BOUND, 1.0);
            let text = format!("ray {} {sign}", k + 1);
            pen.text((plot.right + NAMES - 4.0, label), At::Right, TEXT, ink::BOUND_TEXT, &text);
        });
    }
}
