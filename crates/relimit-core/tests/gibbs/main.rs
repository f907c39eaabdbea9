//! The stationary law against reference values, slow quadrature and its own identities.

mod common;
mod golden;
mod quadrature;
mod sampled;
mod samples;
mod selection;
