//! Preactivations along a run: one line an example, one panel a neuron, mask changes as ticks.

use std::collections::BTreeSet;

use relimit_core::descent::{Move, Status};
use relimit_solve::answer::{Clock, LimitAnswer, SilentReason, Trajectory};

use super::Figure;
use super::canvas::{At, Canvas, Group, ink, lines, text_width};
use super::labels::apart;
use super::scale::Scale;
use super::thin::{MOST_MARKS, MOST_POINTS, marks, polyline, spread};
use crate::number::{count, four, four_or, instant, power_of_ten};
use crate::text::{changes, neuron_name, sentence};

const WIDTH: f64 = 800.0;
const MARGIN: f64 = 16.0;
/// Left of a plot: tick labels.
const LEFT: f64 = 58.0;
/// Right of a plot: direct labels.
const RIGHT: f64 = 66.0;
/// Height of the strip of mask changes.
const STRIP: f64 = 20.0;
/// Most panels and most lines of a panel.
const PANELS: usize = 4;
const LINES: usize = 200;
/// Up to this many examples every line has a name.
const NAMED: usize = 12;
/// Beyond this many lines in a panel they are thinner, and labels have no rings.
const CROWD: usize = 60;
const TEXT: f64 = 12.0;
const DASH: Option<(f64, f64)> = Some((6.0, 3.5));

/// Preactivations of every row for each neuron (the first four) over steps or time.
///
/// Positive labels are solid blue, negative ones dashed vermilion, rows silent at the end faded; rings at the right
/// are labels where one neuron alone serves their sign. At most [`MOST_POINTS`] points and [`MOST_MARKS`] marks.
pub fn preactivations(answer: &LimitAnswer, run: &Trajectory) -> Figure {
    run.check();
    assert!(!run.at.is_empty(), "a trajectory without an instant");
    let shown = run.neurons().min(PANELS);
    let title = sentence(answer);
    let caption = caption(answer, run, shown);
    let columns = if shown > 2 { 2 } else { 1 };
    let rows = shown.div_ceil(columns).max(1);
    let head = lines(&title, 15.0, WIDTH - 2.0 * MARGIN);
    let top = MARGIN + 20.0 * head.len() as f64 + 18.0 + 26.0;
    let height = if rows == 1 { 420.0 } else { 600.0 };
    let mut canvas = Canvas::new(WIDTH, height);
    headline(&mut canvas, &head, &subtitle(answer, run, shown));
    let foot = 40.0;
    let (cell_width, cell_height) = ((WIDTH - 2.0 * MARGIN) / columns as f64, (height - top - foot) / rows as f64);
    let y_range = y_range(run, shown);
    let rings = (0..shown).any(|j| has_rings(run, j, &y_scale(y_range, run, 1.0, 0.0)));
    legend(&mut canvas, top - 16.0, run, rings);
    let marks_each = MOST_MARKS as f64 / (2 * shown) as f64;
    for j in 0..shown {
        let (column, row) = (j % columns, j / columns);
        let last_row = j + columns >= shown;
        let x0 = MARGIN + column as f64 * cell_width;
        let y0 = top + row as f64 * cell_height;
        let strip = if run.events.iter().any(|e| e.neuron == j) { STRIP } else { 0.0 };
        let plot = Plot {
            left: x0 + LEFT,
            right: x0 + cell_width - RIGHT,
            top: y0 + 22.0,
            bottom: y0 + cell_height - 14.0 - strip,
            strip,
        };
        let panel = Panel {
            answer,
            run,
            j,
            x: x_scale(run, plot.left, plot.right),
            y: y_scale(y_range, run, plot.bottom, plot.top),
            plot,
            bucket: ((plot.right - plot.left) / marks_each).max(1.0),
            points: MOST_POINTS / (shown * run.examples().clamp(1, LINES)).max(1),
        };
        panel.draw(&mut canvas, last_row);
    }
    Figure { svg: canvas.finish(&title, &caption), title, caption }
}

/// Edges of the plotting area in pixels.
#[derive(Clone, Copy)]
struct Plot {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    strip: f64,
}

struct Panel<'a> {
    answer: &'a LimitAnswer,
    run: &'a Trajectory,
    j: usize,
    x: Scale,
    y: Scale,
    plot: Plot,
    bucket: f64,
    points: usize,
}

