//! The way from a file to a data set, a table without labels, or the inputs of a network.

use std::io::{self, Read};

use relimit_core::data::Dataset;
use relimit_core::num::Mat;

use super::select::Need;
use super::source::{extension, open, refused};
use super::{Notice, ReadError, ReadOptions, Source, csv, inspect, nearest, npz};

/// The numeric columns chosen from a file; every number is finite.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Features, n x d.
    pub x: Mat,
    /// Their names, d.
    pub features: Vec<String>,
    /// Labels, n, if a target was named.
    pub y: Option<Vec<f64>>,
    /// Name of the target.
    pub target: Option<String>,
    /// File row of each example (a CSV header is row 1; arrays count from 1).
    pub rows: Vec<usize>,
}

/// Reads a data set of one target: at least two rows, labels that differ, everything finite.
///
/// An `.npz` with an array `y` needs no target in the options. Notices say what was left out or looks odd (all-zero
/// rows, constant columns, equal rows with different labels).
///
/// # Errors
/// The first thing found wrong, with file, row, column, value and what to do.
///
/// # Cost
/// One pass over the file; memory is the numbers kept. The inspection afterwards is O(d n log n).
pub fn dataset(source: &Source, options: &ReadOptions) -> Result<(Dataset, Vec<Notice>), ReadError> {
    one_target(&source.name(), read(source, options, Need::Target(None))?, options)
}

/// A data set with further columns that belong to its rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Labelled {
    /// Features and the first target.
    pub data: Dataset,
    /// Name and labels (n) of each further target.
    pub more: Vec<(String, Vec<f64>)>,
    /// Sample weights, n, positive.
    pub weights: Option<Vec<f64>>,
}

/// Reads a data set of one target or several, and sample weights where the options name a column of them.
///
/// # Errors
/// Those of [`dataset`] (constant targets are refused when all are, unless the options allow them), a negative weight, and weights that are all 0. A row
/// of weight 0 is left out, with a notice.
pub fn labelled(source: &Source, options: &ReadOptions) -> Result<(Labelled, Vec<Notice>), ReadError> {
    let file = source.name();
    let own = if options.target.is_empty() && options.weight.is_none() { npz::own_target(source)? } else { None };
    let wanted = ReadOptions { target: options.target.iter().cloned().chain(own).collect(), ..options.clone() };
    let (mut table, mut notices) = read(source, &wanted, Need::Labels)?;
    let beside = wanted.target.len() - 1 + usize::from(wanted.weight.is_some());
    if wanted.weight.is_some() {
        weightless(&file, &mut table, &mut notices)?;
    }
    let mut more = take_last(&mut table, beside);
    let weights = wanted.weight.as_ref().and_then(|_| more.pop());
    let something = varies(&more);
    let (data, mut notices) = checked(&file, (table, notices), something || options.constant)?;
    if !something {
        notices.extend(constant(&data));
    }
    Ok((Labelled { data, more, weights: weights.map(|t| t.1) }, notices))
}

/// Takes the last columns, which are no features, off a table.
fn take_last(table: &mut Table, beside: usize) -> Vec<(String, Vec<f64>)> {
    let (n, d) = (table.rows.len(), table.features.len() - beside);
    let column = |k: usize| (table.features[k].clone(), (0..n).map(|i| table.x[(i, k)]).collect());
    let taken = (d..d + beside).map(column).collect();
    if beside > 0 {
        table.x = Mat::from_fn(n, d, |i, k| table.x[(i, k)]);
        table.features.truncate(d);
    }
    taken
}

