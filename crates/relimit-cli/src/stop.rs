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
const SHARE: u8 = 1;
const BUDGET: u8 = 2;
const INTERRUPTED: u8 = 3;

/// Share of the budget after which a run ends, so that the rest can look from where it was stopped.
const RUN_SHARE: f64 = 0.6;

/// A flag that Ctrl-C or the end of the budget sets, whichever is first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stop {
    flag: Arc<AtomicU8>,
}

impl Stop {
    /// Listens to Ctrl-C from now on and starts the budget. A second Ctrl-C ends the program at once.
    pub(crate) fn listen(budget: Option<Duration>) -> Result<Self, Failure> {
        let stop = Self::default();
        let flag = stop.clone();
        ctrlc::set_handler(move || {
            if flag.cause() == Some(Cause::Interrupted) {
                std::process::exit(Exit::Cut as i32);
            }
            flag.flag.store(INTERRUPTED, Ordering::Relaxed);
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
            let run = budget.mul_f64(RUN_SHARE);
            thread::sleep(run);
            let _ = flag.flag.compare_exchange(GO, SHARE, Ordering::Relaxed, Ordering::Relaxed);
            thread::sleep(budget.saturating_sub(run));
            let _ = flag.flag.compare_exchange(SHARE, BUDGET, Ordering::Relaxed, Ordering::Relaxed);
        });
    }

    fn state(&self) -> u8 {
        self.flag.load(Ordering::Relaxed)
    }

    /// Whether to stop: what engines poll.
    pub(crate) fn now(&self) -> bool {
        self.state() >= BUDGET
    }

    /// Whether the run itself is to end: what its engine polls when more is to be done after it.
    pub(crate) fn enough(&self) -> bool {
        self.state() != GO
    }

    /// Why, if it is time to stop.
    pub(crate) fn cause(&self) -> Option<Cause> {
        match self.state() {
            SHARE | BUDGET => Some(Cause::Budget),
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
        while !stop.enough() {
            thread::sleep(Duration::from_micros(100));
        }
        assert_eq!(stop.cause(), Some(Cause::Budget));
        while !stop.now() {
            thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(stop.cause(), Some(Cause::Budget));
    }

    #[test]
    fn an_interrupt_is_not_renamed_by_the_budget() {
        let stop = Stop::default();
        stop.flag.store(INTERRUPTED, Ordering::Relaxed);
        stop.after(Duration::ZERO);
        thread::sleep(Duration::from_millis(20));
        assert_eq!(stop.cause(), Some(Cause::Interrupted));
    }
}
