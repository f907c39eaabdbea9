//! The folder of a sweep: locked by one process, its rows safe, its data set complete or not there.
//!
//! While runs are missing, `journal` holds every row; when all are there they become the data set and the journal goes.
//! At no moment is a finished row in neither of the two.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{Grid, Journal, Keeper, Key, Pace, Row, Status, SweepError, Table, dataset, journal::read_journal, units};
use crate::key::{self, NUMERICS};
use crate::write::write_atomic;

pub(super) const PLAN: &str = "plan.json";
pub(super) const TEXT: &str = "plan.toml";
pub(super) const JOURNAL: &str = "journal";
pub(super) const LOCK: &str = ".lock";
const SCHEMA: &str = "relimit/sweep-plan/1";

/// What may be done to rows that are there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Keep {
    /// Failed runs are run again.
    pub retry: bool,
    /// Rows of runs that the plan no longer has are dropped; without it they are a reason to refuse the folder.
    pub prune: bool,
    /// Units that have been handed out stay so; without it what they have is collected, and the rest is to be run here.
    pub units: bool,
}

/// An open folder.
#[derive(Debug)]
pub struct Store<'g> {
    dir: PathBuf,
    grid: &'g Grid<'g>,
    rows: BTreeMap<Key, Row>,
    todo: Vec<u64>,
    /// None when the data set is complete.
    journal: Option<Journal>,
    reused: u64,
    notes: Vec<String>,
    _lock: File,
}

/// Counts of a sweep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Planned.
    pub runs: u64,
    /// With an answer, reused ones included.
    pub done: u64,
    /// Without one.
    pub failed: u64,
    /// There before this call, failed ones included.
    pub reused: u64,
}

impl<'g> Store<'g> {
    /// Opens or makes the folder of a plan, whose text is kept in it; `folder` is where the plan stands.
    ///
    /// # Errors
    /// A folder with other content, with rows of runs that the plan does not have, or in use; a file that cannot be read
    /// or written.
    pub fn open(dir: &Path, grid: &'g Grid<'g>, text: &str, folder: &Path, keep: Keep) -> Result<Self, SweepError> {
        let lock = lock(dir)?;
        let handed_out = keep.units && same_plan(dir, grid)? && !keep.retry;
        if !handed_out {
            units::refuse_busy(dir, Pace::default())?;
        }
        let found = found(dir)?;
        let mut rows = found.rows;
        let mut notes = found.notes;
        if keep.retry {
            rows.retain(|_, row| row.status != Status::Failed);
        }
        let keys: Vec<Key> = (0..grid.len()).map(|run| grid.key(run)).collect();
        let mut sorted = keys.clone();
        sorted.sort_unstable();
        let others = rows.keys().filter(|k| sorted.binary_search(k).is_err()).count();
        if others > 0 && !keep.prune {
            let why = match read_json(&dir.join(PLAN))? {
                Some(plan) if plan["numerics"] != NUMERICS => "were computed by an older version".to_owned(),
                _ => "are not in the plan".to_owned(),
            };
            let what = format!("holds {others} finished runs that {why}; --prune drops them, or give another --out");
            return Err(SweepError::Foreign { dir: dir.display().to_string(), what });
        }
        if others > 0 {
            notes.push(format!("{others} finished runs that are not in the plan were dropped"));
            rows.retain(|key, _| sorted.binary_search(key).is_ok());
        }
        // one run may stand in several places of the plan only if the plan has no seeds and its axes are placeholders of
        // nothing: its row then serves them all
        let mut planned = std::collections::BTreeSet::new();
        let todo: Vec<u64> = (0..grid.len())
            .filter(|run| !rows.contains_key(&keys[*run as usize]) && planned.insert(keys[*run as usize]))
            .collect();
        let reused = keys.iter().filter(|k| rows.contains_key(k)).count() as u64;
        let complete = todo.is_empty() && others == 0 && found.complete && same_plan(dir, grid)?;
        let mut store = Self { dir: dir.to_owned(), grid, rows, todo, journal: None, reused, notes, _lock: lock };
        if !complete {
            store.begin(text, folder, others > 0 || keep.retry, handed_out)?;
        }
        Ok(store)
    }

