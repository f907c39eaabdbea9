//! Figures: well-formed, complete, small, and the same on every machine.

mod common;

use relimit_report::figure::{GapPoint, MOST_MARKS, gap_against_d, preactivations};

#[test]
fn show() {
    let Some(dir) = std::env::var_os("RELIMIT_FIGURES") else { return };
    let dir = std::path::PathBuf::from(dir);
    for (name, figure) in common::figures() {
        std::fs::write(dir.join(format!("{name}.svg")), &figure.svg).unwrap();
        #[cfg(feature = "png")]
        std::fs::write(dir.join(format!("{name}.png")), relimit_report::figure::png(&figure.svg, 1.5).unwrap())
            .unwrap();
    }
    let _ = (MOST_MARKS, preactivations);
    let _: fn(&[GapPoint], &str) -> _ = gap_against_d;
}
