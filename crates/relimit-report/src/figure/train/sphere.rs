//! Three inputs of a neuron: the directions at the end on both halves of the sphere, in an equal-area projection.

use relimit_core::net::Network;
use relimit_solve::answer::TrainAnswer;

use super::circle::RING;
use crate::figure::canvas::{At, Canvas, Group, ink};
use crate::figure::plot::{Plot, Point, TEXT};
use crate::number::{four, percent};

/// Neurons that are drawn: the heaviest.
const MOST: usize = 3000;
/// Radius of a mark that holds all of the coefficient, in pixels.
const LARGEST: f64 = 40.0;
/// Least radius of a mark.
const SMALLEST: f64 = 0.7;
/// Radius of a ray's mark.
const RAY: f64 = 7.0;

/// One half of the sphere as a disc: `r = R sqrt(1 - |u_3|)` keeps areas (Lambert).
struct Disc {
    centre: Point,
    radius: f64,
    /// Sign of the third coordinate.
    side: f64,
}

impl Disc {
    fn holds(&self, u: [f64; 3]) -> bool {
        (u[2] >= 0.0) == (self.side > 0.0)
    }

    /// The place of a unit vector of this half.
    fn place(&self, u: [f64; 3]) -> Point {
        let along = u[0].hypot(u[1]);
        let r = self.radius * (1.0 - u[2].abs()).max(0.0).sqrt();
        let (dx, dy) = if along > 0.0 { (u[0] / along, u[1] / along) } else { (0.0, 0.0) };
        (self.centre.0 + r * dx, self.centre.1 - r * dy)
    }
}

/// Draws the panel and says what it shows.
pub(super) fn draw(canvas: &mut Canvas, plot: Plot, answer: &TrainAnswer, net: &Network) -> String {
    let radius = 0.5 * (plot.bottom - plot.top);
    let middle = 0.5 * (plot.top + plot.bottom);
    let width = plot.right - plot.left;
    let third = if answer.data.d == 2 { "bias" } else { "w3" };
    let discs = [(0.25, 1.0), (0.78, -1.0)].map(|(share, side)| Disc {
        centre: (plot.left + share * width, middle),
        radius,
        side,
    });
    for disc in &discs {
        frame(canvas, disc, third);
    }
    let mut neurons = directions(answer, net);
    let all: f64 = neurons.iter().map(|n| n.0.abs()).sum();
    neurons.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()));
    neurons.truncate(MOST);
    for sign in [1.0, -1.0] {
        let (class, colour, name) = if sign > 0.0 {
            ("pos", ink::POSITIVE, "neurons with c > 0")
        } else {
            ("neg", ink::NEGATIVE, "neurons with c < 0")
        };
        canvas.group(Group { class, dash: None, title: Some(name) }, |pen| {
            for (c, u) in neurons.iter().filter(|n| n.0 * sign > 0.0) {
                let radius = (LARGEST * (c.abs() / all).sqrt()).max(SMALLEST);
                for disc in discs.iter().filter(|d| d.holds(*u)) {
                    if sign > 0.0 || radius < RING {
                        pen.dot(disc.place(*u), radius, colour);
                    } else {
                        pen.ring(disc.place(*u), radius, colour);
                    }
                }
            }
        });
    }
    rays(canvas, &discs, answer);
    let optimum = if answer.rays.is_some() {
        " Crosses are the rays of the optimum, with their sign and the share of the coefficient within 10 degrees."
    } else {
        ""
    };
    format!(
        "Both halves of the sphere of directions in an equal-area projection along the {third}, w1 to the right and w2 up \
         in both. Marks are neurons: filled for c > 0, rings for c < 0, with an area in proportion to |c| |u|.{optimum}"
    )
}

/// Outline, axes and name of a half.
fn frame(canvas: &mut Canvas, disc: &Disc, third: &str) {
    let ((x, y), r) = (disc.centre, disc.radius);
    canvas.group(Group::class("muted"), |pen| {
        pen.segment((x - r, y), (x + r, y), ink::FAINT, 1.0);
        pen.segment((x, y - r), (x, y + r), ink::FAINT, 1.0);
    });
    canvas.group(Group::class("ink"), |pen| {
        pen.ring(disc.centre, r, ink::DATA);
        let sign = if disc.side > 0.0 { ">" } else { "<" };
        pen.text((x, y + r + 18.0), At::Middle, TEXT, ink::DATA, &format!("{third} {sign} 0"));
        pen.text((x + r + 5.0, y), At::Left, TEXT, ink::DATA, "w1");
        pen.text((x, y - r - 9.0), At::Middle, TEXT, ink::DATA, "w2");
    });
}

/// Coefficient and unit direction of every neuron.
fn directions(answer: &TrainAnswer, net: &Network) -> Vec<(f64, [f64; 3])> {
    let d = answer.data.d;
    let one = |j: usize| {
        let w = net.w.row(j);
        let u = [w[0], w[1], if d == 2 { net.b[j] } else { w[2] }];
        let length = (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]).sqrt();
        (net.c[(0, j)] * length, u.map(|v| v / length))
    };
    (0..net.width()).map(one).filter(|(c, _)| *c != 0.0 && c.is_finite()).collect()
}

/// A cross for every ray, with its sign and what the run has there.
fn rays(canvas: &mut Canvas, discs: &[Disc], answer: &TrainAnswer) {
    for (k, t) in answer.rays.iter().flat_map(|r| &r.rays).enumerate() {
        let u = [t.w[0], t.w[1], if answer.data.d == 2 { t.b } else { t.w[2] }];
        let sign = if t.c.is_sign_positive() { "+" } else { "−" };
        let title = format!("ray {}, c = {} in the optimum, {} in the run", k + 1, four(t.c), four(t.run));
        for disc in discs.iter().filter(|d| d.holds(u)) {
            let (x, y) = disc.place(u);
            canvas.group(Group { class: "bound", dash: None, title: Some(&title) }, |pen| {
                pen.segment((x - RAY, y - RAY), (x + RAY, y + RAY), ink::BOUND, 1.6);
                pen.segment((x - RAY, y + RAY), (x + RAY, y - RAY), ink::BOUND, 1.6);
                let text = format!("ray {} ({sign}), {}", k + 1, percent(t.share));
                // towards the middle, clear of the names of the axes
                let (side, align) = if x > disc.centre.0 { (-1.0, At::Right) } else { (1.0, At::Left) };
                let below = if y < disc.centre.1 { 1.0 } else { -1.0 };
                let at = (x + side * (RAY + 5.0), y + below * (RAY + 5.0));
                pen.text(at, align, TEXT, ink::BOUND_TEXT, &text);
            });
        }
    }
}
