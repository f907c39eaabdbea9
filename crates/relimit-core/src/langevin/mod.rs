//! Noisy gradient descent with weight decay on a two-layer network of N neurons, both layers trained.
//!
//! ```text
//! theta_j <- theta_j - eta grad Psi(theta_j) + sqrt(2 eta / beta) g_j,   theta = (c, w, b)
//! Psi(theta) = (lambda/2) |theta|^2 - sum_i r_i c relu(w . x_i + b),     r = omega (y - f)
//! ```
//!
//! The stationary law of a neuron is `exp(-beta Psi)` as eta -> 0; beta = infinity is gradient descent.
//! A plan is checked once; a run is a pure function of (plan, state, steps), with equal bits for any number of threads
//! and however it is cut.

mod activation;
mod schedule;

mod plan;
mod plan_error;

mod particles;
mod start;

mod dead_start;

mod gaussian;
#[cfg(target_arch = "x86_64")]
mod gaussian_avx2;
#[cfg(target_arch = "x86_64")]
mod gaussian_avx512;
mod kernel;

mod gradient;
mod run;
mod segment;

mod clusters;
mod measure;
mod observe;

pub use activation::{Activation, Smooth};
pub use clusters::{Cluster, Clusters, clusters};
pub use dead_start::dead_start_chance;
pub use gradient::{Gradient, gradient, outputs, stable_step};
pub use measure::{ANGLE, Histogram, Measured, histogram, measure};
pub use observe::{Grid, Observer, Recorder, Unobserved};
pub use particles::Particles;
pub use plan::{Bias, Layers, Loss, Offset, Options, Plan, Precision, Scaling};
pub use plan_error::PlanError;
pub use run::{End, LOOK, Status, run};
pub use schedule::{Batch, Schedule};
pub use start::{Start, start};
