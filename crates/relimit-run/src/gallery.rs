//! The gallery: folders that each state a claim, its source, and the numbers that the program must give again.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// File of an entry.
const PLAN: &str = "plan.toml";

/// One claim with the runs that show it.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Name of its folder, as `02-two-points`.
    pub name: String,
    /// Its folder: where its runs are called.
    pub folder: PathBuf,
    /// What `plan.toml` says.
    pub plan: Plan,
}

/// The content of a `plan.toml`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// A headline.
    pub title: String,
    /// What is claimed.
    pub claim: String,
    /// Who claims it, and where the expected numbers are from.
    pub source: String,
    /// Calls of the program.
    pub run: Vec<Run>,
    /// A slope over the runs.
    pub slope: Option<Slope>,
}

/// One call of the program with the numbers that it must give.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// Arguments, separated by blanks, without `--json`.
    pub call: String,
    /// Left out by `--quick`.
    #[serde(default)]
    pub slow: bool,
    /// Whether its picture is the one of the page.
    #[serde(default)]
    pub picture: bool,
    /// Numbers and words of its JSON.
    #[serde(default)]
    pub expect: Vec<Expect>,
}

/// A number, word or length in a JSON answer.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// JSON pointer.
    pub at: String,
    /// The value; for a list its length.
    pub is: Value,
    /// Largest distance of a number; without it equality.
    pub within: Option<f64>,
}

/// What is expected.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// Yes or no.
    Flag(bool),
    /// A whole number.
    Whole(i64),
    /// A number.
    Number(f64),
    /// A word.
    Word(String),
}

/// The slope of a number against what differs between the runs, both in logarithms, by least squares.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Slope {
    /// JSON pointer, the same in every run.
    pub at: String,
    /// One positive number a run.
    pub against: Vec<f64>,
    /// The slope.
    pub is: f64,
    /// Largest distance.
    pub within: f64,
}

/// Why a gallery cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum GalleryError {
    /// The folder cannot be listed.
    #[error("{}: cannot be read as a gallery: {source}; give its folder with --gallery DIR", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A plan that cannot be read.
    #[error("{}: {message}", path.display())]
    Plan {
        /// The file.
        path: PathBuf,
        /// What is wrong, with its line, and what to do.
        message: String,
    },
}

/// Every entry of a gallery, by name.
///
/// # Errors
/// The folder or the first plan that cannot be read or makes no sense.
pub fn read(gallery: &Path) -> Result<Vec<Entry>, GalleryError> {
    let folder = |source| GalleryError::Folder { path: gallery.to_owned(), source };
    let mut folders = Vec::new();
    for item in fs::read_dir(gallery).map_err(folder)? {
        let path = item.map_err(folder)?.path();
        if path.join(PLAN).is_file() {
            folders.push(path);
        }
    }
    folders.sort();
    folders.iter().map(|path| entry(path)).collect()
}

fn entry(folder: &Path) -> Result<Entry, GalleryError> {
    let path = folder.join(PLAN);
    let wrong = |message: String| GalleryError::Plan { path: path.clone(), message };
    let text = fs::read_to_string(&path).map_err(|e| wrong(format!("cannot be read: {e}")))?;
    let plan: Plan = toml::from_str(&text).map_err(|e| wrong(e.to_string().trim_end().to_owned()))?;
    if let Some(slope) = &plan.slope {
        let fit = slope.against.len() == plan.run.len() && slope.against.len() >= 2;
        if !fit || slope.against.iter().any(|v| v.partial_cmp(&0.0) != Some(std::cmp::Ordering::Greater)) {
            let (k, runs) = (slope.against.len(), plan.run.len());
            return Err(wrong(format!(
                "slope.against has {k} numbers for {runs} runs; give one positive number a run"
            )));
        }
        if plan.run.iter().any(|r| r.slow) {
            return Err(wrong("a slope needs every run: let none be slow".into()));
        }
    }
    let name = folder.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    Ok(Entry { name, folder: folder.to_owned(), plan })
}
