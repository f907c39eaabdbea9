//! The command certify from outside: round trip of an optimum, verdicts and levels of closed form, bad input.

mod bad_input;
#[path = "../collapse/common.rs"]
#[allow(dead_code, reason = "shared with the tests of collapse")]
mod common;
mod verdicts;
