//! The model and its stationary law: outputs, free energy, moments, the function it computes.

use std::sync::Arc;

use super::cells::{fan, split};
use super::integral::{form, slopes, vector};
use super::simplex::{inner, moments, unit};
use super::sphere::Sphere;
use crate::num::Mat;
use crate::num::mat::{dot, norm2};

/// What is trained: data, the scale of the loss, weight decay and inverse temperature.
///
/// ```text
/// (omega/2) sum_i |f_i - y_i|^2 + (lambda/2) E|theta|^2 - H(rho)/beta,   f_i = E c relu(u . x_i),   theta = (c, u)
/// ```
#[derive(Clone, Debug)]
pub struct Model {
    /// Rows, n x D, a bias column of ones included.
    pub x: Arc<Mat>,
    /// Labels, n x k.
    pub y: Mat,
    /// Factor of the half-sum loss: 1, 1/n or 2/n.
    pub omega: f64,
    /// Weight decay, positive.
    pub lambda: f64,
    /// Inverse temperature, positive.
    pub beta: f64,
}

impl Model {
    /// Checks shapes and signs; panics on misuse.
    pub(super) fn check(&self) {
        let (n, k) = (self.y.rows(), self.y.cols());
        assert_eq!(self.x.rows(), n, "{} rows and {n} labels", self.x.rows());
        assert!(n > 0 && k > 0 && self.x.cols() > 0, "{n} rows, {k} outputs, {} inputs", self.x.cols());
        let positive = |v: f64| v > 0.0 && v.is_finite();
        assert!(
            positive(self.omega) && positive(self.lambda) && positive(self.beta),
            "omega {}, lambda {} and beta {} must be positive",
            self.omega,
            self.lambda,
            self.beta
        );
    }

    /// Largest number of inputs, bias included, whose law has a closed form.
    pub const CLOSED: usize = super::simplex::MOST;
    /// Largest number of inputs, bias included, whose law is estimated with a stated error.
    pub const SAMPLED: usize = 6;

    /// `-(1/beta) log` of the constants of Z in front of `I(r / lambda)`.
    ///
    /// ```text
    /// Z = (2 pi / (beta lambda))^(k/2) (1/2) Gamma(D/2) (2 lambda / beta)^(D/2) lambda^(-D) I(r / lambda)
    /// ```
    pub(super) fn offset(&self) -> f64 {
        let (d, k) = (self.x.cols() as f64, self.y.cols() as f64);
        let (log_lambda, log_beta) = (libm::log(self.lambda), libm::log(self.beta));
        let outer = 0.5 * k * (libm::log(2.0 * std::f64::consts::PI) - log_beta - log_lambda);
        let radial = libm::lgamma(0.5 * d) - std::f64::consts::LN_2
            + 0.5 * d * (std::f64::consts::LN_2 + log_lambda - log_beta)
            - d * log_lambda;
        -(outer + radial) / self.beta
    }
}

/// The stationary law, as far as its dual point determines it.
#[derive(Clone, Debug)]
pub struct Law {
    /// The model.
    pub model: Model,
    /// The dual point `r = omega (y - f)`, n x k.
    pub dual: Mat,
    /// Outputs of the exact law at the rows, n x k, up to `error`.
    pub outputs: Mat,
    /// `|outputs - exact outputs|` is at most this: the stationarity residual, by strong concavity, and `quadrature`.
    ///
    /// From points on the sphere (`points`) with 95 % confidence, by the spread of independent batches.
    pub error: f64,
    /// Rounding of the closed forms in the outputs, measured on a finer cut of the sphere; 95 % of the spread of
    /// estimates from points.
    pub quadrature: f64,
    /// Minimum of the free energy; from closed forms the error is at most `omega error^2 / 2` and rounding.
    pub free_energy: f64,
    /// Newton steps over all temperatures.
    pub steps: usize,
    /// `I(r / lambda)`.
    pub(super) mass: f64,
    pub(super) sphere: Sphere,
}

/// What a solver states about its law.
pub(super) struct Stated {
    pub(super) error: f64,
    pub(super) quadrature: f64,
    pub(super) free_energy: f64,
    pub(super) steps: usize,
    pub(super) mass: f64,
}

