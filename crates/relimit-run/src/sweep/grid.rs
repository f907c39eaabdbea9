//! The runs of a plan, counted: for each number its point, its seed, its words and its key.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde_json::{Map, Value, json};

use super::compare::CellRef;
use super::{Key, Plan, SweepError};
use crate::key::{NUMERICS, Sha256, canonical, hex};

/// Points and runs at most.
const MOST: u64 = 100_000_000;
/// Words that name a file beside the plan, when there is one of that name.
const FILES: [&str; 4] = ["data", "net", "network", "start"];

/// All runs of a plan, in order: the last group of axes varies fastest but for the repetition.
#[derive(Debug)]
pub struct Grid<'p> {
    plan: &'p Plan,
    /// Values of each group.
    sizes: Vec<u64>,
    /// Points that pass the filter; none stands for all.
    kept: Option<Vec<u64>>,
    /// Runs.
    len: u64,
    /// Path and content of files that words name.
    files: BTreeMap<String, (PathBuf, String)>,
    /// Keys that were asked for: a hash takes as long as a small part of a run.
    keys: OnceLock<Vec<OnceLock<Key>>>,
}

/// One run's place in the grid.
#[derive(Clone, Debug, PartialEq)]
pub struct Point<'p> {
    /// A value for each axis.
    pub values: Vec<&'p Value>,
    /// Repetition, from 0.
    pub repetition: u64,
    /// Seed, below 2^53, if the plan has seeds.
    pub seed: Option<u64>,
}

/// Number of points before filters, or why there are too many.
pub(super) fn size(plan: &Plan) -> Result<u64, String> {
    let points = plan
        .groups
        .iter()
        .try_fold(1u64, |all, group| all.checked_mul(plan.axes[group[0]].values.len() as u64).filter(|v| *v <= MOST));
    let runs = points.and_then(|p| p.checked_mul(repetitions(plan))).filter(|v| *v <= MOST);
    match (points, runs) {
        (Some(points), Some(_)) => Ok(points),
        _ => Err(format!("more than {MOST} runs; give fewer values, or several plans")),
    }
}

fn repetitions(plan: &Plan) -> u64 {
    plan.seeds.as_ref().map_or(1, |s| s.count)
}

impl<'p> Grid<'p> {
    /// Counts the runs; files that words name are looked for in `folder`.
    ///
    /// # Errors
    /// A file that a word names and that cannot be read.
    pub fn new(plan: &'p Plan, folder: &Path) -> Result<Self, SweepError> {
        let points = size(plan).expect("a checked plan");
        let sizes: Vec<u64> = plan.groups.iter().map(|g| plan.axes[g[0]].values.len() as u64).collect();
        let mut grid = Self { plan, sizes, kept: None, len: points, files: BTreeMap::new(), keys: OnceLock::new() };
        if !plan.filter.is_empty() {
            let kept: Vec<u64> = (0..points).filter(|at| grid.passes(*at)).collect();
            grid.len = kept.len() as u64;
            grid.kept = Some(kept);
        }
        grid.len *= repetitions(plan);
        for word in FILES {
            let axis = plan.axes.iter().filter(|a| a.name == word).flat_map(|a| &a.values);
            for name in plan.fixed.get(word).into_iter().chain(axis).filter_map(Value::as_str) {
                let path = folder.join(name);
                if path.is_file() {
                    let bytes = fs::read(&path).map_err(|e| SweepError::io(&path, e))?;
                    grid.files.insert(name.to_owned(), (path, hex(&Sha256::of(&bytes))));
                }
            }
        }
        Ok(grid)
    }

