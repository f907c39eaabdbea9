//! Where the coefficient of a trained network is: its groups of directions, and the rays that the optimum touches.

use serde::{Deserialize, Serialize};

use super::Claim;

/// Neurons of one sign within an angle of a centre, at one time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PointGroup {
    /// Centre: unit vector of the input weights, the bias last where there is one.
    pub direction: Vec<f64>,
    /// Coefficient `sum c |u|` (mean-field: the mean), signed.
    pub c: f64,
    /// Its share of the whole coefficient `sum |c| |u|`.
    pub share: f64,
}

/// A group at the end of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainGroup {
    /// Input weights of the centre (unit length with the bias), d.
    pub w: Vec<f64>,
    /// Bias of the centre.
    pub b: f64,
    /// Coefficient, signed.
    pub c: f64,
    /// Share of the whole coefficient.
    pub share: f64,
    /// Neurons in it.
    pub neurons: usize,
    /// Kink in the units of the file (one feature and a bias).
    pub kink: Option<f64>,
    /// Nearest ray of the optimum of the same sign, as its place in `rays.rays`.
    pub ray: Option<usize>,
    /// Degrees to that ray.
    pub degrees: Option<f64>,
}

/// The run beside the optimum at the same weight decay. One output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainRays {
    /// How sure the optimum is.
    pub status: Claim,
    /// Its objective, an upper bound.
    pub objective: f64,
    /// Lower bound of the objective over all networks.
    pub lower_bound: f64,
    /// Objective of the run minus the lower bound: the run is at most this far from the best possible.
    pub excess: Option<f64>,
    /// Whether one network alone attains the optimum; `null` where directions may have been missed.
    pub unique: Option<bool>,
    /// Degrees within which a neuron belongs to the nearest ray of its sign.
    pub angle: f64,
    /// The directions of contact, the support of the optimum first.
    pub rays: Vec<TrainRay>,
    /// Shares of the coefficient near the rays, for several angles.
    pub near: Vec<NearRays>,
    /// Sign patterns without zeros that the rows allow, P; `null` where they were not counted.
    pub patterns: Option<u64>,
    /// `2P - 1`.
    pub ray_bound: Option<u64>,
    /// `2(P - 1)`, with a bias: no more rays touch, as proved for one output.
    pub ray_bound_proved: Option<u64>,
}

/// A direction where the certificate of the optimum reaches the weight decay.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainRay {
    /// Input weights (unit length with the bias), d.
    pub w: Vec<f64>,
    /// Bias.
    pub b: f64,
    /// Coefficient in the optimum found; its sign is that of the ray, also where it is 0.
    pub c: f64,
    /// Sign of the preactivation for every row: 1, 0 or -1.
    pub pattern: Vec<i8>,
    /// Kink in the units of the file (one feature and a bias).
    pub kink: Option<f64>,
    /// Coefficient of the run assigned to it, signed.
    pub run: f64,
    /// Its share of the whole coefficient of the run.
    pub share: f64,
    /// Neurons assigned.
    pub neurons: usize,
    /// Degrees between the ray and the mean direction of these neurons, weighted by coefficient.
    pub degrees: Option<f64>,
}

/// What is near the rays.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NearRays {
    /// Within so many degrees of the nearest ray of the same sign.
    pub degrees: f64,
    /// Share of the coefficient.
    pub coefficient: f64,
    /// Share of the neurons.
    pub neurons: f64,
}
