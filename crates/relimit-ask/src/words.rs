//! The words about data, the same for every command: which file or generator, which columns and rows, what scaling.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use relimit_core::data::scale::Scale;
use relimit_run::read::{Held, Missing, ReadOptions, Source, parse_rows};
use relimit_solve::answer::ReaderSettings;
use serde_json::{Map, Value};

use crate::AskError;

/// What is said about the data; the default is every column and row of a file, as they are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DataWords {
    /// File, or `-` for standard input.
    pub data: Option<PathBuf>,
    /// A table in memory, instead of a file.
    pub held: Option<Arc<Held>>,
    /// Columns with the labels.
    pub target: Vec<String>,
    /// Feature columns; empty means all but the targets.
    pub columns: Vec<String>,
    /// Columns left out.
    pub drop: Vec<String>,
    /// Rows, as `A:B`.
    pub rows: Option<String>,
    /// What a missing value does.
    pub missing: Option<Missing>,
    /// Scaling of the features.
    pub scale: Option<Scale>,
    /// Scaling of the targets.
    pub target_scale: Option<Scale>,
    /// Generator, instead of a file.
    pub synthetic: Option<String>,
}

/// The keys that [`DataWords::take`] takes.
pub(crate) const KEYS: [&str; 9] =
    ["data", "target", "columns", "drop", "rows", "missing", "scale", "target_scale", "synthetic"];

impl DataWords {
    /// Takes the words about data out of `words`.
    ///
    /// # Errors
    /// A value of the wrong kind.
    pub(crate) fn take(words: &mut Map<String, Value>) -> Result<Self, AskError> {
        let mut taken = Self::default();
        for key in KEYS {
            let Some(value) = words.remove(key).filter(|v| !v.is_null()) else { continue };
            let wrong = |cure: &str| AskError::value(key, &value, cure);
            let text = || value.as_str().map(str::to_owned).ok_or_else(|| wrong("give text"));
            let names = || names(&value).ok_or_else(|| wrong("give a name or a list of names"));
            let scale = || value.as_str().and_then(scale_of).ok_or_else(|| wrong("give none, centre or standardise"));
            match key {
                "data" => taken.data = Some(text()?.into()),
                "target" => taken.target = names()?,
                "columns" => taken.columns = names()?,
                "drop" => taken.drop = names()?,
                "rows" => taken.rows = Some(text()?),
                "missing" => {
                    let missing = value.as_str().and_then(missing_of);
                    taken.missing = Some(missing.ok_or_else(|| wrong("give error or drop"))?);
                }
                "scale" => taken.scale = Some(scale()?),
                "target_scale" => taken.target_scale = Some(scale()?),
                _ => taken.synthetic = Some(text()?),
            }
        }
        Ok(taken)
    }

    /// Where the data come from, unless a generator makes them.
    pub fn source(&self) -> Option<Source> {
        let held = self.held.as_ref().map(|held| Source::Held(Arc::clone(held)));
        held.or_else(|| self.data.as_ref().map(Source::from_arg))
    }

    /// Short name of the data.
    pub fn name(&self) -> String {
        match (&self.held, &self.data, &self.synthetic) {
            (Some(held), ..) => held.name.clone(),
            (None, Some(path), _) => short_name(path),
            (None, None, made) => made.clone().unwrap_or_default(),
        }
    }

    /// The reader's options.
    ///
    /// # Errors
    /// Rows that are no range.
    pub fn options(&self) -> Result<ReadOptions, AskError> {
        Ok(ReadOptions {
            target: self.target.clone(),
            weight: None,
            columns: self.columns.clone(),
            drop: self.drop.clone(),
            rows: self.rows.as_deref().map(parse_rows).transpose()?,
            missing: self.missing.unwrap_or_default(),
            constant: false,
        })
    }

    /// The settings as an answer echoes them.
    pub fn settings(&self) -> ReaderSettings {
        let list = |names: &[String]| (!names.is_empty()).then(|| names.join(","));
        ReaderSettings {
            data: self.data.as_ref().map(|p| p.display().to_string()),
            synthetic: self.synthetic.clone(),
            target: list(&self.target),
            columns: list(&self.columns),
            drop: list(&self.drop),
            rows: self.rows.clone(),
            missing: if self.missing == Some(Missing::Drop) { "drop" } else { "error" }.into(),
            scale: scale_name(self.scale.unwrap_or(Scale::None)).into(),
            target_scale: scale_name(self.target_scale.unwrap_or(Scale::None)).into(),
        }
    }
}

/// The word for a scaling.
pub fn scale_name(scale: Scale) -> &'static str {
    match scale {
        Scale::None => "none",
        Scale::Centre => "centre",
        Scale::Standardise => "standardise",
    }
}

fn scale_of(word: &str) -> Option<Scale> {
    [Scale::None, Scale::Centre, Scale::Standardise].into_iter().find(|s| scale_name(*s) == word)
}

fn missing_of(word: &str) -> Option<Missing> {
    [("error", Missing::Error), ("drop", Missing::Drop)].into_iter().find(|m| m.0 == word).map(|m| m.1)
}

fn names(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(text) => Some(text.split(',').map(str::to_owned).collect()),
        Value::Array(list) => list.iter().map(|v| v.as_str().map(str::to_owned)).collect(),
        _ => None,
    }
}

/// The file name without its folder.
pub fn short_name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}
