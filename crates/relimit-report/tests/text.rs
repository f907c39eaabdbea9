//! The screenful: what it says, where it says it, and that it fits.

mod common;

use relimit_report::text::{Style, limit};

#[test]
fn fits_a_screen_of_80_columns() {
    for (name, answer) in common::all() {
        let text = limit(&answer, Style::Plain);
        if std::env::var_os("RELIMIT_SHOW").is_some() {
            println!("=== {name}\n{text}");
        }
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{name}: {} columns: {line}", line.chars().count());
            assert_eq!(line.trim_end(), line, "{name}: trailing space");
        }
        assert!(text.lines().count() <= 40, "{name}: {} lines", text.lines().count());
        assert!(text.ends_with('\n') && !text.contains("\n\n\n"), "{name}: blank lines");
        assert!(!text.contains("NaN") && !text.contains("None") && !text.contains(" inf "), "{name}: {text}");
    }
}
