//! The patterns command from outside: the built program on real data, degenerate data, bad input, and its lists.

mod bad_input;
mod certificates;
mod common;
mod lists;
mod partial;
mod real_data;
mod small;
