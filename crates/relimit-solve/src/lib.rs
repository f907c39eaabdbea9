//! From a checked plan to an answer: convex proposals for optima, and what each command says about one data set.

pub mod plan;

pub mod convention;

pub mod min_norm;

pub use min_norm::{MinNorm, MinNormOptions, min_norm};

pub mod answer;

pub mod limit;

pub mod certify;
pub mod collapse;
pub mod gibbs;
pub mod optimum;
pub mod patterns;
pub mod study;
pub mod train;
