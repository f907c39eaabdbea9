//! Arguments of `collapse`.

use std::path::PathBuf;

use clap::Args;

use super::SelectArgs;
use super::number;

/// The narrowest network that computes the same function, with a bound on the difference that is proved.
#[derive(Args, Clone, Debug, PartialEq)]
#[command(after_help = "Examples:\n  relimit collapse net.safetensors --save narrow.onnx\n  \
    relimit collapse net.onnx data.csv --drop price --tolerance 0.01\n  \
    relimit collapse net.npz --box -1:1,0:5 --bounds bounds.csv\n  \
    relimit collapse net.npz data.csv --box rows --save narrow.npz")]
pub(crate) struct CollapseArgs {
    /// Network with one hidden ReLU layer: .safetensors, .onnx or .npz
    #[arg(value_name = "NET")]
    pub(crate) net: PathBuf,
    /// CSV, .npy or .npz file with the network's inputs, unscaled; - reads CSV from standard input
    #[arg(value_name = "DATA")]
    pub(crate) data: Option<PathBuf>,
    /// Where the networks are to be equal: one range for all inputs, one for each, a file whose range it is, rows (those
    /// of DATA alone, between which anything goes), or everywhere [default: the range of DATA, else everywhere]
    #[arg(long = "box", value_name = "LO:HI,...|FILE|rows", allow_hyphen_values = true)]
    pub(crate) r#box: Option<String>,
    /// Merge neurons whose preactivations, scaled to size 1 on the box, differ by at most T [default: 0]
    #[arg(long, value_name = "T", value_parser = number, allow_hyphen_values = true)]
    pub(crate) tolerance: Option<f64>,
    /// Write certified bounds of every preactivation on the box, as CSV
    #[arg(long, value_name = "FILE")]
    pub(crate) bounds: Option<PathBuf>,
    /// Write the narrow network: .safetensors, .onnx or .npz
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Option<PathBuf>,
    /// Write the proof of the difference, to be verified with `relimit check`
    #[arg(long, value_name = "FILE")]
    pub(crate) certificate: Option<PathBuf>,
    /// One JSON object on standard output instead of text
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
}
