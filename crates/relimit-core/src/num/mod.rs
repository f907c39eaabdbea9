//! Numbers: dense matrices, factorisations, small exact kernels, reproducible noise.

pub mod linalg;
pub mod mat;

pub use mat::Mat;
