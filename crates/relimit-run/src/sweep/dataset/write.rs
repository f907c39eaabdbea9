//! Writing the data set: every part in memory first, so that its checksum is that of the file.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::ColumnPath;
use serde_json::{Value, json};

use super::schema::{Field, fields, schema};
use super::{CHECKSUMS, Checksums, FOLDER, Kind, Part, SCHEMA};
use crate::key::{NUMERICS, Sha256, hex};
use crate::sweep::{Cell, Grid, Key, Point, Row, SweepError};
use crate::write::{WriteError, failed, write_atomic};

/// Runs of a part.
const BLOCK: u64 = 4096;

/// Writes the rows of all runs of the grid; `rows` has one for each.
pub(in crate::sweep) fn write(dir: &Path, grid: &Grid<'_>, rows: &BTreeMap<Key, Row>) -> Result<(), SweepError> {
    let plan = grid.plan();
    let recorded: Vec<Kind> = (0..plan.record.len()).map(|at| Kind::of_cells(rows.values(), at)).collect();
    let fields = fields(plan, &recorded);
    super::remove(dir)?;
    let folder = dir.join(FOLDER);
    fs::create_dir(&folder).map_err(|e| failed(&folder, e))?;
    let mut sums = Checksums { schema: SCHEMA.into(), rows: grid.len(), parts: vec![] };
    for first in (0..grid.len()).step_by(BLOCK as usize) {
        let count = BLOCK.min(grid.len() - first);
        let file = format!("part-{:05}.parquet", first / BLOCK);
        let path = folder.join(&file);
        let bytes = part(grid, rows, &fields, first..first + count)
            .map_err(|e| WriteError::Format { file: path.display().to_string(), what: e.to_string() })?;
        write_atomic(&path, |out| out.write_all(&bytes))?;
        sums.parts.push(Part { file, first, rows: count, sha256: hex(&Sha256::of(&bytes)) });
    }
    Ok(write_atomic(&dir.join(CHECKSUMS), |out| {
        serde_json::to_writer_pretty(&mut *out, &sums)?;
        out.write_all(b"\n")
    })?)
}

/// The bytes of one part.
fn part(
    grid: &Grid<'_>,
    rows: &BTreeMap<Key, Row>,
    fields: &[Field],
    runs: std::ops::Range<u64>,
) -> Result<Vec<u8>, ParquetError> {
    let plan = grid.plan();
    let units: BTreeMap<&str, &str> =
        plan.record.iter().filter_map(|r| Some((r.name.as_str(), r.unit.as_deref()?))).collect();
    let about = json!({
        "schema": SCHEMA,
        "title": plan.title,
        "command": plan.command,
        "numerics": NUMERICS,
        "units": units,
    });
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_column_dictionary_enabled(ColumnPath::from("key"), false)
        .set_key_value_metadata(Some(vec![KeyValue::new("relimit".into(), about.to_string())]))
        .build();
    let mut out = SerializedFileWriter::new(Vec::new(), schema(fields)?, Arc::new(properties))?;
    let points: Vec<Point<'_>> = runs.clone().map(|run| grid.point(run)).collect();
    let rows: Vec<&Row> = runs.clone().map(|run| &rows[&grid.key(run)]).collect();
    let mut group = out.next_row_group()?;
    whole(&mut group, runs.map(u64::cast_signed))?;
    for (k, (_, kind, _)) in fields[1..=plan.axes.len()].iter().enumerate() {
        let values = points.iter().map(|p| p.values[k]);
        match kind {
            Kind::Whole => whole(&mut group, values.filter_map(Value::as_i64))?,
            Kind::Number => required::<DoubleType>(&mut group, values.filter_map(Value::as_f64))?,
            Kind::Flag => required::<BoolType>(&mut group, values.filter_map(Value::as_bool))?,
            Kind::Text => required::<ByteArrayType>(&mut group, values.filter_map(Value::as_str).map(ByteArray::from))?,
        }
    }
    if plan.seeds.is_some() {
        whole(&mut group, points.iter().map(|p| p.repetition.cast_signed()))?;
        whole(&mut group, points.iter().filter_map(|p| p.seed).map(u64::cast_signed))?;
    }
    required::<ByteArrayType>(&mut group, rows.iter().map(|r| ByteArray::from(r.key.to_string().as_str())))?;
    required::<ByteArrayType>(&mut group, rows.iter().map(|r| ByteArray::from(r.status.name())))?;
    let message = |r: &&Row| (!r.message.is_empty()).then(|| ByteArray::from(&*r.message));
    optional::<ByteArrayType>(&mut group, rows.iter().map(message))?;
    let recorded = fields.iter().skip(fields.len() - plan.record.len());
    for (at, (_, kind, _)) in recorded.enumerate() {
        let cells = rows.iter().map(|r| &r.values[at]);
        match kind {
            Kind::Flag => optional::<BoolType>(&mut group, cells.map(flag))?,
            Kind::Text => optional::<ByteArrayType>(&mut group, cells.map(text))?,
            Kind::Number | Kind::Whole => optional::<DoubleType>(&mut group, cells.map(number))?,
        }
    }
    group.close()?;
    out.into_inner()
}

fn flag(cell: &Cell) -> Option<bool> {
    if let Cell::Flag(flag) = cell { Some(*flag) } else { None }
}

fn number(cell: &Cell) -> Option<f64> {
    match cell {
        Cell::Number(v) => Some(*v),
        Cell::Flag(flag) => Some(f64::from(u8::from(*flag))),
        _ => None,
    }
}

fn text(cell: &Cell) -> Option<ByteArray> {
    match cell {
        Cell::Text(text) => Some(ByteArray::from(&**text)),
        Cell::Number(v) => Some(ByteArray::from(v.to_string().as_str())),
        Cell::Flag(flag) => Some(ByteArray::from(if *flag { "true" } else { "false" })),
        Cell::Null => None,
    }
}

type Group<'a> = SerializedRowGroupWriter<'a, Vec<u8>>;

fn whole(group: &mut Group<'_>, values: impl Iterator<Item = i64>) -> Result<(), ParquetError> {
    required::<Int64Type>(group, values)
}

/// A column without holes.
fn required<T: DataType>(group: &mut Group<'_>, values: impl Iterator<Item = T::T>) -> Result<(), ParquetError> {
    let values: Vec<T::T> = values.collect();
    column::<T>(group, &values, None)
}

/// A column that may have holes.
fn optional<T: DataType>(
    group: &mut Group<'_>,
    values: impl Iterator<Item = Option<T::T>>,
) -> Result<(), ParquetError> {
    let values: Vec<Option<T::T>> = values.collect();
    let levels: Vec<i16> = values.iter().map(|v| i16::from(v.is_some())).collect();
    let there: Vec<T::T> = values.into_iter().flatten().collect();
    column::<T>(group, &there, Some(&levels))
}

fn column<T: DataType>(group: &mut Group<'_>, values: &[T::T], levels: Option<&[i16]>) -> Result<(), ParquetError> {
    let mut writer = group.next_column()?.expect("as many columns as the schema has");
    writer.typed::<T>().write_batch(values, levels, None)?;
    writer.close()
}
