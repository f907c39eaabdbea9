//! A worker: one unit, resumed where others have left it, and at once done if it is.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::claim::{self, Claimed, Pace, claim};
use super::manifest::ROWS;
use super::{Manifest, PART, UNITS, Unit, files};
use crate::key::NUMERICS;
use crate::sweep::local::{Ask, Keeper, Progress, Stop, work};
use crate::sweep::{Grid, Journal, Key, Row, Saved, Status, SweepError, read_journal};
use crate::write::sync_folder;

/// How an attempt ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Executed {
    /// Runs of the unit.
    pub runs: usize,
    /// Rows that were there before.
    pub reused: usize,
    /// Rows that are there now.
    pub there: usize,
    /// Of these, failed.
    pub failed: usize,
    /// Who has the unit, if it is not this process.
    pub busy: Option<String>,
}

impl Executed {
    /// Whether nothing is left to do.
    pub fn done(&self) -> bool {
        self.there == self.runs
    }

    fn of(runs: usize, reused: usize, rows: &BTreeMap<Key, Row>) -> Self {
        let failed = rows.values().filter(|r| r.status == Status::Failed).count();
        Self { runs, reused, there: rows.len(), failed, busy: None }
    }
}

/// Works through unit `index` of a sweep, on `threads` threads until `stop`; whatever has been done stays, and a call
/// again goes on there.
///
/// # Errors
/// A unit that does not exist, a plan or data that are not those of the manifest, a file that cannot be read or written.
pub fn exec(
    saved: &Saved,
    index: usize,
    ask: &Ask<'_>,
    (threads, pace): (usize, Pace),
    stop: Stop<'_>,
    watch: &mut dyn FnMut(&Progress),
) -> Result<Executed, SweepError> {
    let dir = saved.dir();
    let grid = Grid::new(&saved.plan, &saved.folder)?;
    let Some(unit) = unit(saved, &grid, index)? else {
        // collected already
        return Ok(Executed::default());
    };
    let stem = dir.join(UNITS).join(format!("{index:05}"));
    if let Some(done) = finished(&stem, &unit, &grid)? {
        return Ok(done);
    }
    let _claim = match claim(&stem, pace)? {
        Claimed::Mine(claim) => claim,
        Claimed::Busy(who) => return Ok(Executed { runs: unit.runs.len(), busy: Some(who), ..Executed::default() }),
    };
    // whoever had it may have finished in between
    if let Some(done) = finished(&stem, &unit, &grid)? {
        return Ok(done);
    }
    let (mut part, reused) = take_over(dir, &stem, &unit, &grid)?;
    let todo: Vec<u64> = unit.runs.iter().copied().filter(|run| !part.rows.contains_key(&grid.key(*run))).collect();
    work(&grid, &todo, &mut part, ask, threads, stop, watch)?;
    part.sync()?;
    let executed = Executed::of(distinct(&unit, &grid), reused, &part.rows);
    if executed.done() {
        let (from, to) = (&part.path, claim::with(&stem, ROWS));
        fs::rename(from, &to).map_err(|e| SweepError::io(from, e))?;
        sync_folder(&to);
    }
    Ok(executed)
}

/// The unit of the manifest, unless the sweep is complete.
fn unit(saved: &Saved, grid: &Grid<'_>, index: usize) -> Result<Option<Unit>, SweepError> {
    let name = saved.dir().display().to_string();
    let foreign = |what: String| SweepError::Foreign { dir: name, what };
    let Some(mut manifest) = Manifest::read(saved.dir())? else {
        let over = saved.overview()?;
        if over.done + over.failed == over.runs {
            return Ok(None);
        }
        return Err(foreign("has no units; relimit sweep PLAN --engine units makes them".into()));
    };
    if saved.numerics != u64::from(NUMERICS) {
        return Err(foreign("was made by another version of relimit; use the same on all machines".into()));
    }
    let count = manifest.units.len();
    if index >= count {
        return Err(foreign(format!("has units 0 to {}; there is no unit {index}", count - 1)));
    }
    let unit = manifest.units.swap_remove(index);
    if !unit.is_of(grid) {
        let what = format!("plans other runs for unit {index}: its plan or a file it names has changed; begin again");
        return Err(foreign(what));
    }
    Ok(Some(unit))
}

/// Different runs; the same one may stand in several places of a plan without seeds.
fn distinct(unit: &Unit, grid: &Grid<'_>) -> usize {
    unit.runs.iter().map(|run| grid.key(*run)).collect::<std::collections::BTreeSet<_>>().len()
}

/// The rows of a file that are of this unit.
fn rows_of(path: &Path, unit: &Unit, grid: &Grid<'_>) -> Result<BTreeMap<Key, Row>, SweepError> {
    let (rows, _) = read_journal(path)?;
    let mut rows: BTreeMap<Key, Row> = rows.into_iter().map(|row| (row.key, row)).collect();
    let keys: std::collections::BTreeSet<Key> = unit.runs.iter().map(|run| grid.key(*run)).collect();
    rows.retain(|key, _| keys.contains(key));
    Ok(rows)
}

/// The outcome of a unit that is done.
fn finished(stem: &Path, unit: &Unit, grid: &Grid<'_>) -> Result<Option<Executed>, SweepError> {
    let rows = rows_of(&claim::with(stem, ROWS), unit, grid)?;
    let done = Executed::of(distinct(unit, grid), rows.len(), &rows);
    Ok(Some(done).filter(Executed::done))
}

/// The rows of an attempt.
#[derive(Debug)]
struct Part {
    path: PathBuf,
    journal: Journal,
    rows: BTreeMap<Key, Row>,
}

/// A file of this process with the rows of all attempts before, whose files go once it is safe.
fn take_over(dir: &Path, stem: &Path, unit: &Unit, grid: &Grid<'_>) -> Result<(Part, usize), SweepError> {
    let number = format!("{}.", stem.file_name().unwrap_or_default().to_string_lossy());
    // a damaged file of a finished unit counts as an attempt
    let before = files(dir, |n| n.starts_with(&number) && (n.ends_with(PART) || n.ends_with(ROWS)))?;
    let mut rows = BTreeMap::new();
    for path in &before {
        rows.extend(rows_of(path, unit, grid)?);
    }
    // a container may have the name and the number of one that was here before
    let name = |again: u32| claim::with(stem, &format!(".{}-{}-{again}{PART}", claim::host(), std::process::id()));
    let path = (0..u32::MAX).map(name).find(|path| !path.exists()).expect("fewer attempts than that");
    let mut journal = Journal::open(&path)?;
    rows.values().try_for_each(|row| journal.push(row))?;
    journal.sync()?;
    for old in before {
        let _ = fs::remove_file(old);
    }
    let reused = rows.len();
    Ok((Part { path, journal, rows }, reused))
}

impl Keeper for Part {
    fn push(&mut self, row: Row) -> Result<(), SweepError> {
        self.journal.push(&row)?;
        self.rows.insert(row.key, row);
        Ok(())
    }

    fn sync(&mut self) -> Result<(), SweepError> {
        Ok(self.journal.sync()?)
    }
}
