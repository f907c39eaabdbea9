//! Threads that take the next run each, one writer, a row for every run whatever becomes of it: how a sweep is worked
//! through on one machine, and how a unit of one is on a node of a cluster.

use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use serde_json::{Map, Value};

use super::{Grid, Row, Status, Store, SweepError};
use crate::clock::{Seconds, Stopwatch};

/// One question.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSpec {
    /// Number of the run in the plan.
    pub run: u64,
    /// The command.
    pub command: String,
    /// Its words.
    pub words: Map<String, Value>,
}

/// Answers a question, polling whether to stop: the JSON of the command, or why there is none.
pub type Ask<'a> = dyn Fn(&RunSpec, Stop<'_>) -> Result<Value, String> + Sync + 'a;

/// Polled while a question is answered: true means stop.
pub type Stop<'a> = &'a (dyn Fn() -> bool + Sync);

/// How far a sweep is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// Runs of this call that ended.
    pub ended: u64,
    /// Of these, failed.
    pub failed: u64,
    /// Runs that this call has to do.
    pub todo: u64,
    /// Time since the call began.
    pub seconds: Seconds,
}

/// Rows wait here for the writer, at most so many.
const QUEUE: usize = 1024;
/// Time between two syncs of the journal.
const SYNC: Seconds = 1.0;
/// Name of the threads that run; a panic in one of them is a row, not the end.
pub const WORKER: &str = "run";

/// Where rows go as runs end.
pub trait Keeper {
    /// Keeps a row: a killed process does not lose it any more.
    ///
    /// # Errors
    /// It cannot be written; those before are safe.
    fn push(&mut self, row: Row) -> Result<(), SweepError>;

    /// Makes the rows survive a crash of the machine.
    ///
    /// # Errors
    /// They cannot be written.
    fn sync(&mut self) -> Result<(), SweepError>;
}

/// Runs what is missing in a folder: [`work`] on all of it.
///
/// # Errors
/// A row cannot be written; those before are safe.
pub fn run_local(
    store: &mut Store<'_>,
    ask: &Ask<'_>,
    threads: usize,
    stop: Stop<'_>,
    watch: &mut dyn FnMut(&Progress),
) -> Result<(), SweepError> {
    let (grid, todo) = (store.grid(), store.todo().to_vec());
    work(grid, &todo, store, ask, threads, stop, watch)
}

/// Works through the runs `todo` with `threads` threads; `stop` ends it after the runs in flight, whose partial answers
/// are not kept. `watch` hears of every row.
///
/// # Errors
/// A row cannot be written; those before are safe.
pub fn work(
    grid: &Grid<'_>,
    todo: &[u64],
    keeper: &mut dyn Keeper,
    ask: &Ask<'_>,
    threads: usize,
    stop: Stop<'_>,
    watch: &mut dyn FnMut(&Progress),
) -> Result<(), SweepError> {
    let (next, halt) = (AtomicUsize::new(0), AtomicBool::new(false));
    let over = || halt.load(Ordering::Relaxed) || stop();
    let (send, rows) = mpsc::sync_channel::<Row>(QUEUE);
    let work = |send: mpsc::SyncSender<Row>| {
        while !over() {
            let Some(run) = todo.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
            let spec = RunSpec { run: *run, command: grid.plan().command.clone(), words: grid.call(*run) };
            let answer = answer(ask, &spec, &over);
            // what was cut from outside is no result
            if over() || send.send(Row::of(grid.key(*run), &grid.plan().record, &answer)).is_err() {
                return;
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..threads.clamp(1, todo.len().max(1)) {
            let (work, send) = (&work, send.clone());
            let started = thread::Builder::new().name(WORKER.into()).spawn_scoped(scope, move || work(send));
            started.map_err(|e| SweepError::Io { file: "a thread".into(), source: e })?;
        }
        // the writer ends with the last worker
        drop(send);
        write(keeper, &rows, todo.len() as u64, &halt, watch)
    })
}

/// Takes rows until all workers have ended or a row cannot be written.
fn write(
    keeper: &mut dyn Keeper,
    rows: &mpsc::Receiver<Row>,
    todo: u64,
    halt: &AtomicBool,
    watch: &mut dyn FnMut(&Progress),
) -> Result<(), SweepError> {
    let watch_time = Stopwatch::start();
    let mut progress = Progress { todo, ..Progress::default() };
    let mut synced = 0.0;
    let mut failure = None;
    while let Ok(row) = rows.recv() {
        progress.ended += 1;
        progress.failed += u64::from(row.status == Status::Failed);
        progress.seconds = watch_time.seconds();
        let mut kept = if failure.is_none() { keeper.push(row) } else { Ok(()) };
        if kept.is_ok() && progress.seconds - synced >= SYNC {
            synced = progress.seconds;
            kept = keeper.sync();
        }
        if let Err(e) = kept {
            halt.store(true, Ordering::Relaxed);
            failure = Some(e);
        }
        watch(&progress);
    }
    failure.map_or(Ok(()), Err)
}

/// An answer, or a message also where the run panics.
pub(super) fn answer(ask: &Ask<'_>, spec: &RunSpec, over: Stop<'_>) -> Result<Value, String> {
    panic::catch_unwind(AssertUnwindSafe(|| ask(spec, over))).unwrap_or_else(|payload| {
        let text = payload.downcast_ref::<&str>().copied().map(str::to_owned);
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
        Err(format!("internal: {}", text.unwrap_or_else(|| "a panic without message".into())))
    })
}
