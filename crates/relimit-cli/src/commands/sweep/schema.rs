//! `relimit sweep schema`: the JSON schema of a plan.

use relimit_run::sweep::SCHEMA;

use crate::exit::{Exit, Failure};
use crate::output;

/// Prints the schema.
pub(super) fn run() -> Result<Exit, Failure> {
    output::print(SCHEMA)?;
    Ok(Exit::Answer)
}
