//! The one clock: the only place of the program that reads the time.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Seconds of wall time.
pub type Seconds = f64;

/// Measures the time since it was started.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    start: Instant,
}

impl Stopwatch {
    /// Starts now.
    pub fn start() -> Self {
        Self { start: instant() }
    }

    /// Seconds since the start.
    pub fn seconds(&self) -> Seconds {
        instant().duration_since(self.start).as_secs_f64()
    }

    /// Whether `budget` seconds have passed; the poll of a budget.
    pub fn passed(&self, budget: Seconds) -> bool {
        self.seconds() >= budget
    }
}

/// The present moment in UTC as `2026-01-31T23:59:59Z`.
pub fn utc() -> String {
    iso(system().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs())
}

#[expect(clippy::disallowed_methods, reason = "the one clock")]
fn instant() -> Instant {
    Instant::now()
}

#[expect(clippy::disallowed_methods, reason = "the one clock")]
fn system() -> SystemTime {
    SystemTime::now()
}

/// Seconds since 1970 as a date in the Gregorian calendar.
fn iso(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let mut year = 1970;
    let mut left = days;
    let leap = |y: u64| y.is_multiple_of(4) && (!y.is_multiple_of(100) || y.is_multiple_of(400));
    while left >= 365 + u64::from(leap(year)) {
        left -= 365 + u64::from(leap(year));
        year += 1;
    }
    let mut month = 1;
    for length in [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if left < length {
            break;
        }
        left -= length;
        month += 1;
    }
    format!("{year:04}-{month:02}-{:02}T{:02}:{:02}:{:02}Z", left + 1, rest / 3600, rest / 60 % 60, rest % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_known_moments() {
        assert_eq!(iso(0), "1970-01-01T00:00:00Z");
        assert_eq!(iso(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(iso(1_000_000_000), "2001-09-09T01:46:40Z");
        assert_eq!(iso(4_107_542_399), "2100-02-28T23:59:59Z");
        assert_eq!(iso(4_107_542_400), "2100-03-01T00:00:00Z");
    }

    #[test]
    fn time_does_not_run_backwards() {
        let watch = Stopwatch::start();
        assert!(watch.seconds() >= 0.0 && watch.passed(0.0) && !watch.passed(1e9));
    }
}
