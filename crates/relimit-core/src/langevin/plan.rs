//! What is trained and how: options as they are written, and the checked plan that a run needs.

use std::sync::Arc;

use super::activation::{Activation, Smooth};
use super::plan_error::PlanError;
use super::schedule::{Batch, Schedule};
use super::start::Start;
use crate::num::Mat;

pub use crate::certify::optimum::{Bias, Loss, Offset};

/// How the outputs add up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scaling {
    /// `f = (1/N) sum_j c_j relu(w_j . x + b_j)`; objective = loss + (lambda/2)(1/N) sum_j |theta_j|^2; a neuron moves by
    /// N times the gradient of the objective, so that its speed does not depend on N.
    MeanField,
    /// `f = sum_j c_j relu(w_j . x + b_j)`; objective = loss + (lambda/2) sum_j |theta_j|^2.
    Standard,
}

/// Which weights move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layers {
    /// Both.
    Both,
    /// Input weights and hidden biases; output weights keep their start and are not decayed.
    Inner,
}

/// Numbers of the state. Outputs, losses and certificates are f64 always.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// Twice as fast.
    F32,
    /// The default.
    F64,
}

/// Noisy gradient descent on a two-layer network, as asked for.
///
/// ```text
/// theta_j <- theta_j - eta grad Psi(theta_j) + sqrt(2 eta / beta) g,   g ~ N(0, I),   theta = (c, w, b)
/// grad_c Psi = lambda c - sum_i r_i relu(z_i),   grad_u Psi = lambda u - sum_i r_i c relu'(z_i) x~_i,   r = omega (y - f)
/// ```
///
/// omega is 1, 1/n or 2/n by the named loss. The stationary law is exp(-beta Psi) as eta -> 0; the literature also has
/// updates of half that noise (see source).
///
/// # Source
/// Shevchenko, Kungurtsev, Mondelli 2022, eq. 3.3-3.6, with their (s, beta) = (eta/2, beta/2).
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Data, n x d, without a bias column.
    pub x: Arc<Mat>,
    /// Labels, n x k.
    pub y: Mat,
    /// Neurons N.
    pub width: usize,
    /// How outputs add up.
    pub scaling: Scaling,
    /// The unit.
    pub activation: Activation,
    /// Scaling of the loss.
    pub loss: Loss,
    /// Hidden biases.
    pub bias: Bias,
    /// Output offset. It follows plain gradient descent, so noise-free runs only.
    pub offset: Offset,
    /// Weight decay lambda.
    pub lambda: f64,
    /// Inverse temperature beta; infinity is noise-free gradient descent.
    pub beta: Schedule,
    /// Step eta.
    pub step: Schedule,
    /// Examples of a step. The gradient of a batch is scaled up to the whole data.
    pub batch: Batch,
    /// Which weights move.
    pub layers: Layers,
    /// Where they start.
    pub start: Start,
    /// Numbers of the state.
    pub precision: Precision,
    /// Seed of start, noise and batches.
    pub seed: u64,
    /// A noise-free full-batch run has converged when the root mean square over neurons of `|grad Psi|` is at most this
    /// (looked at every [`super::LOOK`] steps); 0: never.
    pub gradient_tolerance: f64,
}

impl Options {
    /// The product's defaults: 1000 neurons, mean-field, ReLU, half-mean loss, penalised biases, no offset, full batch,
    /// both layers, start N(0, 1), f64, seed 0, no tolerance.
    pub fn new(x: impl Into<Arc<Mat>>, y: Mat, lambda: f64, beta: f64, step: f64) -> Self {
        Self {
            x: x.into(),
            y,
            width: 1000,
            scaling: Scaling::MeanField,
            activation: Activation::Relu,
            loss: Loss::HalfMean,
            bias: Bias::Penalised,
            offset: Offset::None,
            lambda,
            beta: Schedule::Constant(beta),
            step: Schedule::Constant(step),
            batch: Batch::Full,
            layers: Layers::Both,
            start: Start::Normal { scale: 1.0 },
            precision: Precision::F64,
            seed: 0,
            gradient_tolerance: 0.0,
        }
    }
}