    /// The plan.
    pub fn plan(&self) -> &'p Plan {
        self.plan
    }

    /// Number of runs.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether there is no run.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The point of run `run`, counted from 0.
    pub fn point(&self, run: u64) -> Point<'p> {
        assert!(run < self.len, "run {run} of {}", self.len);
        let reps = repetitions(self.plan);
        let (place, repetition) = ((run / reps) as usize, run % reps);
        let at = self.kept.as_ref().map_or(place as u64, |kept| kept[place]);
        let values = self.values(at);
        let seed = self.plan.seeds.as_ref().map(|seeds| {
            let by: Map<String, Value> =
                seeds.by.iter().map(|k| (self.plan.axes[*k].name.clone(), values[*k].clone())).collect();
            seed(&json!({ "axes": by, "base": seeds.base, "repetition": repetition }))
        });
        Point { values, repetition, seed }
    }

    /// The words of a run as the plan has them: fixed ones with their placeholders filled in, axes that are no
    /// placeholder, the seed where it is none.
    pub fn words(&self, run: u64) -> Map<String, Value> {
        let point = self.point(run);
        let used = self.plan.placeholders();
        let fill = |text: &str| -> String {
            let mut out = text.to_owned();
            for (axis, value) in self.plan.axes.iter().zip(&point.values) {
                out = out.replace(&format!("{{{}}}", axis.name), &plain(value));
            }
            point.seed.map_or(out.clone(), |seed| out.replace("{seed}", &seed.to_string()))
        };
        let filled = |value: &Value| match value {
            Value::String(text) if text.contains('{') => Value::from(fill(text)),
            Value::Array(list) => list.iter().map(|v| v.as_str().map_or(v.clone(), |t| fill(t).into())).collect(),
            other => other.clone(),
        };
        let mut words: Map<String, Value> = self.plan.fixed.iter().map(|(k, v)| (k.clone(), filled(v))).collect();
        for (axis, value) in self.plan.axes.iter().zip(&point.values) {
            if !used.contains(axis.name.as_str()) {
                words.insert(axis.name.clone(), (*value).clone());
            }
        }
        if let Some(seed) = point.seed.filter(|_| !used.contains("seed")) {
            words.insert("seed".into(), seed.into());
        }
        words
    }

    /// The words with which the run is asked: names of files beside the plan are paths.
    pub fn call(&self, run: u64) -> Map<String, Value> {
        self.with_files(run, |(path, _)| Value::from(path.display().to_string()))
    }

    /// The key of a run: a hash of the command, its words, the content of the files they name, what is recorded, and
    /// the version of the numerics.
    pub fn key(&self, run: u64) -> Key {
        let keys = self.keys.get_or_init(|| (0..self.len).map(|_| OnceLock::new()).collect());
        *keys[run as usize].get_or_init(|| self.hashed(run))
    }

    fn hashed(&self, run: u64) -> Key {
        let words = self.with_files(run, |(_, content)| json!({ "content": content }));
        let record: Vec<Value> = self.plan.record.iter().map(|r| json!([r.name, r.at])).collect();
        let all = json!({
            "command": self.plan.command,
            "words": words,
            "record": record,
            "numerics": NUMERICS,
        });
        Key::of(canonical(&all).as_bytes())
    }

    fn with_files(&self, run: u64, becomes: impl Fn(&(PathBuf, String)) -> Value) -> Map<String, Value> {
        let mut words = self.words(run);
        for (word, value) in &mut words {
            let file = value.as_str().filter(|_| FILES.contains(&word.as_str())).and_then(|name| self.files.get(name));
            if let Some(file) = file {
                *value = becomes(file);
            }
        }
        words
    }

    /// A value for each axis at a point of the full grid.
    fn values(&self, mut at: u64) -> Vec<&'p Value> {
        let mut places = vec![0; self.sizes.len()];
        for (place, size) in places.iter_mut().zip(&self.sizes).rev() {
            (*place, at) = ((at % size) as usize, at / size);
        }
        let mut values = vec![&Value::Null; self.plan.axes.len()];
        for (group, place) in self.plan.groups.iter().zip(places) {
            for k in group {
                values[*k] = &self.plan.axes[*k].values[place];
            }
        }
        values
    }

    fn passes(&self, at: u64) -> bool {
        let values = self.values(at);
        let value = |name: &str| {
            let k = self.plan.axes.iter().position(|a| a.name == name).expect("a checked filter");
            match values[k] {
                Value::Bool(flag) => CellRef::Flag(*flag),
                Value::String(text) => CellRef::Text(text),
                number => number.as_f64().map_or(CellRef::Null, CellRef::Number),
            }
        };
        self.plan.filter.iter().all(|c| c.holds(&value))
    }
}

/// A value inside a text.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// 53 bits of the hash of what a seed depends on: exact in every JSON reader.
fn seed(of: &Value) -> u64 {
    let hash = Sha256::of(canonical(of).as_bytes());
    let (first, _) = hash.split_first_chunk::<8>().expect("32 bytes");
    u64::from_le_bytes(*first) >> 11
}
