//! Flags about model, effort and output, the same for every command that runs something.

use std::path::PathBuf;

use clap::Args;

use super::number;

/// The model and the loss.
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(next_help_heading = "Model")]
pub(crate) struct ModelArgs {
    /// Scaling of the squared loss: 1/2 sum, 1/(2n) sum or 1/n sum [default: half-sum]
    #[arg(long, value_name = "LOSS", value_parser = ["half-sum", "half-mean", "mean"])]
    pub(crate) loss: Option<String>,
    /// Hidden biases: none, counted in norms, or not counted; a bare --bias means penalised [default: none]
    #[arg(long, value_name = "BIAS", value_parser = ["none", "penalised", "free"])]
    pub(crate) bias: Option<String>,
    /// Output bias [default: none]
    #[arg(long, value_name = "OFFSET", value_parser = ["none", "penalised", "free"])]
    pub(crate) offset: Option<String>,
    /// Derivative of relu at 0 [default: 0; 1 with --start zero]
    #[arg(long, value_name = "0|1", value_parser = ["0", "1"], hide_possible_values = true)]
    pub(crate) relu_at_zero: Option<String>,
}

/// How much work may be done, and what counts as done.
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(next_help_heading = "Effort")]
pub(crate) struct EffortArgs {
    /// Stop after this time with what was reached: 250ms, 60s, 5m, 1h [default: none]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(crate) budget: Option<String>,
    /// Nodes that a branch and bound may visit [default: 100000]
    #[arg(long, value_name = "N")]
    pub(crate) max_nodes: Option<u64>,
    /// Relative gap below which a value counts as certified [default: 1e-8]
    #[arg(long, value_name = "GAP", value_parser = number, allow_hyphen_values = true)]
    pub(crate) gap: Option<f64>,
    /// Seed of whatever is random [default: 0]
    #[arg(long, value_name = "SEED")]
    pub(crate) seed: Option<u64>,
    /// Threads; results do not depend on them [default: all processors]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,
    /// Exit with 1 unless the limit is certified or converged
    #[arg(long, value_name = "WHAT", value_parser = ["certified", "converged"])]
    pub(crate) require: Option<String>,
}

/// Where results go.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// One JSON object on standard output instead of text
    #[arg(long)]
    pub(crate) json: bool,
    /// Run directory, new or empty: weights, events, result.json
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}
