//! Certificates: what is claimed, and the bound behind it.

mod centred;
mod gordan;
mod impossible;

pub use centred::CentredRows;
pub use gordan::{Gordan, infeasible_orthant};
pub use impossible::Impossible;
