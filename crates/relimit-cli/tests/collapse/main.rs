//! The commands collapse and predict from outside, on networks of other programs, cases from real use and bad input.

mod bad_input;
mod cases;
mod certificates;
mod common;
mod fixtures;
mod saved;
