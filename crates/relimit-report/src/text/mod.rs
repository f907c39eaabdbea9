//! What a person reads in a terminal of 80 columns.

mod culprits;
mod hint;
mod layout;
mod limit;
mod names;
mod optimum;

pub use layout::{Style, WIDTH};
pub(crate) use limit::{changes, sentence};

pub use limit::limit;
pub use names::{neuron_name, neurons, rows};
pub use optimum::optimum;
