//! Questions to a table: rows that satisfy comparisons, in groups, summed up.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use relimit_core::num::summary::{LogSlope, log_slope, mean, quantile};

use super::compare::unknown;
use super::{CellRef, Column, Comparison, SweepError, Table};

/// A number that sums up a group.
#[derive(Clone, Debug, PartialEq)]
pub enum Aggregate {
    /// Mean of a column with its standard error.
    Mean(String),
    /// Median of a column with the quartiles.
    Median(String),
    /// Share of the rows for which a comparison holds.
    Share(Comparison),
    /// Slope of log y against log x with its 95 % interval.
    Slope {
        /// The column y.
        y: String,
        /// The column x.
        x: String,
    },
}

/// What is asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Question {
    /// Rows that count: all of these hold.
    pub filter: Vec<Comparison>,
    /// Columns whose values make the groups.
    pub by: Vec<String>,
    /// What is computed in each.
    pub of: Vec<Aggregate>,
}

/// The value of an aggregate in a group; `None` where there is no number to take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Summed {
    /// Mean and its standard error.
    Mean(Option<(f64, Option<f64>)>),
    /// Lower quartile, median, upper quartile.
    Median(Option<[f64; 3]>),
    /// Share of the rows.
    Share(f64),
    /// Slope.
    Slope(Option<LogSlope>),
}

/// One group.
#[derive(Clone, Debug, PartialEq)]
pub struct Group<'t> {
    /// A value for each column of `by`.
    pub by: Vec<CellRef<'t>>,
    /// Its rows.
    pub count: usize,
    /// A value for each aggregate.
    pub values: Vec<Summed>,
}

impl Aggregate {
    /// Reads the text of `--slope Y~X`.
    ///
    /// # Errors
    /// A text without `~`, or an unknown column.
    pub fn slope(text: &str, columns: &[&str]) -> Result<Self, SweepError> {
        let wrong = |message: String| SweepError::Question { what: "--slope", text: text.to_owned(), message };
        let (y, x) = text.split_once('~').ok_or_else(|| wrong("write Y~X, as gap~d".into()))?;
        let (y, x) = (y.trim().to_owned(), x.trim().to_owned());
        let missing = [&y, &x].into_iter().find(|name| !columns.contains(&name.as_str())).cloned();
        match missing {
            Some(name) => Err(wrong(unknown(&name, columns))),
            None => Ok(Self::Slope { y, x }),
        }
    }

    /// Columns that it looks at.
    pub fn columns(&self) -> Vec<&str> {
        match self {
            Self::Mean(name) | Self::Median(name) => vec![name],
            Self::Share(comparison) => comparison.columns().collect(),
            Self::Slope { y, x } => vec![y, x],
        }
    }

    /// Its name, as `mean(gap)`.
    pub fn name(&self) -> String {
        match self {
            Self::Mean(name) => format!("mean({name})"),
            Self::Median(name) => format!("median({name})"),
            Self::Share(comparison) => format!("share({comparison})"),
            Self::Slope { y, x } => format!("slope({y}~{x})"),
        }
    }
}

impl Question {
    /// Columns that are needed for the answer.
    pub fn columns(&self) -> Vec<String> {
        let mut names: Vec<String> = self.by.clone();
        names.extend(self.filter.iter().flat_map(Comparison::columns).map(str::to_owned));
        names.extend(self.of.iter().flat_map(Aggregate::columns).map(str::to_owned));
        names.sort();
        names.dedup();
        names
    }

    /// Refuses columns that are not there.
    ///
    /// # Errors
    /// [`SweepError::Question`] with the nearest name.
    pub fn check(&self, columns: &[&str]) -> Result<(), SweepError> {
        let of = self.of.iter().flat_map(|a| a.columns().into_iter().map(str::to_owned));
        match self.by.iter().cloned().chain(of).find(|n| !columns.contains(&n.as_str())) {
            None => Ok(()),
            Some(name) => {
                let message = unknown(&name, columns);
                Err(SweepError::Question { what: "column", text: name, message })
            }
        }
    }

