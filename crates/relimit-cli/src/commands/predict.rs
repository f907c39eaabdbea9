//! `relimit predict`.

use crate::args::PredictArgs;
use crate::exit::{Exit, Failure};

/// Runs the command.
pub(crate) fn run(_args: &PredictArgs) -> Result<Exit, Failure> {
    Err(Failure::usage("predict: this build reads no networks"))
}
