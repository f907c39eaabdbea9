//! The regularised objective over neurons with several outputs.

use relimit_core::certify::optimum::{Objective as Claimed, Offset, dual_point};
use relimit_core::net::Network;
use relimit_core::num::Mat;
use relimit_core::num::mat::axpy;

use super::super::{Objective, Ray};

/// A neuron `c relu(u . x)` with c in R^k.
#[derive(Clone, Debug, PartialEq)]
pub struct VectorRay {
    /// Direction, kink, and the length |c| as its coefficient.
    pub ray: Ray,
    /// c / |c|, k.
    pub output: Vec<f64>,
}

/// The convex problem behind the regularised loss of a two-layer ReLU network of k outputs.
///
/// ```text
/// 1/2 sum_i omega_i |f_i + o - y_i|^2 + lambda sum_j |c_j| + (mu/2) |o|^2,   f_i = sum_j c_j relu(u_j . x_i) in R^k
/// ```
///
/// with |u_j| = 1 in the first `penalised` coordinates.
///
/// # Source
/// math note on noisy SGD, section 5.
#[derive(Clone, Debug)]
pub struct VectorObjective {
    /// Statement, rows, weights and penalty, which are those of one output; its labels are the first column.
    pub one: Objective,
    /// Labels, n x k.
    pub y: Mat,
}

/// What a network of several outputs is to the solver: neurons and output biases, k.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VectorNet {
    /// Neurons.
    pub rays: Vec<VectorRay>,
    /// Output biases, k.
    pub offset: Vec<f64>,
}

impl VectorObjective {
    /// Takes features (n x d), labels (n x k) and the statement; panics on shapes that do not match and on k = 0.
    pub fn new(claim: Claimed, features: Mat, y: Mat) -> Self {
        assert!(y.cols() > 0, "labels of no column");
        let first = (0..y.rows()).map(|i| y[(i, 0)]).collect();
        Self { one: Objective::new(claim, features, first), y }
    }

    /// The same problem with another weight decay.
    pub fn with_lambda(&self, lambda: f64) -> Self {
        Self { one: self.one.with_lambda(lambda), y: self.y.clone() }
    }

    /// Number of outputs.
    pub fn outputs(&self) -> usize {
        self.y.cols()
    }

    /// The network without neurons and with the output biases that fit best alone.
    pub fn constant(&self) -> VectorNet {
        VectorNet { rays: vec![], offset: self.best_offset(&Mat::zeros(self.one.n(), self.outputs())) }
    }

    /// The output biases of least objective beside the outputs `f` of the neurons, n x k.
    pub(super) fn best_offset(&self, f: &Mat) -> Vec<f64> {
        let one = &self.one;
        if one.offset == Offset::None {
            return vec![0.0; self.outputs()];
        }
        let weight: f64 = one.omega.iter().sum::<f64>() + one.offset_penalty();
        let rest = |l: usize| (0..one.n()).map(|i| one.omega[i] * (self.y[(i, l)] - f[(i, l)])).sum::<f64>();
        (0..self.outputs()).map(|l| rest(l) / weight).collect()
    }

    /// `f_i + o`, n x k.
    pub fn values(&self, net: &VectorNet) -> Mat {
        let mut f = Mat::from_fn(self.one.n(), self.outputs(), |_, l| net.offset[l]);
        for t in &net.rays {
            for (i, z) in self.one.feature(&t.ray).into_iter().enumerate() {
                if z > 0.0 {
                    axpy(t.ray.c * z, &t.output, f.row_mut(i));
                }
            }
        }
        f
    }

    /// The dual point `r_i = omega_i (y_i - f_i - o)`, n x k; its columns sum to exactly 0 where the objective asks for it.
    pub fn dual(&self, net: &VectorNet) -> Mat {
        let f = self.values(net);
        let n = self.one.n();
        let columns: Vec<Vec<f64>> = (0..self.outputs())
            .map(|l| {
                let residual: Vec<f64> = (0..n).map(|i| self.y[(i, l)] - f[(i, l)]).collect();
                dual_point(&self.one.claim, &residual)
            })
            .collect();
        Mat::from_fn(n, self.outputs(), |i, l| columns[l][i])
    }

    /// The loss alone.
    pub fn loss(&self, net: &VectorNet) -> f64 {
        let f = self.values(net);
        let square = |i: usize| f.row(i).iter().zip(self.y.row(i)).map(|(f, y)| (f - y) * (f - y)).sum::<f64>();
        0.5 * (0..self.one.n()).map(|i| self.one.omega[i] * square(i)).sum::<f64>()
    }

    /// `sum_j |c_j|` for unit directions.
    pub fn norm(&self, net: &VectorNet) -> f64 {
        net.rays.iter().map(|t| t.ray.c * self.one.size(&t.ray.u)).sum()
    }

    /// The objective.
    pub fn value(&self, net: &VectorNet) -> f64 {
        let offset: f64 = net.offset.iter().map(|o| o * o).sum();
        self.loss(net) + self.one.lambda * self.norm(net) + 0.5 * self.one.offset_penalty() * offset
    }

    /// The network, every neuron balanced: |c_j| = |u_j|.
    pub fn network(&self, net: &VectorNet) -> Network {
        let (d, rays) = (self.one.features.cols(), &net.rays);
        let root = |t: &VectorRay| t.ray.c.sqrt();
        Network::new(
            Mat::from_fn(rays.len(), d, |j, k| root(&rays[j]) * rays[j].ray.u[k]),
            rays.iter().map(|t| if self.one.dim() > d { root(t) * t.ray.u[d] } else { 0.0 }).collect(),
            Mat::from_fn(self.outputs(), rays.len(), |l, j| root(&rays[j]) * rays[j].output[l]),
            net.offset.clone(),
        )
    }

    /// `Q(u) = sum_i r_i relu(u . x_i)`, the rows on the ray's kink left out; k.
    pub(super) fn gain(&self, r: &Mat, ray: &Ray) -> Vec<f64> {
        let mut q = vec![0.0; self.outputs()];
        for (i, z) in self.one.feature(ray).into_iter().enumerate() {
            if z > 0.0 {
                axpy(z, r.row(i), &mut q);
            }
        }
        q
    }
}
