//! The global optimum of the regularised loss by column generation: this proposes, `core::certify` disposes.

mod columns;
mod line;
mod merge;
mod newton;
mod objective;
mod price;
mod prove;
mod ray;
mod restricted;

pub use columns::Candidate;
pub use line::Line;
pub use objective::Objective;
pub use prove::{Optimum, OptimumOptions, optimum};
pub use ray::Ray;
