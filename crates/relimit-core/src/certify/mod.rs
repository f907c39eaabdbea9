//! Certificates: what is claimed, and the bound behind it.

mod one_step;

pub use one_step::{Obstacle, OneStep, one_step};
