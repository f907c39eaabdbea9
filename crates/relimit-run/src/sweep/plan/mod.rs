//! A sweep's plan: a command, its fixed words, axes, seeds, filters, and what is recorded of each answer.

mod axis;
mod document;

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use toml::Spanned;
use toml::de::DeValue;

pub use axis::Axis;
use axis::place;
use document::{Document, Entry};

use super::compare::Comparison;
use super::{SweepError, grid};

/// Commands that a sweep may run.
pub const COMMANDS: [&str; 8] = ["limit", "patterns", "optimum", "gibbs", "train", "certify", "collapse", "study"];
/// The JSON schema of a plan.
pub const SCHEMA: &str = include_str!("schema.json");
/// Columns of every row; no axis and no recorded value may have their names.
const COLUMNS: [&str; 6] = ["run", "repetition", "seed", "key", "status", "message"];
const KEYS: [&str; 8] = ["title", "command", "fixed", "axes", "paired", "seeds", "filter", "record"];

/// A checked plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// What it is about.
    pub title: Option<String>,
    /// One of [`COMMANDS`].
    pub command: String,
    /// Words that are the same in all runs; `{name}` in a text stands for the value of an axis or the seed.
    pub fixed: Map<String, Value>,
    /// The axes, in the order of the file.
    pub axes: Vec<Axis>,
    /// Axes (by place) that advance together; axes of different groups are crossed.
    pub groups: Vec<Vec<usize>>,
    /// Repetitions with seeds.
    pub seeds: Option<Seeds>,
    /// Comparisons that a run must satisfy to be planned.
    pub filter: Vec<Comparison>,
    /// What is kept of an answer, in the order of the file.
    pub record: Vec<Record>,
}

/// Repetitions of every point, each with a seed of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seeds {
    /// Repetitions.
    pub count: u64,
    /// Axes whose values the seed depends on, by place; runs that differ in other axes alone share their seeds.
    pub by: Vec<usize>,
    /// Changes all seeds at once.
    pub base: u64,
}

/// A value of the answer that becomes a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The column.
    pub name: String,
    /// JSON pointer into the answer; of a list its length is taken.
    pub at: String,
    /// Unit, kept in the metadata of the data set.
    pub unit: Option<String>,
}

impl Plan {
    /// Reads the text of a plan; `file` is the name that errors give.
    ///
    /// # Errors
    /// [`SweepError::Plan`] with the line: an unknown key (with the nearest known one), an axis without values or with
    /// one twice, pairs of different lengths, names that are used twice, a filter that compares unknown names.
    pub fn read(file: &str, text: &str) -> Result<Self, SweepError> {
        let document = Document { file, text };
        let table = document.table()?;
        let entries = Document::entries(table.get_ref());
        document.only("", &entries, &KEYS)?;
        let find = |key: &str| entries.iter().find(|(k, _)| k.get_ref().as_ref() == key).map(|(_, v)| *v);
        let title = find("title").map(|v| document.text("title", v)).transpose()?.map(str::to_owned);
        let command = match find("command") {
            None => return Err(document.wrong(0..0, format!("needs command = one of {}", COMMANDS.join(", ")))),
            Some(value) => command(document, value)?,
        };
        let mut fixed = Map::new();
        for (key, value) in table_of(document, "fixed", find("fixed"))? {
            fixed.insert(key.get_ref().to_string(), document.value(key.get_ref(), value)?);
        }
        let axes = table_of(document, "axes", find("axes"))?;
        let axes: Vec<Axis> =
            axes.into_iter().map(|(k, v)| axis::read(document, k.get_ref(), v)).collect::<Result<_, _>>()?;
        let groups = groups(document, &axes, find("paired"))?;
        let seeds = find("seeds").map(|value| seeds(document, &axes, value)).transpose()?;
        let filter = find("filter").map_or(Ok(vec![]), |value| filter(document, &axes, value))?;
        let record = table_of(document, "record", find("record"))?
            .into_iter()
            .map(|entry| record(document, entry))
            .collect::<Result<Vec<_>, _>>()?;
        let plan = Self { title, command, fixed, axes, groups, seeds, filter, record };
        let place = |key: &str| find(key).map_or(0..0, Spanned::span);
        plan.names().map_err(|(key, message)| document.wrong(place(key), message))?;
        grid::size(&plan).map_err(|message| document.wrong(place("axes"), message))?;
        Ok(plan)
    }

