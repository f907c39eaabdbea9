//! Arguments of `optimum`.

use std::path::PathBuf;

use clap::Args;
use relimit_solve::plan::{OptimumOptions, OptimumPlan, PlanError};

use super::data::DataArgs;
use super::run::{EffortArgs, OutputArgs};

/// The global minimum of the regularised loss over all two-layer ReLU networks of all widths, with a certified gap:
///
///   named loss + (lambda/2) |theta|^2  =  named loss + lambda sum_j |c_j| |(w_j, b_j)|
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(after_help = "Examples:\n  \
    relimit optimum data.csv --target price\n  \
    relimit optimum data.csv --target price --scale standardise --target-scale standardise --lambda 0.05max\n  \
    relimit optimum data.csv --target price --columns size --path --json\n  \
    relimit optimum data.csv --target price --target rent --weight copies\n  \
    relimit optimum data.csv --target price --columns size --plot fit.svg\n\n\
    A number after --lambda is never rescaled: it belongs to the named loss. Rows in the answer are rows of the file,\n\
    the header being row 1.")]
pub(crate) struct OptimumArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// Weight decay: a number, or a share of the one from which on no neuron pays, as in 0.05max [default: 0.05max]
    #[arg(long, value_name = "L|Smax", allow_hyphen_values = true, help_heading = "Model")]
    pub(crate) lambda: Option<String>,
    /// Scaling of the squared loss: 1/2 sum, 1/(2n) sum or 1/n sum [default: half-mean]
    #[arg(long, value_name = "LOSS", value_parser = ["half-sum", "half-mean", "mean"], help_heading = "Model")]
    pub(crate) loss: Option<String>,
    /// Hidden biases: none, penalised as weights, or free of the penalty [default: penalised]
    #[arg(long, value_name = "BIAS", value_parser = ["none", "penalised", "free"], help_heading = "Model")]
    pub(crate) bias: Option<String>,
    /// Output bias [default: none]
    #[arg(long, value_name = "OFFSET", value_parser = ["none", "penalised", "free"], help_heading = "Model")]
    pub(crate) offset: Option<String>,
    /// Also 20 values of lambda from lambda_max down to a thousandth of it
    #[arg(long, help_heading = "Model")]
    pub(crate) path: bool,
    /// Also how the proved interval narrows with the nodes and seconds spent; takes twice the time
    #[arg(long, help_heading = "Effort")]
    pub(crate) trace: bool,
    /// Column of sample weights, numbers of copies as it were: --scale and --target-scale count them too, and a row of
    /// weight 0 is left out [default: all 1]
    #[arg(long, value_name = "NAME", help_heading = "Data")]
    pub(crate) weight: Option<String>,
    #[command(flatten)]
    pub(crate) effort: EffortArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// The optimal network, for raw inputs (scaling folded in): .safetensors or .npz
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) save: Option<PathBuf>,
    /// Proof of the gap for `relimit check`, in exact arithmetic: made for trees of up to 5000 nodes, on the scaled data
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) certificate: Option<PathBuf>,
    /// A picture, .svg or .png, and its numbers as FILE.plot.csv: the path with --path, else the fit with its kinks or
    /// creases (one or two features), else the interval over time (with --trace) or the neurons
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) plot: Option<PathBuf>,
}

impl OptimumArgs {
    /// The checked plan.
    pub(crate) fn plan(&self) -> Result<OptimumPlan, PlanError> {
        let options = OptimumOptions {
            loss: self.loss.clone(),
            bias: self.bias.clone(),
            offset: self.offset.clone(),
            lambda: self.lambda.clone(),
            path: self.path,
            trace: self.trace,
            seed: self.effort.seed,
            threads: self.effort.threads,
            gap: self.effort.gap,
            max_nodes: self.effort.max_nodes,
            budget: self.effort.budget.clone(),
            require: self.effort.require.clone(),
            save: self.save.clone(),
            plot: self.plot.clone(),
            out: self.output.out.clone(),
        };
        options.check()
    }
}