/// Leaves out the rows whose weight, the last column, is 0; refuses a negative weight, and weights that are all 0.
fn weightless(file: &str, table: &mut Table, notices: &mut Vec<Notice>) -> Result<(), ReadError> {
    let last = table.x.cols() - 1;
    let weight = |i: usize| table.x[(i, last)];
    let (kept, gone): (Vec<usize>, Vec<usize>) = (0..table.rows.len()).partition(|i| weight(*i) > 0.0);
    let column = table.features[last].clone();
    if let Some(&i) = gone.iter().find(|i| weight(**i) < 0.0 || kept.is_empty()) {
        return Err(ReadError::Weight { file: file.to_owned(), row: table.rows[i], column, value: weight(i) });
    }
    if gone.is_empty() {
        return Ok(());
    }
    let rows = gone.iter().map(|i| table.rows[*i]).collect();
    notices.push(Notice::WeightlessRows { rows, column });
    table.x = table.x.select_rows(&kept);
    table.y = table.y.as_ref().map(|y| kept.iter().map(|i| y[*i]).collect());
    table.rows = kept.iter().map(|i| table.rows[*i]).collect();
    Ok(())
}

/// `dataset` for CSV text from any reader; `name` stands for the file in messages.
///
/// # Errors
/// As for `dataset`.
pub fn dataset_from(name: &str, text: impl Read, options: &ReadOptions) -> Result<(Dataset, Vec<Notice>), ReadError> {
    one_target(name, csv::read(name, text, options, Need::Target(None))?, options)
}

/// Reads a table whose target is optional: without `--target` every column is a feature. One row is enough.
///
/// # Errors
/// As for `dataset`, without its conditions on labels and number of rows.
pub fn table(source: &Source, options: &ReadOptions) -> Result<(Table, Vec<Notice>), ReadError> {
    let (table, mut notices) = read(source, options, Need::Nothing)?;
    inspect::features(&table, &mut notices);
    Ok((table, notices))
}

/// `table` with the labels that an `.npz` file holds beside its matrix (an array `y`) set aside.
///
/// # Errors
/// As for `table`.
pub fn inputs(source: &Source, options: &ReadOptions) -> Result<(Table, Vec<Notice>), ReadError> {
    let mut wanted = options.clone();
    if wanted.target.is_empty() && wanted.columns.is_empty() {
        wanted.target.extend(npz::own_target(source)?);
    }
    table(source, &wanted)
}

/// `table` for CSV text from any reader.
///
/// # Errors
/// As for `table`.
pub fn table_from(name: &str, text: impl Read, options: &ReadOptions) -> Result<(Table, Vec<Notice>), ReadError> {
    let (table, mut notices) = csv::read(name, text, options, Need::Nothing)?;
    inspect::features(&table, &mut notices);
    Ok((table, notices))
}

/// Reads the inputs of a network: the columns of its feature names, in its order, when both sides have names, else all
/// selected columns, which must be `inputs` in number. Other columns of the file are ignored and not checked.
///
/// # Errors
/// `ReadError::LacksFeatures` and `ReadError::FeatureCount` besides those of `table`.
pub fn features(
    source: &Source,
    names: Option<&[String]>,
    inputs: usize,
    options: &ReadOptions,
) -> Result<(Table, Vec<Notice>), ReadError> {
    let arrays = matches!(source, Source::File(path) if ["npy", "npz"].contains(&extension(path).as_str()));
    let mut wanted = options.clone();
    if let Some(names) = names.filter(|_| !arrays && options.columns.is_empty()) {
        wanted.columns = names.to_vec();
        wanted.target.clear();
        wanted.drop.clear();
    }
    if arrays && wanted.target.is_empty() && wanted.columns.is_empty() {
        wanted.target.extend(npz::own_target(source)?);
    }
    let (table, notices) = read(source, &wanted, Need::Nothing).map_err(|e| lacking(e, names))?;
    if table.features.len() != inputs {
        return Err(ReadError::FeatureCount { file: source.name(), columns: table.features, inputs });
    }
    Ok((table, notices))
}

