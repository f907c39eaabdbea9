//! A trained network in a picture: the fit in one feature, and the directions of its neurons beside the optimum's rays.

mod cells;
mod circle;
mod fit;
mod sphere;
mod width;

use relimit_core::net::Network;
use relimit_solve::answer::{Claim, TrainAnswer};

use super::canvas::{Canvas, lines};
use super::plot::{LEFT, MARGIN, Plot, WIDTH, write_head};
use super::{Figure, Fit};
use crate::number::{count, four, percent};
use crate::text::{features, many};

/// Height of a panel with its axis.
const PANEL: f64 = 330.0;
/// Right of a plot: names of rays.
const NAMES: f64 = 64.0;

/// What a panel shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Panel {
    /// One feature: rows, function, kinks of one target, by its place.
    Fit(usize),
    /// Two inputs of a neuron: angles of the directions over the steps.
    Circle,
    /// Three inputs: the directions at the end, both halves of the sphere in an equal-area projection.
    Sphere,
    /// Several targets: singular values by cell.
    Cells,
    /// Otherwise: the effective width over the steps.
    Width,
}

/// The panels for an answer: data of one feature show the fit; directions are drawn up to three inputs of a neuron.
fn panels(answer: &TrainAnswer) -> Vec<Panel> {
    let (d, dim) = (answer.data.d, answer.data.dim);
    let mut out = vec![];
    if d == 1 {
        out.extend((0..=answer.further_targets.as_ref().map_or(0, Vec::len)).map(Panel::Fit));
    }
    if answer.cells.is_some() {
        out.push(Panel::Cells);
        return out;
    }
    match dim {
        2 if answer.record.iter().any(|p| !p.arcs.is_empty()) => out.push(Panel::Circle),
        3 if !answer.groups.is_empty() => out.push(Panel::Sphere),
        _ if d != 1 => out.push(Panel::Width),
        _ => {}
    }
    out
}

/// The picture of an answer: `fits`, one for each target, have the data and the network in the units of the file, `trained` is the network on
/// the scaled data, whose directions are drawn.
///
/// # Panics
/// When there is no fit, or the features are not those of the answer.
pub fn train(answer: &TrainAnswer, fits: &[Fit<'_>], trained: &Network) -> Figure {
    let fit = &fits[0];
    let (n, d) = (fit.x.rows(), fit.x.cols());
    assert_eq!((n, d), (answer.data.n, answer.data.d), "features of another answer");
    let (title, subtitle) = (title(answer), subtitle(answer));
    let head = lines(&title, 15.0, WIDTH - 2.0 * MARGIN);
    let panels = panels(answer);
    let first = MARGIN + 20.0 * head.len() as f64 + 22.0;
    let mut canvas = Canvas::new(WIDTH, first + PANEL * panels.len() as f64);
    write_head(&mut canvas, &head, &subtitle);
    let mut shows = vec![];
    for (k, panel) in panels.iter().enumerate() {
        let top = first + PANEL * k as f64 + 40.0;
        let plot = Plot { left: MARGIN + LEFT, right: WIDTH - MARGIN - NAMES, top, bottom: top + PANEL - 88.0 };
        shows.push(match panel {
            Panel::Fit(k) => fit::draw(&mut canvas, plot, answer, &fits[*k]),
            Panel::Cells => answer.cells.as_ref().map_or_else(String::new, |c| cells::draw(&mut canvas, plot, c)),
            Panel::Circle => circle::draw(&mut canvas, plot, answer),
            Panel::Sphere => sphere::draw(&mut canvas, plot, answer, trained),
            Panel::Width => width::draw(&mut canvas, plot, answer),
        });
    }
    let caption = format!(
        "{title} {} Data: {} rows of {}, {} from {}; {subtitle}.",
        without_repeats(&shows).join(" "),
        count(n as u64),
        answer.data.name,
        fits.iter().map(|f| f.target).collect::<Vec<_>>().join(", "),
        features(fit.features),
    );
    Figure { svg: canvas.finish(&title, &caption), title, caption }
}

/// Panels of one kind say the same.
fn without_repeats(shows: &[String]) -> Vec<&str> {
    let mut out: Vec<&str> = vec![];
    for text in shows {
        if !out.contains(&text.as_str()) {
            out.push(text);
        }
    }
    out
}

fn title(answer: &TrainAnswer) -> String {
    let neurons = many(answer.settings.width, "neuron");
    let steps = count(answer.steps);
    let acts = match (answer.effective_width, answer.covered) {
        (Some(width), Some(covered)) => {
            format!(
                "After {steps} steps {neurons} act like {width}, which carry {} of the coefficient.",
                percent(covered)
            )
        }
        _ => match &answer.cells {
            Some(cells) => format!(
                "After {steps} steps {neurons} have {} of the coefficient on {}.",
                percent(cells.covered),
                many(cells.list.len(), "cell")
            ),
            None => format!("{neurons} after {steps} steps."),
        },
    };
    let rays = answer.rays.as_ref().and_then(|r| {
        let near = r.near.last()?;
        let sure = if r.status == Claim::Certified { "certified" } else { "best" };
        Some(format!(
            " {} of it is within {} degrees of the {} of the {sure} optimum.",
            percent(near.coefficient),
            four(near.degrees),
            many(r.rays.len(), "ray"),
        ))
    });
    acts + &rays.unwrap_or_default()
}

fn subtitle(answer: &TrainAnswer) -> String {
    let s = &answer.settings;
    let noise = match (s.beta, s.anneal) {
        (Some(from), Some(to)) => format!("beta {} to {}", four(from), four(to)),
        (Some(beta), None) => format!("beta {}", four(beta)),
        (None, _) => "no noise".to_owned(),
    };
    format!("{} loss, lambda {}, {noise}, step {}, bias {}", s.loss, four(answer.lambda), four(s.step), s.bias)
}
