//! Patterns in a picture: how many rows are active, and for one or two features the data with the lines that matter.

use std::collections::BTreeSet;

use relimit_core::num::Mat;
use relimit_solve::answer::{DegeneracyKind, PatternsAnswer, PatternsStatus};

use super::Figure;
use super::canvas::{At, Canvas, Group, ink, lines, text_width};
use super::plot::{Frame, HEIGHT, LEFT, MARGIN, Plot, Point, WIDTH, range, write_head};
use super::scale::Scale;
use super::thin;
use crate::number::{count, whole};
use crate::text::{degenerate, features, headline, rows, short};

/// Most lines through two rows that are drawn, and most rows with a number.
const PAIRS: usize = 700;
const NUMBERED: usize = 40;
/// Most bars; more counts share a bar.
const BARS: usize = 150;

/// The picture of an answer; `x` holds the features (n x d) that it is about.
///
/// With one or two features the left panel shows the rows and the places where a pattern changes: thresholds between
/// values, lines through two rows (with a bias) or through a row and 0 (without). Bars show the patterns by their number
/// of active rows. `None` when there is nothing to show: more than two features and no counts.
pub fn patterns(answer: &PatternsAnswer, x: &Mat) -> Option<Figure> {
    assert_eq!((x.rows(), x.cols()), (answer.n, answer.data.features.len()), "features of another answer");
    let flat = x.cols() <= 2;
    if !flat && answer.active_counts.is_none() {
        return None;
    }
    let title = headline(answer);
    let mut canvas = Canvas::new(WIDTH, HEIGHT);
    let head = lines(&title, 15.0, WIDTH - 2.0 * MARGIN);
    let top = MARGIN + 20.0 * head.len() as f64 + 62.0;
    write_head(&mut canvas, &head, &subtitle(answer));
    let bottom = HEIGHT - 46.0;
    let split = if flat && answer.active_counts.is_some() { 0.57 * WIDTH } else { WIDTH };
    if flat {
        let plot = Plot { left: MARGIN + LEFT, right: split - MARGIN, top, bottom };
        let data = Data { answer, x, plot, special: special(answer) };
        data.draw(&mut canvas);
    }
    if let Some(counts) = &answer.active_counts {
        let left = if flat { split } else { 0.0 };
        let plot = Plot { left: left + MARGIN + LEFT, right: WIDTH - MARGIN, top, bottom };
        bars(&mut canvas, plot, counts, answer.status != PatternsStatus::Exact);
    }
    let caption = caption(answer, flat);
    Some(Figure { svg: canvas.finish(&title, &caption), title, caption })
}

fn subtitle(answer: &PatternsAnswer) -> String {
    let cover = whole(&answer.cover_bound_text);
    let p = match &answer.patterns_text {
        Some(p) => format!("P = {}", whole(p)),
        None => format!("P in [{}, {}]", whole(&answer.lower), whole(&answer.upper)),
    };
    format!("{p} ({}), in general position {cover}; {} inputs", answer.status.name(), answer.dim)
}

/// Rows that lie on one line with others, and rows that are equal or multiples; by position.
struct Special {
    /// Groups of three or more on one line.
    on_lines: Vec<Vec<usize>>,
    /// Groups of rows that cannot be told apart.
    together: Vec<Vec<usize>>,
}

fn special(answer: &PatternsAnswer) -> Special {
    let place = |row: &usize| answer.data.rows.binary_search(row).ok();
    let group = |rows: &[usize]| rows.iter().filter_map(place).collect::<Vec<usize>>();
    let of = |dependent: bool| {
        let kinds = answer.degeneracies.iter().filter(move |d| (d.kind == DegeneracyKind::Dependent) == dependent);
        kinds.map(|d| group(&d.rows)).collect::<Vec<_>>()
    };
    Special { on_lines: of(true), together: of(false) }
}

/// The left panel.
struct Data<'a> {
    answer: &'a PatternsAnswer,
    x: &'a Mat,
    plot: Plot,
    special: Special,
}

