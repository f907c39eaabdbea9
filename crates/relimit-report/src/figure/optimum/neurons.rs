//! More than two features: the neurons by their size, where they are active, and the features that they weigh most.

use relimit_solve::answer::{NeuronFact, OptimumAnswer};

use super::Fit;
use crate::figure::canvas::{At, Canvas, Group, ink, text_width};
use crate::figure::plot::{MARGIN, Plot};
use crate::figure::scale::Scale;
use crate::number::{count, four};
use crate::text::{many, short};

/// Neurons that are drawn.
const MOST: usize = 16;
/// Features that are named at each.
const NAMED: usize = 3;
/// Right of the bars: what a neuron looks at.
const WORDS: f64 = 356.0;

/// Draws the bars and says what they show.
pub(super) fn draw(canvas: &mut Canvas, page: Plot, answer: &OptimumAnswer, fit: &Fit<'_>) -> String {
    let shown = &answer.neurons[..answer.neurons.len().min(MOST)];
    let plot = Plot { left: MARGIN + 24.0, right: page.right - WORDS, ..page };
    let most = shown.iter().map(|t| t.c.size().abs()).fold(f64::MIN_POSITIVE, f64::max);
    let x = Scale::linear(0.0, 1.04 * most, plot.left, plot.right);
    let height = ((plot.bottom - plot.top) / shown.len().max(1) as f64).min(46.0);
    canvas.group(Group::class("ink"), |pen| {
        pen.segment((plot.left, plot.top), (plot.left, plot.bottom), ink::DATA, 1.0);
        pen.segment((plot.left, plot.bottom), (plot.right, plot.bottom), ink::DATA, 1.0);
        for (value, text) in x.ticks(5) {
            let at = x.pixel(value);
            pen.segment((at, plot.bottom), (at, plot.bottom + 4.0), ink::DATA, 1.0);
            pen.text((at, plot.bottom + 13.0), At::Middle, 12.0, ink::DATA, &text);
        }
        let middle = 0.5 * (plot.left + plot.right);
        pen.text((middle, plot.bottom + 33.0), At::Middle, 12.0, ink::DATA, "size |c| for a direction of length 1");
        pen.text((plot.right + 12.0, plot.top - 18.0), At::Left, 12.0, ink::DATA, "active rows: largest weights");
        let left = answer.neurons.len() - shown.len();
        let more = if left == 0 { String::new() } else { format!(", the largest {MOST} of {}", MOST + left) };
        pen.text((MARGIN, plot.top - 18.0), At::Left, 12.0, ink::DATA, &format!("neurons{more}"));
    });
    for (k, t) in shown.iter().enumerate() {
        let y = plot.top + (k as f64 + 0.5) * height;
        let words = looks_at(t, fit);
        let (class, colour, text) = if t.c.size() > 0.0 {
            ("plus", ink::POSITIVE, ink::POSITIVE)
        } else {
            ("minus", ink::NEGATIVE, ink::NEGATIVE_TEXT)
        };
        canvas.group(Group { class, dash: None, title: Some(&format!("c {}, {words}", four(t.c.size()))) }, |pen| {
            pen.rect((plot.left, y - 0.36 * height), (x.pixel(t.c.size().abs()), y + 0.36 * height), colour);
        });
        let class = if t.c.size() > 0.0 { "pos" } else { "neg" };
        // with several targets c is a vector, without a sign
        if answer.further_targets.is_none() {
            canvas.group(Group::class(class), |pen| {
                pen.text((plot.left - 12.0, y), At::Middle, 13.0, text, if t.c.size() > 0.0 { "+" } else { "−" });
            });
        }
        canvas.group(Group::class("ink"), |pen| {
            pen.text((plot.right + 12.0, y), At::Left, 11.0, ink::DATA, &words);
        });
    }
    let sign = if answer.further_targets.is_some() { "" } else { " (+ raises the output, - lowers it)" };
    format!(
        "Bars: {} of the network, by the size of c{sign}; beside each, the rows where it is active and its largest input \
         weights.",
        many(shown.len(), "neuron")
    )
}

/// `230 of 442: bmi 0.62, s5 0.55, bp -0.31`.
fn looks_at(t: &NeuronFact, fit: &Fit<'_>) -> String {
    let active = t.pattern.iter().filter(|s| **s > 0).count();
    let mut order: Vec<usize> = (0..t.w.len()).filter(|k| t.w[*k] != 0.0).collect();
    order.sort_by(|a, b| t.w[*b].abs().total_cmp(&t.w[*a].abs()));
    let mut text = format!("{} of {}:", count(active as u64), count(t.pattern.len() as u64));
    for (k, f) in order.iter().take(NAMED).enumerate() {
        let more = format!("{} {} {:.2}", if k == 0 { "" } else { "," }, short(&fit.features[*f], 14), t.w[*f]);
        if text_width(&text, 11.0) + text_width(&more, 11.0) < WORDS - 16.0 {
            text.push_str(&more.replace('-', "−"));
        }
    }
    text
}
