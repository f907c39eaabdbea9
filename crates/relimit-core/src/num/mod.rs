//! Numbers: dense matrices, factorisations, small exact kernels, reproducible noise.

pub mod linalg;
pub mod mat;
pub mod nnls;
pub mod updating;

pub use mat::Mat;
