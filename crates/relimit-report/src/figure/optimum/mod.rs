//! The optimum in a picture: the fit with its kinks or creases, the path, the interval over time, or the neurons.

mod interval;
mod line;
mod neurons;
mod path;
mod plane;

use relimit_core::net::Network;
use relimit_core::num::Mat;
use relimit_solve::answer::{Claim, OptimumAnswer};

use super::Figure;
use super::canvas::{Canvas, lines};
use super::plot::{HEIGHT, LEFT, MARGIN, Plot, WIDTH, write_head};
use crate::number::{asked, count, four, gap, interval as between, percent};
use crate::text::{features, optimum_sentence, word};

/// Data and network in the units of the file.
#[derive(Clone, Copy)]
pub struct Fit<'a> {
    /// Features, n x d.
    pub x: &'a Mat,
    /// Labels, n.
    pub y: &'a [f64],
    /// Names of the features, d.
    pub features: &'a [String],
    /// Name of the label.
    pub target: &'a str,
    /// The network of the answer.
    pub network: &'a Network,
    /// Which of its outputs the label belongs to.
    pub output: usize,
}

impl Fit<'_> {
    /// The network at one place.
    pub(in crate::figure) fn at(&self, place: &[f64]) -> f64 {
        self.network.forward(&Mat::from_rows(&[place]))[(0, self.output)]
    }
}

/// What a picture of an answer shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// Objective and width along decreasing lambda.
    Path,
    /// One feature: rows, fitted function, kinks and slopes.
    Line,
    /// Two features: rows, level sets of the fitted function and creases.
    Plane,
    /// The proved interval over nodes and seconds.
    Interval,
    /// The neurons, largest first.
    Neurons,
}

impl View {
    /// The path where there is one, else the fit of one target in one or two features, else the trace where there is one.
    pub fn of(answer: &OptimumAnswer) -> Self {
        let some = |points: Option<usize>| points.is_some_and(|k| k >= 2);
        let one = answer.further_targets.is_none();
        match answer.data.d {
            _ if some(answer.path.as_ref().map(Vec::len)) => Self::Path,
            1 if one => Self::Line,
            2 if one => Self::Plane,
            _ if some(answer.trace.as_ref().map(Vec::len)) => Self::Interval,
            _ => Self::Neurons,
        }
    }
}

/// The picture of an answer.
///
/// # Panics
/// When the features are not those of the answer.
pub fn optimum(answer: &OptimumAnswer, fit: &Fit<'_>) -> Figure {
    let (n, d) = (fit.x.rows(), fit.x.cols());
    assert_eq!((n, d), (answer.data.n, answer.data.d), "features of another answer");
    let title = title(answer);
    let head = lines(&title, 15.0, WIDTH - 2.0 * MARGIN);
    let mut canvas = Canvas::new(WIDTH, HEIGHT);
    let subtitle = subtitle(answer);
    write_head(&mut canvas, &head, &subtitle);
    let top = MARGIN + 20.0 * head.len() as f64 + 66.0;
    let page = Plot { left: MARGIN + LEFT, right: WIDTH - MARGIN, top, bottom: HEIGHT - 46.0 };
    let shows = match View::of(answer) {
        View::Path => path::draw(&mut canvas, page, answer),
        View::Line => line::draw(&mut canvas, page, answer, fit),
        View::Plane => plane::draw(&mut canvas, page, answer, fit),
        View::Interval => interval::draw(&mut canvas, page, answer),
        View::Neurons => neurons::draw(&mut canvas, page, answer, fit),
    };
    let caption = format!(
        "{title} {shows} Data: {} rows of {}, {} from {}; {subtitle}.",
        count(n as u64),
        answer.data.name,
        fit.target,
        features(fit.features),
    );
    Figure { svg: canvas.finish(&title, &caption), title, caption }
}

fn title(answer: &OptimumAnswer) -> String {
    if let (View::Path, Some(points)) = (View::of(answer), &answer.path) {
        let widths = points.iter().map(|p| p.width);
        let (least, most) = (widths.clone().min().unwrap_or(0), widths.max().unwrap_or(0));
        let sure = points.iter().filter(|p| p.status == Claim::Certified).count();
        let k = points.len();
        return format!(
            "Along {k} values of lambda the best network has {least} to {most} neurons; {sure} are certified."
        );
    }
    let sure = match answer.status {
        Claim::Certified => format!("No network does better than {}.", four(answer.dual)),
        Claim::Bound => format!("The minimum lies in {}.", between(answer.dual, answer.objective)),
        _ => format!("Its objective is {}; no lower bound was reached.", four(answer.objective)),
    };
    format!("{} {sure}", optimum_sentence(answer))
}

fn subtitle(answer: &OptimumAnswer) -> String {
    let s = &answer.settings;
    if View::of(answer) == View::Path {
        return format!(
            "{} loss, lambda_max {}, bias {}, offset {}",
            s.loss,
            four(answer.lambda_max),
            s.bias,
            s.offset
        );
    }
    let share = match answer.lambda_max {
        top if top > 0.0 => format!(" = {} of lambda_max", percent(asked(answer.lambda / top))),
        _ => String::new(),
    };
    let sure = match answer.status {
        Claim::Certified => format!("certified, {}", gap(answer.gap)),
        other => word(other).to_owned(),
    };
    format!("{sure}; {} loss, lambda {}{share}, bias {}", s.loss, four(answer.lambda), s.bias)
}
