//! Arguments of `check`.

use std::path::PathBuf;

use clap::Args;

/// Verifies a certificate again, from the numbers in the file alone, in exact arithmetic. Exits with 1 if it fails.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
#[command(after_help = "Example:\n  relimit collapse net.onnx --save narrow.onnx --certificate equal.json\n  \
    relimit check equal.json")]
pub(crate) struct CheckArgs {
    /// JSON file as written by --certificate
    #[arg(value_name = "CERTIFICATE")]
    pub(crate) certificate: PathBuf,
    /// One JSON object on standard output instead of text
    #[arg(long)]
    pub(crate) json: bool,
}
