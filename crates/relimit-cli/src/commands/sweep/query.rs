//! `relimit sweep query`: rows that satisfy comparisons, in groups, summed up.

use std::fmt::Write as _;

use relimit_report::number::four;
use relimit_report::text;
use relimit_run::sweep::{Aggregate, CellRef, Comparison, Group, Question, Saved, Summed, Table};
use serde_json::{Map, Value, json};

use crate::args::SweepQueryArgs;
use crate::exit::{Exit, Failure};
use crate::output;

/// Lines of a table on the terminal.
const LINES: usize = 200;

/// Runs the command.
pub(super) fn run(args: &SweepQueryArgs) -> Result<Exit, Failure> {
    let saved = Saved::open(&args.dir)?;
    let names = saved.columns();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let question = question(args, &names)?;
    let plain = question.of.is_empty() && question.by.is_empty();
    // without a sum or a group the rows themselves are the answer
    let wanted = if plain { names.iter().map(|n| (*n).to_owned()).collect() } else { question.columns() };
    let (table, notes) = saved.table(&wanted)?;
    for note in &notes {
        output::note(note);
    }
    if plain { rows(args, &question, &table) } else { groups(args, &question, &table) }
}

/// The question of the flags.
fn question(args: &SweepQueryArgs, names: &[&str]) -> Result<Question, Failure> {
    let mut of: Vec<Aggregate> = args.mean.iter().cloned().map(Aggregate::Mean).collect();
    of.extend(args.median.iter().cloned().map(Aggregate::Median));
    for text in &args.share {
        of.push(Aggregate::Share(Comparison::read("--share", text, names)?));
    }
    for text in &args.slope {
        of.push(Aggregate::slope(text, names)?);
    }
    let question = Question { filter: filter(&args.filter, names)?, by: args.by.clone(), of };
    question.check(names)?;
    Ok(question)
}

/// The comparisons of `--where`.
pub(super) fn filter(texts: &[String], names: &[&str]) -> Result<Vec<Comparison>, Failure> {
    Ok(texts.iter().map(|text| Comparison::read("--where", text, names)).collect::<Result<_, _>>()?)
}

fn rows(args: &SweepQueryArgs, question: &Question, table: &Table) -> Result<Exit, Failure> {
    let rows = question.rows(table);
    if args.json {
        let row = |k: &usize| -> Value {
            table.columns.iter().map(|(name, column)| (name.clone(), cell(column.at(*k)))).collect::<Map<_, _>>().into()
        };
        let answer = json!({
            "schema": "relimit/sweep-rows/1",
            "count": rows.len(),
            "rows": rows.iter().map(row).collect::<Vec<_>>(),
        });
        output::print(&format!("{answer}\n"))?;
        return Ok(Exit::Answer);
    }
    let header: Vec<String> = table.columns.iter().map(|(name, _)| name.clone()).collect();
    let line = |k: &usize| table.columns.iter().map(|(_, column)| shown(column.at(*k))).collect();
    say(&header, &rows.iter().take(LINES).map(line).collect::<Vec<_>>(), rows.len())
}

fn groups(args: &SweepQueryArgs, question: &Question, table: &Table) -> Result<Exit, Failure> {
    let groups = question.answer(table);
    if args.json {
        let groups: Vec<Value> = groups.iter().map(|g| object(question, g)).collect();
        let answer = json!({ "schema": "relimit/sweep-query/1", "count": groups.len(), "groups": groups });
        output::print(&format!("{answer}\n"))?;
        return Ok(Exit::Answer);
    }
    let mut header = question.by.clone();
    header.push("runs".into());
    header.extend(question.of.iter().map(Aggregate::name));
    let line = |g: &Group<'_>| {
        let by = g.by.iter().map(|v| shown(*v));
        by.chain([g.count.to_string()]).chain(g.values.iter().map(summed)).collect()
    };
    say(&header, &groups.iter().take(LINES).map(line).collect::<Vec<_>>(), groups.len())
}

fn say(header: &[String], lines: &[Vec<String>], all: usize) -> Result<Exit, Failure> {
    let shown = lines.len();
    let mut text = text::table(header, lines);
    if shown < all {
        let _ = writeln!(text, "and {} more lines (--json has them all)", all - shown);
    }
    output::print(&text)?;
    Ok(Exit::Answer)
}

fn object(question: &Question, group: &Group<'_>) -> Value {
    let by: Map<String, Value> = question.by.iter().zip(&group.by).map(|(n, v)| (n.clone(), cell(*v))).collect();
    let values: Map<String, Value> = question.of.iter().zip(&group.values).map(|(a, v)| (a.name(), value(v))).collect();
    json!({ "by": by, "count": group.count, "values": values })
}

fn value(summed: &Summed) -> Value {
    match summed {
        Summed::Mean(None) | Summed::Median(None) | Summed::Slope(None) => Value::Null,
        Summed::Mean(Some((mean, error))) => json!({ "mean": mean, "standard_error": error }),
        Summed::Median(Some([low, median, high])) => {
            json!({ "median": median, "lower_quartile": low, "upper_quartile": high })
        }
        Summed::Share(share) => json!(share),
        Summed::Slope(Some(fit)) => json!({
            "slope": fit.slope,
            "lower": fit.half_width.map(|w| fit.slope - w),
            "upper": fit.half_width.map(|w| fit.slope + w),
            "points": fit.points,
        }),
    }
}

fn summed(summed: &Summed) -> String {
    match summed {
        Summed::Mean(None) | Summed::Median(None) | Summed::Slope(None) => "none".into(),
        Summed::Mean(Some((mean, None))) => four(*mean),
        Summed::Mean(Some((mean, Some(error)))) => format!("{} +- {}", four(*mean), four(*error)),
        Summed::Median(Some([low, median, high])) => format!("{} [{}, {}]", four(*median), four(*low), four(*high)),
        Summed::Share(share) => four(*share),
        Summed::Slope(Some(fit)) => match fit.half_width {
            None => format!("{} ({} points)", four(fit.slope), fit.points),
            Some(w) => format!("{} [{}, {}]", four(fit.slope), four(fit.slope - w), four(fit.slope + w)),
        },
    }
}

fn cell(cell: CellRef<'_>) -> Value {
    match cell {
        CellRef::Null => Value::Null,
        CellRef::Flag(flag) => flag.into(),
        CellRef::Number(v) if v.fract() == 0.0 && v.abs() < 9e15 => (v as i64).into(),
        CellRef::Number(v) => v.into(),
        CellRef::Text(text) => text.into(),
    }
}

pub(super) fn shown(cell: CellRef<'_>) -> String {
    match cell {
        CellRef::Null => "-".into(),
        CellRef::Flag(flag) => flag.to_string(),
        CellRef::Number(v) if v.fract() == 0.0 && v.abs() < 9e15 => format!("{v}"),
        CellRef::Number(v) => four(v),
        CellRef::Text(text) => text.into(),
    }
}
