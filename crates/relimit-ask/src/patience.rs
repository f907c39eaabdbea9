//! How long an answer may take: the caller's wish to stop, and the budget of the question.

use std::time::Duration;

use relimit_run::clock::Stopwatch;

/// Share of the budget after which a run ends, so that the rest can look from where it was stopped.
const RUN_SHARE: f64 = 0.6;

/// Polled by the engines.
pub(crate) struct Patience<'a> {
    stop: &'a (dyn Fn() -> bool + Sync),
    watch: Stopwatch,
    budget: Option<f64>,
}

impl<'a> Patience<'a> {
    pub(crate) fn new(stop: &'a (dyn Fn() -> bool + Sync), budget: Option<Duration>) -> Self {
        Self { stop, watch: Stopwatch::start(), budget: budget.map(|b| b.as_secs_f64()) }
    }

    fn spent(&self, share: f64) -> bool {
        self.budget.is_some_and(|budget| self.watch.seconds() >= budget * share)
    }

    /// Whether to stop.
    pub(crate) fn now(&self) -> bool {
        (self.stop)() || self.spent(1.0)
    }

    /// Whether a run is to end, when more is to be done after it.
    pub(crate) fn enough(&self) -> bool {
        (self.stop)() || self.spent(RUN_SHARE)
    }

    /// Whether it is the budget that ended the work.
    pub(crate) fn out_of_budget(&self) -> bool {
        !(self.stop)() && self.spent(RUN_SHARE)
    }

    /// Seconds since the question.
    pub(crate) fn seconds(&self) -> f64 {
        self.watch.seconds()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caller_and_the_budget_stop_and_are_told_apart() {
        let (go, halt) = (|| false, || true);
        let free = Patience::new(&go, None);
        assert!(!free.now() && !free.enough() && !free.out_of_budget());
        let spent = Patience::new(&go, Some(Duration::ZERO));
        assert!(spent.now() && spent.enough() && spent.out_of_budget());
        let called = Patience::new(&halt, Some(Duration::from_hours(1)));
        assert!(called.now() && called.enough() && !called.out_of_budget());
    }
}