impl Data<'_> {
    fn draw(&self, canvas: &mut Canvas) {
        let bias = self.answer.settings.bias != "none";
        let names = &self.answer.data.features;
        let points = self.points();
        let (xs, ys): (Vec<f64>, Vec<f64>) = points.iter().copied().unzip();
        let x = range(&xs, !bias, self.plot.left, self.plot.right);
        let one = names.len() == 1;
        let y = if one {
            let most = ys.iter().fold(1.0, |m: f64, v| m.max(*v));
            Scale::linear(0.0, most + 0.6, self.plot.bottom, self.plot.top)
        } else {
            range(&ys, !bias, self.plot.bottom, self.plot.top)
        };
        let frame = Frame { x, y, plot: self.plot };
        if one {
            self.thresholds(canvas, &frame, bias);
        } else {
            self.pairs(canvas, &frame, &points, bias);
        }
        let tall = if one { ys.iter().fold(1.0f64, |m, v| m.max(*v)).min(5.0) as usize } else { 5 };
        let vertical = if one { "rows at this value".to_owned() } else { short(&names[1], 30) };
        let horizontal = short(&names[0], 40);
        canvas
            .group(Group::class("ink"), |pen| self.plot.axes(pen, &frame.x, &frame.y, (&horizontal, &vertical), tall));
        self.dots(canvas, &frame, &points);
        self.legend(canvas, bias);
    }

    /// Places of the rows; with one feature equal values are stacked.
    fn points(&self) -> Vec<Point> {
        let n = self.x.rows();
        if self.x.cols() == 2 {
            return (0..n).map(|i| (self.x[(i, 0)], self.x[(i, 1)])).collect();
        }
        let below = |i: usize| (0..i).filter(|k| self.x[(*k, 0)] == self.x[(i, 0)]).count();
        (0..n).map(|i| (self.x[(i, 0)], 1.0 + below(i) as f64)).collect()
    }

    /// One feature: where a neuron can switch.
    fn thresholds(&self, canvas: &mut Canvas, frame: &Frame, bias: bool) {
        let mut values: Vec<f64> = (0..self.x.rows()).map(|i| self.x[(i, 0)]).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        let at: Vec<f64> = if bias { values.windows(2).map(|w| 0.5 * (w[0] + w[1])).collect() } else { vec![0.0] };
        let title = format!("{} thresholds", count(at.len() as u64));
        canvas.group(Group { class: "muted", dash: None, title: Some(&title) }, |pen| {
            for (x, _) in thin::dots(at.iter().map(|v| (frame.x.pixel(*v), 0.0))) {
                pen.segment((x, self.plot.top), (x, self.plot.bottom), ink::FAINT, 0.7);
            }
        });
    }

    /// Two features: lines through two rows, or through a row and 0; those through three rows or more stand out.
    fn pairs(&self, canvas: &mut Canvas, frame: &Frame, points: &[Point], bias: bool) {
        let mut distinct: Vec<Point> = vec![];
        for p in points {
            if !distinct.contains(p) && (bias || *p != (0.0, 0.0)) {
                distinct.push(*p);
            }
        }
        let n = distinct.len();
        let all: Vec<(Point, Point)> = if bias {
            (0..n).flat_map(|i| (i + 1..n).map(move |k| (i, k))).map(|(i, k)| (distinct[i], distinct[k])).collect()
        } else {
            distinct.iter().map(|p| ((0.0, 0.0), *p)).collect()
        };
        if all.len() <= PAIRS {
            let width = if all.len() > 150 { 0.4 } else { 0.7 };
            let title = format!("{} lines", count(all.len() as u64));
            canvas.group(Group { class: "muted", dash: None, title: Some(&title) }, |pen| {
                for (a, b) in &all {
                    frame.through(pen, *a, *b, ink::FAINT, width);
                }
            });
        }
        for (group, told) in self.special.on_lines.iter().zip(self.told()) {
            let ends = ends(group.iter().map(|i| points[*i]));
            canvas.group(Group { class: "warn", dash: Some((7.0, 3.0)), title: Some(&told) }, |pen| {
                if let Some((a, b)) = ends {
                    frame.through(pen, a, b, ink::WARNING, 1.5);
                }
            });
        }
    }

    /// The words for each group on a line.
    fn told(&self) -> impl Iterator<Item = String> + '_ {
        let lines = self.answer.degeneracies.iter().filter(|d| d.kind == DegeneracyKind::Dependent);
        lines.map(|d| degenerate(self.answer, d))
    }

    /// The rows; equal rows have a ring, special rows their number.
    fn dots(&self, canvas: &mut Canvas, frame: &Frame, points: &[Point]) {
        let radius = if points.len() > 150 { 2.0 } else { 3.0 };
        canvas.group(Group::class("dots"), |pen| {
            for at in thin::dots(points.iter().map(|p| frame.pixel(*p))) {
                pen.dot(at, radius, ink::DATA);
            }
        });
        if self.x.cols() == 1 {
            return;
        }
        for group in &self.special.together {
            let numbers: Vec<usize> = group.iter().map(|i| self.answer.data.rows[*i]).collect();
            let title = format!("{} always change together", rows(&numbers));
            canvas.group(Group { class: "warn", dash: None, title: Some(&title) }, |pen| {
                for i in group {
                    pen.ring(frame.pixel(points[*i]), radius + 2.5, ink::WARNING);
                }
            });
        }
        let special = self.special.on_lines.iter().chain(&self.special.together).flatten();
        let numbered: BTreeSet<usize> = special.copied().collect();
        if numbered.len() > NUMBERED {
            return;
        }
        // Equal rows share a place, and so one text.
        let mut texts: Vec<(Point, String)> = vec![];
        for i in numbered {
            let (at, number) = (frame.pixel(points[i]), self.answer.data.rows[i].to_string());
            match texts.iter_mut().find(|t| t.0 == at) {
                Some((_, text)) => *text = format!("{text}, {number}"),
                None => texts.push((at, number)),
            }
        }
        let dots: Vec<Point> = points.iter().map(|p| frame.pixel(*p)).collect();
        let mut taken: Vec<(Point, Point)> = vec![];
        canvas.group(Group::class("ink"), |pen| {
            for ((x, y), text) in &texts {
                let width = text_width(text, 11.0);
                let corners =
                    [(7.0, -8.0), (7.0, 9.0), (-7.0 - width, -8.0), (-7.0 - width, 9.0), (7.0, -19.0), (7.0, 20.0)];
                let boxes = corners.map(|(dx, dy)| ((x + dx, y + dy - 6.0), (x + dx + width, y + dy + 6.0)));
                let apart = |a: &(Point, Point), b: &(Point, Point)| {
                    a.1.0 < b.0.0 || b.1.0 < a.0.0 || a.1.1 < b.0.1 || b.1.1 < a.0.1
                };
                let free =
                    |b: &&(Point, Point)| taken.iter().all(|t| apart(t, b)) && dots.iter().all(|d| apart(&(*d, *d), b));
                let Some(place) = boxes.iter().find(free) else { continue };
                pen.text((place.0.0, place.0.1 + 6.0), At::Left, 11.0, ink::DATA, text);
                taken.push(*place);
            }
        });
    }

    fn legend(&self, canvas: &mut Canvas, bias: bool) {
        let two = self.x.cols() == 2;
        let mut words = vec![match (two, bias) {
            (true, true) => "grey: lines through two rows",
            (true, false) => "grey: lines through a row and 0",
            (false, true) => "grey: a threshold in each gap",
            (false, false) => "grey: the only threshold",
        }];
        if two && !self.special.on_lines.is_empty() {
            words.push("orange: three or more");
        }
        if two && !self.special.together.is_empty() {
            words.push("ring: always together");
        }
        canvas.group(Group::class("muted"), |pen| {
            let at = (MARGIN, self.plot.top - 36.0);
            pen.text(at, At::Left, 11.0, ink::MUTED_TEXT, &words.join("; "));
        });
    }
}

