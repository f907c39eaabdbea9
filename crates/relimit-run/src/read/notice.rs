//! What a reader did or saw that the user should know, though the data are usable.

use std::fmt;

use serde::Serialize;

use super::words;

/// A remark on accepted input; its `Display` is one sentence without the file name.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Notice {
    /// The unnamed first column counts the rows and was left out.
    IndexColumn {
        /// First value of the index.
        first: i64,
        /// Last value.
        last: i64,
    },
    /// The unnamed first column holds row names and was left out.
    RowNames {
        /// First of them.
        first: String,
    },
    /// Unnamed columns without any value were left out.
    EmptyColumns {
        /// Positions, from 1.
        positions: Vec<usize>,
    },
    /// Rows whose fields are all empty were left out.
    EmptyRows {
        /// File rows.
        rows: Vec<usize>,
    },
    /// The header consists of numbers.
    NumericHeader,
    /// Rows with missing values were left out on request.
    DroppedRows {
        /// File rows.
        rows: Vec<usize>,
        /// Columns with missing values.
        columns: Vec<String>,
    },
    /// Rows of sample weight 0 were left out.
    WeightlessRows {
        /// File rows.
        rows: Vec<usize>,
        /// The column of weights.
        column: String,
    },
    /// Rows whose features are all zero.
    ZeroRows {
        /// File rows.
        rows: Vec<usize>,
    },
    /// Features with one value.
    ConstantColumns {
        /// Their names.
        columns: Vec<String>,
    },
    /// All labels are equal, which was allowed.
    ConstantTarget {
        /// The target.
        target: String,
        /// Its one value.
        value: f64,
    },
    /// Rows with equal features and different labels.
    Conflicts {
        /// File rows, one list a conflict.
        groups: Vec<Vec<usize>>,
    },
    /// A part that a network file does not state was taken as zero.
    TakenAsZero {
        /// What is absent.
        what: String,
    },
    /// A state dictionary does not say what lies between its layers.
    ReluAssumed,
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IndexColumn { first, last } => {
                write!(f, "the unnamed first column is an index ({first} to {last}) and is left out")
            }
            Self::RowNames { first } => {
                write!(f, "the unnamed first column holds row names ({}, ...) and is left out", words::shown(first))
            }
            Self::EmptyColumns { positions } => {
                let all: Vec<String> = positions.iter().map(usize::to_string).collect();
                write!(f, "unnamed columns without values are left out (position {})", all.join(", "))
            }
            Self::EmptyRows { rows } => write!(f, "{} without any value left out", words::rows(rows)),
            Self::NumericHeader => {
                write!(f, "row 1 holds numbers only and is read as column names; if it is data, put a header above it")
            }
            Self::DroppedRows { rows, columns } => write!(
                f,
                "{} left out for missing values in {}: {}",
                words::count(rows.len(), "row"),
                words::names(columns),
                words::rows(rows)
            ),
            Self::WeightlessRows { rows, column } => {
                write!(f, "{} left out: weight {} is 0 there", words::rows(rows), words::quoted(column))
            }
            Self::ZeroRows { rows } => {
                let verb = if rows.len() == 1 { "is" } else { "are" };
                write!(f, "{} {verb} all zero: without a bias the output there is 0 and never moves", words::rows(rows))
            }
            Self::ConstantColumns { columns } => write!(
                f,
                "constant {}: {}; each acts as a bias, {} leaves it out",
                if columns.len() == 1 { "column" } else { "columns" },
                words::names(columns),
                words::drops(columns)
            ),
            Self::ConstantTarget { target, value } => {
                write!(f, "target '{target}' is constant ({value}): a constant fits every row")
            }
            Self::Conflicts { groups } => {
                let few: Vec<String> = groups.iter().take(4).map(|g| words::rows(g)).collect();
                let more = groups.len().saturating_sub(4);
                write!(f, "equal features with different labels, which no function can fit: {}", few.join("; "))?;
                if more > 0 { write!(f, "; and {more} more such groups") } else { Ok(()) }
            }
            Self::TakenAsZero { what } => write!(f, "the file has no {what}; taken as 0"),
            Self::ReluAssumed => write!(f, "the file does not say what lies between its two layers; read as ReLU"),
        }
    }
}
