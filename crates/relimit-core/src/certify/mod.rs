//! Certificates: what is claimed, and the bound behind it.

mod centred;
mod gordan;
mod impossible;
mod one_step;

pub use centred::CentredRows;
pub use gordan::{Gordan, infeasible_orthant};
pub use impossible::Impossible;
pub use one_step::{Obstacle, OneStep, one_step};
