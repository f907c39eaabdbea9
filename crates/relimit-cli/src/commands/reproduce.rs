//! `relimit reproduce`: calls this program as the gallery says and compares its numbers with the expected ones.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use relimit_report::page::{self, ClaimPage, Compared, Shown};
use relimit_run::gallery::{self, Axis, Entry, Expect, Grid, Over, Point, Value as Wanted};
use relimit_run::write::write_atomic;
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
    let out = args.out.as_deref().map(folder).transpose()?;
    let (mut right, mut all, mut pages) = (0, 0, vec![]);
    for entry in chosen {
        let page = reproduce(entry, args.quick, out.as_deref())?;
        let score = page.score();
        (right, all) = (right + score.0, all + score.1);
        output::print(&told(&page))?;
        if let Some(out) = &out {
            let text = page::claim(&page);
            write_atomic(&out.join(format!("{}.html", page.name)), |file| file.write_all(text.as_bytes()))?;
        }
        pages.push(page);
    }
    if let Some(out) = &out {
        write_atomic(&out.join("index.html"), |file| file.write_all(page::claims(&pages).as_bytes()))?;
    }
    output::print(&format!("{right} of {all} numbers reproduced\n"))?;
    Ok(if right == all { Exit::Answer } else { Exit::NotMet })
}

/// The folder of the pages, made if it is not there, as a path that holds in any folder.
fn folder(out: &Path) -> Result<PathBuf, Failure> {
    let made = std::fs::create_dir_all(out).and_then(|()| out.canonicalize());
    made.map_err(|e| Failure::usage(format!("--out {}: {e}; name a folder that can be written", out.display())))
}

fn reproduce(entry: &Entry, quick: bool, out: Option<&Path>) -> Result<ClaimPage, Failure> {
    let plan = &entry.plan;
    let mut page = ClaimPage {
        name: entry.name.clone(),
        title: plan.title.clone(),
        claim: plan.claim.clone(),
        source: plan.source.clone(),
        ..ClaimPage::default()
    };
    for run in plan.run.iter().filter(|r| !(quick && r.slow)) {
        let picture = out.filter(|_| run.picture).map(|out| out.join(format!("{}.svg", entry.name)));
        let answer = answer(entry, &run.call, picture.as_deref())?;
        if let Some(path) = picture {
            let read = std::fs::read_to_string(&path);
            page.picture = Some(read.map_err(|e| Failure::usage(format!("{}: {e}", path.display())))?);
        }
        let compared = run.expect.iter().map(|e| compare(e, answer.pointer(&e.at))).collect();
        page.runs.push(Shown { call: run.call.clone(), with: String::new(), compared });
    }
    for grid in plan.grid.iter().filter(|g| !(quick && g.slow)) {
        let points = grid.points();
        let answers: Result<Vec<Value>, Failure> = points.iter().map(|p| answer(entry, &p.call, None)).collect();
        let made: Vec<Made> = points.into_iter().zip(answers?).collect();
        let compared = grid.expect.iter().map(|over| summary(over, &made)).collect();
        page.runs.push(Shown { call: grid.call.clone(), with: places(grid), compared });
    }
    Ok(page)
}

/// The JSON answer of a call, made in the folder of the entry.
fn answer(entry: &Entry, call: &str, picture: Option<&Path>) -> Result<Value, Failure> {
    let wrong = |why: String| Failure::usage(format!("{}: relimit {call}: {why}", entry.name));
    let program = std::env::current_exe().map_err(|e| wrong(format!("this program is not found: {e}")))?;
    let mut command = Command::new(program);
    command.args(call.split_whitespace()).arg("--json").current_dir(&entry.folder);
    if let Some(path) = picture {
        command.arg("--plot").arg(path);
    }
    let called = command.output().map_err(|e| wrong(format!("it does not start: {e}")))?;
    // a run that reached its number of steps has a partial answer, which says so
    if !called.status.success() && called.status.code() != Some(Exit::Cut as i32) {
        return Err(wrong(format!("{}: {}", called.status, String::from_utf8_lossy(&called.stderr).trim_end())));
    }
    serde_json::from_slice(&called.stdout).map_err(|e| wrong(format!("its answer is not JSON: {e}")))
}

fn compare(expect: &Expect, found: Option<&Value>) -> Compared {
    let within = expect.within.unwrap_or(0.0);
    let line = Compared {
        at: expect.at.clone(),
        expected: wanted(&expect.is),
        within: expect.within.map_or_else(String::new, short),
        ..Compared::default()
    };
    let Some(found) = found.filter(|v| !v.is_null()) else {
        return Compared { found: "nothing is there".into(), ..line };
    };
    let length = found.as_array().map(|list| list.len() as f64);
    let number = length.or_else(|| found.as_f64());
    let right = match &expect.is {
        Wanted::Flag(v) => found.as_bool() == Some(*v),
        Wanted::Word(v) => found.as_str() == Some(v.as_str()),
        Wanted::Whole(v) => number.is_some_and(|x| (x - *v as f64).abs() <= within),
        Wanted::Number(v) => number.is_some_and(|x| (x - v).abs() <= within),
    };
    let shown = match (found.as_str(), number) {
        (Some(word), _) => word.to_owned(),
        (None, Some(x)) if length.is_some() => format!("{x} items"),
        (None, Some(x)) => digits(x, within),
        _ => found.to_string(),
    };
    Compared { found: shown, right, ..line }
}

