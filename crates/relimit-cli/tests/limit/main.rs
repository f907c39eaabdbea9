//! The limit command from outside: the built program on reference problems, real data and bad input.

mod bad_input;
mod common;
mod files;
mod glucose;
mod golden;
mod more_rows;
mod slopes;
mod vardi_shamir;
