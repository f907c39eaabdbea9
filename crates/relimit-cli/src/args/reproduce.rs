//! Arguments of `reproduce`.

use std::path::PathBuf;

use clap::Args;

/// Calls this program as each entry of the gallery says and compares its numbers with the expected ones.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
    relimit reproduce --all\n  \
    relimit reproduce 06-two-points --out pages\n\n\
    Exit code 1 when a number is not within its tolerance.")]
pub(crate) struct ReproduceArgs {
    /// Entries, by the name of their folder or a part of it
    #[arg(value_name = "NAME", required_unless_present = "all", conflicts_with = "all")]
    pub(crate) names: Vec<String>,
    /// Every entry
    #[arg(long)]
    pub(crate) all: bool,
    /// Leave out the runs that are marked slow
    #[arg(long)]
    pub(crate) quick: bool,
    /// Folder of the gallery
    #[arg(long, value_name = "DIR", default_value = "gallery")]
    pub(crate) gallery: PathBuf,
    /// Write a page for each entry, with its picture, and one that leads to them
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}