/// A number to one digit below its tolerance.
fn digits(x: f64, within: f64) -> String {
    let mut unit = 1.0;
    for places in 1..=12 {
        if unit <= 1.5 * within {
            return format!("{x:.places$}");
        }
        unit /= 10.0;
    }
    x.to_string()
}

/// A tolerance, with a power of ten when it is small.
fn short(v: f64) -> String {
    if v != 0.0 && v < 1e-3 { format!("{v:e}") } else { v.to_string() }
}

fn wanted(value: &Wanted) -> String {
    match value {
        Wanted::Flag(v) => v.to_string(),
        Wanted::Whole(v) => v.to_string(),
        Wanted::Number(v) => v.to_string(),
        Wanted::Word(v) => v.clone(),
    }
}

/// A call of a grid with its answer.
type Made = (Point, Value);

/// What stands in the places of a call, in words.
fn places(grid: &Grid) -> String {
    let axis = |(name, values): (&String, &Vec<Axis>)| {
        let mut words: Vec<String> = values.iter().map(ToString::to_string).collect();
        if words.len() > 6 {
            words.splice(3..words.len() - 1, ["...".to_owned()]);
        }
        format!("{{{name}}} is {}", words.join(", "))
    };
    let calls = grid.axes.values().map(Vec::len).product::<usize>();
    format!("{calls} calls: {}", grid.axes.iter().map(axis).collect::<Vec<_>>().join("; "))
}

/// The number of a call.
fn value(over: &Over, answer: &Value) -> Option<f64> {
    let per = over.per.as_deref().map_or(Some(1.0), |per| number(per, answer))?;
    let found = number(&over.of, answer)? / per;
    Some(over.at_most.map_or(found, |most| f64::from(u8::from(found <= most))))
}

/// The number at a place of an answer; a yes is 1.
fn number(at: &str, answer: &Value) -> Option<f64> {
    let value = answer.pointer(at)?;
    value.as_f64().or_else(|| value.as_bool().map(|yes| f64::from(u8::from(yes))))
}

/// A slope or a mean over the calls of a grid.
fn summary(over: &Over, made: &[Made]) -> Compared {
    let meant = |point: &Point| over.only.iter().all(|(name, v)| point.at.get(name) == Some(v));
    let made: Vec<&Made> = made.iter().filter(|(point, _)| meant(point)).collect();
    let ratio = over.per.as_ref().map_or_else(String::new, |per| format!(" / {per}"));
    let of = format!("{}{ratio}", over.of);
    let only: Vec<String> = over.only.iter().map(|(name, v)| format!("{name} = {v}")).collect();
    let only = if only.is_empty() { String::new() } else { format!(" where {}", only.join(", ")) };
    let at = match &over.slope {
        Some(axis) => format!("slope of {of} against {}{only}", over.against.as_ref().unwrap_or(axis)),
        None => match over.at_most {
            Some(most) => format!("share of {of} <= {most}{only}"),
            None => format!("mean of {of}{only}"),
        },
    };
    let line = Compared { at, expected: over.is.to_string(), within: short(over.within), ..Compared::default() };
    let values: Option<Vec<f64>> = made.iter().map(|(_, answer)| value(over, answer)).collect();
    let Some(values) = values else { return Compared { found: "not in every answer".into(), ..line } };
    let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
    let found = match &over.slope {
        None => Some(mean(&values)),
        Some(axis) => {
            let mut at: Vec<f64> = made.iter().filter_map(|(point, _)| point.at[axis].number()).collect();
            at.sort_by(f64::total_cmp);
            at.dedup();
            let here = |values: &[f64], x: f64| {
                let there = made.iter().zip(values).filter(|(m, _)| m.0.at[axis].number() == Some(x));
                mean(&there.map(|(_, v)| *v).collect::<Vec<f64>>())
            };
            let means = |values: &[f64]| at.iter().map(|x| here(values, *x)).collect::<Vec<f64>>();
            let against = match &over.against {
                None => Some(at.clone()),
                Some(other) => made
                    .iter()
                    .map(|(_, answer)| number(other, answer))
                    .collect::<Option<Vec<f64>>>()
                    .map(|v| means(&v)),
            };
            against.and_then(|against| slope(&against, &means(&values)))
        }
    };
    match found {
        None => Compared { found: "not positive everywhere".into(), ..line },
        Some(found) => {
            let right = (found - over.is).abs() <= over.within;
            Compared { found: digits(found, over.within), right, ..line }
        }
    }
}

/// The slope by least squares in logarithms; none where a value is not positive.
fn slope(at: &[f64], values: &[f64]) -> Option<f64> {
    if values.iter().any(|v| !(*v > 0.0)) {
        return None;
    }
    let mean = |v: &[f64]| v.iter().map(|a| a.ln()).sum::<f64>() / v.len() as f64;
    let (x0, y0) = (mean(at), mean(values));
    let (mut xy, mut xx) = (0.0, 0.0);
    for (x, y) in at.iter().zip(values) {
        xy += (x.ln() - x0) * (y.ln() - y0);
        xx += (x.ln() - x0).powi(2);
    }
    Some(xy / xx)
}

fn told(page: &ClaimPage) -> String {
    let mut text = format!("{}: {}\n", page.name, page.title);
    for c in page.runs.iter().flat_map(|r| &r.compared) {
        let tolerance = if c.within.is_empty() { String::new() } else { format!(" within {}", c.within) };
        let verdict = if c.right { "ok" } else { "WRONG" };
        let _ = writeln!(text, "  {verdict:<6} {}: {}, expected {}{tolerance}", c.at, c.found, c.expected);
    }
    text
}
