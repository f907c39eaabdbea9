//! The path: objective with its certified interval, loss and width along decreasing lambda.

use relimit_solve::answer::{OptimumAnswer, PathPoint};

use crate::figure::canvas::{At, Canvas, Group, ink};
use crate::figure::plot::{LEFT, MARGIN, Plot, Point};
use crate::figure::scale::Scale;
use crate::number::{four, interval};
use crate::text::word;

/// Draws both panels and says what they show.
pub(super) fn draw(canvas: &mut Canvas, page: Plot, answer: &OptimumAnswer) -> String {
    let points: &[PathPoint] = answer.path.as_deref().unwrap_or(&[]);
    let share = |p: &PathPoint| p.lambda / answer.lambda_max;
    let split = page.left + 0.56 * (page.right - page.left);
    let values = Plot { right: split - 8.0, ..page };
    let widths = Plot { left: split + MARGIN + LEFT - 12.0, ..page };
    let least = points.iter().map(share).fold(1.0, f64::min);
    let scale = |plot: Plot| Scale::log(0.9 * least, 1.1, 0.9 * least, plot.left, plot.right);
    let top = points.iter().map(|p| p.objective).fold(0.0, f64::max);
    let (x, y) = (scale(values), Scale::linear(0.0, 1.06 * top, page.bottom, page.top));
    let name = ("lambda as a share of lambda_max", "");
    canvas.group(Group::class("ink"), |pen| values.axes(pen, &x, &y, name, 5));
    let at = |f: &dyn Fn(&PathPoint) -> f64| -> Vec<Point> {
        points.iter().map(|p| (x.pixel(share(p)), y.pixel(f(p)))).collect()
    };
    let (objective, loss) = (at(&|p| p.objective), at(&|p| p.loss));
    canvas.group(Group { class: "pos", dash: Some((6.0, 4.0)), title: Some("loss") }, |pen| {
        pen.line(&loss, ink::POSITIVE, 1.5, 1.0);
    });
    canvas.group(Group { class: "ink", dash: None, title: Some("objective") }, |pen| {
        pen.line(&objective, ink::DATA, 1.5, 1.0);
    });
    for (p, top) in points.iter().zip(&objective) {
        let low = (p.objective - p.gap).max(0.0);
        let tip = format!("lambda {}: {} in {}", four(p.lambda), word(p.status), interval(low, p.objective));
        canvas.group(Group { class: "bound", dash: None, title: Some(&tip) }, |pen| {
            pen.segment(*top, (top.0, y.pixel(low)), ink::BOUND, 3.0);
            pen.dot(*top, 3.0, ink::BOUND);
        });
    }
    key(canvas, values);
    // width
    let most = points.iter().map(|p| p.width).max().unwrap_or(0).max(1) as f64;
    let (x, y) = (scale(widths), Scale::linear(0.0, 1.06 * most, page.bottom, page.top));
    canvas.group(Group::class("ink"), |pen| widths.axes(pen, &x, &y, (name.0, "neurons"), most.min(5.0) as usize));
    let steps: Vec<Point> = points.iter().map(|p| (x.pixel(share(p)), y.pixel(p.width as f64))).collect();
    canvas.group(Group::class("pos"), |pen| {
        pen.line(&steps, ink::POSITIVE, 1.0, 0.6);
    });
    for (p, at) in points.iter().zip(&steps) {
        let tip = format!("lambda {}: {} neurons, +{} -{} patterns", four(p.lambda), p.width, p.entered, p.left);
        canvas.group(Group { class: "pos", dash: None, title: Some(&tip) }, |pen| pen.dot(*at, 3.0, ink::POSITIVE));
    }
    format!(
        "Left, along {} values of lambda: the objective (line) with its certified interval (bars) and the loss in it \
         (dashed). Right: neurons of the optimum.",
        points.len()
    )
}

/// What the lines of the left panel are.
fn key(canvas: &mut Canvas, plot: Plot) {
    let y = plot.top - 18.0;
    let start = MARGIN;
    canvas.group(Group::class("ink"), |pen| {
        pen.segment((start, y), (start + 22.0, y), ink::DATA, 1.5);
        pen.text((start + 28.0, y), At::Left, 12.0, ink::DATA, "objective");
    });
    canvas.group(Group::class("bound"), |pen| {
        pen.segment((start + 106.0, y - 6.0), (start + 106.0, y + 6.0), ink::BOUND, 3.0);
        pen.text((start + 114.0, y), At::Left, 12.0, ink::BOUND_TEXT, "certified interval");
    });
    canvas.group(Group { class: "pos", dash: Some((6.0, 4.0)), title: None }, |pen| {
        pen.line(&[(start + 246.0, y), (start + 270.0, y)], ink::POSITIVE, 1.5, 1.0);
    });
    canvas.group(Group::class("pos"), |pen| {
        pen.text((start + 276.0, y), At::Left, 12.0, ink::POSITIVE, "loss");
    });
}
