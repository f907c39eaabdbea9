//! The optimum command from outside: the built program on reference problems, real data and bad input.

#[path = "../limit/common.rs"]
#[allow(dead_code, reason = "each test program uses a part")]
mod common;

mod bad_input;
mod cases;
mod line;
mod partial;
mod plot;
mod real;
mod weights;
