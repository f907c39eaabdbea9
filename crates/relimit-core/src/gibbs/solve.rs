//! Newton's method on the dual, over a ladder of falling temperatures, with a certified distance at the end.

use super::cells::cells;
use super::integral::{integral, refined};
use super::law::{Law, Model, Stated};
use super::newton::{Newton, RUNG};
use super::sampled::solve_sampled;
use super::sphere::Sphere;
use crate::num::mat::norm2;

/// Most rungs: 4^600 leaves the range of f64.
const LONGEST: usize = 600;
/// Residual, as a share of the labels, that a rung of the ladder has to reach.
const ROUGH: f64 = 1e-4;
/// The same at the last temperature; rounding ends the steps earlier at large beta.
const FINE: f64 = 1e-13;

/// What came of it.
#[derive(Clone, Debug)]
pub enum Solve {
    /// The law, with the error it states.
    Law(Box<Law>),
    /// There is none within the bounds of the work.
    Stopped(Stopped),
}

/// Why there is no law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// D is above [`Model::SAMPLED`].
    Dimension,
    /// `stop` said so.
    Interrupted,
}

/// The stationary law of `model`; `warm` is the law of the same model at a smaller beta.
///
/// Exact up to D = [`Model::CLOSED`]; above, [`solve_sampled`] with seed 0.
///
/// # Cost
/// About 10 Newton steps a decade of beta, each O(cells n^2 k^2 + n^3 k^3), cells about n^(D-1).
///
/// # Source
/// The law: Shevchenko, Kungurtsev, Mondelli, JMLR 23 (2022), eq. 3.6; angles and dual: docs of this module.
pub fn solve(model: &Model, warm: Option<&Law>, stop: &dyn Fn() -> bool) -> Solve {
    model.check();
    if model.x.cols() > Model::CLOSED {
        return solve_sampled(model, warm, 0, stop);
    }
    let Some(cells) = cells(&model.x, stop) else { return Solve::Stopped(Stopped::Interrupted) };
    let sphere = Sphere::Cells(cells);
    let mut newton = Newton { model, sphere: &sphere, r: vec![0.0; model.y.as_slice().len()], steps: 0 };
    let warm = fitting(warm, model).filter(|w| newton.value(w.dual.as_slice(), model.beta).is_some());
    if let Some(w) = warm {
        newton.r.copy_from_slice(w.dual.as_slice());
    }
    let size = norm2(model.y.as_slice());
    let mut before: Option<Vec<f64>> = None;
    for beta in ladder(model, warm.map(|w| w.model.beta)) {
        let enough = if beta < model.beta { ROUGH } else { FINE };
        let here = newton.r.clone();
        if let Some(before) = &before {
            newton.predict(before, beta);
        }
        before = Some(here);
        if !newton.climb(beta, enough * size, stop) {
            return Solve::Stopped(Stopped::Interrupted);
        }
    }
    let (r, steps) = (newton.r.clone(), newton.steps);
    Solve::Law(Box::new(finish(model, &r, steps, sphere)))
}

/// A law with as many dual variables.
pub(super) fn fitting<'a>(warm: Option<&'a Law>, model: &Model) -> Option<&'a Law> {
    warm.filter(|w| w.dual.rows() == model.y.rows() && w.dual.cols() == model.y.cols())
}

/// Inverse temperatures up to the one asked for, from the warm one or one at which the labels hardly count.
pub(super) fn ladder(model: &Model, warm: Option<f64>) -> Vec<f64> {
    let mut rungs = vec![model.beta];
    let energy = 0.5 * model.omega * model.y.as_slice().iter().map(|y| y * y).sum::<f64>();
    let start = warm.unwrap_or(if energy > 0.0 { RUNG / energy } else { f64::INFINITY });
    while rungs[rungs.len() - 1] > RUNG * start && rungs.len() < LONGEST {
        rungs.push(rungs[rungs.len() - 1] / RUNG);
    }
    rungs.reverse();
    rungs
}

/// The law at a dual point, with its error.
///
/// The dual is concave with curvature at least 1/omega, so the exact point is within `omega |residual|`, and the outputs
/// `y - r/omega` within `|residual|`.
fn finish(model: &Model, r: &[f64], steps: usize, sphere: Sphere) -> Law {
    let newton = Newton { model, sphere: &sphere, r: r.to_vec(), steps };
    let at = sphere.integral(&model.x, &newton.scaled(r), None).expect("Newton's points are in the domain");
    let residual = newton.residual(&at, r, model.beta);
    let finer = match &sphere {
        Sphere::Cells(cells) => integral(&model.x, &refined(cells), &newton.scaled(r), None),
        Sphere::Points(_) => None,
    };
    let quadrature = finer.map_or(f64::INFINITY, |finer| {
        let other = newton.residual(&finer, r, model.beta);
        norm2(&other.iter().zip(&residual).map(|(a, b)| a - b).collect::<Vec<f64>>())
    });
    let value = newton.quadratic(r) - libm::log(at.mass) / model.beta;
    let error = norm2(&residual) + quadrature;
    Law::new(model, r, &Stated { error, quadrature, free_energy: value + model.offset(), steps, mass: at.mass }, sphere)
}
