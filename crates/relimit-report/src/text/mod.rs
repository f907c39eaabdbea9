//! What a person reads in a terminal of 80 columns.

mod cells;
mod census;
mod certify;
mod collapse;
mod culprits;
mod gibbs;
mod hint;
mod layout;
mod limit;
mod names;
mod optimum;
mod patterns;
mod rays;
mod study;
mod table;
mod train;

pub use layout::{Style, WIDTH};
pub(crate) use limit::{capital, changes, sentence};

pub use certify::certify;
pub use collapse::collapse;
pub use gibbs::gibbs;
pub use limit::limit;
pub(crate) use names::{features, many, short};
pub use names::{neuron_name, neurons, rows};
pub use optimum::optimum;
pub(crate) use optimum::{optimum_sentence, word};
pub use patterns::patterns;
pub(crate) use patterns::{degenerate, headline};
pub use study::study;
pub use table::table;
pub use train::train;
