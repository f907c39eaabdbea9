//! One file a command.

pub(crate) mod certify;
pub(crate) mod check;
pub(crate) mod collapse;
pub(crate) mod completions;
pub(crate) mod gibbs;
pub(crate) mod limit;
pub(crate) mod optimum;
pub(crate) mod patterns;
pub(crate) mod picture;
pub(crate) mod predict;
pub(crate) mod reproduce;
pub(crate) mod study;
pub(crate) mod sweep;
pub(crate) mod train;
