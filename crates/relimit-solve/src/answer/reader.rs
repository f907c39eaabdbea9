//! Where the data of an answer came from and what was done to them, the same for every command.

use serde::{Deserialize, Serialize};

/// Effective settings of the reader; keys are the flags with `_` for `-`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReaderSettings {
    /// File name as given, `-` for standard input, `null` for generated data and for arrays.
    pub data: Option<String>,
    /// Generator specification (`--synthetic`), `null` for a file.
    pub synthetic: Option<String>,
    /// Name of the label column; several names separated by commas.
    pub target: Option<String>,
    /// `--columns` as given.
    pub columns: Option<String>,
    /// `--drop` as given.
    pub drop: Option<String>,
    /// `--rows` as given.
    pub rows: Option<String>,
    /// `error` or `drop`.
    pub missing: String,
    /// `none`, `centre` or `standardise`.
    pub scale: String,
    /// `none`, `centre` or `standardise`.
    #[serde(default)]
    pub target_scale: String,
}
