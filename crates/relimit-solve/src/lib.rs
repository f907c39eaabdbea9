//! From a checked plan to an answer: convex proposals for optima, and what each command says about one data set.

pub mod plan;

pub mod min_norm;

pub mod answer;
