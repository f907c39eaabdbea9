//! Why an input was refused: what, where (file:row:column), the value, and what to do.

use std::io;

use super::words;

/// Bad input. Rows count the lines of the file, its header is row 1; arrays without a header count from 1.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Nothing under this name.
    #[error("{file}: no such file{}", words::hint(.near.as_ref()))]
    NotFound {
        /// The file asked for.
        file: String,
        /// A file of a similar name beside it.
        near: Option<String>,
    },
    /// A directory, not a file.
    #[error("{file}: is a directory; name one file in it{}", if .holds.is_empty() { String::new() } else { format!(": {}", words::names(.holds)) })]
    Directory {
        /// The directory.
        file: String,
        /// Files in it that could be meant.
        holds: Vec<String>,
    },
    /// The operating system refused.
    #[error("{file}: cannot be read: {source}")]
    Io {
        /// The file.
        file: String,
        /// The cause.
        source: io::Error,
    },
    /// No byte, or blank lines only.
    #[error("{file}: is empty; expected a header line with the column names, then one line a row")]
    Empty {
        /// The file.
        file: String,
    },
    /// A header and nothing below it.
    #[error("{file}: has a header ({}) and no rows; add at least two rows below it", words::count(*.columns, "column"))]
    HeaderOnly {
        /// The file.
        file: String,
        /// Columns in the header.
        columns: usize,
    },
    /// One usable row.
    #[error("{file}:{row}: only one row of data; at least two rows are needed to fit anything (see --rows, --missing)")]
    OneRow {
        /// The file.
        file: String,
        /// Its file row.
        row: usize,
    },
    /// Rows exist, none is left.
    #[error("{file}: no rows are left: {why}")]
    NoRows {
        /// The file.
        file: String,
        /// What removed them and what to change.
        why: String,
    },
    /// A `--rows` value that is no slice.
    #[error(
        "--rows {text}: expected A:B, a slice of the data rows counted from 0 with B left out, such as 0:100 or 50:"
    )]
    RowsSyntax {
        /// The value given.
        text: String,
    },
    /// Bytes that are no UTF-8 text.
    #[error("{file}:{row}: not text: {what}; {cure}")]
    NotText {
        /// The file.
        file: String,
        /// The line.
        row: usize,
        /// What was seen.
        what: String,
        /// What to do.
        cure: &'static str,
    },
    /// A format that is not read here.
    #[error("{file}: {found}; {cure}")]
    Format {
        /// The file.
        file: String,
        /// What it is.
        found: String,
        /// What to do.
        cure: String,
    },
    /// A line, field or record beyond every table.
    #[error("{file}:{row}: {what}; this is not a CSV table (for a very wide one use .npz)")]
    TooLong {
        /// The file.
        file: String,
        /// The line.
        row: usize,
        /// Which bound was passed.
        what: String,
    },
    /// A quote without an end.
    #[error("{file}:{row}: a quote opened in this row is never closed; close it or remove the \" character")]
    OpenQuote {
        /// The file.
        file: String,
        /// The line where the record begins.
        row: usize,
    },
    /// A row with another number of fields than the header.
    #[error("{file}:{row}: {} where the header has {expected}, last value {}; {}", words::count(*.found, "field"), words::shown(.value), ragged_cure(*.decimal_comma))]
    Ragged {
        /// The file.
        file: String,
        /// The row.
        row: usize,
        /// Fields in the row.
        found: usize,
        /// Fields in the header.
        expected: usize,
        /// Last field of the row.
        value: String,
        /// The table is comma-separated and the row looks as if it had decimal commas.
        decimal_comma: bool,
    },
    /// A column of text.
    #[error("{file}:{row}:{column}: text {} where a number is expected; {}", words::shown(.value), text_cure(.column, .others, *.target))]
    Text {
        /// The file.
        file: String,
        /// The row.
        row: usize,
        /// The column.
        column: String,
        /// The field.
        value: String,
        /// Further columns with text in the same row.
        others: Vec<String>,
        /// The column is the target.
        target: bool,
    },
    /// A number that is NaN or infinite.
    #[error("{file}:{row}:{column}: {} is not a finite number; remove the row, correct the value, leave it empty with --missing drop, or --drop {}", words::shown(.value), words::quoted(.column))]
    NotFinite {
        /// The file.
        file: String,
        /// The row.
        row: usize,
        /// The column.
        column: String,
        /// The field.
        value: String,
    },
    /// A number beyond the range of a 64-bit float.
    #[error("{file}:{row}:{column}: {} is beyond the range of a 64-bit float (1.8e308); rescale the column or --drop {}", words::shown(.value), words::quoted(.column))]
    Overflow {
        /// The file.
        file: String,
        /// The row.
        row: usize,
        /// The column.
        column: String,
        /// The field.
        value: String,
    },
    /// A missing value.
    #[error("{file}:{row}:{column}: missing value ({}); --missing drop leaves out rows with missing values, --drop {} the column", if .value.is_empty() { "empty".to_string() } else { words::shown(.value) }, words::quoted(.column))]
    MissingValue {
        /// The file.
        file: String,
        /// The row.
        row: usize,
        /// The column.
        column: String,
        /// The field as written.
        value: String,
    },
    /// No target was named.
    #[error("{file}: which column is the target? The columns are {}; try --target {}", words::names(.columns), words::quoted(.suggestion))]
    NoTarget {
        /// The file.
        file: String,
        /// All columns.
        columns: Vec<String>,
        /// The last of them.
        suggestion: String,
    },
    /// More targets than the command takes.
    #[error("{file}: {} targets ({}); this command takes one target: run it once for each", .targets.len(), words::names(.targets))]
    ManyTargets {
        /// The file.
        file: String,
        /// Those named.
        targets: Vec<String>,
    },
    /// A name that is no column.
    #[error("{file}: {flag} {name}: no such column{}; the columns are {}", words::hint(.near.as_ref()), words::names(.columns))]
    UnknownColumn {
        /// The file.
        file: String,
        /// The flag that named it.
        flag: &'static str,
        /// The name.
        name: String,
        /// A similar column.
        near: Option<String>,
        /// All columns.
        columns: Vec<String>,
    },
    /// A column asked to be two things at once.
    #[error("{file}: column '{column}' is the target and is also named by {flag}; remove one of the two")]
    TargetTwice {
        /// The file.
        file: String,
        /// The column.
        column: String,
        /// `--columns`, `--drop`, or the flag that names it a second time.
        flag: &'static str,
    },
    /// A sample weight below 0, or no other than 0.
    #[error(
        "{file}:{row}: weight '{column}' is {value}: weights must not be negative nor all 0; leave the row out, or choose another --weight"
    )]
    Weight {
        /// The file.
        file: String,
        /// The row.
        row: usize,
        /// The column of weights.
        column: String,
        /// Its value.
        value: f64,
    },
    /// Two columns of one name.
    #[error("{file}:1: columns {} are both called '{name}'; rename one in the header or --drop {}", two(.positions), words::quoted(.name))]
    DuplicateColumn {
        /// The file.
        file: String,
        /// The name.
        name: String,
        /// Positions, from 1.
        positions: Vec<usize>,
    },
    /// A column without a name that is no index.
    #[error("{file}:{row}: column {position} has no name in the header and holds {}; name it in row 1, or choose with --columns", words::shown(.value))]
    Unnamed {
        /// The file.
        file: String,
        /// The row.
        row: usize,
        /// Position, from 1.
        position: usize,
        /// The field.
        value: String,
    },
    /// Only the target is left.
    #[error("{file}: no feature is left beside the target; the columns are {}", words::names(.columns))]
    NoFeatures {
        /// The file.
        file: String,
        /// All columns.
        columns: Vec<String>,
    },
    /// All labels are equal.
    #[error(
        "{file}: target '{target}' is constant ({value}): there is nothing to fit; choose another --target or other --rows"
    )]
    ConstantTarget {
        /// The file.
        file: String,
        /// The target.
        target: String,
        /// Its one value.
        value: f64,
    },
    /// Columns that a network needs and the file lacks.
    #[error("{file}: the network needs {} that the file lacks: {}{}; the columns are {}", words::count(.lacks.len(), "column"), words::names(.lacks), words::hint(.near.as_ref()), words::names(.columns))]
    LacksFeatures {
        /// The file.
        file: String,
        /// The missing features.
        lacks: Vec<String>,
        /// A column similar to the first of them.
        near: Option<String>,
        /// All columns.
        columns: Vec<String>,
    },
    /// Another number of columns than a network has inputs.
    #[error("{file}: {} ({}) for a network of {}; choose with --columns or --drop", words::count(.columns.len(), "column"), words::names(.columns), words::count(*.inputs, "input"))]
    FeatureCount {
        /// The file.
        file: String,
        /// Columns selected.
        columns: Vec<String>,
        /// Inputs of the network.
        inputs: usize,
    },
    /// An array file that is damaged, of another shape or of a type that is not read.
    #[error("{file}: array '{array}': {what}; {cure}")]
    Array {
        /// The file.
        file: String,
        /// Name of the array or tensor.
        array: String,
        /// What is wrong.
        what: String,
        /// What to do.
        cure: String,
    },
    /// Start weights of another shape than the network.
    #[error("{file}: start weights are {found}, expected {expected}; {cure}")]
    WeightShape {
        /// The file.
        file: String,
        /// Rows and columns found, in words.
        found: String,
        /// Rows and columns expected, in words.
        expected: String,
        /// What to do.
        cure: String,
    },
}

fn ragged_cure(decimal_comma: bool) -> &'static str {
    if decimal_comma {
        "decimal commas need ; or tab between the fields"
    } else {
        "add or remove fields, or quote values that hold the separator"
    }
}

fn text_cure(column: &str, others: &[String], target: bool) -> String {
    if target {
        return "targets and weights must be numbers: choose another column, or write them as numbers".into();
    }
    let mut all = vec![column.to_string()];
    all.extend_from_slice(others);
    format!(
        "{} leaves {} out, or choose with --columns",
        words::drops(&all),
        if all.len() == 1 { "it" } else { "them" }
    )
}

fn two(positions: &[usize]) -> String {
    let all: Vec<String> = positions.iter().map(usize::to_string).collect();
    all.join(" and ")
}
