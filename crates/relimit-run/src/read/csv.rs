//! A CSV text as a table: one pass, only the columns in use are parsed, the first bad field ends it.

use std::collections::BTreeSet;
use std::io::Read;

use relimit_core::num::Mat;

use super::number::{Cell, cell};
use super::records::{Record, Records};
use super::select::{Need, Selection, select};
use super::{Missing, Notice, ReadError, ReadOptions, Table};

/// Reads the columns that the options select. O(bytes); memory is the numbers kept and one record.
pub(crate) fn read(
    file: &str,
    source: impl Read,
    options: &ReadOptions,
    need: Need,
) -> Result<(Table, Vec<Notice>), ReadError> {
    let (mut records, header) = Records::open(file, source)?;
    let names: Vec<String> = header.fields().map(|f| f.trim().to_string()).collect();
    let selection = select(file, &names, options, need)?;
    let decimal_comma = records.separator() == b';';
    let mut notices = Vec::new();
    if names.iter().all(|n| matches!(cell(n, decimal_comma), Cell::Number(_))) {
        notices.push(Notice::NumericHeader);
    }

    let mut columns = Columns::new(file, &names, &selection, options.missing, decimal_comma);
    let mut unnamed: Vec<Unnamed> = selection.unnamed.iter().map(|k| Unnamed::new(*k)).collect();
    let (first, end) = options.rows.unwrap_or((0, usize::MAX));
    let (mut record, mut seen, mut empty) = (Record::default(), 0usize, Vec::new());
    while seen < end && records.next(&mut record)? {
        if record.fields().all(|f| f.trim().is_empty()) && record.len() <= names.len() {
            empty.push(record.row);
            continue;
        }
        if record.len() != names.len() {
            return Err(ReadError::Ragged {
                file: file.to_string(),
                row: record.row,
                found: record.len(),
                expected: names.len(),
                value: record.field(record.len() - 1).to_string(),
                decimal_comma: records.separator() == b',' && record.len() == 2 * names.len(),
            });
        }
        for u in &mut unnamed {
            u.see(record.row, record.field(u.position));
        }
        if seen >= first {
            columns.take(&record)?;
        }
        seen += 1;
    }

    if seen == 0 {
        return Err(ReadError::HeaderOnly { file: file.to_string(), columns: names.len() });
    }
    for u in &unnamed {
        u.judge(file, &mut notices)?;
    }
    let positions: Vec<usize> = unnamed.iter().filter(|u| u.kind == Kind::Empty).map(|u| u.position + 1).collect();
    if !positions.is_empty() {
        notices.push(Notice::EmptyColumns { positions });
    }
    if !empty.is_empty() {
        notices.push(Notice::EmptyRows { rows: empty });
    }
    let table = columns.finish(&names, &selection, seen, options, &mut notices)?;
    Ok((table, notices))
}

/// The numbers kept so far.
struct Columns<'a> {
    file: &'a str,
    names: &'a [String],
    used: Vec<usize>,
    target: Option<usize>,
    /// Columns of numbers that are neither features nor the target.
    beside: Vec<usize>,
    missing: Missing,
    decimal_comma: bool,
    x: Vec<f64>,
    y: Vec<f64>,
    rows: Vec<usize>,
    dropped: Vec<usize>,
    gaps: BTreeSet<usize>,
}

impl<'a> Columns<'a> {
    fn new(file: &'a str, names: &'a [String], s: &Selection, missing: Missing, decimal_comma: bool) -> Self {
        let used = s.features.iter().copied().chain(s.target).collect();
        let (x, y, rows, dropped, gaps) = (vec![], vec![], vec![], vec![], BTreeSet::new());
        let beside = s.beside.clone();
        Self { file, names, used, target: s.target, beside, missing, decimal_comma, x, y, rows, dropped, gaps }
    }

    /// Takes one record, or leaves it out for a missing value.
    fn take(&mut self, record: &Record) -> Result<(), ReadError> {
        let (start, mut gap) = (self.x.len(), false);
        let d = self.used.len() - usize::from(self.target.is_some());
        for (t, &k) in self.used.iter().enumerate() {
            let value = match cell(record.field(k), self.decimal_comma) {
                Cell::Number(v) => v,
                Cell::Missing if self.missing == Missing::Drop => {
                    gap = true;
                    self.gaps.insert(k);
                    0.0
                }
                other => return Err(self.refuse(record, k, other)),
            };
            if t < d {
                self.x.push(value);
            } else {
                self.y.push(value);
            }
        }
        if gap {
            self.x.truncate(start);
            self.y.truncate(self.rows.len());
            self.dropped.push(record.row);
        } else {
            self.rows.push(record.row);
        }
        Ok(())
    }

