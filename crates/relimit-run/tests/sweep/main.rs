//! Sweeps: plans, rows, engines and questions, with a question that only the test can answer.
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;
mod damage;
mod engine;
mod plans;
mod questions;
