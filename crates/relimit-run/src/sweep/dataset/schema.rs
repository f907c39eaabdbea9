//! Columns of the data set and their kinds.

use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::errors::ParquetError;
use parquet::schema::types::{Type, TypePtr};
use serde_json::Value;

use crate::sweep::{Axis, Cell, Plan, Row};

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sweep) enum Kind {
    /// Whole numbers (INT64).
    Whole,
    /// Numbers (DOUBLE).
    Number,
    /// Truth values (BOOLEAN).
    Flag,
    /// Texts (BYTE_ARRAY, UTF-8).
    Text,
}

impl Kind {
    /// Of the values of an axis, which are of one kind.
    pub(in crate::sweep) fn of_axis(axis: &Axis) -> Self {
        match &axis.values[0] {
            Value::String(_) => Self::Text,
            Value::Bool(_) => Self::Flag,
            _ if axis.values.iter().all(Value::is_i64) => Self::Whole,
            _ => Self::Number,
        }
    }

    /// Of recorded values: truth values if there are only such, numbers if these can be told from nothing else (a truth
    /// value is then 0 or 1), else texts.
    pub(in crate::sweep) fn of_cells<'a>(rows: impl Iterator<Item = &'a Row>, at: usize) -> Self {
        let (mut flags, mut numbers) = (false, false);
        for row in rows {
            match &row.values[at] {
                Cell::Text(_) => return Self::Text,
                Cell::Number(_) => numbers = true,
                Cell::Flag(_) => flags = true,
                Cell::Null => {}
            }
        }
        if flags && !numbers { Self::Flag } else { Self::Number }
    }
}

/// Name, kind, and whether every row has a value.
pub(super) type Field = (String, Kind, bool);

/// The columns of a plan: run, axes, repetition and seed, key, status, message, and what is recorded.
pub(super) fn fields(plan: &Plan, recorded: &[Kind]) -> Vec<Field> {
    let mut fields = vec![("run".to_owned(), Kind::Whole, true)];
    fields.extend(plan.axes.iter().map(|a| (a.name.clone(), Kind::of_axis(a), true)));
    if plan.seeds.is_some() {
        fields.push(("repetition".to_owned(), Kind::Whole, true));
        fields.push(("seed".to_owned(), Kind::Whole, true));
    }
    fields.push(("key".to_owned(), Kind::Text, true));
    fields.push(("status".to_owned(), Kind::Text, true));
    fields.push(("message".to_owned(), Kind::Text, false));
    fields.extend(plan.record.iter().zip(recorded).map(|(r, kind)| (r.name.clone(), *kind, false)));
    fields
}

/// The schema of a file.
pub(super) fn schema(fields: &[Field]) -> Result<TypePtr, ParquetError> {
    let column = |(name, kind, required): &Field| {
        let (physical, logical) = match kind {
            Kind::Whole => (Physical::INT64, None),
            Kind::Number => (Physical::DOUBLE, None),
            Kind::Flag => (Physical::BOOLEAN, None),
            Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let repetition = if *required { Repetition::REQUIRED } else { Repetition::OPTIONAL };
        let build = Type::primitive_type_builder(name, physical).with_repetition(repetition);
        build.with_logical_type(logical).build().map(Arc::new)
    };
    let columns: Vec<TypePtr> = fields.iter().map(column).collect::<Result<_, _>>()?;
    Type::group_type_builder("rows").with_fields(columns).build().map(Arc::new)
}
