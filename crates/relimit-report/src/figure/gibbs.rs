//! The law of noisy training: the fit with data and kinks, and the effective width against temperature.

use relimit_core::num::Mat;
use relimit_solve::answer::{GibbsAnswer, GibbsPoint};

use super::Figure;
use super::canvas::{At, Canvas, Group, ink, lines};
use super::scale::Scale;
use super::thin::dots;
use crate::number::{count, four, power_of_ten};
use crate::text::{many, short};

const WIDTH: f64 = 800.0;
const PANEL: f64 = 340.0;
const LEFT: f64 = 78.0;
const RIGHT: f64 = WIDTH - 40.0;

/// The picture, from the answer and the raw data; `None` where there is nothing to draw.
///
/// One feature: the function on the grid with data and the kinks that remain without noise. Several temperatures: the
/// effective width against beta.
pub fn gibbs(answer: &GibbsAnswer, (x, y): (&Mat, &[f64]), names: (&str, &str)) -> Option<Figure> {
    let fit = answer.grid.as_ref().filter(|g| g.x.len() > 1 && g.x2.is_none());
    let width = answer.path.len() > 1;
    if fit.is_none() && !width {
        return None;
    }
    let title = format!(
        "At beta {} noisy training acts like {}.",
        four(answer.beta),
        many(answer.effective_width.unwrap_or(0), "neuron")
    );
    let caption = format!(
        "Stationary law of noisy gradient descent with weight decay {} on {}.{}{}",
        four(answer.lambda),
        answer.data.name,
        if fit.is_some() {
            " Line: outputs; rings: data; dashes below the axis: kinks that remain as the noise vanishes."
        } else {
            ""
        },
        if width {
            format!(
                " Effective width: groups of directions within {} degrees that carry at least 1 % of the coefficient each.",
                four(answer.settings.angle)
            )
        } else {
            String::new()
        }
    );
    let panels = usize::from(fit.is_some()) + usize::from(width);
    let mut canvas = Canvas::new(WIDTH, 60.0 + PANEL * panels as f64);
    canvas.group(Group::class("ink"), |pen| {
        for (k, line) in lines(&title, 15.0, WIDTH - 32.0).iter().enumerate() {
            pen.text((16.0, 24.0 + 20.0 * k as f64), At::Left, 15.0, ink::DATA, line);
        }
    });
    if fit.is_some() {
        draw_fit(&mut canvas, answer, (x, y), names);
    }
    if width {
        draw_width(&mut canvas, answer, 60.0 + PANEL * (panels - 1) as f64);
    }
    Some(Figure { svg: canvas.finish(&title, &caption), title, caption })
}

fn axes(
    canvas: &mut Canvas,
    (x, y): (&Scale, &Scale),
    ticks: &[(f64, String)],
    (top, bottom): (f64, f64),
    names: [&str; 2],
) {
    canvas.group(Group::class("ink"), |pen| {
        pen.text((16.0, top - 14.0), At::Left, 12.0, ink::DATA, names[1]);
        pen.text((0.5 * (LEFT + RIGHT), bottom + 40.0), At::Middle, 12.0, ink::DATA, names[0]);
        pen.segment((LEFT, top), (LEFT, bottom), ink::DATA, 1.0);
        pen.segment((LEFT, bottom), (RIGHT, bottom), ink::DATA, 1.0);
        for (v, text) in ticks {
            pen.segment((x.pixel(*v), bottom), (x.pixel(*v), bottom + 4.0), ink::DATA, 1.0);
            pen.text((x.pixel(*v), bottom + 24.0), At::Middle, 12.0, ink::DATA, text);
        }
        for (v, text) in y.ticks(5) {
            pen.segment((LEFT - 4.0, y.pixel(v)), (LEFT, y.pixel(v)), ink::DATA, 1.0);
            pen.text((LEFT - 8.0, y.pixel(v)), At::Right, 12.0, ink::DATA, &text);
        }
    });
}

fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
    let room = 0.04 * (high - low).max(f64::MIN_POSITIVE);
    (low - room, high + room)
}

