//! Answers: what each command says about one data set, built from the mathematics of relimit-core.

pub mod plan;

pub mod answer;
