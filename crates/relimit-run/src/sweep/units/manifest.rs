//! The manifest: one line for each unit of runs that a worker takes at a time.
//!
//! ```text
//! {"keys":"24 hexadecimal digits","runs":[[0,63],[70,75]],"unit":0}
//! ```

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::UNITS;
use crate::key::canonical;
use crate::sweep::{Grid, Key, SweepError};
use crate::write::write_atomic;

const FILE: &str = "manifest";
/// Ends the name of a finished unit's rows.
pub(super) const ROWS: &str = ".rows";

/// Runs that one worker works through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Its number, from 0.
    pub index: usize,
    /// Numbers of its runs.
    pub runs: Vec<u64>,
    /// Hash of the keys of its runs, so that a worker with other data or another plan is refused.
    keys: String,
}

/// All units of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    folder: PathBuf,
    /// In order.
    pub units: Vec<Unit>,
}

impl Manifest {
    /// Divides the runs `todo` into units of `size` runs and writes them into the folder of a sweep.
    ///
    /// # Errors
    /// The file cannot be written.
    ///
    /// # Panics
    /// With `size = 0`.
    pub fn write(dir: &Path, grid: &Grid<'_>, todo: &[u64], size: usize) -> Result<Self, SweepError> {
        let units = todo.chunks(size).enumerate();
        let units = units.map(|(index, runs)| Unit { index, runs: runs.to_vec(), keys: keys(grid, runs) }).collect();
        let folder = dir.join(UNITS);
        fs::create_dir_all(&folder).map_err(|e| SweepError::io(&folder, e))?;
        let manifest = Self { folder, units };
        write_atomic(&manifest.folder.join(FILE), |out| {
            manifest.units.iter().try_for_each(|unit| writeln!(out, "{}", canonical(&unit.json())))
        })?;
        Ok(manifest)
    }

    /// Reads the units of a folder, if it has any.
    ///
    /// # Errors
    /// A line that is no unit.
    pub fn read(dir: &Path) -> Result<Option<Self>, SweepError> {
        let folder = dir.join(UNITS);
        let path = folder.join(FILE);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(SweepError::io(&path, e)),
        };
        let unit = |(k, line): (usize, &str)| {
            Unit::of(line).filter(|unit| unit.index == k).ok_or_else(|| SweepError::Damaged {
                file: path.display().to_string(),
                what: format!("line {}", k + 1),
                cure: "end its jobs, remove it and run the sweep again; finished runs are kept",
            })
        };
        let units = text.lines().enumerate().map(unit).collect::<Result<_, _>>()?;
        Ok(Some(Self { folder, units }))
    }

    /// Units whose rows are all there.
    ///
    /// # Errors
    /// The folder cannot be listed.
    pub fn done(&self) -> Result<BTreeSet<usize>, SweepError> {
        self.with_ending(ROWS)
    }

    /// Units that a worker has claimed and not left.
    ///
    /// # Errors
    /// The folder cannot be listed.
    pub fn claimed(&self) -> Result<BTreeSet<usize>, SweepError> {
        self.with_ending(super::claim::BEAT)
    }

    // listing opens the folder, which makes a network file system look again; asking for a name may not
    fn with_ending(&self, ending: &str) -> Result<BTreeSet<usize>, SweepError> {
        let entries = fs::read_dir(&self.folder).map_err(|e| SweepError::io(&self.folder, e))?;
        let names = entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned());
        Ok(names.filter_map(|n| n.strip_suffix(ending)?.parse().ok()).filter(|k| *k < self.units.len()).collect())
    }
}

impl Unit {
    fn json(&self) -> Value {
        let mut spans: Vec<[u64; 2]> = vec![];
        for run in &self.runs {
            match spans.last_mut() {
                Some([_, last]) if *last + 1 == *run => *last = *run,
                _ => spans.push([*run, *run]),
            }
        }
        json!({ "unit": self.index, "runs": spans, "keys": self.keys })
    }

    fn of(line: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(line).ok()?;
        let spans: Vec<[u64; 2]> = serde_json::from_value(value["runs"].clone()).ok()?;
        Some(Self {
            index: usize::try_from(value["unit"].as_u64()?).ok()?,
            runs: spans.into_iter().flat_map(|[first, last]| first..=last).collect(),
            keys: value["keys"].as_str()?.to_owned(),
        })
    }

    /// Whether its runs are those of this grid.
    pub(super) fn is_of(&self, grid: &Grid<'_>) -> bool {
        self.runs.iter().all(|run| *run < grid.len()) && self.keys == keys(grid, &self.runs)
    }
}

fn keys(grid: &Grid<'_>, runs: &[u64]) -> String {
    let all: Vec<String> = runs.iter().map(|run| grid.key(*run).to_string()).collect();
    Key::of(all.concat().as_bytes()).to_string()
}
