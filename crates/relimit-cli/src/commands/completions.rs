//! `relimit completions SHELL`.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Cli;
use crate::exit::{Exit, Failure};
use crate::output;

/// Prints the completion script of `shell`.
pub(crate) fn run(shell: Shell) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "relimit", &mut script);
    output::print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Answer)
}
