//! Units: parts of a sweep that workers on other machines take, in any order and as often as a scheduler likes.
//!
//! The folder of a sweep then has `units/` with a manifest, and for a unit `00012`
//!
//! - `00012.claim`, the lock of the worker that has it, and `00012.beat`, its sign of life,
//! - `00012.HOST-PID.part`, the rows of an unfinished attempt, a journal that the next attempt takes over,
//! - `00012.rows`, all rows, synced and renamed: from then on the unit is done.

mod claim;
mod manifest;

mod exec;

use std::fs;
use std::path::{Path, PathBuf};

pub use claim::Pace;
pub use exec::{Executed, exec};
pub use manifest::{Manifest, Unit};

use super::SweepError;

const UNITS: &str = "units";
/// Ends the names of the rows of an attempt.
const PART: &str = ".part";

/// Files that hold rows.
pub(super) fn journals(dir: &Path) -> Result<Vec<PathBuf>, SweepError> {
    let ours = |name: &str| name.ends_with(manifest::ROWS) || name.ends_with(PART);
    files(dir, ours)
}

/// The files of the folder of units whose names are `wanted`, in order; hidden ones are in the making and do not count.
fn files(dir: &Path, wanted: impl Fn(&str) -> bool) -> Result<Vec<PathBuf>, SweepError> {
    let folder = dir.join(UNITS);
    let entries = match fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(vec![]),
        Err(e) => return Err(SweepError::io(&folder, e)),
    };
    let names = entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|n| !n.starts_with('.') && wanted(n)).collect();
    names.sort();
    Ok(names.into_iter().map(|n| folder.join(n)).collect())
}

/// Refuses a folder in which workers live.
pub(super) fn refuse_busy(dir: &Path, pace: Pace) -> Result<(), SweepError> {
    for path in files(dir, |name| name.ends_with(claim::CLAIM))? {
        if let Some(who) = claim::works(&path, pace)? {
            return Err(SweepError::Busy { dir: dir.display().to_string(), who });
        }
    }
    Ok(())
}

/// Removes all units.
pub(super) fn remove(dir: &Path) -> Result<(), SweepError> {
    let folder = dir.join(UNITS);
    match fs::remove_dir_all(&folder) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(SweepError::io(&folder, e)),
        _ => Ok(()),
    }
}
