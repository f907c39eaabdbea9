//! An engine at work with the interpreter free for other threads, Ctrl-C heard and progress told.

use std::panic;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ThreadId};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use relimit_ask::Meter;
use relimit_run::clock::Stopwatch;

/// How often signals are looked at and progress is told, milliseconds.
const POLL: u64 = 50;

/// Runs `work` on the calling thread. Its polls look for signals, which only Python's first thread may handle, and call
/// `progress` with how far the work is.
///
/// A signal that raises, or a callback that does, makes `work` stop at that poll, and what was raised is the error. A
/// panic is a defect of this program and becomes a `RuntimeError` that asks for a report.
pub(crate) fn on<T: Send>(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    work: impl FnOnce(&(dyn Fn() -> bool + Sync), &Meter) -> T + Send,
) -> PyResult<T> {
    py.detach(|| {
        let meter = Meter::default();
        let look = Look {
            owner: thread::current().id(),
            watch: Stopwatch::start(),
            next: AtomicU64::new(POLL),
            stop: AtomicBool::new(false),
            raised: Mutex::new(None),
            progress,
            meter: &meter,
        };
        let result = panic::catch_unwind(panic::AssertUnwindSafe(|| work(&|| look.stops(), &meter)));
        match (look.raised.into_inner().unwrap_or_else(PoisonError::into_inner), result) {
            (Some(raised), _) => Err(raised),
            (None, Ok(result)) => Ok(result),
            (None, Err(panic)) => {
                let text = panic.downcast_ref::<String>().map(String::as_str);
                let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
                Err(PyRuntimeError::new_err(format!("a defect of relimit, please report it: {text}")))
            }
        }
    })
}

/// What a poll looks at.
struct Look<'a> {
    owner: ThreadId,
    watch: Stopwatch,
    next: AtomicU64,
    stop: AtomicBool,
    raised: Mutex<Option<PyErr>>,
    progress: Option<Py<PyAny>>,
    meter: &'a Meter,
}

impl Look<'_> {
    /// Whether to stop. Engines poll from any thread; only the calling one, which always takes its share of the work, asks
    /// the interpreter.
    fn stops(&self) -> bool {
        if self.stop.load(Ordering::Relaxed) {
            return true;
        }
        if thread::current().id() != self.owner {
            return false;
        }
        let now = (self.watch.seconds() * 1e3) as u64;
        if now < self.next.load(Ordering::Relaxed) {
            return false;
        }
        self.next.store(now + POLL, Ordering::Relaxed);
        let raised = Python::attach(|py| {
            py.check_signals()?;
            let Some(progress) = &self.progress else { return Ok(()) };
            let (done, all) = self.meter.read();
            progress.call1(py, (done, all)).map(|_| ())
        });
        if let Err(error) = raised {
            *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            self.stop.store(true, Ordering::Relaxed);
        }
        self.stop.load(Ordering::Relaxed)
    }
}
