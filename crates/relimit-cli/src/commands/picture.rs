//! `--plot`: the picture that a path names, and the numbers behind it.

use std::io::Write as _;

use relimit_report::figure::png;
use relimit_run::write::write_atomic;
use relimit_solve::plan::Picture;

use crate::exit::Failure;

/// Dots of a PNG for one unit of the SVG.
const SCALE: f64 = 2.0;

/// Writes the picture, and its numbers as FILE.plot.csv: FILE.csv beside FILE.svg may well be the data.
pub(crate) fn write(picture: &Picture, svg: &str, numbers: Option<&str>) -> Result<(), Failure> {
    match picture {
        Picture::Svg(path) => write_atomic(path, |file| file.write_all(svg.as_bytes()))?,
        Picture::Png(path) => {
            let bytes = png(svg, SCALE).map_err(|e| Failure::usage(format!("--plot {}: {e}", path.display())))?;
            write_atomic(path, |file| file.write_all(&bytes))?;
        }
    }
    if let Some(numbers) = numbers {
        write_atomic(&picture.path().with_extension("plot.csv"), |file| file.write_all(numbers.as_bytes()))?;
    }
    Ok(())
}
