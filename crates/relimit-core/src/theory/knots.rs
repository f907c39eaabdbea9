//! Knots of the limit in one dimension (Shevchenko, Kungurtsev, Mondelli 2022).

use super::collapse::on_optima;
use super::conditions::plural;
use super::evidence::{Evidence, Line};
use super::finding::{ClaimKind, Conclusion, Finding, Paper, Read, Side, Statement};

const PAPER: Paper = Paper {
    authors: "Shevchenko, Kungurtsev, Mondelli",
    year: 2022,
    title: "Mean-field Analysis of Piecewise Linear Solutions for Wide ReLU Networks",
    place: "JMLR 23(130), arXiv 2111.02278",
};

/// Share of the range of the data within which a kink counts as lying at a point.
const AT_POINT: f64 = 1e-9;

/// Key `three-knots`.
pub(super) fn three_per_interval(e: &Evidence) -> Finding {
    const S: Statement = Statement {
        key: "three-knots",
        paper: &PAPER,
        read: Read::MostOfTheText,
        kind: ClaimKind::Finite,
        claim: "one input: between two consecutive training inputs, and beyond the outermost, the limit has at most three \
                knots; three only as both ends and one inside",
        meaning: "largest number of kinks in one closed interval between consecutive inputs; 3",
    };
    on_optima(&S, e, |o| match &o.line {
        Some(line) => {
            let worst = intervals(line).into_iter().max().unwrap_or((0, 0));
            let (all, inside) = worst;
            let words = format!("{} in one interval, {inside} of them inside", plural(all, "kink"));
            let conclusion = Conclusion::compare(all as f64, Side::AtMost, 3.0, words);
            let shape = all < 3 || inside == 1;
            let seen = conclusion.seen.map(|s| s && shape);
            conclusion.seen(seen)
        }
        None => Conclusion::unknown("kinks are points on a line for one input only"),
    })
}

/// Kinks in each closed interval between consecutive inputs, unbounded ones included: all, and those inside.
fn intervals(line: &Line) -> Vec<(usize, usize)> {
    let mut points = line.points.clone();
    points.sort_by(f64::total_cmp);
    points.dedup();
    let range = points.last().zip(points.first()).map_or(0.0, |(b, a)| b - a);
    let near = |a: f64, b: f64| (a - b).abs() <= AT_POINT * range;
    let edges: Vec<f64> = [f64::NEG_INFINITY].into_iter().chain(points).chain([f64::INFINITY]).collect();
    let count = |a: f64, b: f64| {
        let ends = line.kinks.iter().filter(|k| near(**k, a) || near(**k, b)).count();
        let inside = line.kinks.iter().filter(|k| a < **k && **k < b && !near(**k, a) && !near(**k, b)).count();
        (ends + inside, inside)
    };
    edges.windows(2).map(|e| count(e[0], e[1])).collect()
}