    /// All that determines the runs, as JSON.
    pub fn identity(&self) -> Value {
        let axes: Vec<Value> = self.axes.iter().map(|a| json!({ "name": a.name, "values": a.values })).collect();
        let seeds = self.seeds.as_ref().map(|s| json!({ "count": s.count, "by": s.by, "base": s.base }));
        let record: Vec<Value> =
            self.record.iter().map(|r| json!({ "name": r.name, "at": r.at, "unit": r.unit })).collect();
        let filter: Vec<String> = self.filter.iter().map(ToString::to_string).collect();
        json!({
            "title": self.title,
            "command": self.command,
            "fixed": self.fixed,
            "axes": axes,
            "groups": self.groups,
            "seeds": seeds,
            "filter": filter,
            "record": record,
        })
    }

    /// Names that stand in braces in a fixed word.
    pub fn placeholders(&self) -> BTreeSet<&str> {
        let texts = self.fixed.values().flat_map(|v| match v {
            Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
            plain => plain.as_str().into_iter().collect::<Vec<_>>(),
        });
        let inner = |text: &'_ str| -> Vec<(usize, usize)> {
            text.match_indices('{').filter_map(|(at, _)| Some((at + 1, at + text[at..].find('}')?))).collect()
        };
        texts.flat_map(|text| inner(text).into_iter().map(move |(from, to)| &text[from..to])).collect()
    }

    /// No name is used twice or for two things; every placeholder is known. The key that is wrong, and why.
    fn names(&self) -> Result<(), (&'static str, String)> {
        for axis in &self.axes {
            let name = axis.name.as_str();
            if self.fixed.contains_key(name) {
                return Err(("axes", format!("axis {name}: is also a fixed word; leave one out")));
            }
            if COLUMNS.contains(&name) && !(name == "seed" && self.seeds.is_none()) {
                return Err(("axes", format!("axis {name}: every row has a column of that name; use [seeds]")));
            }
        }
        if self.seeds.is_some() && self.fixed.contains_key("seed") {
            return Err(("fixed", "seed: is given by [seeds]; leave one out".into()));
        }
        for record in &self.record {
            let name = record.name.as_str();
            if COLUMNS.contains(&name) || self.axes.iter().any(|a| a.name == name) {
                return Err(("record", format!("record {name}: is a column already; give it another name")));
            }
        }
        for name in self.placeholders() {
            let seed = name == "seed" && self.seeds.is_some();
            if !seed {
                place(&self.axes, name).map_err(|m| ("fixed", format!("{{{name}}}: {m}")))?;
            }
        }
        Ok(())
    }
}

/// Entries of a table that may be absent.
fn table_of<'t, 'd>(
    document: Document<'d>,
    name: &str,
    value: Option<&'t Spanned<DeValue<'d>>>,
) -> Result<Vec<Entry<'t, 'd>>, SweepError> {
    match value.map(|v| (v, v.get_ref())) {
        None => Ok(vec![]),
        Some((_, DeValue::Table(table))) => Ok(Document::entries(table)),
        Some((value, _)) => Err(document.wrong(value.span(), format!("{name}: is no table; write [{name}]"))),
    }
}

fn command<'d>(document: Document<'d>, value: &Spanned<DeValue<'d>>) -> Result<String, SweepError> {
    let text = document.text("command", value)?;
    if COMMANDS.contains(&text) {
        return Ok(text.to_owned());
    }
    let hint = relimit_core::data::suggest::nearest(text, &COMMANDS)
        .map_or_else(|| format!("commands are {}", COMMANDS.join(", ")), |near| format!("did you mean '{near}'?"));
    Err(document.wrong(value.span(), format!("command '{text}': cannot be swept; {hint}")))
}

