//! When to stop early: Ctrl-C and the wall-clock budget, polled by the engines.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;
use std::time::Duration;

use crate::exit::{Exit, Failure};

/// What ended a run early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// The wall-clock budget.
    Budget,
    /// Ctrl-C.
    Interrupted,
}

const GO: u8 = 0;
const BUDGET: u8 = 1;
const INTERRUPTED: u8 = 2;

/// A flag that Ctrl-C or the end of the budget sets, whichever is first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stop(Arc<AtomicU8>);

impl Stop {
    /// Listens to Ctrl-C from now on and starts the budget. A second Ctrl-C ends the program at once.
    pub(crate) fn listen(budget: Option<Duration>) -> Result<Self, Failure> {
        let stop = Self::default();
        let flag = stop.clone();
        ctrlc::set_handler(move || {
            if flag.cause() == Some(Cause::Interrupted) {
                std::process::exit(Exit::Cut as i32);
            }
            flag.0.store(INTERRUPTED, Ordering::Relaxed);
        })
        .map_err(|e| {
            Failure::usage(format!("Ctrl-C cannot be listened to: {e}; run without a shell that forbids it"))
        })?;
        if let Some(budget) = budget {
            stop.after(budget);
        }
        Ok(stop)
    }

    /// Sets the flag after `budget`, from a thread that sleeps until then, so that polling never reads a clock.
    fn after(&self, budget: Duration) {
        let flag = self.clone();
        thread::spawn(move || {
            thread::sleep(budget);
            let _ = flag.0.compare_exchange(GO, BUDGET, Ordering::Relaxed, Ordering::Relaxed);
        });
    }

    /// Whether to stop: what engines poll.
    pub(crate) fn now(&self) -> bool {
        self.0.load(Ordering::Relaxed) != GO
    }

    /// Why, if it is time to stop.
    pub(crate) fn cause(&self) -> Option<Cause> {
        match self.0.load(Ordering::Relaxed) {
            BUDGET => Some(Cause::Budget),
            INTERRUPTED => Some(Cause::Interrupted),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_budget_stops_a_run_and_is_named() {
        let stop = Stop::default();
        assert!(!stop.now() && stop.cause().is_none());
        stop.after(Duration::from_millis(5));
        while !stop.now() {
            thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(stop.cause(), Some(Cause::Budget));
    }

    #[test]
    fn an_interrupt_is_not_renamed_by_the_budget() {
        let stop = Stop::default();
        stop.0.store(INTERRUPTED, Ordering::Relaxed);
        stop.after(Duration::ZERO);
        thread::sleep(Duration::from_millis(20));
        assert_eq!(stop.cause(), Some(Cause::Interrupted));
    }
}
