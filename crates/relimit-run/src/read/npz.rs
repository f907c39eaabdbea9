//! Tables from .npy and .npz files: arrays `X` and `y`, or one matrix with columns x0, x1, ...

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::Path;

use relimit_core::num::Mat;

use super::select::{Need, select};
use super::source::{extension, open};
use super::{Array, Held, Missing, Notice, ReadError, ReadOptions, Source, Table, npy, words};

/// Reads every array of an .npz archive, by name.
///
/// # Errors
/// `ReadError::Array` for a damaged archive, an entry of a type that is not read, or pickled objects.
pub fn arrays(path: &Path) -> Result<BTreeMap<String, Array>, ReadError> {
    unpack(&path.display().to_string(), open(path)?)
}

fn unpack(file: &str, source: impl Read + Seek) -> Result<BTreeMap<String, Array>, ReadError> {
    let damaged = |e: zip::result::ZipError| ReadError::Format {
        file: file.to_string(),
        found: format!("no readable .npz archive ({e})"),
        cure: "write it again with numpy.savez".into(),
    };
    let mut archive = zip::ZipArchive::new(BufReader::new(source)).map_err(damaged)?;
    let mut all = BTreeMap::new();
    for k in 0..archive.len() {
        let entry = archive.by_index(k).map_err(damaged)?;
        let Some(name) = entry.name().strip_suffix(".npy").map(str::to_string) else { continue };
        let size = entry.size();
        let array = npy::read(entry, size).map_err(|(what, cure)| array_error(file, &name, what, cure))?;
        all.insert(name, array);
    }
    Ok(all)
}

/// Reads one .npy file.
pub(crate) fn single(path: &Path, source: File) -> Result<Array, ReadError> {
    let file = path.display().to_string();
    let size = source.metadata().map_err(|source| ReadError::Io { file: file.clone(), source })?.len();
    let name = path.file_stem().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    npy::read(BufReader::new(source), size).map_err(|(what, cure)| array_error(&file, &name, what, cure))
}

pub(crate) fn array_error(file: &str, array: &str, what: impl Into<String>, cure: impl Into<String>) -> ReadError {
    ReadError::Array { file: file.to_string(), array: array.to_string(), what: what.into(), cure: cure.into() }
}

/// The target that a file brings along: `y` of an .npz that has one.
pub(crate) fn own_target(source: &Source) -> Result<Option<String>, ReadError> {
    match source {
        Source::File(path) if extension(path) == "npz" => {
            Ok(arrays(path)?.keys().find(|k| ["y", "Y"].contains(&k.as_str())).map(|_| "y".to_string()))
        }
        _ => Ok(None),
    }
}

/// Reads the selected columns of a .npy or .npz file.
pub(crate) fn table(
    path: &Path,
    source: File,
    options: &ReadOptions,
    need: Need,
) -> Result<(Table, Vec<Notice>), ReadError> {
    let file = path.display().to_string();
    let whole = if extension(path) == "npy" {
        let array = single(path, source)?;
        Whole::new(&file, "array", array, None, None)?
    } else {
        let mut all = unpack(&file, source)?;
        let y = take(&mut all, &["y", "Y"]).map(|(_, a)| a);
        let names = take(&mut all, &["features", "feature_names", "columns"]).map(|(_, a)| a);
        let matrix = take(&mut all, &["X", "x"]).or_else(|| {
            let mut matrices = all.iter().filter(|(_, a)| a.shape.len() == 2 && a.numbers().is_some());
            let (name, array) = matrices.next()?;
            matrices.next().is_none().then(|| (name.clone(), array.clone()))
        });
        let Some((name, array)) = matrix else {
            let found: Vec<String> = all.iter().map(|(n, a)| format!("{n} {}", a.shape_text())).collect();
            let what = format!(
                "is not there (found: {})",
                if found.is_empty() { "nothing".into() } else { words::names(&found) }
            );
            return Err(array_error(&file, "X", what, "write numpy.savez(FILE, X=X, y=y)"));
        };
        Whole::new(&file, &name, array, y, names.as_ref())?
    };
    whole.choose(&file, options, need)
}

/// Reads the selected columns of a table in memory; rows count from 1.
pub(crate) fn held(held: &Held, options: &ReadOptions, need: Need) -> Result<(Table, Vec<Notice>), ReadError> {
    if held.x.rows() == 0 {
        return Err(ReadError::Empty { file: held.name.clone() });
    }
    assert_eq!(held.columns.len(), held.x.cols(), "one name for each column");
    let whole = Whole { x: held.x.clone(), y: None, names: held.columns.clone() };
    whole.choose(&held.name, options, need)
}

fn take(all: &mut BTreeMap<String, Array>, names: &[&str]) -> Option<(String, Array)> {
    names.iter().find_map(|n| all.remove(*n).map(|a| ((*n).to_string(), a)))
}

/// All that a file holds: a matrix, labels, and names.
struct Whole {
    x: Mat,
    y: Option<Vec<f64>>,
    names: Vec<String>,
}

