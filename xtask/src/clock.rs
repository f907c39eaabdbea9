//! The one place in xtask that reads a clock.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Runs `work` and says how long it took on the wall clock.
#[expect(clippy::disallowed_methods, reason = "stage times are wall times; xtask uses no other crate of the project")]
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let value = work();
    (value, start.elapsed())
}

/// Today's date in UTC, `2026-01-31`.
#[expect(clippy::disallowed_methods, reason = "records carry their date; xtask uses no other crate of the project")]
pub(crate) fn date() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    civil(since.as_secs() / 86_400)
}

/// The date that lies `days` after 1970-01-01, with years that begin in March (so that leap days end them).
fn civil(days: u64) -> String {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_known_days() {
        assert_eq!(civil(0), "1970-01-01");
        assert_eq!(civil(11_016), "2000-02-29");
        assert_eq!(civil(11_574), "2001-09-09");
        assert_eq!(civil(47_541), "2100-03-01");
    }
}
