//! Newton's method on the dual, over a ladder of falling temperatures, with a certified distance at the end.

use super::cells::{Cell, cells};
use super::integral::{Integral, integral, mass, refined};
use super::law::{Law, Model};
use crate::num::Mat;
use crate::num::linalg::Cholesky;
use crate::num::mat::norm2;

/// Newton steps at one temperature.
const STEPS: usize = 400;
/// Halvings of one step.
const HALVINGS: i32 = 60;
/// Factor between temperatures of the ladder.
const RUNG: f64 = 4.0;
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
    /// D is above [`Model::CLOSED`].
    Dimension,
    /// `stop` said so.
    Interrupted,
}

/// The stationary law of `model`; `warm` is the law of the same model at a smaller beta.
///
/// # Cost
/// About 10 Newton steps a decade of beta, each O(cells n^2 k^2 + n^3 k^3), cells about n^(D-1).
///
/// # Source
/// The law: Shevchenko, Kungurtsev, Mondelli, JMLR 23 (2022), eq. 3.6; angles and dual: docs of this module.
pub fn solve(model: &Model, warm: Option<&Law>, stop: &dyn Fn() -> bool) -> Solve {
    model.check();
    if model.x.cols() > Model::CLOSED {
        return Solve::Stopped(Stopped::Dimension);
    }
    let cells = cells(&model.x);
    let mut newton = Newton { model, cells: &cells, r: vec![0.0; model.y.as_slice().len()], steps: 0 };
    let warm = warm.filter(|w| {
        let same = w.dual.rows() == model.y.rows() && w.dual.cols() == model.y.cols();
        same && newton.value(w.dual.as_slice(), model.beta).is_some()
    });
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
    Solve::Law(Box::new(finish(model, &r, steps, &cells)))
}

/// Inverse temperatures up to the one asked for, from the warm one or one at which the labels hardly count.
fn ladder(model: &Model, warm: Option<f64>) -> Vec<f64> {
    let mut rungs = vec![model.beta];
    let energy = 0.5 * model.omega * model.y.as_slice().iter().map(|y| y * y).sum::<f64>();
    let start = warm.unwrap_or(if energy > 0.0 { RUNG / energy } else { f64::INFINITY });
    while rungs[rungs.len() - 1] > RUNG * start && rungs.len() < LONGEST {
        rungs.push(rungs[rungs.len() - 1] / RUNG);
    }
    rungs.reverse();
    rungs
}

struct Newton<'a> {
    model: &'a Model,
    cells: &'a [Cell],
    r: Vec<f64>,
    steps: usize,
}