impl Panel<'_> {
    fn draw(&self, canvas: &mut Canvas, with_x: bool) {
        self.axes(canvas, with_x);
        let order = self.order();
        let (width, active, faded) = if order.len() > CROWD { (0.8, 0.6, 0.25) } else { (1.5, 1.0, 0.4) };
        for silent in [true, false] {
            for &i in order.iter().filter(|i| self.silent(**i) == silent) {
                self.line(canvas, i, width, if silent { faded } else { active });
            }
        }
        self.targets(canvas, &order);
        self.events(canvas);
        self.names(canvas, &order);
    }

    fn axes(&self, canvas: &mut Canvas, with_x: bool) {
        let p = self.plot;
        let (floor, zero) = (p.bottom + p.strip, self.y.pixel(0.0));
        canvas.group(Group::class("muted"), |pen| pen.segment((p.left, zero), (p.right, zero), ink::MUTED, 1.0));
        canvas.group(Group::class("ink"), |pen| {
            pen.segment((p.left, p.top), (p.left, floor), ink::DATA, 1.0);
            pen.segment((p.left, floor), (p.right, floor), ink::DATA, 1.0);
            for (y, text) in spaced(&self.y, 5, 13.0) {
                let length = if text.is_empty() { 2.0 } else { 4.0 };
                pen.segment((p.left - length, y), (p.left, y), ink::DATA, 1.0);
                pen.text((p.left - 7.0, y), At::Right, TEXT, ink::DATA, &text);
            }
            let wanted = ((p.right - p.left) / 70.0).clamp(3.0, 9.0) as usize;
            for (x, text) in spaced(&self.x, wanted, 30.0) {
                let length = if text.is_empty() { 2.0 } else { 4.0 };
                pen.segment((x, floor), (x, floor + length), ink::DATA, 1.0);
                if with_x {
                    pen.text((x, floor + 13.0), At::Middle, TEXT, ink::DATA, &text);
                }
            }
            let weight = self.run.c[self.j];
            let who = neuron_name(&signs(self.run), self.j);
            let who = if who == "the neuron" { "preactivation".to_owned() } else { format!("preactivation of {who}") };
            let unit =
                if weight.abs() == 1.0 { "label units".to_owned() } else { format!("output weight {}", four(weight)) };
            pen.text((p.left - LEFT, p.top - 14.0), At::Left, TEXT, ink::DATA, &format!("{who} ({unit})"));
            if with_x {
                let log = self
                    .x
                    .log_from()
                    .map_or_else(String::new, |k| format!(", logarithmic from {} on", power_of_ten(k)));
                let what = match self.run.clock {
                    Clock::Step => "gradient-descent step",
                    Clock::Time => "gradient-flow time (of the named loss)",
                };
                let middle = 0.5 * (p.left + p.right);
                pen.text((middle, floor + 34.0), At::Middle, TEXT, ink::DATA, &format!("{what}{log}"));
            }
        });
    }

    /// Examples drawn, in drawing order.
    fn order(&self) -> Vec<usize> {
        let n = self.run.examples();
        let mut set: BTreeSet<usize> = spread(n, LINES).into_iter().collect();
        set.extend(self.culprits());
        set.into_iter().collect()
    }

    /// Examples that a person will look for: never fitted although this neuron should, and ties; at most eight.
    fn culprits(&self) -> Vec<usize> {
        let limit = &self.answer.limit;
        let fitted: BTreeSet<usize> = limit.fitted.iter().copied().collect();
        let by_right = [SilentReason::OppositeSign, SilentReason::NoNeuronOfSign];
        let silent = limit.silent.iter().filter(|s| {
            s.neuron.is_none_or(|k| k == self.j) && !by_right.contains(&s.reason) && !fitted.contains(&s.row)
        });
        let ties = limit.ties.iter().filter(|t| t.neuron == self.j).map(|t| t.row);
        let rows: BTreeSet<usize> = ties.chain(silent.map(|s| s.row)).take(8).collect();
        (0..self.run.examples()).filter(|i| rows.contains(&self.run.rows[*i])).collect()
    }

    fn last(&self, i: usize) -> f64 {
        self.run.z.iter().rev().map(|z| z[(self.j, i)]).find(|z| z.is_finite()).unwrap_or(0.0)
    }

    fn silent(&self, i: usize) -> bool {
        self.last(i) <= 0.0
    }

    fn positive(&self, i: usize) -> bool {
        self.run.labels[i] > 0.0
    }

    fn group<'a>(&self, i: usize, title: Option<&'a str>) -> Group<'a> {
        if self.positive(i) {
            Group { class: "pos", dash: None, title }
        } else {
            Group { class: "neg", dash: DASH, title }
        }
    }

    fn line(&self, canvas: &mut Canvas, i: usize, width: f64, opacity: f64) {
        let run = self.run;
        let path: Vec<(f64, f64)> =
            run.at.iter().zip(&run.z).map(|(t, z)| (self.x.pixel(*t), self.y.pixel(z[(self.j, i)]))).collect();
        let path = polyline(&path, self.points.clamp(40, 1200));
        let state = if self.silent(i) { "silent at the end" } else { "active at the end" };
        let title = format!("row {}, label {}, {state}", run.rows[i], four(run.labels[i]));
        let colour = if self.positive(i) { ink::POSITIVE } else { ink::NEGATIVE };
        canvas.group(self.group(i, Some(&title)), |pen| pen.line(&path, colour, width, opacity));
    }

    /// Rings where the line of a fitted row must end, when this neuron alone serves the label's sign.
    fn targets(&self, canvas: &mut Canvas, order: &[usize]) {
        let c = self.run.c[self.j];
        if !has_rings(self.run, self.j, &self.y) {
            return;
        }
        for &i in order.iter().filter(|i| self.run.labels[**i] * c > 0.0) {
            let target = self.run.labels[i] / c;
            let colour = if self.positive(i) { ink::POSITIVE } else { ink::NEGATIVE };
            let group = Group { dash: None, ..self.group(i, None) };
            canvas.group(group, |pen| pen.ring((self.plot.right + 5.0, self.y.pixel(target)), 2.6, colour));
        }
    }

    /// Mask changes: ticks up where a row is switched on, down where it is switched off, both where it slides.
    fn events(&self, canvas: &mut Canvas) {
        if self.plot.strip == 0.0 {
            return;
        }
        let middle = self.plot.bottom + 0.5 * self.plot.strip;
        let mine = || self.run.events.iter().filter(|e| e.neuron == self.j);
        let at = |e: &relimit_solve::answer::EventFact| self.x.pixel(e.at).clamp(self.plot.left, self.plot.right);
        let on: Vec<f64> = mine().filter(|e| e.to != Move::Off).map(at).collect();
        let off: Vec<f64> = mine().filter(|e| e.to != Move::On).map(at).collect();
        let (on, off) = (marks(&on, self.bucket), marks(&off, self.bucket));
        let most = on.iter().chain(&off).map(|m| m.1).max().unwrap_or(1);
        let reach = 0.5 * self.plot.strip - 2.0;
        let length = |k: usize| {
            if most == 1 { reach } else { reach * (0.3 + 0.7 * (k as f64).ln() / (most as f64).ln()) }
        };
        let total = count((mine().count()) as u64);
        let title = format!("{total} mask changes");
        canvas.group(Group { class: "ink", dash: None, title: Some(&title) }, |pen| {
            for (marks, up) in [(&on, -1.0), (&off, 1.0)] {
                for (x, k) in marks {
                    pen.segment((*x, middle), (*x, middle + up * length(*k)), ink::DATA, 1.0);
                }
            }
        });
        canvas.group(Group::class("muted"), |pen| {
            pen.segment((self.plot.left, middle), (self.plot.right, middle), ink::MUTED, 0.5);
            let right = self.plot.right + 9.0;
            pen.text((right, middle - 6.0), At::Left, 11.0, ink::MUTED_TEXT, "on");
            pen.text((right, middle + 6.0), At::Left, 11.0, ink::MUTED_TEXT, "off");
        });
    }

    /// Row names at the end of lines: all of them when few, else the culprits and the extremes.
    fn names(&self, canvas: &mut Canvas, order: &[usize]) {
        let room = ((self.plot.bottom - self.plot.top - 8.0) / 13.0) as usize;
        let named: Vec<usize> = if order.len() <= NAMED.min(room) {
            order.to_vec()
        } else {
            let mut named = self.culprits();
            let ends = order.iter().copied().max_by(|a, b| self.last(*a).total_cmp(&self.last(*b)));
            let lows = order.iter().copied().min_by(|a, b| self.last(*a).total_cmp(&self.last(*b)));
            named.extend(ends.into_iter().chain(lows));
            let mut seen = BTreeSet::new();
            named.retain(|i| seen.insert(*i));
            named.truncate(room);
            named
        };
        let wanted: Vec<f64> = named.iter().map(|i| self.y.pixel(self.last(*i))).collect();
        let floor = if self.plot.strip > 0.0 { self.plot.bottom - 8.0 } else { self.plot.bottom };
        let Some(heights) = apart(&wanted, 13.0, self.plot.top - 2.0, floor) else { return };
        for ((&i, want), y) in named.iter().zip(wanted).zip(heights) {
            let positive = self.positive(i);
            let colour = if positive { ink::POSITIVE } else { ink::NEGATIVE_TEXT };
            let group = Group { dash: None, ..self.group(i, None) };
            canvas.group(group, |pen| {
                let end = self.plot.right;
                pen.line(&[(end + 9.0, want), (end + 16.0, y)], ink::MUTED, 0.7, 1.0);
                pen.text((end + 18.0, y), At::Left, 11.0, colour, &format!("row {}", self.run.rows[i]));
            });
        }
    }
}

