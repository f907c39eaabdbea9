//! Activation patterns: the sign vectors that linear functions take on the rows of the data.

mod covector;

pub use covector::{Covector, is_degeneration};
