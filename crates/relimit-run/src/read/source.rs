//! Where input comes from: a file, or standard input under the name `-`.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use relimit_core::num::Mat;

use super::{ReadError, nearest};

/// A file or standard input.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// CSV on standard input.
    Stdin,
    /// A file; its format follows from its name.
    File(PathBuf),
    /// Numbers that the caller holds.
    Held(Arc<Held>),
}

/// A table in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Held {
    /// What messages call it.
    pub name: String,
    /// Columns, targets and weights among them, n x k.
    pub x: Mat,
    /// Their names, k.
    pub columns: Vec<String>,
}

impl Source {
    /// `-` is standard input, anything else a path.
    pub fn from_arg(arg: impl AsRef<Path>) -> Self {
        if arg.as_ref() == Path::new("-") { Self::Stdin } else { Self::File(arg.as_ref().to_path_buf()) }
    }

    /// The name used in messages.
    pub fn name(&self) -> String {
        match self {
            Self::Stdin => "standard input".into(),
            Self::File(path) => path.display().to_string(),
            Self::Held(held) => held.name.clone(),
        }
    }
}

/// Extension in lower case, empty if there is none.
pub(crate) fn extension(path: &Path) -> String {
    path.extension().map_or_else(String::new, |e| e.to_string_lossy().to_lowercase())
}

/// Opens a file; a missing one and a directory are named with what lies beside or inside.
pub(crate) fn open(path: &Path) -> Result<File, ReadError> {
    let file = path.display().to_string();
    if path.is_dir() {
        let mut holds = listing(path);
        holds.retain(|n| {
            ["csv", "tsv", "npy", "npz", "txt", "safetensors", "onnx"].contains(&extension(Path::new(n)).as_str())
        });
        return Err(ReadError::Directory { file, holds });
    }
    File::open(path).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => {
            let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
            let wanted = path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
            ReadError::NotFound { file, near: nearest(&wanted, &listing(folder)).map(str::to_string) }
        }
        _ => ReadError::Io { file, source },
    })
}

/// Names of the files in a folder, sorted; empty if it cannot be read.
fn listing(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let files = entries.flatten().filter(|e| e.path().is_file());
    let mut names: Vec<String> = files.map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Why a file of this kind is not read, and the safe way to bring its content; `None` for kinds that may be read.
pub(crate) fn refused(extension: &str) -> Option<(String, String)> {
    let (found, cure) = match extension {
        "parquet" | "feather" | "arrow" => (
            format!("{extension} files are not read yet"),
            "convert it: python -c \"import pandas as pd; pd.read_parquet('FILE').to_csv('FILE.csv', index=False)\"",
        ),
        "xlsx" | "xls" | "ods" | "numbers" => {
            (format!("{extension} is a spreadsheet"), "save the sheet as CSV (UTF-8) and give that")
        }
        "gz" | "bz2" | "xz" | "zst" | "7z" | "zip" => (
            format!("{extension} files are compressed"),
            "unpack it first, or pipe the text: zcat FILE | relimit ... -",
        ),
        "json" | "jsonl" | "h5" | "hdf5" | "mat" | "rds" | "rdata" | "sav" | "dta" | "db" | "sqlite" => {
            (format!("{extension} files are not read"), "write the table as CSV, or as .npz with arrays X and y")
        }
        "pkl" | "pickle" | "joblib" | "pt" | "pth" | "bin" | "keras" => (
            format!(".{extension} may hold pickled code, which is never loaded"),
            "save the numbers alone from the program that made it: numpy.savez('data.npz', X=X, y=y)",
        ),
        "png" | "jpg" | "jpeg" | "pdf" | "svg" | "html" => {
            (format!("{extension} is no table"), "give a CSV, .npy or .npz file")
        }
        _ => return None,
    };
    Some((found, cure.to_string()))
}
