//! Where particles start: named laws, the default initialisers of three libraries, or a given network.

use super::particles::Particles;
use super::plan::{Bias, Offset, Options, Plan, Precision};
use super::plan_error::PlanError;
use crate::net::Network;
use crate::num::mat::norm2;
use crate::num::noise::{Purpose, Stream};

/// Address of the offsets, after those of all neurons.
const OFFSET: u64 = u64::MAX;

/// The law of the starting weights. Number p of neuron j depends on (seed, j, p) alone.
#[derive(Clone, Debug, PartialEq)]
pub enum Start {
    /// `c, w, b ~ N(0, scale^2)`; offset 0.
    Normal {
        /// Standard deviation.
        scale: f64,
    },
    /// `u ~ N(0, scale^2 / (N D))`, `|c| = |u|` with a random sign (direction, for several outputs); offset 0. Gradient
    /// flow keeps `|c_j| = |u_j|`.
    ///
    /// Source: Boursier, Pillaud-Vivien, Flammarion 2022, and their code.
    Balanced {
        /// Length of all input weights together, about.
        scale: f64,
    },
    /// `torch.nn.Linear`: everything uniform on +-1/sqrt(fan_in), biases and offset included.
    ///
    /// Source: PyTorch, `Linear.reset_parameters` (`kaiming_uniform_` with a = sqrt 5).
    PyTorch,
    /// `keras.layers.Dense`: Glorot uniform, +-sqrt(6 / (fan_in + fan_out)); biases and offset 0.
    ///
    /// Source: Glorot, Bengio 2010, eq. 16; Keras, `Dense(kernel_initializer="glorot_uniform")`.
    Keras,
    /// `sklearn.neural_network.MLPRegressor` with relu: Glorot uniform, biases and offset drawn from it too.
    ///
    /// Source: scikit-learn, `BaseMultilayerPerceptron._init_coef`.
    ScikitLearn,
    /// A network of the plan's width, in the scaling of the plan (its `c` enters as it is).
    Network(Box<Network>),
}

impl Start {
    pub(super) fn check(&self, o: &Options) -> Result<(), PlanError> {
        match self {
            Self::Normal { scale } | Self::Balanced { scale } if !(*scale > 0.0 && scale.is_finite()) => {
                Err(PlanError::StartScale { scale: *scale })
            }
            Self::Network(net) => {
                let found = (net.width(), net.inputs(), net.outputs());
                let expected = (o.width, o.x.cols(), o.y.cols());
                if found != expected {
                    return Err(PlanError::StartShape { found, expected });
                }
                if o.bias == Bias::None && net.b.iter().any(|b| *b != 0.0) {
                    return Err(PlanError::StartPart { part: "hidden bias" });
                }
                if o.offset == Offset::None && net.offset.iter().any(|b| *b != 0.0) {
                    return Err(PlanError::StartPart { part: "output offset" });
                }
                let limit = if o.precision == Precision::F32 { f64::from(f32::MAX) } else { f64::MAX };
                let bad = |v: &f64| !(v.abs() <= limit);
                for neuron in 0..net.width() {
                    let c = (0..net.outputs()).map(|out| net.c[(out, neuron)]);
                    let all = c.chain(net.w.row(neuron).iter().copied()).chain([net.b[neuron]]);
                    if let Some(value) = all.into_iter().find(bad) {
                        return Err(PlanError::StartNotFinite { neuron, value });
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// The particles at the start of a plan. O(N (k + d)).
pub fn start(plan: &Plan) -> Particles {
    let o = plan.options();
    let (_, d, k) = plan.shape();
    let (m, has_bias) = (o.width as f64, plan.has_bias());
    let noise = Stream::new(o.seed, Purpose::Start);
    let mut particles = Particles::zeros(plan);
    // Half widths of uniform laws: c, w, b, offset.
    let glorot = |into: f64, out: f64| (6.0 / (into + out)).sqrt();
    let (inner, outer) = (glorot(d as f64, m), glorot(m, k as f64));
    let uniform = match o.start {
        Start::PyTorch => {
            let fan = 1.0 / (d.max(1) as f64).sqrt();
            Some([1.0 / m.sqrt(), fan, fan, 1.0 / m.sqrt()])
        }
        Start::Keras => Some([outer, inner, 0.0, 0.0]),
        Start::ScikitLearn => Some([outer, inner, inner, outer]),
        _ => None,
    };
    for j in 0..o.width {
        let draw = |p: usize| noise.normal(j as u64, p as u64);
        let mut theta = vec![0.0; k + d + 1];
        match (&o.start, uniform) {
            (Start::Network(net), _) => {
                for (out, c) in theta[..k].iter_mut().enumerate() {
                    *c = net.c[(out, j)];
                }
                theta[k..k + d].copy_from_slice(net.w.row(j));
                theta[k + d] = net.b[j];
            }
            (Start::Balanced { scale }, _) => {
                let inputs = d + usize::from(has_bias);
                for p in 0..k + inputs {
                    theta[p] = draw(p);
                }
                let deviation = scale / (m * inputs as f64).sqrt();
                theta[k..k + inputs].iter_mut().for_each(|v| *v *= deviation);
                let (length, direction) = (norm2(&theta[k..k + inputs]), norm2(&theta[..k]));
                theta[..k].iter_mut().for_each(|c| *c *= length / direction);
                if k == 1 {
                    theta[0] = length.copysign(theta[0]);
                }
            }
            (_, Some([c, w, b, _])) => {
                for (p, v) in theta.iter_mut().enumerate() {
                    let half = if p < k {
                        c
                    } else if p < k + d {
                        w
                    } else {
                        b
                    };
                    *v = half * (2.0 * noise.uniform(j as u64, p as u64) - 1.0);
                }
            }
            (Start::Normal { scale }, _) => {
                for (p, v) in theta.iter_mut().enumerate() {
                    *v = scale * draw(p);
                }
            }
            (Start::PyTorch | Start::Keras | Start::ScikitLearn, None) => unreachable!("uniform laws are listed above"),
        }
        if !has_bias {
            theta[k + d] = 0.0;
        }
        particles.set(j, &theta);
    }
    if o.offset != Offset::None {
        for out in 0..k {
            particles.offset[out] = match (&o.start, uniform) {
                (Start::Network(net), _) => net.offset[out],
                (_, Some([.., half])) => half * (2.0 * noise.uniform(OFFSET, out as u64) - 1.0),
                _ => 0.0,
            };
        }
    }
    particles
}