/// Whether the lines of neuron `j` must end at labels: it alone serves its sign, few lines, a scale that shows them.
fn has_rings(run: &Trajectory, j: usize, y: &Scale) -> bool {
    let alone = run.c.iter().filter(|v| v.signum() == run.c[j].signum()).count() == 1;
    alone && run.examples() <= CROWD && !y.is_log()
}

/// Ticks in pixels; of names closer than `space` the one nearer to 0 stays.
fn spaced(scale: &Scale, wanted: usize, space: f64) -> Vec<(f64, String)> {
    let mut ticks: Vec<(f64, String)> = scale.ticks(wanted);
    ticks.sort_by(|a, b| a.0.abs().total_cmp(&b.0.abs()));
    let mut named: Vec<f64> = Vec::new();
    let place = |(v, text): (f64, String)| {
        let at = scale.pixel(v);
        let free = text.is_empty() || named.iter().all(|p| (p - at).abs() >= space);
        if !text.is_empty() && free {
            named.push(at);
        }
        (at, if free { text } else { String::new() })
    };
    ticks.into_iter().map(place).collect()
}

fn signs(run: &Trajectory) -> String {
    run.c.iter().map(|c| if *c < 0.0 { '-' } else { '+' }).collect()
}

/// Linear, or logarithmic when the instants span more than two decades; 0 is shown on both.
fn x_scale(run: &Trajectory, from: f64, to: f64) -> Scale {
    let last = run.at.last().copied().unwrap_or(1.0);
    let least = run.at.iter().copied().find(|t| *t > 0.0).unwrap_or(1.0);
    let least = run.events.iter().map(|e| e.at).filter(|t| *t > 0.0).fold(least, f64::min);
    let threshold = match run.clock {
        Clock::Step => 1.0,
        Clock::Time => 10f64.powi(least.max(1e-7 * last).log10().floor() as i32),
    };
    if last > 100.0 * threshold {
        Scale::log(0.0, last, threshold, from, to)
    } else {
        Scale::linear(0.0, last, from, to)
    }
}