/// Reads what a network is judged on: its inputs as [`features`] does, and labels, of the columns that the options name or
/// else of `target`.
///
/// # Errors
/// Those of [`features`] and of [`dataset`].
pub fn examples(
    source: &Source,
    names: Option<&[String]>,
    target: Option<&str>,
    inputs: usize,
    options: &ReadOptions,
) -> Result<(Labelled, Vec<Notice>), ReadError> {
    let arrays = matches!(source, Source::File(path) if ["npy", "npz"].contains(&extension(path).as_str()));
    let mut wanted = options.clone();
    if let Some(names) = names.filter(|_| !arrays && options.columns.is_empty()) {
        wanted.columns = names.to_vec();
        wanted.drop.clear();
    }
    if let Some(target) = target.filter(|_| !arrays && wanted.target.is_empty()) {
        wanted.target.push(target.to_owned());
    }
    if wanted.target.is_empty() {
        wanted.target.extend(npz::own_target(source)?);
    }
    let (mut table, notices) = read(source, &wanted, Need::Labels).map_err(|e| lacking(e, names))?;
    let more = take_last(&mut table, wanted.target.len() - 1);
    if table.features.len() != inputs {
        return Err(ReadError::FeatureCount { file: source.name(), columns: table.features, inputs });
    }
    let (data, notices) = checked(&source.name(), (table, notices), varies(&more))?;
    Ok((Labelled { data, more, weights: None }, notices))
}

/// Beside a target that varies a constant one is something to fit.
fn varies(more: &[(String, Vec<f64>)]) -> bool {
    more.iter().any(|(_, y)| y.iter().any(|v| *v != y[0]))
}

/// An unknown column that only the network asked for is a feature that the file lacks.
fn lacking(error: ReadError, names: Option<&[String]>) -> ReadError {
    match (error, names) {
        (ReadError::UnknownColumn { file, flag: "--columns", name, near: _, columns }, Some(names))
            if names.contains(&name) =>
        {
            let lacks: Vec<String> = names.iter().filter(|n| !columns.contains(n)).cloned().collect();
            let near = lacks.first().and_then(|l| nearest(l, &columns)).map(str::to_string);
            ReadError::LacksFeatures { file, lacks, near, columns }
        }
        (error, _) => error,
    }
}

/// Dispatches on the name of the file.
fn read(source: &Source, options: &ReadOptions, need: Need) -> Result<(Table, Vec<Notice>), ReadError> {
    let path = match source {
        Source::File(path) => path,
        Source::Stdin => return csv::read(&source.name(), io::stdin().lock(), options, need),
        Source::Held(held) => return npz::held(held, options, need),
    };
    let file = open(path)?;
    let kind = extension(path);
    if let Some((found, cure)) = refused(&kind) {
        return Err(ReadError::Format { file: source.name(), found, cure });
    }
    match kind.as_str() {
        "npy" | "npz" => npz::table(path, file, options, need),
        _ => csv::read(&source.name(), file, options, need),
    }
}

/// Judges a table with one target, which may be constant where the options say so.
fn one_target(
    file: &str,
    got: (Table, Vec<Notice>),
    options: &ReadOptions,
) -> Result<(Dataset, Vec<Notice>), ReadError> {
    let (data, mut notices) = checked(file, got, options.constant)?;
    notices.extend(constant(&data));
    Ok((data, notices))
}

/// That the labels are all equal, if they are.
fn constant(data: &Dataset) -> Option<Notice> {
    let equal = data.y.iter().all(|v| *v == data.y[0]);
    equal.then(|| Notice::ConstantTarget { target: data.target.clone(), value: data.y[0] })
}

/// Judges a table as a data set; a constant target is refused unless it is `allowed`.
fn checked(
    file: &str,
    (table, mut notices): (Table, Vec<Notice>),
    allowed: bool,
) -> Result<(Dataset, Vec<Notice>), ReadError> {
    let (Some(y), Some(target)) = (&table.y, &table.target) else { unreachable!("a target was asked for") };
    if table.rows.len() == 1 {
        return Err(ReadError::OneRow { file: file.to_string(), row: table.rows[0] });
    }
    if !allowed && y.iter().all(|v| *v == y[0]) {
        return Err(ReadError::ConstantTarget { file: file.to_string(), target: target.clone(), value: y[0] });
    }
    inspect::features(&table, &mut notices);
    inspect::conflicts(&table, y, &mut notices);
    let Table { x, features, y, target, rows } = table;
    let (y, target) = (y.unwrap_or_default(), target.unwrap_or_default());
    Ok((Dataset { x: x.into(), y, features, target, rows }, notices))
}
