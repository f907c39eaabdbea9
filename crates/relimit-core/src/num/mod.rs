//! Numbers: dense matrices, factorisations, small exact kernels, reproducible noise.

pub mod eft;
pub mod exact;
pub mod least_norm;
pub mod lifting;
pub mod linalg;
pub mod mat;
pub mod modular;
pub mod noise;
pub mod outward;
pub mod quantile;
pub mod rank;
pub mod row_basis;

#[cfg(test)]
mod test_random;

pub use mat::Mat;
