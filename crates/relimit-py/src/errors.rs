//! Errors of a question as the exceptions of `relimit._errors`, with what they know as attributes.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use relimit_ask::AskError;
use relimit_run::read::ReadError;

/// What an exception carries besides its message.
#[derive(Default)]
struct Facts {
    setting: Option<String>,
    file: Option<String>,
    row: Option<usize>,
    column: Option<String>,
    value: Option<String>,
    why: Option<String>,
    cure: Option<String>,
}

/// The exception of an error.
pub(crate) fn raised(py: Python<'_>, error: &AskError) -> PyErr {
    let message = error.to_string();
    match error {
        AskError::Plan(plan) => {
            let facts = Facts {
                setting: Some(plan.setting.to_owned()),
                value: Some(plan.value.clone()),
                why: Some(plan.problem.clone()),
                cure: Some(plan.cure.clone()),
                ..Facts::default()
            };
            exception(py, "PlanError", &message, facts)
        }
        AskError::Value { word, value, cure } => {
            let (setting, value, cure) = (Some(word.clone()), Some(value.clone()), Some(cure.clone()));
            exception(py, "PlanError", &message, Facts { setting, value, cure, ..Facts::default() })
        }
        AskError::Word { word, .. } => {
            exception(py, "PlanError", &message, Facts { setting: Some(word.clone()), ..Facts::default() })
        }
        AskError::Read(read) => exception(py, "DataError", &message, Facts { cure: after(&message), ..place(read) }),
        AskError::Scale(_) | AskError::Synthetic(_) => {
            exception(py, "DataError", &message, Facts { cure: after(&message), ..Facts::default() })
        }
        _ => exception(py, "QuestionError", &message, Facts { cure: after(&message), ..Facts::default() }),
    }
}

/// A question that cannot be asked, in words.
pub(crate) fn question(py: Python<'_>, message: &str) -> PyErr {
    exception(py, "QuestionError", message, Facts { cure: after(message), ..Facts::default() })
}

/// Messages end with what to do, after a semicolon.
fn after(message: &str) -> Option<String> {
    message.rsplit_once("; ").map(|(_, cure)| cure.to_owned())
}

fn exception(py: Python<'_>, class: &str, message: &str, facts: Facts) -> PyErr {
    let made = || -> PyResult<PyErr> {
        let fields = PyDict::new(py);
        fields.set_item("setting", facts.setting)?;
        fields.set_item("file", facts.file)?;
        fields.set_item("row", facts.row)?;
        fields.set_item("column", facts.column)?;
        fields.set_item("value", facts.value)?;
        fields.set_item("why", facts.why)?;
        fields.set_item("cure", facts.cure)?;
        let raised = py.import("relimit._errors")?.getattr("make")?.call1((class, message, fields))?;
        Ok(PyErr::from_value(raised))
    };
    made().unwrap_or_else(|e| e)
}

/// Where in the data an error is.
fn place(error: &ReadError) -> Facts {
    use ReadError as E;
    let (row, column, value) = match error {
        E::OneRow { row, .. } | E::NotText { row, .. } | E::TooLong { row, .. } | E::OpenQuote { row, .. } => {
            (Some(*row), None, None)
        }
        E::Ragged { row, value, .. } | E::Unnamed { row, value, .. } => (Some(*row), None, Some(value.clone())),
        E::Text { row, column, value, .. }
        | E::NotFinite { row, column, value, .. }
        | E::Overflow { row, column, value, .. }
        | E::MissingValue { row, column, value, .. } => (Some(*row), Some(column.clone()), Some(value.clone())),
        E::Weight { row, column, value, .. } => (Some(*row), Some(column.clone()), Some(value.to_string())),
        E::UnknownColumn { name, .. } | E::DuplicateColumn { name, .. } => (None, Some(name.clone()), None),
        E::TargetTwice { column, .. } => (None, Some(column.clone()), None),
        E::ConstantTarget { target, value, .. } => (None, Some(target.clone()), Some(value.to_string())),
        E::Array { array, .. } => (None, Some(array.clone()), None),
        _ => (None, None, None),
    };
    Facts { file: file(error), row, column, value, ..Facts::default() }
}

fn file(error: &ReadError) -> Option<String> {
    use ReadError as E;
    match error {
        E::NotFound { file, .. }
        | E::Directory { file, .. }
        | E::Io { file, .. }
        | E::Empty { file }
        | E::HeaderOnly { file, .. }
        | E::OneRow { file, .. }
        | E::NoRows { file, .. }
        | E::NotText { file, .. }
        | E::Format { file, .. }
        | E::TooLong { file, .. }
        | E::OpenQuote { file, .. }
        | E::Ragged { file, .. }
        | E::Text { file, .. }
        | E::NotFinite { file, .. }
        | E::Overflow { file, .. }
        | E::MissingValue { file, .. }
        | E::NoTarget { file, .. }
        | E::ManyTargets { file, .. }
        | E::UnknownColumn { file, .. }
        | E::TargetTwice { file, .. }
        | E::Weight { file, .. }
        | E::DuplicateColumn { file, .. }
        | E::Unnamed { file, .. }
        | E::NoFeatures { file, .. }
        | E::ConstantTarget { file, .. }
        | E::LacksFeatures { file, .. }
        | E::FeatureCount { file, .. }
        | E::Array { file, .. }
        | E::WeightShape { file, .. } => Some(file.clone()),
        E::RowsSyntax { .. } => None,
    }
}