impl Whole {
    fn new(file: &str, name: &str, array: Array, y: Option<Array>, names: Option<&Array>) -> Result<Self, ReadError> {
        let shape = array.shape_text();
        let array = if array.shape.len() == 1 { Array { shape: vec![array.shape[0], 1], ..array } } else { array };
        let x = array.into_mat().ok_or_else(|| {
            array_error(
                file,
                name,
                format!("shape {shape} is no matrix of numbers"),
                "save it with shape (rows, columns)",
            )
        })?;
        if x.rows() == 0 {
            return Err(ReadError::Empty { file: file.to_string() });
        }
        let names = match names.map(|a| (a.text(), a.shape_text())) {
            Some((Some(text), _)) if text.len() == x.cols() => text.to_vec(),
            Some((_, found)) => {
                let what = format!("shape {found} for {} of {name}", words::count(x.cols(), "column"));
                return Err(array_error(file, "features", what, "give one name (text) for each column"));
            }
            None => (0..x.cols()).map(|k| format!("x{k}")).collect(),
        };
        let y = y.map(|y| {
            let column = y.shape == [x.rows()] || y.shape == [x.rows(), 1];
            y.numbers().filter(|_| column).map(<[f64]>::to_vec).ok_or_else(|| {
                let what = format!("shape {} beside {name} of shape {shape}", y.shape_text());
                array_error(file, "y", what, "give one number for each row")
            })
        });
        Ok(Self { x, y: y.transpose()?, names })
    }

    /// Applies the options.
    fn choose(self, file: &str, options: &ReadOptions, need: Need) -> Result<(Table, Vec<Notice>), ReadError> {
        let (n, d) = (self.x.rows(), self.x.cols());
        let mut names = self.names;
        let need = match (need, &self.y) {
            (Need::Target(None), Some(_)) => Need::Target(Some("y")),
            (need, _) => need,
        };
        names.extend(self.y.as_ref().map(|_| "y".to_string()));
        let s = select(file, &names, options, need)?;
        let (a, b) = options.rows.unwrap_or((0, n));
        let b = b.min(n);
        if a >= b {
            let why = format!("--rows begins at data row {a} and the file has {n} (counted from 0)");
            return Err(ReadError::NoRows { file: file.to_string(), why });
        }
        let target = s.target.map(|t| names[t].clone());
        let features: Vec<String> = s.features.iter().map(|k| names[*k].clone()).collect();
        let labels = self.y.unwrap_or_default();
        let untouched = (a, b) == (0, n) && s.features.iter().copied().eq(0..d);
        if untouched && self.x.max_abs().is_finite() && labels.iter().all(|v| v.is_finite()) {
            let y = s.target.map(|_| labels);
            return Ok((Table { x: self.x, features, y, target, rows: (1..=n).collect() }, Vec::new()));
        }
        let finite = |v: f64, i: usize, k: usize| -> Result<f64, ReadError> {
            if v.is_finite() {
                return Ok(v);
            }
            let (column, value) = (names[k].clone(), v.to_string());
            Err(ReadError::NotFinite { file: file.to_string(), row: i + 1, column, value })
        };
        let mut all = self.x.into_vec();
        let mut y = Vec::new();
        // Columns in the order of the file move to the front of the same memory, others to a copy.
        let in_order = s.features.last().is_none_or(|k| *k < d) && s.features.is_sorted();
        let mut copy = Vec::with_capacity(if in_order { 0 } else { (b - a) * s.features.len() });
        let mut kept = 0;
        let (mut rows, mut dropped, mut gaps) = (Vec::with_capacity(b - a), Vec::new(), BTreeSet::new());
        for i in a..b {
            let value = |all: &[f64], k: usize| if k == d { labels[i] } else { all[i * d + k] };
            if options.missing == Missing::Drop {
                let used = s.features.iter().chain(&s.target);
                let missing: Vec<usize> = used.copied().filter(|k| value(&all, *k).is_nan()).collect();
                if !missing.is_empty() {
                    gaps.extend(missing);
                    dropped.push(i + 1);
                    continue;
                }
            }
            rows.push(i + 1);
            let label = s.target.map(|t| (value(&all, t), t));
            for &k in &s.features {
                let v = finite(value(&all, k), i, k)?;
                if in_order {
                    all[kept] = v;
                    kept += 1;
                } else {
                    copy.push(v);
                }
            }
            if let Some((v, t)) = label {
                y.push(finite(v, i, t)?);
            }
        }
        all.truncate(kept);
        let mut notices = Vec::new();
        if !dropped.is_empty() {
            let columns: Vec<String> = gaps.into_iter().map(|k| names[k].clone()).collect();
            if rows.is_empty() {
                let (misses, cure) = (words::names(&columns), words::drops(&columns));
                let why = format!("every row misses a value in {misses}; leave such columns out with {cure}");
                return Err(ReadError::NoRows { file: file.to_string(), why });
            }
            notices.push(Notice::DroppedRows { rows: dropped, columns });
        }
        let x = Mat::from_vec(rows.len(), features.len(), if in_order { all } else { copy });
        let y = s.target.map(|_| y);
        Ok((Table { x, features, y, target, rows }, notices))
    }
}
