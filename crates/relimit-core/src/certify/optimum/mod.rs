//! The global optimum of the regularised loss: objective of a network, lower bound from a dual point, and the gap.
//!
//! ```text
//! F = sum_i (omega_i / 2) (f(x_i) - y_i)^2 + lambda sum_j |c_j| |u_j| (+ (lambda / 2) o^2)
//! dual: max_r  r . y - sum_i r_i^2 / (2 omega_i)   subject to   sup over |u| <= 1 of |sum_i r_i relu(x_i . u)| <= lambda
//! ```
//!
//! `u_j = (w_j, b_j)`, or w_j alone where the bias is free. Everything that is claimed is rounded outward.
//!
//! Source: math notes on noisy SGD, section 2, and on certificates, section 4.

mod bound;
pub mod certificate;
mod certify;
mod dual;
mod floor;
mod objective;
mod value;
mod vector;

pub use bound::{lower_bound, lower_bound_vector};
pub use certify::{Certified, CertifyOptions, certify, certify_dual, certify_or_exceed};
pub use dual::{dual_point, sup_both, sup_outputs};
pub use floor::{Fitted, Floor, certify_loss, floor};
pub use objective::{Bias, Loss, Objective, Offset};
pub use value::{Value, value};
pub use vector::{CertifiedVector, ValueVector, certify_vector, value_vector};

pub use crate::certify::sup::{BothSigns, Touch};
