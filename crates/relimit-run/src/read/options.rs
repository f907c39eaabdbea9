//! Which columns and rows of a file are wanted.

use super::ReadError;

/// What to do with a missing value in a column that is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Missing {
    /// Refuse the file and name the cell.
    #[default]
    Error,
    /// Leave the row out, with a notice.
    Drop,
}

/// The shared data flags. The default takes every named column and every row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// Names of the targets (`--target`); [`super::dataset`] takes one, [`super::labelled`] any number.
    pub target: Vec<String>,
    /// Column of sample weights (`--weight`), for [`super::labelled`].
    pub weight: Option<String>,
    /// Features to use, in this order (`--columns`); empty means all but the target.
    pub columns: Vec<String>,
    /// Columns to leave out (`--drop`).
    pub drop: Vec<String>,
    /// Data rows `a..b` counted from 0 at the first row below the header, before any row is left out (`--rows A:B`);
    /// reading stops at `b`, so that rows from there on are not checked.
    pub rows: Option<(usize, usize)>,
    /// Missing values (`--missing`).
    pub missing: Missing,
    /// Take labels that are all equal, with a notice; they are refused otherwise.
    pub constant: bool,
}

/// Reads `A:B`, `A:` or `:B` as the half-open range of data rows `A..B`, counted from 0.
///
/// # Errors
/// `ReadError::RowsSyntax` for anything else, and for an empty range.
pub fn parse_rows(text: &str) -> Result<(usize, usize), ReadError> {
    let bad = || ReadError::RowsSyntax { text: text.to_string() };
    let (a, b) = text.split_once(':').ok_or_else(bad)?;
    let number = |s: &str, default| if s.is_empty() { Ok(default) } else { s.parse::<usize>().map_err(|_| bad()) };
    let (a, b) = (number(a.trim(), 0)?, number(b.trim(), usize::MAX)?);
    if a < b { Ok((a, b)) } else { Err(bad()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_python_slices() {
        assert_eq!(parse_rows("2:5").unwrap(), (2, 5));
        assert_eq!(parse_rows(":5").unwrap(), (0, 5));
        assert_eq!(parse_rows("2:").unwrap(), (2, usize::MAX));
        for bad in ["", "3", "5:5", "6:5", "a:b", "-3:", "1:2:3"] {
            assert!(parse_rows(bad).unwrap_err().to_string().contains("expected A:B"), "{bad}");
        }
    }
}
