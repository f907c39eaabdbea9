//! More inputs than can be drawn: the effective width over the steps.

use relimit_solve::answer::TrainAnswer;

use crate::figure::canvas::{Canvas, Group, ink};
use crate::figure::plot::{Plot, Point};
use crate::figure::scale::Scale;

/// Draws the panel and says what it shows.
pub(super) fn draw(canvas: &mut Canvas, plot: Plot, answer: &TrainAnswer) -> String {
    let points: Vec<Point> =
        answer.record.iter().filter_map(|p| Some((p.step as f64, p.effective_width? as f64))).collect();
    let last = points.last().map_or(1.0, |p| p.0).max(1.0);
    let most = points.iter().map(|p| p.1).fold(1.0, f64::max);
    let x = Scale::log(0.0, last, 1.0, plot.left, plot.right);
    let y = Scale::linear(0.0, 1.05 * most, plot.bottom, plot.top);
    canvas.group(Group::class("ink"), |pen| plot.axes(pen, &x, &y, ("step", "effective width, neurons"), 5));
    canvas.group(Group { class: "pos", dash: None, title: Some("effective width") }, |pen| {
        let path: Vec<Point> = points.iter().map(|p| (x.pixel(p.0), y.pixel(p.1))).collect();
        pen.line(&path, ink::POSITIVE, 1.5, 1.0);
        for at in path {
            pen.ring(at, 3.0, ink::POSITIVE);
        }
    });
    "Groups of directions within 3 degrees that carry at least 1 % of the coefficient each.".to_owned()
}
