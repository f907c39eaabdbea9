//! From a checked plan and scaled data to the whole answer of `train`.

mod ask;
mod bound;
mod cells;
mod census;
mod rays;
mod statement;
mod traits;
mod watch;

pub use ask::{Reached, TrainError, TrainQuestion, Training, prepare};
