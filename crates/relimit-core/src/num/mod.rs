//! Numbers: dense matrices, factorisations, small exact kernels, reproducible noise.

pub mod linalg;
pub mod mat;
#[cfg(test)]
mod test_random;

pub use mat::Mat;
