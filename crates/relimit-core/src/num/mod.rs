//! Numbers: dense matrices, factorisations, small exact kernels, reproducible noise.

pub mod linalg;
pub mod mat;
pub mod noise;
pub mod outward;
pub mod quantile;

pub use mat::Mat;
