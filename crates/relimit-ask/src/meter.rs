//! How far a question is, for whoever waits: a count that engines move and others read.

use std::sync::atomic::{AtomicU64, Ordering};

/// Steps, sections or patterns so far, and how many there are to be, where that is known.
#[derive(Debug, Default)]
pub struct Meter {
    done: AtomicU64,
    all: AtomicU64,
}

impl Meter {
    /// Sets both; `all` is 0 where nobody knows.
    pub fn set(&self, done: u64, all: u64) {
        self.all.store(all, Ordering::Relaxed);
        self.done.store(done, Ordering::Relaxed);
    }

    /// The count so far, and the last one where it is known.
    pub fn read(&self) -> (u64, Option<u64>) {
        let all = self.all.load(Ordering::Relaxed);
        (self.done.load(Ordering::Relaxed), (all > 0).then_some(all))
    }
}
