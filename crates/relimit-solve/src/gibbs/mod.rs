//! From a checked plan and scaled data to the whole answer of `gibbs`.

mod ask;
mod grid;
mod particles;
mod vanishing;

pub use ask::{GibbsError, GibbsQuestion, gibbs_answer, too_many};
