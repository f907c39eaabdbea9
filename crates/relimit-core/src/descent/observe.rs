//! What a run tells its caller while it goes: every event, and the preactivations on a grid of the caller's.

use super::Event;
use crate::num::Mat;

/// Watches a run. Both hooks do nothing unless overridden.
pub trait Observer {
    /// A mask changed. Called in order of step or time, every time.
    fn event(&mut self, _event: &Event) {}

    /// The next step or time at which `sample` is wanted (infinity: never again).
    fn next_sample(&self) -> f64 {
        f64::INFINITY
    }

    /// The preactivations (m x n) at step or time `at`.
    fn sample(&mut self, _at: f64, _z: &Mat) {}
}

/// Watches nothing.
pub struct Unobserved;

impl Observer for Unobserved {}

/// Keeps the first `cap` events and counts the rest.
#[derive(Clone, Debug, Default)]
pub struct EventLog {
    /// The events kept, in order.
    pub events: Vec<Event>,
    /// How many came after the log was full.
    pub dropped: u64,
    /// How many are kept at most.
    pub cap: usize,
}

impl EventLog {
    /// A log of at most `cap` events (16 bytes and a little each).
    pub fn with_cap(cap: usize) -> Self {
        Self { events: Vec::new(), dropped: 0, cap }
    }
}

impl Observer for EventLog {
    fn event(&mut self, event: &Event) {
        if self.events.len() < self.cap {
            self.events.push(*event);
        } else {
            self.dropped += 1;
        }
    }
}
