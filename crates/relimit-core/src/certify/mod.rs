//! Certificates: what is claimed, and the bound behind it.
//!
//! Everything here sees a point and evidence, never how they were found.

mod claim;
pub mod gap;
pub mod min_norm;

pub use claim::Claim;
