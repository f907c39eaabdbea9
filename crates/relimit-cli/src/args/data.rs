//! Flags about data, the same for every command.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use relimit_ask::DataWords;
use relimit_core::data::scale::Scale;
use relimit_run::read::Missing;

/// Which columns and rows of a file are used.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
#[command(next_help_heading = "Data")]
pub(crate) struct SelectArgs {
    /// Feature columns, separated by commas [default: all but the target]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) columns: Vec<String>,
    /// Columns to leave out, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) drop: Vec<String>,
    /// Data rows A to B-1, counted from 0 below the header, as a Python slice: 0:10 is the first ten
    #[arg(long, value_name = "A:B", allow_hyphen_values = true)]
    pub(crate) rows: Option<String>,
    /// What a missing value (empty, NA, ?) does [default: error]
    #[arg(long, value_name = "error|drop", hide_possible_values = true)]
    pub(crate) missing: Option<MissingWord>,
}

/// Data for a run: a file or a generator, its target, and what is done to the columns.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
#[command(next_help_heading = "Data")]
pub(crate) struct DataArgs {
    /// CSV, .npy or .npz file; - reads CSV from standard input
    #[arg(value_name = "DATA", conflicts_with = "synthetic", help_heading = None::<&str>)]
    pub(crate) data: Option<PathBuf>,
    /// Column with the labels; without it the columns are listed
    #[arg(long, value_name = "NAME")]
    pub(crate) target: Vec<String>,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
    /// What is done to each feature: subtract the mean, and divide by the population standard deviation [default: none]
    #[arg(long, value_name = "none|centre|standardise", hide_possible_values = true)]
    pub(crate) scale: Option<ScaleWord>,
    /// The same for the target [default: none]
    #[arg(long, value_name = "none|centre|standardise", hide_possible_values = true)]
    pub(crate) target_scale: Option<ScaleWord>,
    /// Generated data instead of a file, for example gaussian:n=20,d=4000,power=0.5,labels=sign,seed=1
    #[arg(long, value_name = "SPEC")]
    pub(crate) synthetic: Option<String>,
}

impl SelectArgs {
    /// The words about the columns and rows of `data`.
    pub(crate) fn words(&self, data: Option<&Path>) -> DataWords {
        DataWords {
            data: data.map(Into::into),
            columns: self.columns.clone(),
            drop: self.drop.clone(),
            rows: self.rows.clone(),
            missing: self.missing.map(|word| match word {
                MissingWord::Error => Missing::Error,
                MissingWord::Drop => Missing::Drop,
            }),
            ..DataWords::default()
        }
    }
}

impl DataArgs {
    /// The same as words.
    pub(crate) fn words(&self) -> DataWords {
        DataWords {
            target: self.target.clone(),
            scale: self.scale.map(ScaleWord::scale),
            target_scale: self.target_scale.map(ScaleWord::scale),
            synthetic: self.synthetic.clone(),
            ..self.select.words(self.data.as_deref())
        }
    }
}

impl ScaleWord {
    fn scale(self) -> Scale {
        match self {
            Self::None => Scale::None,
            Self::Centre => Scale::Centre,
            Self::Standardise => Scale::Standardise,
        }
    }
}

/// A word for `--missing`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MissingWord {
    Error,
    Drop,
}

/// A word for `--scale` and `--target-scale`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScaleWord {
    None,
    Centre,
    Standardise,
}
