//! The law from weighted points on the sphere, for more inputs than closed forms reach, with a stated error.

use super::law::{Law, Model, Stated};
use super::newton::Newton;
use super::peaks::peaks;
use super::points::{BATCHES, Points};
use super::solve::{Solve, Stopped, fitting, ladder};
use super::sphere::Sphere;
use crate::num::Mat;
use crate::num::linalg::Cholesky;
use crate::num::mat::{max_abs, norm2};

/// Points of a batch on the way down the temperatures, and at the last one to begin with.
const FEW: usize = 256;
const FIRST: usize = 1024;
/// Largest factor of the points of a batch where the error is still too large.
const MORE: f64 = 8.0;
/// Numbers that the features of all points may take: 128 MiB.
const ROOM: usize = 1 << 24;
/// Error of the outputs, relative to the largest label, that ends the work.
const TARGET: f64 = 9e-4;
/// Residual, as a share of the labels, at a rung and at the end.
const ROUGH: f64 = 1e-3;
const FINE: f64 = 1e-10;
/// 97.5 % point of Student's t with 15 degrees of freedom, `BATCHES - 1`.
const STUDENT: f64 = 2.131_449_545_559_323;

/// `|q|^2` of the highest peak that a start may have.
const INSIDE: f64 = 0.999;
/// Sets of points of one size that may be drawn anew as the dual point moves.
const REDRAWN: usize = 4;
/// Part of the room `1 - |q|^2` at which they are.
const CLOSER: f64 = 0.6;

/// The stationary law of `model` from weighted points, at most [`Model::SAMPLED`] inputs; equal seeds, equal bits.
///
/// ```text
/// error^2 = t^2 sum_b |e_b - mean e|^2 / (B (B - 1)),   e_b = H^-1 (y - r/omega - f_b(r)) / omega
/// ```
///
/// over B = 16 independent batches, H minus the Hessian of the dual: 95 % of the error of the outputs in Euclidean norm.
/// Points are added until it is below 9e-4 of the largest label, or memory for them is spent.
///
/// # Cost
/// O(points n^2 k^2) a Newton step; points are 16 thousand to some millions over n.
///
/// # Source
/// Points: docs of `gibbs::points`; error: batch means. \[ours\]
pub fn solve_sampled(model: &Model, warm: Option<&Law>, seed: u64, stop: &dyn Fn() -> bool) -> Solve {
    model.check();
    let dim = model.x.cols();
    if dim > Model::SAMPLED {
        return Solve::Stopped(Stopped::Dimension);
    }
    let (n, size) = (model.y.rows(), norm2(model.y.as_slice()));
    let warm = fitting(warm, model);
    let mut at =
        At { r: warm.map_or_else(|| vec![0.0; model.y.as_slice().len()], |w| w.dual.as_slice().to_vec()), steps: 0 };
    let mut round = 0;
    let mut sphere = |at: &mut At, count: usize, before: Option<&Sphere>| {
        let before = before.and_then(|s| if let Sphere::Points(points) = s { Some(points) } else { None });
        let mut known = before.map_or(vec![], |points| {
            // climbing may stall on a kink below the points seen
            points.peaks.iter().cloned().chain([points.top(&at.scaled(model))]).collect()
        });
        loop {
            let found = peaks(&model.x, &at.scaled(model), &known, seed);
            round += 1;
            let drawn = Points::draw(&model.x, &at.scaled(model), found.clone(), before, count, (seed, round));
            // a direction that was not known before may leave the domain
            let top = drawn.top(&at.scaled(model));
            let height = found.iter().map(|t| t.height).fold(top.height, f64::max);
            if height < 1.0 {
                return Sphere::Points(drawn);
            }
            at.r.iter_mut().for_each(|r| *r *= (INSIDE / height).sqrt());
            known = found;
            known.push(top);
        }
    };
    let mut last = None;
    for beta in ladder(model, warm.map(|w| w.model.beta)) {
        let here = sphere(&mut at, FEW, last.as_ref());
        if !at.climb(model, &here, beta, ROUGH * size, stop) {
            return Solve::Stopped(Stopped::Interrupted);
        }
        last = Some(here);
    }
    let mut count = FIRST;
    loop {
        let mut here = sphere(&mut at, count, last.as_ref());
        for _ in 0..REDRAWN {
            let drawn_for = room(&here, &at.scaled(model));
            if !at.climb(model, &here, model.beta, FINE * size, stop) {
                return Solve::Stopped(Stopped::Interrupted);
            }
            if room(&here, &at.scaled(model)) > CLOSER * drawn_for {
                break;
            }
            // the dual point came so near the edge of the domain that these points are too far from where the mass is
            here = sphere(&mut at, count, Some(&here));
        }
        if !at.climb(model, &here, model.beta, FINE * size, stop) {
            return Solve::Stopped(Stopped::Interrupted);
        }
        let stated = state(model, &at, &here);
        let target = TARGET * max_abs(model.y.as_slice());
        let full = 2 * count * BATCHES > ROOM / n;
        if stated.error <= target || full {
            return Solve::Law(Box::new(Law::new(model, &at.r, &stated, here)));
        }
        last = Some(here);
        // lattices err like one over the points, random points like one over their root
        let factor = (1.2 * libm::pow(stated.error / target, 1.5)).clamp(2.0, MORE);
        count = ((count as f64 * factor) as usize).min(ROOM / n / BATCHES);
    }
}