/// Lowest and highest finite preactivation of the panels shown, 0 and the labels included.
fn y_range(run: &Trajectory, shown: usize) -> (f64, f64) {
    let values = run.z.iter().flat_map(|z| z.as_slice()[..shown * run.examples()].iter().copied());
    let (low, high) = values.filter(|v| v.is_finite()).fold((0.0f64, 0.0f64), |(a, b), v| (a.min(v), b.max(v)));
    if low < high { (low, high) } else { (-1.0, 1.0) }
}

/// Linear, or logarithmic on both sides of 0 when preactivations dwarf the labels (a run that diverges).
fn y_scale((low, high): (f64, f64), run: &Trajectory, from: f64, to: f64) -> Scale {
    let labels = run.labels.iter().fold(0.0f64, |a, y| a.max(y.abs()));
    let labels = if labels > 0.0 { labels } else { 1.0 };
    if high.max(-low) > 100.0 * labels {
        Scale::log(low, high, 10f64.powi(labels.log10().ceil() as i32), from, to)
    } else {
        let pad = 0.04 * (high - low);
        Scale::linear(low - pad, high + pad, from, to)
    }
}

fn headline(canvas: &mut Canvas, head: &[String], subtitle: &str) {
    canvas.group(Group::class("ink"), |pen| {
        for (k, line) in head.iter().enumerate() {
            pen.text((MARGIN, MARGIN + 8.0 + 20.0 * k as f64), At::Left, 15.0, ink::DATA, line);
        }
    });
    canvas.group(Group::class("muted"), |pen| {
        let y = MARGIN + 8.0 + 20.0 * head.len() as f64;
        pen.text((MARGIN, y), At::Left, TEXT, ink::MUTED_TEXT, subtitle);
    });
}

