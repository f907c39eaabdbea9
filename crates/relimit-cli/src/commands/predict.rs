//! `relimit predict`: outputs of a saved network for the rows of a file.

use std::fmt::Write;

use relimit_core::num::Mat;
use relimit_run::read::{self, Source};

use crate::args::PredictArgs;
use crate::exit::{Exit, Failure};
use crate::output;

/// Reads network and data, prints `row,output` lines; rows are those of the file (header = row 1).
pub(crate) fn run(args: &PredictArgs) -> Result<Exit, Failure> {
    let options = args.select.words(None).options()?;
    let (file, mut notices) = read::network(&args.net)?;
    let source = Source::from_arg(&args.data);
    let (table, more) = read::features(&source, file.features.as_deref(), file.network.inputs(), &options)?;
    notices.extend(more);
    for notice in &notices {
        output::note(&notice.to_string());
    }
    output::print(&csv(&table.rows, &file.network.forward(&table.x)))?;
    Ok(Exit::Answer)
}

/// One column `output`, or `output0`, `output1`, ... for several.
fn csv(rows: &[usize], outputs: &Mat) -> String {
    let mut text = "row".to_owned();
    match outputs.cols() {
        1 => text.push_str(",output"),
        k => (0..k).for_each(|o| {
            let _ = write!(text, ",output{o}");
        }),
    }
    text.push('\n');
    for (i, row) in rows.iter().enumerate() {
        let _ = write!(text, "{row}");
        for value in outputs.row(i) {
            let _ = write!(text, ",{}", shortest(*value));
        }
        text.push('\n');
    }
    text
}

/// The shortest digits that read back as the same number.
fn shortest(value: f64) -> String {
    if value == 0.0 || (1e-5..1e16).contains(&value.abs()) { format!("{value}") } else { format!("{value:e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_back() {
        for value in [0.0, 1.0, -2.5, 1.0 / 3.0, 1e300, -1e-300, 12345.678] {
            assert_eq!(shortest(value).parse(), Ok(value));
            assert!(shortest(value).len() < 25);
        }
        let one = Mat::from_vec(2, 1, vec![0.5, -1e20]);
        assert_eq!(csv(&[2, 5], &one), "row,output\n2,0.5\n5,-1e20\n");
        let two = Mat::from_vec(1, 2, vec![0.5, -1.0]);
        assert_eq!(csv(&[7], &two), "row,output0,output1\n7,0.5,-1\n");
    }
}
