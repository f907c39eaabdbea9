//! Sweeps: a plan worked through here, or handed out in units to whoever asks for one.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use relimit_ask::Meter;
use relimit_run::sweep::{CellRef, Counts, Grid, Keep, Manifest, Pace, Plan, RunSpec, Saved, Stop, Store, SweepError};
use relimit_run::sweep::{exec, run_local};
use serde_json::Value;

use crate::{errors, wait};

/// Units of a sweep that is handed out, at most, unless their size is given.
const UNITS: usize = 200;

/// Runs, rows with an answer, rows without one, rows that were there before, and units that are left to do.
type Told = (u64, u64, u64, u64, usize);

fn refused(py: Python<'_>, error: &SweepError) -> PyErr {
    errors::question(py, &error.to_string())
}

fn one(spec: &RunSpec, stop: Stop<'_>) -> Result<Value, String> {
    relimit_ask::run(spec.words.clone(), &spec.command, stop)
}

fn told(counts: Counts, units: usize) -> Told {
    (counts.runs, counts.done, counts.failed, counts.reused, units)
}

/// Works through the plan `text`, which stands in `folder`, into the folder `out`; with `unit` runs are handed out in
/// units of so many (0: at most 200 units), and what units have done is collected.
#[pyfunction]
#[expect(clippy::too_many_arguments, clippy::needless_pass_by_value, reason = "what Python hands over, and how")]
pub(crate) fn sweep(
    py: Python<'_>,
    name: &str,
    text: &str,
    folder: PathBuf,
    out: PathBuf,
    threads: Option<usize>,
    keep: (bool, bool),
    unit: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Told> {
    let keep = Keep { retry: keep.0, prune: keep.1, units: unit.is_some() };
    let threads = threads.unwrap_or_else(|| thread::available_parallelism().map_or(1, NonZero::get)).max(1);
    let work = |stop: &(dyn Fn() -> bool + Sync), meter: &Meter| -> Result<Told, SweepError> {
        let plan = Plan::read(name, text)?;
        let grid = Grid::new(&plan, &folder)?;
        let mut store = Store::open(&out, &grid, text, &folder, keep)?;
        let mut units = 0;
        match unit {
            None => run_local(&mut store, &one, threads, stop, &mut |p| meter.set(p.ended, p.todo))?,
            Some(size) if !store.todo().is_empty() => units = hand_out(&out, &grid, &store, size)?,
            Some(_) => {}
        }
        Ok(told(store.finish()?, units))
    };
    beside(py, progress, work)?.map_err(|e| refused(py, &e))
}

/// Writes the manifest unless there is one; the number of units.
fn hand_out(out: &Path, grid: &Grid<'_>, store: &Store<'_>, size: usize) -> Result<usize, SweepError> {
    if let Some(there) = Manifest::read(out)? {
        return Ok(there.units.len());
    }
    let todo = store.todo();
    let size = if size == 0 { todo.len().div_ceil(UNITS).max(1) } else { size };
    Ok(Manifest::write(out, grid, todo, size)?.units.len())
}

/// Works through one unit; whether it is done, and who else is at it.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "pyo3 hands over what it converts")]
pub(crate) fn sweep_unit(
    py: Python<'_>,
    out: PathBuf,
    index: usize,
    threads: usize,
) -> PyResult<(bool, Option<String>)> {
    let work = |stop: &(dyn Fn() -> bool + Sync), meter: &Meter| {
        let saved = Saved::open(&out)?;
        exec(&saved, index, &one, (threads.max(1), Pace::default()), stop, &mut |p| meter.set(p.ended, p.todo))
    };
    let ended = beside(py, None, work)?.map_err(|e| refused(py, &e))?;
    Ok((ended.done(), ended.busy))
}

/// Works on a thread of its own, since a sweep has no thread that polls: this one looks for signals meanwhile.
fn beside<T: Send>(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    work: impl FnOnce(&(dyn Fn() -> bool + Sync), &Meter) -> T + Send,
) -> PyResult<T> {
    wait::on(py, progress, |look, meter| {
        let halt = AtomicBool::new(false);
        thread::scope(|scope| {
            let engine = scope.spawn(|| work(&|| halt.load(Ordering::Relaxed), meter));
            while !engine.is_finished() {
                halt.store(look(), Ordering::Relaxed);
                thread::park_timeout(Duration::from_millis(5));
            }
            engine.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    })
}

/// The rows that are there: a dictionary of lists, in the order of the plan, and what is damaged.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "pyo3 hands over what it converts")]
pub(crate) fn sweep_rows(py: Python<'_>, out: PathBuf) -> PyResult<(Bound<'_, PyDict>, Vec<String>)> {
    let read = py.detach(|| {
        let saved = Saved::open(&out)?;
        saved.table(&saved.columns())
    });
    let (table, notes) = read.map_err(|e| refused(py, &e))?;
    let rows = PyDict::new(py);
    for (name, column) in &table.columns {
        let list = PyList::empty(py);
        for k in 0..table.rows {
            match column.at(k) {
                CellRef::Null => list.append(py.None())?,
                CellRef::Flag(flag) => list.append(flag)?,
                CellRef::Number(v) if name == "run" || name == "repetition" => list.append(v as i64)?,
                CellRef::Number(v) => list.append(v)?,
                CellRef::Text(text) => list.append(text)?,
            }
        }
        rows.set_item(name, list)?;
    }
    Ok((rows, notes))
}
