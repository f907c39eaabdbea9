//! Data: the checked data set, its spectrum, its scaling, and generators with a known spectrum.

mod dataset;

pub mod scale;
pub mod spectrum;
pub mod suggest;
pub mod synthetic;

pub use dataset::Dataset;
