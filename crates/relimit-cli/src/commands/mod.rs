//! One file a command.

pub(crate) mod completions;
pub(crate) mod data;
pub(crate) mod limit;
pub(crate) mod optimum;
pub(crate) mod predict;