/// `1 - |q|^2` where it is least among the points.
fn room(sphere: &Sphere, p: &Mat) -> f64 {
    let Sphere::Points(points) = sphere else { unreachable!("made here from points") };
    1.0 - points.top(p).height
}

/// A dual point that goes from one set of points to the next.
struct At {
    r: Vec<f64>,
    steps: usize,
}

impl At {
    fn scaled(&self, model: &Model) -> Mat {
        let scaled = self.r.iter().map(|r| r / model.lambda).collect();
        Mat::from_vec(model.y.rows(), model.y.cols(), scaled)
    }

    fn climb(&mut self, model: &Model, sphere: &Sphere, beta: f64, enough: f64, stop: &dyn Fn() -> bool) -> bool {
        let mut newton = Newton { model, sphere, r: self.r.clone(), steps: self.steps };
        let ended = newton.climb(beta, enough, stop);
        (self.r, self.steps) = (newton.r, newton.steps);
        ended
    }
}

/// The error by the spread of the batches; infinite where one of them, alone, says nothing.
fn state(model: &Model, at: &At, sphere: &Sphere) -> Stated {
    let newton = Newton { model, sphere, r: at.r.clone(), steps: at.steps };
    let p = at.scaled(model);
    let nothing = Stated {
        error: f64::INFINITY,
        quadrature: f64::INFINITY,
        free_energy: f64::NAN,
        steps: at.steps,
        mass: f64::NAN,
    };
    let Sphere::Points(points) = sphere else { unreachable!("made here from points") };
    let Some(whole) = sphere.integral(&model.x, &p, Some(&|| false)) else { return nothing };
    let (Some(batches), Some(factor)) =
        (points.batches(&model.x, &p), Cholesky::new(&newton.curvature(&whole, model.beta)))
    else {
        return nothing;
    };
    let shifts: Vec<Vec<f64>> = batches
        .iter()
        .map(|b| {
            let step = factor.solve(&newton.residual(b, &at.r, model.beta));
            step.iter().map(|s| s / model.omega).collect()
        })
        .collect();
    let number = BATCHES as f64;
    let spread: f64 = (0..at.r.len())
        .map(|j| {
            let mean = shifts.iter().map(|e| e[j]).sum::<f64>() / number;
            shifts.iter().map(|e| (e[j] - mean) * (e[j] - mean)).sum::<f64>()
        })
        .sum();
    let quadrature = STUDENT * (spread / (number * (number - 1.0))).sqrt();
    let left = factor.solve(&newton.residual(&whole, &at.r, model.beta));
    let free_energy = newton.quadratic(&at.r) - libm::log(whole.mass) / model.beta + model.offset();
    let error = quadrature + norm2(&left) / model.omega;
    Stated { error, quadrature, free_energy, steps: at.steps, mass: whole.mass }
}
