//! The regularised objective over rays: data, weights of the examples, penalty, and what is left to fit.

use relimit_core::certify::optimum::{Bias, Objective as Claimed, Offset};
use relimit_core::net::Network;
use relimit_core::num::Mat;
use relimit_core::num::mat::{axpy, dot, norm2};

use super::Ray;
use super::line::Sum;

/// The convex problem behind the regularised loss of a two-layer ReLU network.
///
/// ```text
/// 1/2 sum_i omega_i (f_i + o - y_i)^2 + lambda sum_j |c_j| + (mu/2) o^2,   f_i = sum_j c_j relu(u_j . x_i)
/// ```
///
/// with |u_j| = 1 in the first `penalised` coordinates. omega_i = 1/n is the half-mean loss. mu is 0 or lambda.
#[derive(Clone, Debug)]
pub struct Objective {
    /// What is minimised, as the certificate states it.
    pub claim: Claimed,
    /// Features, n x d.
    pub features: Mat,
    /// Rows x_i, n x D, a bias being the last column of ones.
    pub x: Mat,
    /// Labels, n.
    pub y: Vec<f64>,
    /// Weight of each example in the loss, n, at least 0.
    pub omega: Vec<f64>,
    /// |x_i|, n.
    pub(super) lengths: Vec<f64>,
    /// Weight decay.
    pub lambda: f64,
    /// Coordinates of a direction that are penalised: D, or D - 1 with a free bias.
    pub penalised: usize,
    /// Output bias. A free hidden bias makes constants free, hence the offset too.
    pub offset: Offset,
}

impl Objective {
    /// Takes features (n x d), labels (n) and the statement; panics on shapes that do not match.
    pub fn new(claim: Claimed, features: Mat, y: Vec<f64>) -> Self {
        let (n, d) = (features.rows(), features.cols());
        assert_eq!(y.len(), n, "{n} rows and {} labels", y.len());
        let omega = claim.factors(n);
        let x = match claim.bias {
            Bias::None => features.clone(),
            _ => Mat::from_fn(n, d + 1, |i, k| if k < d { features[(i, k)] } else { 1.0 }),
        };
        let penalised = if claim.bias == Bias::Penalised { d + 1 } else { d };
        let offset = if claim.bias == Bias::Free { Offset::Free } else { claim.offset };
        // the same problem: a neuron without weights and with a free bias is a free constant
        let claim = Claimed { offset, ..claim };
        let lambda = claim.lambda;
        let lengths = (0..n).map(|i| norm2(x.row(i))).collect();
        Self { claim, features, x, y, omega, lengths, lambda, penalised, offset }
    }

    /// The same problem with another weight decay.
    pub fn with_lambda(&self, lambda: f64) -> Self {
        Self { lambda, claim: Claimed { lambda, ..self.claim.clone() }, ..self.clone() }
    }

    /// The network of some rays, every neuron balanced: |c_j| = |u_j|.
    pub fn network(&self, rays: &[Ray], offset: f64) -> Network {
        let d = self.features.cols();
        let root = |t: &Ray| t.c.abs().sqrt();
        Network::scalar(
            Mat::from_fn(rays.len(), d, |j, k| root(&rays[j]) * rays[j].u[k]),
            rays.iter().map(|t| if self.dim() > d { root(t) * t.u[d] } else { 0.0 }).collect(),
            rays.iter().map(|t| t.c.signum() * root(t)).collect(),
            offset,
        )
    }

    /// Number of examples.
    pub fn n(&self) -> usize {
        self.y.len()
    }

    /// Coordinates of a direction.
    pub fn dim(&self) -> usize {
        self.x.cols()
    }

    /// Whether the bias is free of the penalty.
    pub fn free_bias(&self) -> bool {
        self.penalised < self.dim()
    }

    /// Quadratic penalty of the offset: 0 when it is free; without an offset the number has no meaning.
    pub fn offset_penalty(&self) -> f64 {
        if self.offset == Offset::Penalised { self.lambda } else { 0.0 }
    }

    /// `|u|` in the penalised coordinates.
    pub fn size(&self, u: &[f64]) -> f64 {
        norm2(&u[..self.penalised])
    }