fn subtitle(answer: &LimitAnswer, run: &Trajectory, shown: usize) -> String {
    let mut text = format!("Loss {} ({}), {}", four_or(answer.limit.loss), answer.limit.loss_scaling, changes(answer));
    if run.examples() > LINES {
        text = format!("{text}; {LINES} of {} rows drawn", count(run.examples() as u64));
    }
    if run.neurons() > shown {
        text = format!("{text}; {shown} of {} neurons", count(run.neurons() as u64));
    }
    text
}

/// One line of samples and words; entries that the picture does not need are left out.
fn legend(canvas: &mut Canvas, y: f64, run: &Trajectory, rings: bool) {
    let mut x = MARGIN;
    let positive = run.labels.iter().any(|v| *v > 0.0);
    let negative = run.labels.iter().any(|v| *v <= 0.0);
    let entry = |canvas: &mut Canvas, x: &mut f64, class: &str, words: &str| {
        let (dash, colour, text) = match class {
            "pos" => (None, ink::POSITIVE, ink::POSITIVE),
            "neg" => (DASH, ink::NEGATIVE, ink::NEGATIVE_TEXT),
            _ => (None, ink::MUTED, ink::MUTED_TEXT),
        };
        let start = *x;
        canvas.group(Group { class, dash, title: None }, |pen| match class {
            "muted" => {}
            _ => pen.line(&[(start, y), (start + 26.0, y)], colour, 1.5, 1.0),
        });
        let indent = if class == "muted" { 0.0 } else { 31.0 };
        canvas.group(Group::class(class), |pen| pen.text((start + indent, y), At::Left, TEXT, text, words));
        *x += indent + text_width(words, TEXT) + 22.0;
    };
    if positive {
        entry(canvas, &mut x, "pos", "positive label");
    }
    if negative {
        entry(canvas, &mut x, "neg", "negative label");
    }
    entry(canvas, &mut x, "muted", "faded: silent at the end");
    if rings {
        entry(canvas, &mut x, "muted", "ring: the label");
    }
    if !run.events.is_empty() {
        entry(canvas, &mut x, "muted", "ticks: mask changes");
    }
}

fn caption(answer: &LimitAnswer, run: &Trajectory, shown: usize) -> String {
    let settings = &answer.settings;
    let who = match (settings.step, settings.step_constant) {
        (Some(eta), Some(c)) => format!("gradient descent with step {} (C = {})", four(eta), four(c)),
        (Some(eta), None) => format!("gradient descent with step {}", four(eta)),
        _ => "gradient flow".to_owned(),
    };
    let neurons = if run.neurons() == 1 {
        "one neuron".to_owned()
    } else if shown < run.neurons() {
        format!("the first {shown} of {} neurons", run.neurons())
    } else {
        format!("{} neurons", run.neurons())
    };
    let end = match answer.limit.status {
        Status::Converged => "the limit",
        _ => "the state reached",
    };
    let at = run.at.last().map_or_else(String::new, |t| match run.clock {
        Clock::Step => format!(" up to step {}", instant(*t)),
        Clock::Time => format!(" up to time {}", four(*t)),
    });
    let lines = if run.examples() > LINES {
        format!(" {LINES} of {} rows are drawn, evenly chosen.", count(run.examples() as u64))
    } else {
        String::new()
    };
    let events = if run.events.is_empty() {
        String::new()
    } else {
        " Ticks below are mask changes, up when a row is switched on, down when off; where many fall on one spot they \
         are merged and taller."
            .to_owned()
    };
    let d = &answer.data;
    format!(
        "Preactivations of {} rows of {} (d = {}) for {neurons} of a ReLU network under {who}, start {}{at}. Solid blue: \
         positive label; dashed vermilion: negative label; faded: silent in {end}; rings: labels to be reached.{lines}\
         {events} Loss {} ({}), {}.",
        count(d.n as u64),
        d.name,
        count(d.d as u64),
        settings.start,
        four_or(answer.limit.loss),
        answer.limit.loss_scaling,
        changes(answer)
    )
}
