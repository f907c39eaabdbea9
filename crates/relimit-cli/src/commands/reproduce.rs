//! `relimit reproduce`: calls this program as the gallery says and compares its numbers with the expected ones.

use std::fmt::Write as _;
use std::process::Command;

use relimit_run::gallery::{self, Entry, Expect, Run, Slope, Value as Wanted};
use serde_json::Value;

use crate::args::ReproduceArgs;
use crate::exit::{Exit, Failure};
use crate::output;

/// Runs the command.
pub(crate) fn run(args: &ReproduceArgs) -> Result<Exit, Failure> {
    let entries = gallery::read(&args.gallery).map_err(|e| Failure::usage(e.to_string()))?;
    let chosen: Vec<&Entry> =
        entries.iter().filter(|e| args.all || args.names.iter().any(|n| e.name.contains(n.as_str()))).collect();
    if let Some(name) = args.names.iter().find(|n| !entries.iter().any(|e| e.name.contains(n.as_str()))) {
        let known: Vec<&str> = entries.iter().map(|e| e.name.as_str()).collect();
        return Err(Failure::usage(format!("no entry is called '{name}'; there are {}", known.join(", "))));
    }
    let (mut right, mut all) = (0, 0);
    for entry in chosen {
        let judged = reproduce(entry, args.quick)?;
        right += judged.iter().filter(|j| j.right).count();
        all += judged.len();
        output::print(&told(entry, &judged))?;
    }
    output::print(&format!("{right} of {all} numbers reproduced\n"))?;
    Ok(if right == all { Exit::Answer } else { Exit::NotMet })
}

/// One comparison.
struct Judged {
    right: bool,
    line: String,
}

fn reproduce(entry: &Entry, quick: bool) -> Result<Vec<Judged>, Failure> {
    let mut judged = Vec::new();
    let mut answers = Vec::new();
    for run in entry.plan.run.iter().filter(|r| !(quick && r.slow)) {
        let answer = answer(entry, run)?;
        judged.extend(run.expect.iter().map(|e| compare(e, answer.pointer(&e.at))));
        answers.push(answer);
    }
    if let Some(slope) = &entry.plan.slope {
        judged.push(fit(slope, &answers));
    }
    Ok(judged)
}

/// The JSON answer of a call, made in the folder of the entry.
fn answer(entry: &Entry, run: &Run) -> Result<Value, Failure> {
    let wrong = |why: String| Failure::usage(format!("{}: relimit {}: {why}", entry.name, run.call));
    let program = std::env::current_exe().map_err(|e| wrong(format!("this program is not found: {e}")))?;
    let mut command = Command::new(program);
    command.args(run.call.split_whitespace()).arg("--json").current_dir(&entry.folder);
    let called = command.output().map_err(|e| wrong(format!("it does not start: {e}")))?;
    if !called.status.success() {
        return Err(wrong(format!("{}: {}", called.status, String::from_utf8_lossy(&called.stderr).trim_end())));
    }
    serde_json::from_slice(&called.stdout).map_err(|e| wrong(format!("its answer is not JSON: {e}")))
}

fn compare(expect: &Expect, found: Option<&Value>) -> Judged {
    let at = &expect.at;
    let Some(found) = found.filter(|v| !v.is_null()) else {
        return Judged { right: false, line: format!("{at}: nothing is there, expected {}", wanted(&expect.is)) };
    };
    let length = found.as_array().map(|list| list.len() as f64);
    let number = length.or_else(|| found.as_f64());
    let within = expect.within.unwrap_or(0.0);
    let right = match &expect.is {
        Wanted::Flag(v) => found.as_bool() == Some(*v),
        Wanted::Word(v) => found.as_str() == Some(v.as_str()),
        Wanted::Whole(v) => number.is_some_and(|x| (x - *v as f64).abs() <= within),
        Wanted::Number(v) => number.is_some_and(|x| (x - v).abs() <= within),
    };
    let shown = match (found.as_str(), number) {
        (Some(word), _) => word.to_owned(),
        (None, Some(x)) if length.is_some() => format!("{x} items"),
        (None, Some(x)) => x.to_string(),
        _ => found.to_string(),
    };
    let tolerance = expect.within.map_or_else(String::new, |w| format!(" within {w}"));
    Judged { right, line: format!("{at}: {shown}, expected {}{tolerance}", wanted(&expect.is)) }
}

fn wanted(value: &Wanted) -> String {
    match value {
        Wanted::Flag(v) => v.to_string(),
        Wanted::Whole(v) => v.to_string(),
        Wanted::Number(v) => v.to_string(),
        Wanted::Word(v) => v.clone(),
    }
}

/// The slope by least squares in logarithms.
fn fit(slope: &Slope, answers: &[Value]) -> Judged {
    let Slope { at, against, is, within } = slope;
    let values: Vec<f64> = answers.iter().filter_map(|a| a.pointer(at)?.as_f64()).filter(|v| *v > 0.0).collect();
    if values.len() != against.len() {
        let (k, all) = (values.len(), against.len());
        return Judged { right: false, line: format!("slope of {at}: {k} of {all} runs have a positive number there") };
    }
    let mean = |v: &[f64]| v.iter().map(|a| a.ln()).sum::<f64>() / v.len() as f64;
    let (x0, y0) = (mean(against), mean(&values));
    let (mut xy, mut xx) = (0.0, 0.0);
    for (x, y) in against.iter().zip(&values) {
        xy += (x.ln() - x0) * (y.ln() - y0);
        xx += (x.ln() - x0).powi(2);
    }
    let found = xy / xx;
    let line = format!("slope of {at}: {found:.4}, expected {is} within {within}");
    Judged { right: (found - is).abs() <= *within, line }
}

fn told(entry: &Entry, judged: &[Judged]) -> String {
    let mut text = format!("{}: {}\n", entry.name, entry.plan.title);
    for j in judged {
        let _ = writeln!(text, "  {:<6} {}", if j.right { "ok" } else { "WRONG" }, j.line);
    }
    text
}