    /// Rows of a table that satisfy the filter.
    pub fn rows(&self, table: &Table) -> Vec<usize> {
        let all = 0..table.rows;
        all.filter(|row| self.filter.iter().all(|c| c.holds(&|name| at(table, name, *row)))).collect()
    }

    /// The groups, in the order of their values.
    ///
    /// # Cost
    /// O(rows log groups), and one number a row and aggregate.
    pub fn answer<'t>(&self, table: &'t Table) -> Vec<Group<'t>> {
        let columns: Vec<&Column> = self.by.iter().filter_map(|name| table.column(name)).collect();
        let mut places: BTreeMap<Vec<u64>, usize> = BTreeMap::new();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut key = Vec::new();
        for row in self.rows(table) {
            key.clear();
            key.extend(columns.iter().map(|c| bits(c, row)));
            if let Some(place) = places.get(&key) {
                groups[*place].push(row);
            } else {
                places.insert(key.clone(), groups.len());
                groups.push(vec![row]);
            }
        }
        let group = |rows: &Vec<usize>| Group {
            by: columns.iter().map(|c| c.at(rows[0])).collect(),
            count: rows.len(),
            values: self.of.iter().map(|a| sum(a, table, rows)).collect(),
        };
        let mut out: Vec<Group<'t>> = groups.iter().map(group).collect();
        out.sort_by(|a, b| {
            a.by.iter()
                .zip(&b.by)
                .map(|(a, b)| order(*a, *b))
                .find(|o| *o != Ordering::Equal)
                .unwrap_or(Ordering::Equal)
        });
        out
    }
}

fn at<'t>(table: &'t Table, name: &str, row: usize) -> CellRef<'t> {
    table.column(name).map_or(CellRef::Null, |c| c.at(row))
}

/// Equal for equal values of a column.
fn bits(column: &Column, row: usize) -> u64 {
    match column {
        Column::Numbers(values) => values[row].to_bits(),
        Column::Flags(values) => values[row].map_or(2, u64::from),
        Column::Texts { codes, .. } => codes[row].into(),
    }
}

/// Nothing first, then by value.
fn order(a: CellRef<'_>, b: CellRef<'_>) -> Ordering {
    match (a, b) {
        (CellRef::Number(a), CellRef::Number(b)) => a.total_cmp(&b),
        (CellRef::Text(a), CellRef::Text(b)) => a.cmp(b),
        (CellRef::Flag(a), CellRef::Flag(b)) => a.cmp(&b),
        (CellRef::Null, CellRef::Null) => Ordering::Equal,
        (CellRef::Null, _) => Ordering::Less,
        _ => Ordering::Greater,
    }
}

fn number(cell: CellRef<'_>) -> Option<f64> {
    match cell {
        CellRef::Number(v) => Some(v),
        CellRef::Flag(flag) => Some(f64::from(u8::from(flag))),
        _ => None,
    }
}

fn sum(aggregate: &Aggregate, table: &Table, rows: &[usize]) -> Summed {
    let numbers = |name: &str| -> Vec<f64> { rows.iter().filter_map(|r| number(at(table, name, *r))).collect() };
    match aggregate {
        Aggregate::Mean(name) => Summed::Mean(mean(&numbers(name))),
        Aggregate::Median(name) => {
            let mut sorted = numbers(name);
            sorted.sort_by(f64::total_cmp);
            let at = |share: f64| quantile(&sorted, share);
            Summed::Median(at(0.25).zip(at(0.5)).zip(at(0.75)).map(|((a, b), c)| [a, b, c]))
        }
        Aggregate::Share(comparison) => {
            let holds = rows.iter().filter(|row| comparison.holds(&|name| at(table, name, **row))).count();
            Summed::Share(holds as f64 / rows.len() as f64)
        }
        Aggregate::Slope { y, x } => {
            let both = |row: &usize| Some((number(at(table, x, *row))?, number(at(table, y, *row))?));
            let (x, y): (Vec<f64>, Vec<f64>) = rows.iter().filter_map(both).unzip();
            Summed::Slope(log_slope(&x, &y))
        }
    }
}
