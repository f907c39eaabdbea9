//! Numbers: dense matrices, factorisations, small exact kernels, reproducible noise.

pub mod mat;
mod sums;

pub mod linalg;

pub mod box_least_squares;
pub mod nnls;
pub mod updating;

pub mod least_norm;
pub mod row_basis;

pub mod eft;
pub mod outward;

pub mod balance;
pub mod exact;

pub mod dyadic;
pub mod lifting;
pub mod modular;
pub mod null_space;
pub mod rank;
pub mod strict_cone;

pub mod noise;
pub mod quantile;
pub mod summary;

#[cfg(test)]
pub(crate) mod test_random;

pub use mat::Mat;
