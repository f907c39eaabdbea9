//! Damped Newton steps on the dual at one temperature, over cells or points alike.

use super::integral::Integral;
use super::law::Model;
use super::sphere::Sphere;
use crate::num::Mat;
use crate::num::linalg::Cholesky;
use crate::num::mat::norm2;

/// Newton steps at one temperature.
const STEPS: usize = 400;
/// Halvings of one step.
const HALVINGS: i32 = 60;
/// Factor between temperatures of a ladder.
pub(super) const RUNG: f64 = 4.0;

/// A dual point on its way up.
pub(super) struct Newton<'a> {
    pub(super) model: &'a Model,
    pub(super) sphere: &'a Sphere,
    pub(super) r: Vec<f64>,
    pub(super) steps: usize,
}

impl Newton<'_> {
    pub(super) fn scaled(&self, r: &[f64]) -> Mat {
        Mat::from_vec(self.model.y.rows(), self.model.y.cols(), r.iter().map(|v| v / self.model.lambda).collect())
    }

    pub(super) fn quadratic(&self, r: &[f64]) -> f64 {
        let pairs = r.iter().zip(self.model.y.as_slice());
        pairs.map(|(r, y)| r * y - 0.5 * r * r / self.model.omega).sum()
    }

    /// The dual objective without its constant; `None` outside the domain.
    pub(super) fn value(&self, r: &[f64], beta: f64) -> Option<f64> {
        let mass = self.sphere.mass(&self.model.x, &self.scaled(r))?;
        Some(self.quadratic(r) - libm::log(mass) / beta)
    }

    /// `y - r/omega - f(r)`: the gradient of the dual.
    pub(super) fn residual(&self, at: &Integral, r: &[f64], beta: f64) -> Vec<f64> {
        let scale = 1.0 / (beta * self.model.lambda * at.mass);
        (0..r.len()).map(|j| self.model.y.as_slice()[j] - r[j] / self.model.omega - scale * at.first[j]).collect()
    }

    /// Minus the Hessian of the dual.
    pub(super) fn curvature(&self, at: &Integral, beta: f64) -> Mat {
        let size = self.r.len();
        let scale = 1.0 / (beta * self.model.lambda * self.model.lambda);
        Mat::from_fn(size, size, |i, j| {
            let loss = if i == j { 1.0 / self.model.omega } else { 0.0 };
            let (a, b) = (at.first[i] / at.mass, at.first[j] / at.mass);
            loss + scale * (at.second[(i, j)] / at.mass - a * b)
        })
    }

    /// Moves on along the last rung's way, by what r = r* + const/beta says, as far as that helps.
    pub(super) fn predict(&mut self, before: &[f64], beta: f64) {
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
    pub(super) fn climb(&mut self, beta: f64, enough: f64, stop: &dyn Fn() -> bool) -> bool {
        let (model, sphere) = (self.model, self.sphere);
        let at = |newton: &Self, r: &[f64]| sphere.integral(&model.x, &newton.scaled(r), Some(stop));
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
                let slope = sphere.integral(&model.x, &self.scaled(&next), None)?;
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
