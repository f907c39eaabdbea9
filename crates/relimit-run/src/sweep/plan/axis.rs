//! The values of an axis: a list, a range with a step, or points between two ends.

use relimit_core::data::suggest::nearest;
use serde_json::Value;
use toml::Spanned;
use toml::de::DeValue;

use super::document::{Document, plain};
use crate::sweep::SweepError;

/// A name and the values that it takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// A word of the command, or a name in braces in one of the fixed words.
    pub name: String,
    /// At least one; numbers, texts or truth values, all of one kind and different.
    pub values: Vec<Value>,
}

/// Values of one axis at most.
const MOST: usize = 1_000_000;
const KEYS: [&str; 5] = ["from", "to", "step", "points", "geometric"];

/// Reads the value of an axis.
pub(super) fn read<'d>(document: Document<'d>, name: &str, value: &Spanned<DeValue<'d>>) -> Result<Axis, SweepError> {
    let wrong = |message: String| document.wrong(value.span(), format!("axis {name}: {message}"));
    let values = match value.get_ref() {
        DeValue::Array(list) => {
            let read: Result<Vec<Value>, _> = list.iter().map(|item| document.value(name, item)).collect();
            read?
        }
        DeValue::Table(table) => {
            let entries = Document::entries(table);
            document.only(&format!("axis {name}: "), &entries, &KEYS)?;
            let number = |key: &str| -> Result<Option<f64>, SweepError> {
                let found = entries.iter().find(|(k, _)| k.get_ref().as_ref() == key);
                let Some((_, value)) = found else { return Ok(None) };
                let read = document.value(name, value)?;
                read.as_f64().map(Some).ok_or_else(|| {
                    document.wrong(value.span(), format!("axis {name}: {key} is no number; give a number"))
                })
            };
            let geometric = match entries.iter().find(|(k, _)| k.get_ref().as_ref() == "geometric") {
                None => false,
                Some((_, value)) => match value.get_ref() {
                    DeValue::Boolean(flag) => *flag,
                    _ => {
                        return Err(document.wrong(value.span(), format!("axis {name}: geometric is true or false")));
                    }
                },
            };
            // whole ends, written without a point, ask for whole points
            let integers = ["from", "to"].iter().all(|key| {
                let found = entries.iter().find(|(k, _)| k.get_ref().as_ref() == *key);
                found.is_some_and(|(_, v)| matches!(v.get_ref(), DeValue::Integer(_)))
            });
            let (Some(from), Some(to)) = (number("from")?, number("to")?) else {
                return Err(wrong("needs from and to, with step or points".into()));
            };
            let numbers = match (number("step")?, number("points")?) {
                (Some(step), None) if !geometric => stepped(from, to, step).map_err(&wrong)?,
                (None, Some(points)) => {
                    let points = if points.fract() == 0.0 && points >= 2.0 { points as usize } else { 0 };
                    between(from, to, points, geometric, integers).map_err(&wrong)?
                }
                _ => return Err(wrong("needs either step, or points (with geometric = true for equal ratios)".into())),
            };
            numbers.into_iter().filter_map(plain).collect()
        }
        _ => return Err(wrong("give a list of values, or put it under [fixed]".into())),
    };
    judge(&values).map_err(wrong)?;
    Ok(Axis { name: name.to_owned(), values })
}

/// from, from + step, ... up to `to`.
fn stepped(from: f64, to: f64, step: f64) -> Result<Vec<f64>, String> {
    let count = (to - from) / step * (1.0 + 1e-12) + 1e-9;
    if !(step != 0.0 && count >= 0.0 && count < MOST as f64) {
        return Err(format!("step {step} does not lead from {from} to {to} in less than {MOST} values; give another"));
    }
    Ok((0..=count as usize).map(|k| rounded(from + step * k as f64)).collect())
}

/// `points` values from one end to the other, with equal differences or equal ratios.
fn between(from: f64, to: f64, points: usize, geometric: bool, integers: bool) -> Result<Vec<f64>, String> {
    if !(2..=MOST).contains(&points) {
        return Err(format!("points is a whole number from 2 to {MOST}"));
    }
    if geometric && !(from > 0.0 && to > 0.0) {
        return Err(format!("equal ratios need positive ends, not {from} and {to}"));
    }
    let share = |k: usize| k as f64 / (points - 1) as f64;
    let value = |k: usize| match (k, geometric) {
        (0, _) => from,
        (k, _) if k + 1 == points => to,
        (k, false) => rounded(from + (to - from) * share(k)),
        (k, true) => rounded(from * (to / from).powf(share(k))),
    };
    // equal ratios between whole numbers are asked for where only whole numbers make sense, as for a number of features
    Ok((0..points).map(value).map(|v| if geometric && integers { v.round() } else { v }).collect())
}

/// To twelve digits: the fourth of ten steps of 0.1 is 0.4, and the same on every machine.
fn rounded(v: f64) -> f64 {
    format!("{v:.11e}").parse().unwrap_or(v)
}

/// One kind, no value twice.
fn judge(values: &[Value]) -> Result<(), String> {
    if values.is_empty() {
        return Err("has no value; give at least one".into());
    }
    let kind = |v: &Value| match v {
        Value::Number(_) => "numbers",
        Value::String(_) => "texts",
        Value::Bool(_) => "truth values",
        _ => "lists",
    };
    if let Some(other) = values.iter().find(|v| kind(v) != kind(&values[0]) || kind(v) == "lists") {
        return Err(format!("has {} and {other}; give values of one kind, no lists", kind(&values[0])));
    }
    let mut texts: Vec<String> = values.iter().map(Value::to_string).collect();
    texts.sort();
    match texts.windows(2).find(|w| w[0] == w[1]) {
        Some(twice) => Err(format!("has {} twice; give it once, or fewer points", twice[0])),
        None => Ok(()),
    }
}

/// The place of an axis, or an error with the nearest name.
pub(super) fn place(axes: &[Axis], name: &str) -> Result<usize, String> {
    axes.iter().position(|a| a.name == name).ok_or_else(|| {
        let known: Vec<&str> = axes.iter().map(|a| a.name.as_str()).collect();
        let hint = nearest(name, &known)
            .map_or_else(|| format!("axes are {}", known.join(", ")), |near| format!("did you mean '{near}'?"));
        format!("no axis is called '{name}'; {hint}")
    })
}
