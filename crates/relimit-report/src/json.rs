//! Answers as JSON: one object, one line.

use serde::Serialize;

/// One JSON object on one line, with a newline at the end. Numbers read back as the same f64; those that are not
/// finite are `null`.
pub fn json<T: Serialize>(answer: &T) -> String {
    let mut out = serde_json::to_string(answer).expect("answers are plain data with string keys");
    out.push('\n');
    out
}
