//! Convex problems: proposals for optima, each with the evidence that a checker in relimit-core re-reads.

pub mod min_norm;

pub use min_norm::{MinNorm, MinNormOptions, min_norm};
