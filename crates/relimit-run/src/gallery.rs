//! The gallery: folders that each state a claim, its source, and the numbers that the program must give again.

use std::collections::BTreeMap;
use std::fmt;
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
    #[serde(default)]
    pub run: Vec<Run>,
    /// Calls that differ in a few words.
    #[serde(default)]
    pub grid: Vec<Grid>,
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

/// A call with places `{axis}`, made with every combination of the values of its axes.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grid {
    /// Arguments, separated by blanks, without `--json`.
    pub call: String,
    /// Values of each axis, as they are to be typed.
    pub axes: BTreeMap<String, Vec<Axis>>,
    /// Left out by `--quick`.
    #[serde(default)]
    pub slow: bool,
    /// Numbers over the calls.
    pub expect: Vec<Over>,
}

/// A value of an axis.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Axis {
    /// A whole number.
    Whole(i64),
    /// A number.
    Number(f64),
    /// A word.
    Word(String),
}

/// A number made from all calls of a grid: a slope, or else the mean.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Over {
    /// JSON pointer of a number, or of a yes or no that counts as 1 or 0.
    pub of: String,
    /// JSON pointer of a number that it is divided by.
    pub per: Option<String>,
    /// The share of the calls where the number is at most this one, instead of the number.
    pub at_most: Option<f64>,
    /// An axis of positive numbers: the slope against it, both in logarithms, of the means over the other axes.
    pub slope: Option<String>,
    /// JSON pointer of the number that a slope is taken against, its mean for each value of the axis, instead of the axis.
    pub against: Option<String>,
    /// The calls that are meant; without it all.
    #[serde(default, rename = "where")]
    pub only: BTreeMap<String, Axis>,
    /// The value.
    pub is: f64,
    /// Largest distance.
    pub within: f64,
}

/// One call of a grid.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Its value of each axis.
    pub at: BTreeMap<String, Axis>,
    /// Its arguments.
    pub call: String,
}

impl Axis {
    /// The number, if it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Whole(v) => Some(*v as f64),
            Self::Number(v) => Some(*v),
            Self::Word(_) => None,
        }
    }
}

impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(v) => v.fmt(f),
            Self::Number(v) => v.fmt(f),
            Self::Word(v) => v.fmt(f),
        }
    }
}

impl Grid {
    /// Every call, the last axis fastest.
    pub fn points(&self) -> Vec<Point> {
        let mut points = vec![Point { at: BTreeMap::new(), call: self.call.clone() }];
        for (name, values) in &self.axes {
            let with = |p: &Point, v: &Axis| {
                let mut at = p.at.clone();
                at.insert(name.clone(), v.clone());
                Point { at, call: p.call.replace(&format!("{{{name}}}"), &v.to_string()) }
            };
            points = points.iter().flat_map(|p| values.iter().map(move |v| with(p, v))).collect();
        }
        points
    }

    /// What makes no sense, and what to do.
    fn fault(&self) -> Option<String> {
        if let Some((name, values)) = self.axes.iter().find(|(name, _)| !self.call.contains(&format!("{{{name}}}"))) {
            return Some(format!("the call has no place {{{name}}} for its {} values; write one", values.len()));
        }
        let text = self.points().into_iter().next().map_or_else(String::new, |p| p.call);
        if let Some((_, rest)) = text.split_once('{') {
            let name = rest.split('}').next().unwrap_or_default();
            return Some(format!("the call has a place {{{name}}} and no axis of this name; give axes.{name}"));
        }
        for over in &self.expect {
            let named = over.slope.iter().chain(over.only.keys()).find(|name| !self.axes.contains_key(*name));
            if let Some(name) = named {
                return Some(format!("'{name}' is no axis; there are {:?}", self.axes.keys()));
            }
            if let Some((name, v)) = over.only.iter().find(|(name, v)| !self.axes[*name].contains(v)) {
                return Some(format!("{v} is no value of the axis {name}"));
            }
            if let Some(values) = over.slope.as_ref().map(|name| &self.axes[name]) {
                let positive = values.iter().all(|v| v.number().is_some_and(|v| v > 0.0));
                if !positive || values.len() < 2 {
                    return Some("a slope needs two positive numbers on its axis, or more".into());
                }
            }
        }
        None
    }
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
    if let Some(fault) = plan.grid.iter().find_map(Grid::fault) {
        return Err(wrong(format!("grid: {fault}")));
    }
    let name = folder.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    Ok(Entry { name, folder: folder.to_owned(), plan })
}
