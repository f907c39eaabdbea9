//! The relimit command line.

mod args;
mod commands;
mod exit;
mod output;
mod progress;
mod stop;

use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command, normalise};
use exit::{Exit, Failure};

fn main() -> ExitCode {
    panic::set_hook(Box::new(exit::explain_panic));
    // The hook has spoken; the code tells a script that the fault is ours.
    panic::catch_unwind(AssertUnwindSafe(run)).unwrap_or(Exit::Internal).into()
}

fn run() -> Exit {
    let cli = match Cli::try_parse_from(normalise(std::env::args_os())) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are answers and go to stdout; a closed pipe is no fault.
            let _ = error.print();
            return if error.use_stderr() { Exit::Usage } else { Exit::Answer };
        }
    };
    let ended = match cli.command {
        Command::Study(args) => commands::study::run(&args),
        Command::Report(args) => commands::study::report(&args),
        Command::Limit(args) => commands::limit::run(&args),
        Command::Patterns(args) => commands::patterns::run(&args),
        Command::Collapse(args) => commands::collapse::run(&args),
        Command::Certify(args) => commands::certify::run(&args),
        Command::Check(args) => commands::check::run(&args),
        Command::Optimum(args) => commands::optimum::run(&args),
        Command::Gibbs(args) => commands::gibbs::run(&args),
        Command::Train(args) => commands::train::run(&args),
        Command::Sweep(args) => commands::sweep::run(&args),
        Command::Reproduce(args) => commands::reproduce::run(&args),
        Command::Predict(args) => commands::predict::run(&args),
        Command::Completions { shell } => commands::completions::run(shell),
    };
    ended.unwrap_or_else(|failure: Failure| failure.report())
}
