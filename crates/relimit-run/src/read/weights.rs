//! Start weights from a file: one row a neuron, one column a feature, the bias last.

use std::path::Path;

use relimit_core::num::Mat;

use super::number::{Cell, cell};
use super::records::{Record, Records};
use super::source::{extension, open, refused};
use super::{ReadError, nearest, npz, words};

/// Reads start weights as an m x D matrix, D = `features.len()` plus 1 when `bias` is asked for (its last column).
///
/// CSV has the feature names as header, in any order, and `bias`; without a header the columns are those of the data,
/// the bias last. A first line of numbers is a header only if it repeats the feature names. `.npy` is m x D.
///
/// # Errors
/// `ReadError::WeightShape` for another number of columns or a bias on one side only; a text, missing or non-finite
/// field by row and column.
pub fn weights(path: &Path, features: &[String], bias: bool) -> Result<Mat, ReadError> {
    let file = path.display().to_string();
    let source = open(path)?;
    let kind = extension(path);
    if let Some((found, _)) =
        refused(&kind).or_else(|| (kind == "npz").then(|| ("an archive of arrays".into(), String::new())))
    {
        return Err(ReadError::Format { file, found, cure: "give start weights as CSV or as .npy (m x D)".into() });
    }
    let wanted = Wanted { file: &file, features, bias };
    if kind == "npy" {
        let array = npz::single(path, source)?;
        let found = format!("of shape {}", array.shape_text());
        let w = array
            .into_mat()
            .filter(|w| w.rows() > 0 && w.cols() == wanted.columns())
            .ok_or_else(|| wanted.shape(found))?;
        if let Some(k) = w.as_slice().iter().position(|v| !v.is_finite()) {
            let (row, column) = (k / w.cols() + 1, wanted.name(k % w.cols()));
            return Err(wanted.value(&w.as_slice()[k].to_string(), row, &column));
        }
        return Ok(w);
    }

    let (mut records, header) = Records::open(&file, source)?;
    let decimal_comma = records.separator() == b';';
    let names: Vec<String> = header.fields().map(|f| f.trim().to_string()).collect();
    let has_header =
        names.iter().any(|n| cell(n, decimal_comma) == Cell::Text) || names.iter().all(|n| features.contains(n));
    let order = if has_header { wanted.order(&names)? } else { (0..wanted.columns()).collect() };
    let mut w = Vec::new();
    let mut record = header;
    let mut more = if has_header { records.next(&mut record)? } else { true };
    while more {
        if record.len() != names.len() || record.len() != wanted.columns() {
            return Err(wanted.shape(format!("{} wide in row {}", words::count(record.len(), "column"), record.row)));
        }
        for (t, k) in order.iter().enumerate() {
            w.push(wanted.number(&record, *k, t, decimal_comma)?);
        }
        more = records.next(&mut record)?;
    }
    if w.is_empty() {
        return Err(ReadError::HeaderOnly { file, columns: names.len() });
    }
    Ok(Mat::from_vec(w.len() / wanted.columns(), wanted.columns(), w))
}

/// The columns that the network needs.
struct Wanted<'a> {
    file: &'a str,
    features: &'a [String],
    bias: bool,
}

impl Wanted<'_> {
    fn columns(&self) -> usize {
        self.features.len() + usize::from(self.bias)
    }

    /// Name of column `t` of the result.
    fn name(&self, t: usize) -> String {
        self.features.get(t).cloned().unwrap_or_else(|| "bias".into())
    }

    fn shape(&self, found: String) -> ReadError {
        let d = words::count(self.features.len(), "feature");
        let expected =
            format!("{} ({d}{})", words::count(self.columns(), "column"), if self.bias { " and the bias" } else { "" });
        let cure = if self.bias {
            "one row a neuron, columns as the data, the bias last (0 if it starts there)"
        } else {
            "one row a neuron, columns as the data, no bias column (or train with --bias)"
        };
        ReadError::WeightShape { file: self.file.to_string(), found, expected, cure: cure.into() }
    }

    /// For each column of the result its position in the header.
    fn order(&self, names: &[String]) -> Result<Vec<usize>, ReadError> {
        let wanted: Vec<String> = (0..self.columns()).map(|t| self.name(t)).collect();
        if let Some(name) = names.iter().find(|n| !wanted.contains(n)) {
            if name == "bias" {
                return Err(self.shape(format!("{} wide with a bias", words::count(names.len(), "column"))));
            }
            return Err(ReadError::UnknownColumn {
                file: self.file.to_string(),
                flag: "header",
                name: name.clone(),
                near: nearest(name, &wanted).map(str::to_string),
                columns: wanted,
            });
        }
        let lacks: Vec<String> = wanted.iter().filter(|w| !names.contains(w)).cloned().collect();
        if !lacks.is_empty() {
            return Err(self.shape(format!(
                "{} wide, without {}",
                words::count(names.len(), "column"),
                words::names(&lacks)
            )));
        }
        Ok(wanted.iter().map(|w| names.iter().position(|n| n == w).unwrap_or_default()).collect())
    }

    fn number(&self, record: &Record, k: usize, t: usize, decimal_comma: bool) -> Result<f64, ReadError> {
        let value = record.field(k).trim();
        match cell(value, decimal_comma) {
            Cell::Number(v) => Ok(v),
            _ => Err(self.value(value, record.row, &self.name(t))),
        }
    }

    fn value(&self, value: &str, row: usize, column: &str) -> ReadError {
        let found = format!("{} in row {row}, column {column}", words::shown(value));
        let (file, expected) = (self.file.to_string(), "a finite number".to_string());
        ReadError::WeightShape { file, found, expected, cure: "correct the value".into() }
    }
}