impl Law {
    pub(super) fn new(model: &Model, r: &[f64], stated: &Stated, sphere: Sphere) -> Self {
        let (n, k) = (model.y.rows(), model.y.cols());
        let outputs = (0..n * k).map(|j| model.y.as_slice()[j] - r[j] / model.omega).collect();
        let Stated { error, quadrature, free_energy, steps, mass } = *stated;
        Self {
            model: model.clone(),
            dual: Mat::from_vec(n, k, r.to_vec()),
            outputs: Mat::from_vec(n, k, outputs),
            error,
            quadrature,
            free_energy,
            steps,
            mass,
            sphere,
        }
    }

    /// Points on the sphere behind an estimated law; `None` for closed forms.
    pub fn points(&self) -> Option<usize> {
        match &self.sphere {
            Sphere::Cells(_) => None,
            Sphere::Points(points) => Some(points.len()),
        }
    }

    /// `E|theta|^2` by the virial identity `(lambda/2) E|theta|^2 = (D + k)/(2 beta) + r . f`.
    pub fn second_moment(&self) -> f64 {
        let m = &self.model;
        let degrees = (m.x.cols() + m.y.cols()) as f64;
        let paired: f64 = self.dual.as_slice().iter().zip(self.outputs.as_slice()).map(|(r, f)| r * f).sum();
        2.0 / m.lambda * (degrees / (2.0 * m.beta) + paired)
    }

    /// Named loss of the outputs.
    pub fn loss(&self) -> f64 {
        let pairs = self.outputs.as_slice().iter().zip(self.model.y.as_slice());
        0.5 * self.model.omega * pairs.map(|(f, y)| (f - y) * (f - y)).sum::<f64>()
    }

    /// Named loss plus penalty: the free energy without its entropy.
    pub fn objective(&self) -> f64 {
        self.loss() + 0.5 * self.model.lambda * self.second_moment()
    }

    /// `r / lambda`.
    pub(super) fn scaled(&self) -> Mat {
        Mat::from_fn(self.dual.rows(), self.dual.cols(), |i, a| self.dual[(i, a)] / self.model.lambda)
    }

    /// The k outputs at an input of D numbers (bias entry included): its plane cuts the cells once more, or the sum
    /// over the points.
    ///
    /// O(cells n) or O(points n).
    pub fn output(&self, x: &[f64]) -> Vec<f64> {
        assert_eq!(x.len(), self.model.x.cols(), "{} inputs for {}", x.len(), self.model.x.cols());
        let k = self.model.y.cols();
        let mut f = vec![0.0; k];
        if norm2(x) == 0.0 {
            return f;
        }
        let cells = match &self.sphere {
            Sphere::Cells(cells) => cells,
            Sphere::Points(_) => {
                for piece in self.pieces() {
                    let seen = dot(&piece.direction, x).max(0.0);
                    f.iter_mut().zip(&piece.coefficient).for_each(|(f, c)| *f += c * seen);
                }
                return f;
            }
        };
        let (row, p) = (vector(x), self.scaled());
        let plane = unit(row);
        for cell in cells {
            let g = slopes(&self.model.x, &p, &cell.active);
            let e = form(&g, 0, 0);
            for simplex in &cell.simplices {
                for part in split(simplex, &plane) {
                    if part.iter().map(|v| inner(v, &plane)).sum::<f64>() <= 0.0 {
                        continue;
                    }
                    for cone in fan(&part) {
                        let Some(m) = moments(&cone, &e) else { continue };
                        for (fa, ga) in f.iter_mut().zip(&g) {
                            let pushed = std::array::from_fn(|i| {
                                let entries = m.gradient[i].iter().zip(ga);
                                -2.0 * entries.map(|(entry, s)| entry.v * s).sum::<f64>()
                            });
                            *fa += inner(&row, &pushed);
                        }
                    }
                }
            }
        }
        let scale = 1.0 / (self.model.beta * self.model.lambda * self.mass);
        f.iter().map(|v| v * scale).collect()
    }
}
