//! The mathematics of relimit: where training takes a shallow ReLU network, exactly and with certificates.
//!
//! ```text
//! f(x) = sum_j c_j relu(w_j . x + b_j)
//! ```
//!
//! Everything here is a pure function of its arguments: no files, no clock, no environment, no printing.
//! Budgets and interrupts arrive as a polled `&dyn Fn() -> bool`. Names are those of docs/notation.md.

pub mod num;

pub mod net;

pub mod data;

pub mod problem;

pub mod pattern;

pub mod certify;

pub mod gibbs;

pub mod descent;

pub mod langevin;

pub mod collapse;

pub mod theory;

pub mod zoo;
