//! The commands collapse and predict from outside, on networks of other programs, cases from real use and bad input.

#[cfg(target_os = "linux")]
#[path = "../limit/interrupt.rs"]
mod interrupt;

mod bad_input;
mod cases;
mod certificates;
mod common;
#[cfg(target_os = "linux")]
mod cut;
mod fixtures;
mod saved;