    /// relu(u . x_i) for every example, exactly 0 on the ray's kink.
    pub fn feature(&self, ray: &Ray) -> Vec<f64> {
        let mut out = vec![0.0; self.n()];
        self.feature_into(ray, &mut out);
        out
    }

    /// [`Objective::feature`] in place.
    pub(super) fn feature_into(&self, ray: &Ray, out: &mut [f64]) {
        products_into(&self.x, &ray.u, out);
        for z in &mut *out {
            *z = z.max(0.0);
        }
        for &i in &ray.kink {
            out[i] = 0.0;
        }
    }

    /// Sign of u . x_i: 1, 0 or -1 for every example.
    pub fn pattern(&self, ray: &Ray) -> Vec<i8> {
        let mut out: Vec<i8> = products(&self.x, &ray.u).into_iter().map(sign).collect();
        for &i in &ray.kink {
            out[i] = 0;
        }
        out
    }

    /// `f_i + o`.
    pub fn outputs(&self, rays: &[Ray], offset: f64) -> Vec<f64> {
        let mut f = vec![offset; self.n()];
        let mut feature = vec![0.0; self.n()];
        for ray in rays {
            self.feature_into(ray, &mut feature);
            axpy(ray.c, &feature, &mut f);
        }
        f
    }

    /// The dual point `r_i = omega_i (y_i - f_i - o)`.
    pub fn dual(&self, rays: &[Ray], offset: f64) -> Vec<f64> {
        let f = self.outputs(rays, offset);
        (0..self.n()).map(|i| self.omega[i] * (self.y[i] - f[i])).collect()
    }

    /// The objective.
    pub fn value(&self, rays: &[Ray], offset: f64) -> f64 {
        let f = self.outputs(rays, offset);
        // carried along, the rounding of many terms hides no fall of the objective
        let mut loss = Sum::default();
        for i in 0..self.n() {
            loss.add(self.omega[i] * (f[i] - self.y[i]) * (f[i] - self.y[i]));
        }
        let penalty: f64 = rays.iter().map(|t| t.c.abs() * self.size(&t.u)).sum();
        0.5 * loss.value() + self.lambda * penalty + 0.5 * self.offset_penalty() * offset * offset
    }

    /// The offset that fits the labels best when there is no neuron.
    pub fn lone_offset(&self) -> f64 {
        if self.offset == Offset::None {
            return 0.0;
        }
        let weight: f64 = self.omega.iter().sum();
        dot(&self.omega, &self.y) / (weight + self.offset_penalty())
    }
}

/// The sign as a number.
pub(super) fn sign(z: f64) -> i8 {
    i8::from(z > 0.0) - i8::from(z < 0.0)
}

/// `sum_i r_i relu(u . x_i)`.
pub(super) fn gain(x: &Mat, r: &[f64], u: &[f64]) -> f64 {
    products(x, u).iter().zip(r).map(|(z, r)| r * z.max(0.0)).sum()
}

/// `u . x_i` for every row.
pub(super) fn products(x: &Mat, u: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; x.rows()];
    products_into(x, u, &mut out);
    out
}

/// [`products`] in place; short rows in one loop without calls.
pub(super) fn products_into(x: &Mat, u: &[f64], out: &mut [f64]) {
    match u.len() {
        2 => short::<2>(x, u, out),
        3 => short::<3>(x, u, out),
        4 => short::<4>(x, u, out),
        5 => short::<5>(x, u, out),
        6 => short::<6>(x, u, out),
        7 => short::<7>(x, u, out),
        8 => short::<8>(x, u, out),
        _ => out.iter_mut().enumerate().for_each(|(i, z)| *z = dot(x.row(i), u)),
    }
}

fn short<const D: usize>(x: &Mat, u: &[f64], out: &mut [f64]) {
    let rows = x.as_slice().as_chunks::<D>().0;
    for (z, row) in out.iter_mut().zip(rows) {
        let mut sum = row[0] * u[0];
        for k in 1..D {
            sum += row[k] * u[k];
        }
        *z = sum;
    }
}
