//! Arguments of `predict`.

use std::path::PathBuf;

use clap::Args;

use super::data::SelectArgs;

/// Outputs of a saved network for the rows of a file, as CSV on standard output.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
#[command(after_help = "Example:\n  relimit limit train.csv --target price --save net.safetensors\n  \
    relimit predict net.safetensors new.csv > outputs.csv")]
pub(crate) struct PredictArgs {
    /// Network, as written by --save or by PyTorch: .safetensors, .onnx or .npz
    #[arg(value_name = "NET")]
    pub(crate) net: PathBuf,
    /// CSV, .npy or .npz file with the network's inputs, unscaled; - reads CSV from standard input
    #[arg(value_name = "DATA")]
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
}
