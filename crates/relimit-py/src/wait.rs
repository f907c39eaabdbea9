//! Waiting for an engine with the interpreter free for other threads, and with Ctrl-C heard.

use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// How often signals are looked at.
const POLL: Duration = Duration::from_millis(50);
/// Stack of the engine: that of a program's first thread.
const STACK: usize = 8 << 20;

/// Runs `work` on a thread of its own; the calling one looks for signals, which only Python's first thread may handle.
///
/// A signal that raises makes `work` stop at its next poll, and what it raised is the error. A panic is a defect of this
/// program and becomes a `RuntimeError` that asks for a report.
pub(crate) fn on<T: Send>(py: Python<'_>, work: impl FnOnce(&(dyn Fn() -> bool + Sync)) -> T + Send) -> PyResult<T> {
    let stop = AtomicBool::new(false);
    let (done, wait) = sync_channel::<()>(1);
    let stop = &stop;
    py.detach(move || {
        thread::scope(|scope| {
            let engine = move || {
                let result = panic::catch_unwind(panic::AssertUnwindSafe(|| work(&|| stop.load(Ordering::Relaxed))));
                drop(done);
                result
            };
            let engine = thread::Builder::new().name("relimit".into()).stack_size(STACK).spawn_scoped(scope, engine)?;
            let mut raised = None;
            while wait.recv_timeout(POLL) == Err(RecvTimeoutError::Timeout) {
                if raised.is_none() {
                    raised = signals().err();
                    stop.store(raised.is_some(), Ordering::Relaxed);
                }
            }
            let result = engine.join().and_then(|result| result);
            match (raised, result) {
                (Some(raised), _) => Err(raised),
                (None, Ok(result)) => Ok(result),
                (None, Err(panic)) => {
                    let text = panic.downcast_ref::<String>().map(String::as_str);
                    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
                    Err(PyRuntimeError::new_err(format!("a defect of relimit, please report it: {text}")))
                }
            }
        })
    })
}

/// What Python's signal handlers raise.
#[expect(clippy::redundant_closure_for_method_calls, reason = "the method alone is not general enough in its lifetime")]
fn signals() -> PyResult<()> {
    Python::attach(|py| py.check_signals())
}