    /// Writes the plan, and all rows that are there into the journal; the data set goes.
    fn begin(&mut self, text: &str, folder: &Path, rewrite: bool, handed_out: bool) -> Result<(), SweepError> {
        let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        let plan = self.grid.plan().identity();
        let about = json!({
            "schema": SCHEMA,
            "key": key::of_plan(&plan),
            "numerics": NUMERICS,
            "runs": self.grid.len(),
            "folder": folder.display().to_string(),
            "plan": plan,
        });
        let path = self.dir.join(JOURNAL);
        let (there, damaged) = read_journal(&path)?;
        let mut missing: BTreeMap<Key, &Row> = self.rows.iter().map(|(k, r)| (*k, r)).collect();
        if !rewrite && damaged == 0 {
            for row in there {
                missing.remove(&row.key);
            }
            let mut journal = Journal::open(&path)?;
            missing.values().try_for_each(|row| journal.push(row))?;
            journal.sync()?;
            self.journal = Some(journal);
        } else {
            // beside and renamed: the old journal holds until the new one does
            let beside = self.dir.join(".journal.new");
            let _ = fs::remove_file(&beside);
            let mut journal = Journal::open(&beside)?;
            missing.values().try_for_each(|row| journal.push(row))?;
            journal.sync()?;
            fs::rename(&beside, &path).map_err(|e| SweepError::io(&path, e))?;
            self.journal = Some(Journal::open(&path)?);
        }
        dataset::remove(&self.dir)?;
        if !handed_out {
            units::remove(&self.dir)?;
        }
        write_atomic(&self.dir.join(TEXT), |out| out.write_all(text.as_bytes()))?;
        write_atomic(&self.dir.join(PLAN), |out| {
            serde_json::to_writer_pretty(&mut *out, &about)?;
            out.write_all(b"\n")
        })?;
        Ok(())
    }

    /// The grid.
    pub fn grid(&self) -> &'g Grid<'g> {
        self.grid
    }

    /// Runs that have no row yet, in order.
    pub fn todo(&self) -> &[u64] {
        &self.todo
    }

    /// What was found damaged or dropped.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Counts of the whole plan now.
    pub fn counts(&self) -> Counts {
        let rows = (0..self.grid.len()).filter_map(|run| self.rows.get(&self.grid.key(run)));
        let (mut done, mut failed) = (0, 0);
        rows.for_each(|row| if row.status == Status::Failed { failed += 1 } else { done += 1 });
        Counts { runs: self.grid.len(), done, failed, reused: self.reused }
    }

    /// Ends the call: with every row there, the data set is written and the journal goes.
    ///
    /// # Errors
    /// A file cannot be written; the journal then still has every row.
    pub fn finish(mut self) -> Result<Counts, SweepError> {
        self.sync()?;
        let counts = self.counts();
        if self.journal.is_some() && counts.done + counts.failed == counts.runs {
            dataset::write(&self.dir, self.grid, &self.rows)?;
            let path = self.dir.join(JOURNAL);
            fs::remove_file(&path).map_err(|e| SweepError::io(&path, e))?;
            units::remove(&self.dir)?;
        }
        Ok(counts)
    }
}

impl Keeper for Store<'_> {
    fn push(&mut self, row: Row) -> Result<(), SweepError> {
        self.journal.as_mut().expect("an incomplete sweep").push(&row)?;
        self.rows.insert(row.key, row);
        Ok(())
    }

    fn sync(&mut self) -> Result<(), SweepError> {
        Ok(self.journal.as_mut().map_or(Ok(()), Journal::sync)?)
    }
}

