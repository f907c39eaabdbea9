//! Progress on standard error, only when it is a terminal.

use std::io::{self, IsTerminal};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A line that says what goes on, or nothing at all.
#[derive(Debug)]
pub(crate) struct Progress(Option<ProgressBar>);

impl Progress {
    /// Starts with a first message; silent unless standard error is a terminal.
    pub(crate) fn start(message: &'static str) -> Self {
        Self::new(message, io::stderr().is_terminal())
    }

    fn new(message: &'static str, visible: bool) -> Self {
        Self(visible.then(|| {
            let bar = ProgressBar::new_spinner().with_message(message);
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(120));
            bar
        }))
    }

    /// Says what is done now.
    pub(crate) fn say(&self, message: &'static str) {
        if let Some(bar) = &self.0 {
            bar.set_message(message);
        }
    }

    /// Counts of the run; call it as often as you like, the terminal is written a few times a second.
    pub(crate) fn count(&self, steps: f64, events: u64) {
        if let Some(bar) = &self.0 {
            bar.set_message(counts(steps, events));
        }
    }

    /// Steps of a run with a known end, and the rate so far.
    pub(crate) fn steps(&self, done: u64, all: u64, neurons: usize, seconds: f64) {
        if let Some(bar) = &self.0 {
            bar.set_message(steps(done, all, neurons, seconds));
        }
    }

    /// Runs of a sweep, with failures, rate and time left.
    pub(crate) fn runs(&self, progress: &relimit_run::sweep::Progress) {
        if let Some(bar) = &self.0 {
            bar.set_message(runs(progress));
        }
    }

    /// Units of a sweep on other machines.
    pub(crate) fn units(&self, done: usize, all: usize, running: usize, seconds: f64) {
        if let Some(bar) = &self.0 {
            bar.set_message(units(done, all, running, seconds));
        }
    }

    /// Patterns listed so far; call it as often as you like.
    pub(crate) fn patterns(&self, count: u64) {
        if let Some(bar) = self.0.as_ref().filter(|_| count.is_multiple_of(65_536)) {
            bar.set_message(format!("{count} patterns"));
        }
    }

    /// Clears the line.
    pub(crate) fn finish(self) {
        if let Some(bar) = self.0 {
            bar.finish_and_clear();
        }
    }
}

fn counts(steps: f64, events: u64) -> String {
    let steps = if steps < 1e5 { format!("{steps}") } else { format!("{steps:.3e}") };
    format!("step {steps}, {events} mask changes")
}

/// `done` counts from where this call began: the rate is its own.
fn steps(done: u64, all: u64, neurons: usize, seconds: f64) -> String {
    let rate = done as f64 / seconds.max(1e-9);
    let left = (all - done) as f64 / rate.max(1e-9);
    format!("step {done} of {all}, {:.2e} neuron-steps/s, {left:.0} s left,", rate * neurons as f64)
}

fn runs(p: &relimit_run::sweep::Progress) -> String {
    let rate = p.ended as f64 / p.seconds.max(1e-9);
    let left = (p.todo - p.ended) as f64 / rate.max(1e-9);
    format!("run {} of {}, {} failed, {rate:.3e} runs/s, {left:.0} s left,", p.ended, p.todo, p.failed)
}

fn units(done: usize, all: usize, running: usize, seconds: f64) -> String {
    format!("{done} of {all} units done, {running} running, {seconds:.0} s,")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_short() {
        assert_eq!(counts(571.0, 12), "step 571, 12 mask changes");
        assert_eq!(counts(1_057_954.0, 218_567), "step 1.058e6, 218567 mask changes");
    }

    #[test]
    fn steps_have_a_rate_and_an_end() {
        assert_eq!(steps(100, 300, 1000, 2.0), "step 100 of 300, 5.00e4 neuron-steps/s, 4 s left,");
    }

    #[test]
    fn runs_have_failures_a_rate_and_an_end() {
        let p = relimit_run::sweep::Progress { ended: 50, failed: 2, todo: 150, seconds: 5.0 };
        assert_eq!(runs(&p), "run 50 of 150, 2 failed, 1.000e1 runs/s, 10 s left,");
    }

    #[test]
    fn without_a_terminal_there_is_nothing() {
        let progress = Progress::new("reading", false);
        assert!(progress.0.is_none());
        progress.say("running");
        progress.count(1.0, 0);
        progress.patterns(0);
        progress.finish();
    }
}
