//! `relimit predict`: outputs of a saved network for the rows of a file.

use std::fmt::Write;

use relimit_run::read::{self, Source};

use super::data::options;
use crate::args::PredictArgs;
use crate::exit::{Exit, Failure};
use crate::output;

/// Reads network and data, prints `row,output` lines; rows are those of the file (header = row 1).
pub(crate) fn run(args: &PredictArgs) -> Result<Exit, Failure> {
    let options = options(&args.select, &[])?;
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

fn csv(rows: &[usize], outputs: &[f64]) -> String {
    let mut text = "row,output\n".to_owned();
    for (row, value) in rows.iter().zip(outputs) {
        let _ = writeln!(text, "{row},{}", shortest(*value));
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
        assert_eq!(csv(&[2, 5], &[0.5, -1e20]), "row,output\n2,0.5\n5,-1e20\n");
    }
}