/// Takes the lock of a folder, which is made if it is not there; refuses one that is no sweep's.
pub(super) fn lock(dir: &Path) -> Result<File, SweepError> {
    let name = dir.display().to_string();
    let foreign = |what: String| SweepError::Foreign { dir: name.clone(), what };
    if dir.exists() && !dir.is_dir() {
        return Err(foreign("is a file; give a folder with --out".into()));
    }
    fs::create_dir_all(dir).map_err(|e| SweepError::io(dir, e))?;
    if !dir.join(PLAN).exists() {
        let entries = fs::read_dir(dir).map_err(|e| SweepError::io(dir, e))?;
        let mut names: Vec<String> = entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        // what a process killed at the very start left
        let ours = |n: &String| [LOCK, JOURNAL, TEXT].contains(&n.as_str()) || n.starts_with(".plan.");
        if let Some(other) = names.iter().find(|n| !ours(n)) {
            return Err(foreign(format!("holds {other} and no sweep; give a new or empty folder with --out")));
        }
    }
    let path = dir.join(LOCK);
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
    let file = file.map_err(|e| SweepError::io(&path, e))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(SweepError::Locked { dir: name }),
        Err(TryLockError::Error(e)) => Err(SweepError::io(&path, e)),
    }
}

/// Rows that are in a folder, wherever they stand.
pub(super) struct Found {
    pub(super) rows: BTreeMap<Key, Row>,
    pub(super) notes: Vec<String>,
    /// Whether the data set is there and whole.
    pub(super) complete: bool,
}

/// Collects all rows of a folder: data set, journal, units.
pub(super) fn found(dir: &Path) -> Result<Found, SweepError> {
    let mut found = Found { rows: BTreeMap::new(), notes: vec![], complete: false };
    if let Some(parts) = dataset::verify(dir)? {
        found.complete = parts.damaged.is_empty();
        found.notes.extend(parts.damaged);
        let table = Table::read(&parts.good, None)?;
        found.rows.extend(rows_of(dir, &table)?.into_iter().map(|row| (row.key, row)));
    }
    let mut journals = vec![dir.join(JOURNAL)];
    journals.extend(units::journals(dir)?);
    for path in journals {
        let (rows, damaged) = read_journal(&path)?;
        if damaged > 0 {
            found.notes.push(format!("{}: {damaged} damaged lines, whose runs are repeated", path.display()));
        }
        found.rows.extend(rows.into_iter().map(|row| (row.key, row)));
    }
    Ok(found)
}

/// The rows of a table that has all columns.
fn rows_of(dir: &Path, table: &Table) -> Result<Vec<Row>, SweepError> {
    let plan = read_json(&dir.join(PLAN))?.unwrap_or(Value::Null);
    let records = plan["plan"]["record"].as_array().cloned().unwrap_or_default();
    let names: Vec<&str> = records.iter().filter_map(|r| r["name"].as_str()).collect();
    let text = |name: &str, row: usize| match table.column(name).map(|c| c.at(row)) {
        Some(super::CellRef::Text(text)) => text.to_owned(),
        _ => String::new(),
    };
    let row = |k: usize| {
        let values = names.iter().map(|n| table.column(n).map_or(super::Cell::Null, |c| c.cell(k))).collect();
        let (key, status) = (Key::read(&text("key", k))?, Status::read(&text("status", k))?);
        Some(Row { key, status, message: text("message", k).into(), values })
    };
    Ok((0..table.rows).filter_map(row).collect())
}

/// A JSON file, if it is there.
pub(super) fn read_json(path: &Path) -> Result<Option<Value>, SweepError> {
    match fs::read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|e| SweepError::Damaged {
            file: path.display().to_string(),
            what: e.to_string(),
            cure: "remove it and run the sweep again; finished runs are kept",
        }),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(SweepError::io(path, e)),
    }
}

/// Whether the folder was last used for the same plan.
fn same_plan(dir: &Path, grid: &Grid<'_>) -> Result<bool, SweepError> {
    let plan = read_json(&dir.join(PLAN))?.unwrap_or(Value::Null);
    Ok(plan["key"] == key::of_plan(&grid.plan().identity()).as_str() && plan["numerics"] == NUMERICS)
}
