//! Lengths of time as people write them: `250ms`, `60s`, `5m`, `1h`.

use std::time::Duration;

use super::PlanError;

/// Reads a number with a unit (`ms`, `s`, `m`, `h`); above 0 and at most 10,000 hours.
///
/// # Errors
/// A number without unit, an unknown unit, a length out of range.
pub fn parse_duration(setting: &'static str, text: &str) -> Result<Duration, PlanError> {
    let wrong = |problem: &str| PlanError::new(setting, text, problem, "give for example 250ms, 60s, 5m or 1h");
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let seconds_per_unit = match unit {
        "ms" => 1e-3,
        "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        "" => return Err(wrong("has no unit")),
        _ => return Err(wrong("is not a length of time")),
    };
    let value: f64 = number.trim().parse().map_err(|_| wrong("is not a length of time"))?;
    let seconds = value * seconds_per_unit;
    if !(seconds > 0.0 && seconds <= 3.6e7) {
        return Err(wrong("is not between 0 and 10,000 hours"));
    }
    Ok(Duration::from_secs_f64(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_read() {
        let read = |text| parse_duration("budget", text).unwrap();
        assert_eq!(read("60s"), Duration::from_mins(1));
        assert_eq!(read("250ms"), Duration::from_millis(250));
        assert_eq!(read("5m"), Duration::from_mins(5));
        assert_eq!(read("1h"), Duration::from_hours(1));
        assert_eq!(read("1.5s"), Duration::from_millis(1500));
    }

    #[test]
    fn what_is_not_a_length_of_time_is_refused() {
        for text in ["", "60", "s", "-1s", "0s", "1d", "1e9h", "nans", "1 s 2"] {
            let error = parse_duration("budget", text).unwrap_err();
            assert!(error.to_string().ends_with("give for example 250ms, 60s, 5m or 1h"), "{error}");
        }
        assert!(parse_duration("budget", "60").unwrap_err().problem.contains("no unit"));
    }
}
