//! Data: the checked data set, its spectrum, and generators with a known spectrum.

mod dataset;

pub use dataset::Dataset;
