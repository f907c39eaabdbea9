//! A sweep's folder as it stands, for those who only read: its plan, its rows as a table, an overview.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::dataset::{self, Kind};
use super::store::{self, LOCK, PLAN, TEXT};
use super::{CellRef, Column, Grid, Plan, Row, Status, SweepError, Table};

/// A folder that holds a sweep.
#[derive(Debug)]
pub struct Saved {
    dir: PathBuf,
    /// Its plan.
    pub plan: Plan,
    /// Text of the plan.
    pub text: String,
    /// Where the plan stood: its words name files from here.
    pub folder: PathBuf,
    /// Version of the numerics that it was planned with.
    pub numerics: u64,
    runs: u64,
}

/// What a sweep has reached.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overview {
    /// Planned runs.
    pub runs: u64,
    /// Runs with an answer.
    pub done: u64,
    /// Runs without one.
    pub failed: u64,
    /// How many ended in each way.
    pub statuses: Vec<(Status, u64)>,
    /// Messages of failed runs, the most frequent first, with their number.
    pub failures: Vec<(String, u64)>,
    /// Damaged files.
    pub notes: Vec<String>,
    /// Whether a process works on it now.
    pub busy: bool,
}

impl Saved {
    /// Reads the plan of a folder.
    ///
    /// # Errors
    /// A folder without a sweep, or with a plan that cannot be read.
    pub fn open(dir: &Path) -> Result<Self, SweepError> {
        let about = store::read_json(&dir.join(PLAN))?.ok_or_else(|| SweepError::Foreign {
            dir: dir.display().to_string(),
            what: "is no folder of a sweep; give the one that relimit sweep PLAN made".into(),
        })?;
        let path = dir.join(TEXT);
        let text = fs::read_to_string(&path).map_err(|e| SweepError::io(&path, e))?;
        let plan = Plan::read(&path.display().to_string(), &text)?;
        let folder = about["folder"].as_str().map_or_else(|| dir.to_owned(), PathBuf::from);
        let (runs, numerics) = (about["runs"].as_u64().unwrap_or(0), about["numerics"].as_u64().unwrap_or(0));
        Ok(Self { dir: dir.to_owned(), plan, text, folder, numerics, runs })
    }

    /// The folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Names of all columns.
    pub fn columns(&self) -> Vec<String> {
        let mut names = vec!["run".to_owned()];
        names.extend(self.plan.axes.iter().map(|a| a.name.clone()));
        if self.plan.seeds.is_some() {
            names.extend(["repetition".to_owned(), "seed".to_owned()]);
        }
        names.extend(["key", "status", "message"].map(str::to_owned));
        names.extend(self.plan.record.iter().map(|r| r.name.clone()));
        names
    }

    /// The rows that are there, in the order of the plan, with the columns `wanted`; and what is damaged.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn table(&self, wanted: &[String]) -> Result<(Table, Vec<String>), SweepError> {
        match dataset::verify(&self.dir)? {
            Some(parts) if !self.dir.join(store::JOURNAL).exists() => {
                Ok((Table::read(&parts.good, Some(wanted))?, parts.damaged))
            }
            _ => self.unfinished(wanted),
        }
    }

    /// The rows of a sweep that is not complete.
    fn unfinished(&self, wanted: &[String]) -> Result<(Table, Vec<String>), SweepError> {
        let found = store::found(&self.dir)?;
        let grid = Grid::new(&self.plan, &self.folder)?;
        let kinds: BTreeMap<&str, Kind> = self
            .plan
            .record
            .iter()
            .enumerate()
            .map(|(at, r)| (r.name.as_str(), Kind::of_cells(found.rows.values(), at)))
            .collect();
        let mut table = Table::default();
        for name in self.columns().into_iter().filter(|n| wanted.contains(n)) {
            let kind = match name.as_str() {
                "run" | "repetition" => Kind::Whole,
                "key" | "status" | "message" => Kind::Text,
                other => match self.plan.axes.iter().find(|a| a.name == other) {
                    Some(axis) => Kind::of_axis(axis),
                    None => kinds.get(other).copied().unwrap_or(Kind::Whole),
                },
            };
            table.columns.push((name, Column::of(kind)));
        }
        for run in 0..grid.len() {
            let Some(row) = found.rows.get(&grid.key(run)) else { continue };
            let point = grid.point(run);
            for (name, column) in &mut table.columns {
                self.push(name, column, run, &point, row);
            }
            table.rows += 1;
        }
        Ok((table, found.notes))
    }

    fn push(&self, name: &str, column: &mut Column, run: u64, point: &super::Point<'_>, row: &Row) {
        if let Some(k) = self.plan.axes.iter().position(|a| a.name == name) {
            return column.push(match point.values[k] {
                Value::Bool(flag) => CellRef::Flag(*flag),
                Value::String(text) => CellRef::Text(text),
                number => number.as_f64().map_or(CellRef::Null, CellRef::Number),
            });
        }
        match name {
            "run" => column.push(CellRef::Number(run as f64)),
            "repetition" => column.push(CellRef::Number(point.repetition as f64)),
            "seed" => column.push(point.seed.map_or(CellRef::Null, |s| CellRef::Number(s as f64))),
            "key" => column.push(CellRef::Text(&row.key.to_string())),
            "status" => column.push(CellRef::Text(row.status.name())),
            "message" if row.message.is_empty() => column.push(CellRef::Null),
            "message" => column.push(CellRef::Text(&row.message)),
            recorded => {
                let at = self.plan.record.iter().position(|r| r.name == recorded);
                column.push(at.map_or(CellRef::Null, |at| row.values[at].by_ref()));
            }
        }
    }

    /// Counts what is there.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn overview(&self) -> Result<Overview, SweepError> {
        let (table, notes) = self.table(&["status".into(), "message".into()])?;
        let (statuses, messages) = (counted(table.column("status")), counted(table.column("message")));
        let statuses: Vec<(Status, u64)> =
            Status::ALL.into_iter().filter_map(|s| Some((s, *statuses.get(s.name())?))).collect();
        let failed = statuses.iter().find(|(s, _)| *s == Status::Failed).map_or(0, |(_, k)| *k);
        let mut failures: Vec<(String, u64)> = messages.into_iter().collect();
        failures.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        Ok(Overview {
            runs: self.runs,
            done: table.rows as u64 - failed,
            failed,
            statuses,
            failures,
            notes,
            busy: busy(&self.dir),
        })
    }
}

/// How often each word stands in a column.
fn counted(column: Option<&Column>) -> BTreeMap<String, u64> {
    let Some(Column::Texts { codes, words, .. }) = column else { return BTreeMap::new() };
    let mut counts = vec![0; words.len()];
    for code in codes {
        if let Some(count) = counts.get_mut(*code as usize) {
            *count += 1;
        }
    }
    words.iter().cloned().zip(counts).collect()
}

/// Whether another process holds the lock.
fn busy(dir: &Path) -> bool {
    let file = OpenOptions::new().write(true).open(dir.join(LOCK));
    file.is_ok_and(|f| matches!(f.try_lock(), Err(TryLockError::WouldBlock)))
}
