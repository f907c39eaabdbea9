//! The one place in xtask that reads a clock.

use std::time::{Duration, Instant};

/// Runs `work` and says how long it took on the wall clock.
#[expect(clippy::disallowed_methods, reason = "stage times are wall times; xtask uses no other crate of the project")]
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let value = work();
    (value, start.elapsed())
}