    /// The error for the field of column `k`.
    fn refuse(&self, record: &Record, k: usize, cause: Cell) -> ReadError {
        let (file, row) = (self.file.to_string(), record.row);
        let (column, value) = (self.names[k].clone(), record.field(k).trim().to_string());
        match cause {
            Cell::Missing => ReadError::MissingValue { file, row, column, value },
            Cell::NotFinite => ReadError::NotFinite { file, row, column, value },
            Cell::Overflow => ReadError::Overflow { file, row, column, value },
            Cell::Number(_) | Cell::Text => {
                let is_text = |j: &usize| cell(record.field(*j), self.decimal_comma) == Cell::Text;
                let label = |j: usize| Some(j) == self.target || self.beside.contains(&j);
                let others = self.used.iter().filter(|j| **j != k && !label(**j) && is_text(j));
                let others = others.map(|j| self.names[*j].clone()).collect();
                ReadError::Text { file, row, column, value, others, target: label(k) }
            }
        }
    }

    fn finish(
        self,
        names: &[String],
        s: &Selection,
        seen: usize,
        options: &ReadOptions,
        notices: &mut Vec<Notice>,
    ) -> Result<Table, ReadError> {
        let gaps: Vec<String> = self.gaps.iter().map(|k| names[*k].clone()).collect();
        if self.rows.is_empty() {
            let why = if self.dropped.is_empty() {
                let (a, _) = options.rows.unwrap_or_default();
                format!("--rows begins at data row {a} and the file has {seen} (counted from 0)")
            } else {
                format!(
                    "every row misses a value in {}; leave such columns out with {}",
                    super::words::names(&gaps),
                    super::words::drops(&gaps)
                )
            };
            return Err(ReadError::NoRows { file: self.file.to_string(), why });
        }
        if !self.dropped.is_empty() {
            notices.push(Notice::DroppedRows { rows: self.dropped, columns: gaps });
        }
        let mut x = self.x;
        x.shrink_to_fit();
        Ok(Table {
            x: Mat::from_vec(self.rows.len(), s.features.len(), x),
            features: s.features.iter().map(|k| names[*k].clone()).collect(),
            y: s.target.map(|_| self.y),
            target: s.target.map(|k| names[k].clone()),
            rows: self.rows,
        })
    }
}

/// What an unnamed column has held so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Empty,
    Index,
    Text,
    Other,
}

/// An unnamed column: an index or row names in first position, an empty column anywhere, or an error.
struct Unnamed {
    position: usize,
    kind: Kind,
    first: String,
    last: i64,
    start: i64,
    odd: (usize, String),
}

impl Unnamed {
    fn new(position: usize) -> Self {
        Self { position, kind: Kind::Empty, first: String::new(), last: 0, start: 0, odd: (0, String::new()) }
    }

    fn see(&mut self, row: usize, field: &str) {
        let field = field.trim();
        let value = field.parse::<i64>().ok();
        let kind = match (self.kind, value) {
            (Kind::Other, _) => return,
            (Kind::Empty, _) if field.is_empty() => return,
            (Kind::Empty, Some(v)) if self.first.is_empty() && (v == 0 || v == 1) => {
                self.start = v;
                Kind::Index
            }
            (Kind::Index, Some(v)) if v == self.last + 1 => Kind::Index,
            (Kind::Empty | Kind::Text, None) if cell(field, true) == Cell::Text => Kind::Text,
            _ => Kind::Other,
        };
        if self.first.is_empty() {
            self.first = field.to_string();
        }
        if kind == Kind::Other {
            self.odd = (row, field.to_string());
        }
        self.last = value.unwrap_or(0);
        self.kind = kind;
    }

    fn judge(&self, file: &str, notices: &mut Vec<Notice>) -> Result<(), ReadError> {
        match self.kind {
            Kind::Empty => {}
            Kind::Index if self.position == 0 => {
                notices.push(Notice::IndexColumn { first: self.start, last: self.last });
            }
            Kind::Text if self.position == 0 => notices.push(Notice::RowNames { first: self.first.clone() }),
            _ => {
                let (row, value) = if self.odd.0 > 0 { self.odd.clone() } else { (1, self.first.clone()) };
                return Err(ReadError::Unnamed { file: file.to_string(), row, position: self.position + 1, value });
            }
        }
        Ok(())
    }
}