impl Newton<'_> {
    fn scaled(&self, r: &[f64]) -> Mat {
        Mat::from_vec(self.model.y.rows(), self.model.y.cols(), r.iter().map(|v| v / self.model.lambda).collect())
    }

    fn quadratic(&self, r: &[f64]) -> f64 {
        let pairs = r.iter().zip(self.model.y.as_slice());
        pairs.map(|(r, y)| r * y - 0.5 * r * r / self.model.omega).sum()
    }

    /// The dual objective without its constant; `None` outside the domain.
    fn value(&self, r: &[f64], beta: f64) -> Option<f64> {
        let mass = mass(&self.model.x, self.cells, &self.scaled(r))?;
        Some(self.quadratic(r) - libm::log(mass) / beta)
    }

    /// `y - r/omega - f(r)`: the gradient of the dual.
    fn residual(&self, at: &Integral, r: &[f64], beta: f64) -> Vec<f64> {
        let scale = 1.0 / (beta * self.model.lambda * at.mass);
        (0..r.len()).map(|j| self.model.y.as_slice()[j] - r[j] / self.model.omega - scale * at.first[j]).collect()
    }

    /// Minus the Hessian of the dual.
    fn curvature(&self, at: &Integral, beta: f64) -> Mat {
        let size = self.r.len();
        let scale = 1.0 / (beta * self.model.lambda * self.model.lambda);
        Mat::from_fn(size, size, |i, j| {
            let loss = if i == j { 1.0 / self.model.omega } else { 0.0 };
            let (a, b) = (at.first[i] / at.mass, at.first[j] / at.mass);
            loss + scale * (at.second[(i, j)] / at.mass - a * b)
        })
    }

    /// Moves on along the last rung's way, by what r = r* + const/beta says, as far as that helps.
    fn predict(&mut self, before: &[f64], beta: f64) {
        let Some(value) = self.value(&self.r, beta) else { return };
        let next = [1.0, 0.9, 0.5].into_iter().find_map(|t| {
            let r: Vec<f64> = self.r.iter().zip(before).map(|(a, b)| a + t * (a - b) / RUNG).collect();
            self.value(&r, beta).filter(|v| *v > value).map(|_| r)
        });
        if let Some(r) = next {
            self.r = r;
        }
    }

    /// Damped Newton steps until the residual is below `enough` or rounding; false when stopped.
    fn climb(&mut self, beta: f64, enough: f64, stop: &dyn Fn() -> bool) -> bool {
        let (model, cells) = (self.model, self.cells);
        let at = |newton: &Self, r: &[f64]| integral(&model.x, cells, &newton.scaled(r), Some(stop));
        let Some(mut now) = at(self, &self.r) else { return !stop() };
        for _ in 0..STEPS {
            if stop() {
                return false;
            }
            let g = self.residual(&now, &self.r, beta);
            let length = norm2(&g);
            if length <= enough {
                break;
            }
            let Some(factor) = Cholesky::new(&self.curvature(&now, beta)) else { break };
            let step = factor.solve(&g);
            let gain: f64 = step.iter().zip(&g).map(|(s, g)| s * g).sum();
            let value = self.quadratic(&self.r) - libm::log(now.mass) / beta;
            let moved = |t: f64| self.r.iter().zip(&step).map(|(r, s)| r + t * s).collect::<Vec<f64>>();
            // Ascent by Armijo's rule; where the objective is flat to rounding, a smaller residual decides.
            let accepted = (0..HALVINGS).map(|k| libm::ldexp(1.0, -k)).find_map(|t| {
                let next = moved(t);
                let there = self.value(&next, beta)?;
                if there >= value + 0.1 * t * gain && there > value {
                    return at(self, &next).map(|full| (next, full));
                }
                let flat = gain <= 1e-10 * value.abs().max(f64::MIN_POSITIVE);
                if !flat {
                    return None;
                }
                let slope = integral(&model.x, cells, &self.scaled(&next), None)?;
                if norm2(&self.residual(&slope, &next, beta)) < 0.7 * length {
                    return at(self, &next).map(|full| (next, full));
                }
                None
            });
            let Some((next, full)) = accepted else { return !stop() };
            self.r = next;
            now = full;
            self.steps += 1;
        }
        true
    }
}

/// The law at a dual point, with its error.
///
/// The dual is concave with curvature at least 1/omega, so the exact point is within `omega |residual|`, and the outputs
/// `y - r/omega` within `|residual|`.
fn finish(model: &Model, r: &[f64], steps: usize, cells: &[Cell]) -> Law {
    let newton = Newton { model, cells, r: r.to_vec(), steps };
    let at = integral(&model.x, cells, &newton.scaled(r), None).expect("Newton's points are in the domain");
    let residual = newton.residual(&at, r, model.beta);
    let finer = integral(&model.x, &refined(cells), &newton.scaled(r), None);
    let quadrature = finer.map_or(f64::INFINITY, |finer| {
        let other = newton.residual(&finer, r, model.beta);
        norm2(&other.iter().zip(&residual).map(|(a, b)| a - b).collect::<Vec<f64>>())
    });
    let (n, k) = (model.y.rows(), model.y.cols());
    let outputs = (0..n * k).map(|j| model.y.as_slice()[j] - r[j] / model.omega).collect();
    let value = newton.quadratic(r) - libm::log(at.mass) / model.beta;
    Law {
        model: model.clone(),
        dual: Mat::from_vec(n, k, r.to_vec()),
        outputs: Mat::from_vec(n, k, outputs),
        error: norm2(&residual) + quadrature,
        quadrature,
        free_energy: value + model.offset(),
        steps,
        mass: at.mass,
        cells: cells.to_vec(),
    }
}