fn draw_fit(canvas: &mut Canvas, answer: &GibbsAnswer, (data, labels): (&Mat, &[f64]), names: (&str, &str)) {
    let Some(grid) = &answer.grid else { return };
    let (top, bottom) = (80.0, 60.0 + PANEL - 70.0);
    let (low, high) = (grid.x[0].min(grid.x[grid.x.len() - 1]), grid.x[0].max(grid.x[grid.x.len() - 1]));
    let x = Scale::linear(low, high, LEFT, RIGHT);
    let (below, above) = range(grid.f.iter().chain(labels).copied());
    let y = Scale::linear(below, above, bottom, top);
    axes(canvas, (&x, &y), &x.ticks(8), (top, bottom), [&short(names.0, 40), &short(names.1, 40)]);
    canvas.group(Group { class: "pos", dash: None, title: Some("outputs of the law") }, |pen| {
        let path: Vec<(f64, f64)> = grid.x.iter().zip(&grid.f).map(|(a, b)| (x.pixel(*a), y.pixel(*b))).collect();
        pen.line(&path, ink::POSITIVE, 2.0, 1.0);
    });
    canvas.group(Group { class: "ink", dash: None, title: Some("data") }, |pen| {
        for at in dots(labels.iter().enumerate().map(|(i, label)| (x.pixel(data[(i, 0)]), y.pixel(*label)))) {
            pen.ring(at, 3.0, ink::DATA);
        }
    });
    let rays = answer.limit.as_ref().map_or(&[][..], |l| &l.rays);
    for ray in rays.iter().filter(|t| t.c != 0.0) {
        let Some(at) = ray.kink else { continue };
        if at > low && at < high {
            let tip = format!("kink at {} as the noise vanishes, coefficient {}", four(at), four(ray.c));
            canvas.group(Group { class: "neg", dash: None, title: Some(&tip) }, |pen| {
                pen.segment((x.pixel(at), bottom + 5.0), (x.pixel(at), bottom + 15.0), ink::NEGATIVE, 2.5);
            });
        }
    }
}

fn draw_width(canvas: &mut Canvas, answer: &GibbsAnswer, from: f64) {
    let (top, bottom) = (from + 20.0, from + PANEL - 70.0);
    let logs: Vec<f64> = answer.path.iter().map(|p| p.beta.log10()).collect();
    let (low, high) = range(logs.iter().copied());
    let x = Scale::linear(low, high, LEFT, RIGHT);
    let measured = |p: &GibbsPoint| p.measured.as_ref().map(|m| m.effective_width);
    let most = answer.path.iter().map(|p| p.effective_width.max(measured(p).unwrap_or(0))).max().unwrap_or(1) as f64;
    let y = Scale::linear(0.0, most + 1.0, bottom, top);
    let whole: Vec<(f64, String)> =
        (low.ceil() as i32..=high.floor() as i32).map(|k| (f64::from(k), power_of_ten(k))).collect();
    axes(
        canvas,
        (&x, &y),
        &whole,
        (top, bottom),
        ["inverse temperature beta (cooler to the right)", "effective width, neurons"],
    );
    canvas.group(Group { class: "pos", dash: None, title: Some("effective width") }, |pen| {
        let path: Vec<(f64, f64)> =
            answer.path.iter().zip(&logs).map(|(p, log)| (x.pixel(*log), y.pixel(p.effective_width as f64))).collect();
        pen.line(&path, ink::POSITIVE, 1.5, 1.0);
        for at in path {
            pen.ring(at, 3.0, ink::POSITIVE);
        }
    });
    let dots: Vec<(f64, f64)> = answer
        .path
        .iter()
        .zip(&logs)
        .filter_map(|(p, log)| Some((x.pixel(*log), y.pixel(measured(p)? as f64))))
        .collect();
    if dots.is_empty() {
        return;
    }
    canvas.group(Group { class: "neg", dash: None, title: Some("particles") }, |pen| {
        for (a, b) in dots {
            // crosses: the exact law has rings
            pen.segment((a - 5.0, b - 5.0), (a + 5.0, b + 5.0), ink::NEGATIVE, 1.8);
            pen.segment((a - 5.0, b + 5.0), (a + 5.0, b - 5.0), ink::NEGATIVE, 1.8);
        }
    });
    let key = top - 14.0;
    canvas.group(Group::class("pos"), |pen| {
        pen.ring((RIGHT - 230.0, key), 3.0, ink::POSITIVE);
        pen.text((RIGHT - 221.0, key), At::Left, 12.0, ink::POSITIVE, "exact law");
    });
    canvas.group(Group::class("neg"), |pen| {
        let a = RIGHT - 140.0;
        pen.segment((a - 5.0, key - 5.0), (a + 5.0, key + 5.0), ink::NEGATIVE, 1.8);
        pen.segment((a - 5.0, key + 5.0), (a + 5.0, key - 5.0), ink::NEGATIVE, 1.8);
        let text = format!("{} particles", count(answer.settings.particles as u64));
        pen.text((a + 9.0, key), At::Left, 12.0, ink::NEGATIVE_TEXT, &text);
    });
}
