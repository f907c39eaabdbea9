//! Arguments of `certify`.

use std::path::PathBuf;

use clap::Args;
use relimit_solve::plan::{CertifyOptions, CertifyPlan, PlanError};

use super::data::DataArgs;
use super::run::EffortArgs;

/// How far a trained network is from the best possible, certified, and what blocks it: stopped early, stuck at a level
/// that is named, or within x % of the best.
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(after_help = "Examples:\n  \
    relimit certify net.safetensors data.csv --target price\n  \
    relimit certify net.onnx data.csv --target price --convention pytorch --lambda 0.01 \
    --scale standardise --takes scaled\n  \
    relimit certify net.npz data.csv --target price --convention sklearn --lambda 0.0001 --batch auto\n\n\
    The verdict: \"stopped early\" when the gradient is above 1e-6 of its scale, \"stuck\" when it is not and a network\n\
    better by more than 1 % is known, else the distance that is proved. Rows in the answer are rows of the file.")]
pub(crate) struct CertifyArgs {
    /// Network with one hidden ReLU layer: .safetensors, .onnx or .npz; one --target for each output, in their order
    #[arg(value_name = "NET")]
    pub(crate) net: PathBuf,
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// Weight decay: a number, or a share of the one from which on no neuron pays, as in 0.05max; with --convention
    /// the number that the library was given [default: 0]
    #[arg(long, value_name = "L|Smax", allow_hyphen_values = true, help_heading = "Model")]
    pub(crate) lambda: Option<String>,
    /// Scaling of the squared loss: 1/2 sum, 1/(2n) sum or 1/n sum [default: half-mean]
    #[arg(long, value_name = "LOSS", value_parser = ["half-sum", "half-mean", "mean"], help_heading = "Model")]
    pub(crate) loss: Option<String>,
    /// Hidden biases: none, penalised as weights, or free of the penalty [default: penalised]
    #[arg(long, value_name = "BIAS", value_parser = ["none", "penalised", "free"], help_heading = "Model")]
    pub(crate) bias: Option<String>,
    /// Output bias [default: penalised where the network has one, else none]
    #[arg(long, value_name = "OFFSET", value_parser = ["none", "penalised", "free"], help_heading = "Model")]
    pub(crate) offset: Option<String>,
    /// Whose decay --lambda is: weight_decay on all parameters, alpha, or l2 on both kernels; sets loss and biases too
    #[arg(long, value_name = "LIBRARY", value_parser = ["pytorch", "sklearn", "keras"], help_heading = "Model")]
    pub(crate) convention: Option<String>,
    /// Rows of a batch, or auto, that scikit-learn's adam or sgd divided alpha by [default: all rows, as lbfgs]
    #[arg(long, value_name = "ROWS|auto", help_heading = "Model")]
    pub(crate) batch: Option<String>,
    /// What the network takes and gives: numbers as in the file, or as --scale and --target-scale make them
    /// [default: raw]
    #[arg(long, value_name = "UNITS", value_parser = ["raw", "scaled"], help_heading = "Model")]
    pub(crate) takes: Option<String>,
    #[command(flatten)]
    pub(crate) effort: EffortArgs,
    /// Proof of the lower bound for `relimit check`, in exact arithmetic: one output with weight decay, for trees of up to
    /// 5000 nodes, on the scaled data
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) certificate: Option<PathBuf>,
    /// One JSON object on standard output instead of text
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
}

impl CertifyArgs {
    /// The checked plan.
    pub(crate) fn plan(&self) -> Result<CertifyPlan, PlanError> {
        let options = CertifyOptions {
            loss: self.loss.clone(),
            bias: self.bias.clone(),
            offset: self.offset.clone(),
            lambda: self.lambda.clone(),
            convention: self.convention.clone(),
            batch: self.batch.clone(),
            takes: self.takes.clone(),
            seed: self.effort.seed,
            threads: self.effort.threads,
            gap: self.effort.gap,
            max_nodes: self.effort.max_nodes,
            budget: self.effort.budget.clone(),
            require: self.effort.require.clone(),
        };
        options.check()
    }
}