/// Options that were checked: nothing that a run does with them can fail.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    options: Options,
}

impl Plan {
    /// Checks options.
    ///
    /// # Errors
    /// [`PlanError`]: what is wrong, its value, and the cure.
    ///
    /// # Panics
    /// When labels have another number of rows than the data.
    pub fn new(options: Options) -> Result<Self, PlanError> {
        let o = &options;
        assert_eq!(o.x.rows(), o.y.rows(), "{} rows and {} labels", o.x.rows(), o.y.rows());
        let (n, d, k) = (o.x.rows(), o.x.cols(), o.y.cols());
        if n == 0 || k == 0 || (d == 0 && o.bias == Bias::None) {
            return Err(PlanError::Empty { n, d, k });
        }
        if o.width == 0 {
            return Err(PlanError::NoNeurons);
        }
        for (part, values) in [("x", &*o.x), ("y", &o.y)] {
            let limit = if o.precision == Precision::F32 { f64::from(f32::MAX) } else { f64::MAX };
            let bad = |v: f64| !(v.abs() <= limit);
            if let Some(at) = values.as_slice().iter().position(|v| bad(*v)) {
                let (row, column, value) = (at / values.cols(), at % values.cols(), values.as_slice()[at]);
                return Err(PlanError::OutOfRange { part, row, column, value });
            }
        }
        if !(o.lambda >= 0.0 && o.lambda.is_finite()) {
            return Err(PlanError::Lambda { lambda: o.lambda });
        }
        if let Some(beta) = o.beta.wrong(true) {
            return Err(PlanError::Beta { beta });
        }
        if let Some(step) = o.step.wrong(false) {
            return Err(PlanError::Step { step });
        }
        if o.beta.ever_finite() {
            if o.lambda == 0.0 {
                return Err(PlanError::NoDecay);
            }
            if o.bias == Bias::Free {
                return Err(PlanError::FreeBias);
            }
            if o.offset != Offset::None {
                return Err(PlanError::NoisyOffset);
            }
        }
        if let Batch::Shuffled(size) | Batch::Drawn(size) = o.batch
            && (size == 0 || (matches!(o.batch, Batch::Shuffled(_)) && size > n))
        {
            return Err(PlanError::Batch { size, n });
        }
        let smooth = |s: &Smooth| s.sharpness > 0.0 && s.sharpness.is_finite() && s.cap.is_finite();
        match o.activation {
            Activation::Smooth(s) if !(smooth(&s) && s.cap * s.sharpness > 1.0) => {
                return Err(PlanError::Smooth { cap: s.cap, sharpness: s.sharpness });
            }
            _ => {}
        }
        if !(o.gradient_tolerance >= 0.0) {
            return Err(PlanError::Tolerance { tolerance: o.gradient_tolerance });
        }
        o.start.check(o)?;
        Ok(Self { options })
    }

    /// The options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Examples, features, outputs.
    pub fn shape(&self) -> (usize, usize, usize) {
        (self.options.x.rows(), self.options.x.cols(), self.options.y.cols())
    }

    /// Whether neurons have biases.
    pub fn has_bias(&self) -> bool {
        self.options.bias != Bias::None
    }

    /// Numbers of a neuron that move: c where both layers do, w, and b where there is one.
    pub fn moving(&self) -> usize {
        let (_, d, k) = self.shape();
        d + usize::from(self.has_bias()) + if self.options.layers == Layers::Both { k } else { 0 }
    }

    /// The factor of the half-sum loss: `omega/2 sum |y - f|^2` is the named loss.
    pub fn omega(&self) -> f64 {
        let n = self.options.x.rows() as f64;
        match self.options.loss {
            Loss::HalfSum => 1.0,
            Loss::HalfMean => 1.0 / n,
            Loss::Mean => 2.0 / n,
        }
    }

    /// The factor in front of `sum_j c_j relu(..)`: 1/N or 1.
    pub fn scale(&self) -> f64 {
        match self.options.scaling {
            Scaling::MeanField => 1.0 / self.options.width as f64,
            Scaling::Standard => 1.0,
        }
    }
}