/// The two points of a group that are farthest apart in the order of their coordinates.
fn ends(points: impl Iterator<Item = Point>) -> Option<(Point, Point)> {
    let mut points: Vec<Point> = points.collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    points.first().copied().zip(points.last().copied())
}

/// Patterns by their number of active rows.
fn bars(canvas: &mut Canvas, plot: Plot, counts: &[u64], partial: bool) {
    let width = counts.len().div_ceil(BARS);
    let sums: Vec<u64> = counts.chunks(width).map(|c| c.iter().sum()).collect();
    let most = sums.iter().copied().max().unwrap_or(0).max(1);
    let x = Scale::linear(-0.5, counts.len() as f64 - 0.5, plot.left, plot.right);
    let y = Scale::linear(0.0, 1.04 * most as f64, plot.bottom, plot.top);
    let gap = if sums.len() > 60 { 0.0 } else { 0.12 };
    canvas.group(Group::class("pos"), |pen| {
        for (k, sum) in sums.iter().enumerate().filter(|(_, s)| **s > 0) {
            let (a, b) = ((k * width) as f64 - 0.5, ((k + 1) * width).min(counts.len()) as f64 - 0.5);
            let pad = gap * (b - a);
            let left = (x.pixel(a + pad), y.pixel(*sum as f64));
            pen.rect(left, (x.pixel(b - pad), plot.bottom), ink::POSITIVE);
        }
    });
    let per = if width == 1 { String::new() } else { format!(" (bars of {width})") };
    let seen = if partial { "patterns seen" } else { "patterns" };
    let name = format!("{seen}{per}");
    canvas.group(Group::class("ink"), |pen| plot.axes(pen, &x, &y, ("active rows", &name), most.min(5) as usize));
}

fn caption(answer: &PatternsAnswer, flat: bool) -> String {
    let bias = answer.settings.bias != "none";
    let places = match (flat, answer.data.features.len(), bias) {
        (false, ..) => "",
        (true, 1, true) => " Dots are the rows, stacked where values are equal; each gap holds a threshold (grey).",
        (true, 1, false) => " Dots are the rows; without a bias 0 is the only threshold.",
        (true, _, true) => {
            " Dots are the rows; a pattern changes where a neuron's line turns over a line through two of \
                            them (grey). Lines through three or more rows are dashed orange, equal rows have a ring."
        }
        (true, _, false) => {
            " Dots are the rows; a pattern changes where a neuron's line through 0 turns over a row \
                             (grey). Rows on one line through 0 have a ring."
        }
    };
    let bars = if answer.active_counts.is_some() { " Bars: patterns by their number of active rows." } else { "" };
    format!(
        "{} Data: {} rows of {} with {}, {} different directions, {} a bias; {}.{places}{bars}",
        headline(answer),
        count(answer.n as u64),
        answer.data.name,
        features(&answer.data.features),
        count(answer.distinct as u64),
        if bias { "with" } else { "without" },
        subtitle(answer),
    )
}
