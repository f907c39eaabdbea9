//! Arguments: what can be typed, and nothing else.

mod certify;
mod check;
mod collapse;
mod data;
mod gibbs;
mod limit;
mod normalise;
mod optimum;
mod patterns;
mod predict;
mod reproduce;
mod run;
mod study;
mod sweep;
mod train;

use clap::{Parser, Subcommand};
use clap_complete::Shell;

pub(crate) use certify::CertifyArgs;
pub(crate) use check::CheckArgs;
pub(crate) use collapse::CollapseArgs;
pub(crate) use data::SelectArgs;
pub(crate) use gibbs::GibbsArgs;
pub(crate) use limit::LimitArgs;
pub(crate) use normalise::normalise;
pub(crate) use optimum::OptimumArgs;
pub(crate) use patterns::PatternsArgs;
pub(crate) use predict::PredictArgs;
pub(crate) use reproduce::ReproduceArgs;
pub(crate) use study::{ReportArgs, StudyArgs};
pub(crate) use sweep::{
    Engine, SweepArgs, SweepCommand, SweepExecArgs, SweepQueryArgs, SweepResubmitArgs, SweepRunArgs, SweepStatusArgs,
};
pub(crate) use train::TrainArgs;

/// Where does training take a two-layer ReLU network? The limit, exact and certified.
#[derive(Debug, Parser)]
#[command(name = "relimit", version, max_term_width = 80, arg_required_else_help = true)]
#[command(after_help = "Try:  relimit limit data.csv --target price\n      relimit limit --help\n\n\
    Exit codes: 0 an answer (also diverged or undecided), 1 --require not met or a number not reproduced,\n\
    2 usage or bad input, 3 budget or Ctrl-C with a partial answer, 4 internal error. Errors go to standard error.")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Everything about a data file on one page: patterns, limits, best networks, noisy training
    Study(Box<StudyArgs>),
    /// The page of a study, written again from its result
    Report(ReportArgs),
    /// The limit of gradient descent or gradient flow, and how far it is from the minimum norm
    Limit(Box<LimitArgs>),
    /// Which sets of rows a neuron can be active on: counted, listed, with the rows that are degenerate
    Patterns(Box<PatternsArgs>),
    /// How far a trained network is from the best possible, and what blocks it
    Certify(Box<CertifyArgs>),
    /// The narrowest network that computes the same function, with a proof
    Collapse(Box<CollapseArgs>),
    /// Verify a certificate again, in exact arithmetic
    Check(CheckArgs),
    /// The global minimum of the regularised loss over all networks, with a certified gap
    Optimum(Box<OptimumArgs>),
    /// The stationary law of noisy SGD with weight decay: outputs, free energy, effective width at a temperature
    Gibbs(Box<GibbsArgs>),
    /// Noisy or plain gradient descent of a finite network with weight decay, resumable, from one start or many
    Train(Box<TrainArgs>),
    /// Thousands of runs from one plan, resumable; their rows queried
    Sweep(Box<SweepArgs>),
    /// The numbers of the gallery again, beside those that are expected
    Reproduce(ReproduceArgs),
    /// Outputs of a saved network, as CSV
    Predict(PredictArgs),
    /// Shell completion, to be sourced or saved where your shell looks for it
    Completions {
        /// Your shell
        shell: Shell,
    },
}

/// A number in Rust's notation; infinities and NaN are left to the plan, which names the flag.
fn number(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| "not a number; write for example 0.1 or 1e-3".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn numbers_are_read() {
        assert_eq!(number("1e-3"), Ok(1e-3));
        assert!(number("1,5").unwrap_err().contains("not a number"));
    }
}
