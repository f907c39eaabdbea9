//! One file a command.

pub(crate) mod check;
pub(crate) mod collapse;
pub(crate) mod completions;
pub(crate) mod data;
pub(crate) mod limit;
pub(crate) mod predict;
