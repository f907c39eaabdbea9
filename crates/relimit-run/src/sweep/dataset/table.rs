//! Columns of rows in memory: numbers as f64, texts as codes into their words.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::PathBuf;

use parquet::basic::Type as Physical;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};

use super::Kind;
use crate::sweep::{Cell, CellRef, SweepError};

/// One column.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Numbers; where there is none, NaN (an answer cannot hold one).
    Numbers(Vec<f64>),
    /// Truth values.
    Flags(Vec<Option<bool>>),
    /// Texts: places in the list of words; where there is none, [`u32::MAX`].
    Texts {
        /// One a row.
        codes: Vec<u32>,
        /// The words, in the order of their first row.
        words: Vec<String>,
        /// The code of each word.
        known: BTreeMap<String, u32>,
    },
}

/// Columns of equal length, in the order of the runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Number of rows.
    pub rows: usize,
    /// Name and values.
    pub columns: Vec<(String, Column)>,
}

impl Table {
    /// A column.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|(n, _)| n == name).map(|(_, column)| column)
    }

    /// Reads the columns `wanted` (all if `None`) of Parquet parts, in order.
    pub(in crate::sweep) fn read(parts: &[PathBuf], wanted: Option<&[String]>) -> Result<Self, SweepError> {
        let mut table = Self::default();
        for path in parts {
            let damaged = |e: ParquetError| SweepError::Damaged {
                file: path.display().to_string(),
                what: e.to_string(),
                cure: "run the sweep again: only the runs of this part are repeated",
            };
            let file = File::open(path).map_err(|e| SweepError::io(path, e))?;
            let reader = SerializedFileReader::new(file).map_err(damaged)?;
            table.append(&reader, wanted).map_err(damaged)?;
        }
        Ok(table)
    }

    fn append(&mut self, reader: &SerializedFileReader<File>, wanted: Option<&[String]>) -> Result<(), ParquetError> {
        let schema = reader.metadata().file_metadata().schema_descr_ptr();
        for at in 0..reader.num_row_groups() {
            let group = reader.get_row_group(at)?;
            let rows = group.metadata().num_rows() as usize;
            for k in 0..schema.num_columns() {
                let descriptor = schema.column(k);
                let name = descriptor.name();
                if wanted.is_some_and(|w| !w.iter().any(|n| n == name)) {
                    continue;
                }
                let place = self.columns.iter().position(|(n, _)| n == name).unwrap_or_else(|| {
                    self.columns.push((name.to_owned(), Column::empty(descriptor.physical_type())));
                    self.columns.len() - 1
                });
                self.columns[place].1.append(group.get_column_reader(k)?, rows)?;
            }
            self.rows += rows;
        }
        Ok(())
    }
}

impl Column {
    fn empty(physical: Physical) -> Self {
        match physical {
            Physical::BYTE_ARRAY => Self::texts(),
            Physical::BOOLEAN => Self::Flags(vec![]),
            _ => Self::Numbers(vec![]),
        }
    }

    /// Without values.
    pub(in crate::sweep) fn of(kind: Kind) -> Self {
        match kind {
            Kind::Whole | Kind::Number => Self::Numbers(vec![]),
            Kind::Flag => Self::Flags(vec![]),
            Kind::Text => Self::texts(),
        }
    }

    fn texts() -> Self {
        Self::Texts { codes: vec![], words: vec![], known: BTreeMap::new() }
    }

    /// The value in a row.
    pub fn at(&self, row: usize) -> CellRef<'_> {
        match self {
            Self::Numbers(values) if values[row].is_nan() => CellRef::Null,
            Self::Numbers(values) => CellRef::Number(values[row]),
            Self::Flags(values) => values[row].map_or(CellRef::Null, CellRef::Flag),
            Self::Texts { codes, words, .. } => {
                words.get(codes[row] as usize).map_or(CellRef::Null, |word| CellRef::Text(word))
            }
        }
    }

    /// The value in a row, as it was recorded.
    pub(in crate::sweep) fn cell(&self, row: usize) -> Cell {
        match self.at(row) {
            CellRef::Null => Cell::Null,
            CellRef::Flag(flag) => Cell::Flag(flag),
            CellRef::Number(v) => Cell::Number(v),
            CellRef::Text(text) => Cell::Text(text.into()),
        }
    }

    /// Adds a value; one of another kind counts as none.
    pub(in crate::sweep) fn push(&mut self, value: CellRef<'_>) {
        match (self, value) {
            (Self::Numbers(values), CellRef::Number(v)) => values.push(v),
            (Self::Numbers(values), CellRef::Flag(flag)) => values.push(f64::from(u8::from(flag))),
            (Self::Numbers(values), _) => values.push(f64::NAN),
            (Self::Flags(values), CellRef::Flag(flag)) => values.push(Some(flag)),
            (Self::Flags(values), _) => values.push(None),
            (Self::Texts { codes, words, known }, CellRef::Text(text)) => {
                let code = known.get(text).copied().unwrap_or_else(|| {
                    words.push(text.to_owned());
                    let code = words.len() as u32 - 1;
                    known.insert(text.to_owned(), code);
                    code
                });
                codes.push(code);
            }
            (Self::Texts { codes, .. }, _) => codes.push(u32::MAX),
        }
    }

    fn append(&mut self, reader: ColumnReader, rows: usize) -> Result<(), ParquetError> {
        match reader {
            ColumnReader::Int64ColumnReader(r) => {
                records(r, rows)?
                    .into_iter()
                    .for_each(|v| self.push(v.map_or(CellRef::Null, |v| CellRef::Number(v as f64))));
            }
            ColumnReader::DoubleColumnReader(r) => {
                records(r, rows)?.into_iter().for_each(|v| self.push(v.map_or(CellRef::Null, CellRef::Number)));
            }
            ColumnReader::BoolColumnReader(r) => {
                records(r, rows)?.into_iter().for_each(|v| self.push(v.map_or(CellRef::Null, CellRef::Flag)));
            }
            ColumnReader::ByteArrayColumnReader(r) => {
                for value in records(r, rows)? {
                    let text = value.as_ref().map(ByteArray::as_utf8).transpose()?;
                    self.push(text.map_or(CellRef::Null, CellRef::Text));
                }
            }
            _ => return Err(ParquetError::General("a column of a kind that no sweep writes".into())),
        }
        Ok(())
    }
}

/// All values of a column chunk.
fn records<T: DataType>(mut reader: ColumnReaderImpl<T>, rows: usize) -> Result<Vec<Option<T::T>>, ParquetError> {
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    let mut read = 0;
    while read < rows {
        let (more, _, _) = reader.read_records(rows - read, Some(&mut levels), None, &mut values)?;
        if more == 0 {
            return Err(ParquetError::General(format!("a column has {read} rows of {rows}")));
        }
        read += more;
    }
    // a column without holes has no levels
    if levels.is_empty() {
        return Ok(values.into_iter().map(Some).collect());
    }
    let mut values = values.into_iter();
    Ok(levels.into_iter().map(|level| if level > 0 { values.next() } else { None }).collect())
}
