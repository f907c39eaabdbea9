//! The optimum command from outside: the built program on reference problems, real data and bad input.

#[path = "../limit/common.rs"]
#[allow(dead_code, reason = "each test program uses a part")]
mod common;

#[cfg(target_os = "linux")]
#[path = "../limit/interrupt.rs"]
mod interrupt;

mod bad_input;
mod cases;
mod constant;
mod line;
mod partial;
mod plot;
mod real;
mod selected;
mod several;
mod weights;
