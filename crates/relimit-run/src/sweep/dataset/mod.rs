//! The rows of a finished sweep as one data set: Parquet parts of a few thousand runs, and a checksum for each part.
//!
//! `rows.parquet/part-00000.parquet, ...` hold the runs in the order of the plan; `checksums.json` beside the folder says
//! which runs a part holds and its SHA-256. The bytes depend on the rows alone, not on how or when they were computed.

mod schema;
mod table;
mod write;

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::SweepError;
use crate::key::{Sha256, hex};

pub(super) use schema::Kind;
pub use table::{Column, Table};
pub(super) use write::write;

/// Folder of the parts.
pub(super) const FOLDER: &str = "rows.parquet";
/// File of the checksums.
const CHECKSUMS: &str = "checksums.json";
const SCHEMA: &str = "relimit/rows/1";

/// What `checksums.json` says.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Checksums {
    schema: String,
    /// Rows of all parts.
    rows: u64,
    parts: Vec<Part>,
}

/// One part.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Part {
    /// Its name in the folder.
    file: String,
    /// Its first run.
    first: u64,
    rows: u64,
    sha256: String,
}

/// The parts of a data set: those whose bytes are right, and those that are not, with what is wrong.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    pub(super) good: Vec<PathBuf>,
    pub(super) damaged: Vec<String>,
}

/// Looks at every byte of a data set; `None` where there is none.
pub(super) fn verify(dir: &Path) -> Result<Option<Parts>, SweepError> {
    let path = dir.join(CHECKSUMS);
    let text = match fs::read(&path) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(SweepError::io(&path, e)),
    };
    let Ok(sums) = serde_json::from_slice::<Checksums>(&text) else {
        let what = format!("{}: cannot be read as checksums", path.display());
        return Ok(Some(Parts { damaged: vec![what], ..Parts::default() }));
    };
    let mut parts = Parts::default();
    for part in sums.parts {
        let path = dir.join(FOLDER).join(&part.file);
        let last = part.first + part.rows - 1;
        match fs::read(&path) {
            Ok(bytes) if hex(&Sha256::of(&bytes)) == part.sha256 => parts.good.push(path),
            Ok(_) => parts.damaged.push(format!(
                "{}: its SHA-256 is not the one of {CHECKSUMS} (runs {} to {last})",
                path.display(),
                part.first
            )),
            Err(e) => parts.damaged.push(format!("{}: {e} (runs {} to {last})", path.display(), part.first)),
        }
    }
    Ok(Some(parts))
}

/// Removes a data set.
pub(super) fn remove(dir: &Path) -> Result<(), SweepError> {
    let gone = |result: std::io::Result<()>, path: &Path| match result {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(SweepError::io(path, e)),
        _ => Ok(()),
    };
    let (sums, folder) = (dir.join(CHECKSUMS), dir.join(FOLDER));
    gone(fs::remove_file(&sums), &sums)?;
    gone(fs::remove_dir_all(&folder), &folder)
}