/// Pairs as given, every other axis alone, in the order of first axes.
fn groups<'d>(
    document: Document<'d>,
    axes: &[Axis],
    value: Option<&Spanned<DeValue<'d>>>,
) -> Result<Vec<Vec<usize>>, SweepError> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for pair in value.map_or(Ok(&[][..]), |v| document.list("paired", v))? {
        let names = document.list("paired", pair)?;
        let mut group = Vec::new();
        for name in names {
            let wrong = |message: String| document.wrong(name.span(), format!("paired: {message}"));
            let k = place(axes, document.text("paired", name)?).map_err(wrong)?;
            if groups.iter().chain([&group]).any(|g| g.contains(&k)) {
                return Err(wrong(format!("{} is paired twice; name it once", axes[k].name)));
            }
            if let Some(&first) = group.first() {
                let (a, b): (&Axis, &Axis) = (&axes[first], &axes[k]);
                if a.values.len() != b.values.len() {
                    let (na, nb) = (a.values.len(), b.values.len());
                    let message = format!("{} has {na} values and {} has {nb}; give as many", a.name, b.name);
                    return Err(wrong(message));
                }
            }
            group.push(k);
        }
        if group.len() < 2 {
            return Err(document.wrong(pair.span(), "paired: a pair names two axes or more"));
        }
        groups.push(group);
    }
    let alone: Vec<usize> = (0..axes.len()).filter(|k| !groups.iter().any(|g| g.contains(k))).collect();
    groups.extend(alone.into_iter().map(|k| vec![k]));
    groups.sort_by_key(|g| g.iter().copied().min());
    Ok(groups)
}

fn seeds<'d>(document: Document<'d>, axes: &[Axis], value: &Spanned<DeValue<'d>>) -> Result<Seeds, SweepError> {
    let mut seeds = Seeds { count: 1, by: (0..axes.len()).collect(), base: 0 };
    for (key, value) in document.known("seeds: ", value, &["count", "by", "base"])? {
        match key.get_ref().as_ref() {
            "count" => seeds.count = document.whole("seeds.count", value, 1)?,
            "base" => seeds.base = document.whole("seeds.base", value, 0)?,
            _ => {
                seeds.by = Vec::new();
                for name in document.list("seeds.by", value)? {
                    let k = place(axes, document.text("seeds.by", name)?)
                        .map_err(|message| document.wrong(name.span(), format!("seeds.by: {message}")))?;
                    seeds.by.push(k);
                }
                seeds.by.sort_unstable();
                seeds.by.dedup();
            }
        }
    }
    Ok(seeds)
}

fn filter<'d>(
    document: Document<'d>,
    axes: &[Axis],
    value: &Spanned<DeValue<'d>>,
) -> Result<Vec<Comparison>, SweepError> {
    let names: Vec<&str> = axes.iter().map(|a| a.name.as_str()).collect();
    let mut out = Vec::new();
    for item in document.list("filter", value)? {
        let text = document.text("filter", item)?;
        let read = Comparison::read("filter", text, &names);
        out.push(read.map_err(|e| document.wrong(item.span(), e.to_string()))?);
    }
    Ok(out)
}

fn record<'d>(document: Document<'d>, (key, value): Entry<'_, 'd>) -> Result<Record, SweepError> {
    let name = key.get_ref().to_string();
    let (mut at, mut unit) = (None, None);
    if let DeValue::String(pointer) = value.get_ref() {
        at = Some(pointer.to_string());
    } else {
        for (key, value) in document.known(&format!("record {name}: "), value, &["at", "unit"])? {
            let text = document.text(key.get_ref(), value)?.to_owned();
            if key.get_ref() == "at" { at = Some(text) } else { unit = Some(text) }
        }
    }
    match at.filter(|pointer| pointer.starts_with('/')) {
        Some(at) => Ok(Record { name, at, unit }),
        None => Err(document
            .wrong(value.span(), format!("record {name}: give a JSON pointer into the answer, as \"/limit/loss\""))),
    }
}
