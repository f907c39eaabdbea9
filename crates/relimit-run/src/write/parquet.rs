//! Lists of sign patterns as Parquet: one column an example, so that column stores ask for the rows they need.

use std::io;
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, Int32Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{Type, TypePtr};

use super::atomic::failed;
use super::patterns::{Alphabet, PatternWriter};
use super::{AtomicFile, WriteError};

/// Signs held before they are written as one row group.
const HELD: usize = 1 << 22;

/// Patterns a row group holds at most.
const GROUP: usize = 1 << 16;

/// Columns `row_R`, R the row of the file: booleans (binary) or bytes -1, 0, 1 (ternary); then `witness`, if asked for.
struct ParquetPatterns {
    out: SerializedFileWriter<AtomicFile>,
    alphabet: Alphabet,
    /// Signs of the group, one vector a column.
    columns: Vec<Vec<i8>>,
    witnesses: Option<Vec<ByteArray>>,
    group: usize,
    path: String,
}

impl ParquetPatterns {
    fn held(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }

    fn flush(&mut self) -> Result<(), ParquetError> {
        if self.held() == 0 {
            return Ok(());
        }
        let mut group = self.out.next_row_group()?;
        for column in &mut self.columns {
            let Some(mut writer) = group.next_column()? else { break };
            match self.alphabet {
                Alphabet::Binary => {
                    let values: Vec<bool> = column.iter().map(|s| *s == 1).collect();
                    writer.typed::<BoolType>().write_batch(&values, None, None)?;
                }
                Alphabet::Ternary => {
                    let values: Vec<i32> = column.iter().map(|s| i32::from(*s)).collect();
                    writer.typed::<Int32Type>().write_batch(&values, None, None)?;
                }
            }
            writer.close()?;
            column.clear();
        }
        if let (Some(witnesses), Some(mut writer)) = (&mut self.witnesses, group.next_column()?) {
            writer.typed::<ByteArrayType>().write_batch(witnesses, None, None)?;
            writer.close()?;
            witnesses.clear();
        }
        group.close()?;
        Ok(())
    }
}

impl PatternWriter for ParquetPatterns {
    fn push(&mut self, signs: &[i8], witness: Option<&str>) -> io::Result<()> {
        assert_eq!(signs.len(), self.columns.len(), "a pattern of {} in {} columns", signs.len(), self.columns.len());
        self.columns.iter_mut().zip(signs).for_each(|(column, s)| column.push(*s));
        if let Some(held) = &mut self.witnesses {
            held.push(witness.unwrap_or_default().into());
        }
        if self.held() >= self.group { self.flush().map_err(operating) } else { Ok(()) }
    }

    fn finish(mut self: Box<Self>) -> Result<(), WriteError> {
        let path = std::mem::take(&mut self.path);
        let closed = self.flush().and_then(|()| self.out.into_inner());
        closed.map_err(|e| failed(Path::new(&path), operating(e)))?.commit()
    }
}

/// The failure of the operating system behind one of the format.
fn operating(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(inner) => inner.downcast::<io::Error>().map_or_else(io::Error::other, |e| *e),
        other => io::Error::other(other),
    }
}

fn schema(rows: &[usize], alphabet: Alphabet, witnesses: bool) -> Result<TypePtr, ParquetError> {
    let column = |name: String, physical: Physical, logical: Option<LogicalType>| {
        let kind = Type::primitive_type_builder(&name, physical);
        kind.with_repetition(Repetition::REQUIRED).with_logical_type(logical).build().map(Arc::new)
    };
    let (physical, logical) = match alphabet {
        Alphabet::Binary => (Physical::BOOLEAN, None),
        Alphabet::Ternary => (Physical::INT32, Some(LogicalType::integer(8, true))),
    };
    let mut columns: Vec<TypePtr> =
        rows.iter().map(|row| column(format!("row_{row}"), physical, logical.clone())).collect::<Result<_, _>>()?;
    if witnesses {
        columns.push(column("witness".into(), Physical::BYTE_ARRAY, Some(LogicalType::String))?);
    }
    Type::group_type_builder("patterns").with_fields(columns).build().map(Arc::new)
}

/// A list of patterns as Parquet: a column `row_R` for each row R of the file in `rows`, and `witness` on request.
///
/// # Errors
/// `WriteError::Io` naming the file.
///
/// # Cost
/// Memory for at most 4 million signs at a time.
pub fn parquet_patterns(
    path: &Path,
    rows: &[usize],
    alphabet: Alphabet,
    witnesses: bool,
) -> Result<Box<dyn PatternWriter>, WriteError> {
    let file = AtomicFile::create(path)?;
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let out = schema(rows, alphabet, witnesses)
        .and_then(|schema| SerializedFileWriter::new(file, schema, Arc::new(properties)))
        .map_err(|e| failed(path, operating(e)))?;
    Ok(Box::new(ParquetPatterns {
        out,
        alphabet,
        columns: vec![Vec::new(); rows.len()],
        witnesses: witnesses.then(Vec::new),
        group: (HELD / rows.len().max(1)).clamp(1, GROUP),
        path: path.display().to_string(),
    }))
}
