//! Certificates: what is claimed, and the bound behind it.
//!
//! Everything here sees a point and evidence, never how they were found.

mod claim;
mod fingerprint;
mod seal;

mod centred;
mod circuit;
mod gordan;
mod impossible;

mod one_step;

pub mod equality;
pub mod gap;
pub mod limit;
pub mod min_norm;
pub mod pattern;

pub mod optimum;
pub mod stationary;
pub mod sup;

pub use centred::CentredRows;
pub use claim::Claim;
pub use fingerprint::fingerprint;
pub use gordan::{Gordan, infeasible_orthant};
pub use impossible::Impossible;
pub use one_step::{Obstacle, OneStep, one_step};
