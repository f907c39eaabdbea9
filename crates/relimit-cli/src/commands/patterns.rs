//! `relimit patterns`: plan, then read, enumerate and report.

use std::cmp::Ordering;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::thread;

use relimit_ask::load::features;
use relimit_core::certify::pattern::{Decision, ListCertificate, ListEnd, PatternCertificate, decide, list_patterns};
use relimit_core::num::Mat;
use relimit_core::pattern::Covector;
use relimit_report::json::json;
use relimit_report::text::{self, Style};
use relimit_report::{csv, figure};
use relimit_run::write::{
    Alphabet, PatternWriter, StreamPatterns, WriteError, npy_patterns, parquet_patterns, text_patterns, write_atomic,
};
use relimit_solve::answer::{PatternsAnswer, PatternsSettings, Stopped};
use relimit_solve::patterns::{PatternsQuestion, patterns};
use relimit_solve::plan::{Bias, ListTarget, PatternsPlan, Picture};

use super::picture;
use crate::args::PatternsArgs;
use crate::exit::{Exit, Failure};
use crate::output;
use crate::progress::Progress;
use crate::stop::{Cause, Stop};

/// Rows of a certified list: readers of JSON stop at a depth of 128, and a split takes two levels.
const MOST_ROWS: usize = 50;
/// Nodes of a certified list: a file of some ten megabytes.
const MOST_NODES: u64 = 100_000;

/// Runs the command.
pub(crate) fn run(args: &PatternsArgs) -> Result<Exit, Failure> {
    let plan = args.plan()?;
    let stop = Stop::listen(plan.budget)?;
    let progress = Progress::start("reading");
    let words = args.data().words();
    let data = features(&words)?;
    let question = PatternsQuestion {
        plan: &plan,
        x: &data.x,
        threads: plan.threads.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from)),
        data: data.facts,
        settings: PatternsSettings { reader: words.settings(), ..PatternsSettings::default() },
    };
    progress.say("enumerating patterns");
    let mut list = List::open(&plan, &question.data.rows)?;
    let mut push = |signs: &[i8], witness: Option<&str>| {
        progress.patterns(list.count);
        list.push(signs, witness)
    };
    let sink: Option<&mut relimit_solve::patterns::Sink<'_>> = if plan.list.is_some() { Some(&mut push) } else { None };
    let mut answer = patterns(&question, sink, &|| stop.now())?;
    if answer.stopped == Some(Stopped::Interrupted) && stop.cause() == Some(Cause::Budget) {
        answer.stopped = Some(Stopped::Budget);
    }
    progress.finish();
    if list.finish()? == Reader::Gone {
        return Ok(Exit::Answer);
    }
    if let Some(picture) = &plan.plot {
        plot(picture, &answer, question.x)?;
    }
    say(args, &plan, &answer)?;
    if let Some(path) = &args.certificate {
        certificate(path, &plan, question.x, &|| stop.now())?;
    }
    Ok(match answer.stopped {
        Some(Stopped::Budget | Stopped::Interrupted) => Exit::Cut,
        Some(Stopped::Limit) | None => Exit::Answer,
    })
}

/// The proof that is asked for, about the rows as they were used: scaled, with the bias column.
fn certificate(path: &Path, plan: &PatternsPlan, x: &Mat, stop: &dyn Fn() -> bool) -> Result<(), Failure> {
    let refuse = |why: &str| Err(Failure::usage(format!("--certificate {}: {why}", path.display())));
    let columns = x.cols() + usize::from(plan.bias != Bias::None);
    let rows = (0..x.rows()).flat_map(|i| x.row(i).iter().copied().chain((x.cols() < columns).then_some(1.0)));
    let x = Mat::from_vec(x.rows(), columns, rows.collect());
    let text = if let Some(check) = &plan.check {
        // A row of zeros is not active without being negative.
        let zero = |i: usize| x.row(i).iter().all(|v| *v == 0.0);
        let sign = |(i, s): (usize, &i8)| if !check.ternary && zero(i) && *s < 0 { Ordering::Equal } else { s.cmp(&0) };
        let wanted = Covector::from_signs(check.signs.iter().enumerate().map(sign));
        match decide(&x, &wanted, stop) {
            Decision::Realisable(witness) => json(&PatternCertificate::possible(&x, &wanted, witness)),
            Decision::Impossible(proof) => json(&PatternCertificate::impossible(&x, &wanted, proof)),
            Decision::Stopped => return refuse("the time ended first; give a larger --budget"),
        }
    } else if x.rows() > MOST_ROWS {
        return refuse(&format!("a proof of the whole list takes at most {MOST_ROWS} rows; give --rows or --check"));
    } else {
        match list_patterns(&x, MOST_NODES, stop) {
            ListEnd::Complete(list) => json(&ListCertificate::new(list)),
            ListEnd::Stopped { .. } => {
                return refuse(&format!("the proof takes more than {MOST_NODES} nodes, or more time; give --rows"));
            }
        }
    };
    Ok(write_atomic(path, |file| file.write_all(text.as_bytes()))?)
}

/// The picture, and the numbers of its bars beside it.
fn plot(to: &Picture, answer: &PatternsAnswer, x: &Mat) -> Result<(), Failure> {
    let Some(drawn) = figure::patterns(answer, x) else {
        return Err(Failure::usage(format!(
            "--plot {}: nothing to draw: more than two features, and more patterns than --limit {}; give --limit K or \
             --columns with two of them",
            to.path().display(),
            answer.settings.limit
        )));
    };
    picture::write(to, &drawn.svg, answer.active_counts.as_ref().map(|counts| csv::active_counts(counts)).as_deref())
}

/// The answer on standard output, or beside a list that is there.
fn say(args: &PatternsArgs, plan: &PatternsPlan, answer: &PatternsAnswer) -> Result<(), Failure> {
    let beside = plan.list == Some(ListTarget::Stdout);
    let terminal = if beside { io::stderr().is_terminal() } else { io::stdout().is_terminal() };
    let no_colour = std::env::var("NO_COLOR").ok();
    let text =
        if args.json { json(answer) } else { text::patterns(answer, Style::choose(terminal, no_colour.as_deref())) };
    if beside { output::print_beside(&text) } else { output::print(&text) }
}

/// The list that is written, if any, and how that goes.
struct List<'a> {
    writer: Option<Box<dyn PatternWriter>>,
    failed: Option<io::Error>,
    name: String,
    count: u64,
    target: Option<&'a Path>,
}

impl<'a> List<'a> {
    fn open(plan: &'a PatternsPlan, rows: &[usize]) -> Result<Self, Failure> {
        let alphabet = if plan.ternary { Alphabet::Ternary } else { Alphabet::Binary };
        let writer: Option<Box<dyn PatternWriter>> = match &plan.list {
            None => None,
            Some(ListTarget::Stdout) => {
                let out = BufWriter::with_capacity(1 << 16, io::stdout());
                Some(Box::new(StreamPatterns::new(out, "standard output", alphabet)))
            }
            Some(ListTarget::Text(path)) => Some(text_patterns(path, alphabet)?),
            Some(ListTarget::Npy(path)) => Some(npy_patterns(path, rows.len(), alphabet)?),
            Some(ListTarget::Parquet(path)) => Some(parquet_patterns(path, rows, alphabet, plan.witness)?),
        };
        let target = plan.list.as_ref().and_then(ListTarget::path);
        let name = target.map_or_else(|| "standard output".to_owned(), |p| p.display().to_string());
        Ok(Self { writer, failed: None, name, count: 0, target })
    }

    fn push(&mut self, signs: &[i8], witness: Option<&str>) -> ControlFlow<()> {
        let Some(writer) = &mut self.writer else { return ControlFlow::Break(()) };
        match writer.push(signs, witness) {
            Ok(()) => {
                self.count += 1;
                ControlFlow::Continue(())
            }
            Err(error) => {
                self.failed = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    /// Completes the list; a reader of standard output that has gone away is no failure.
    fn finish(self) -> Result<Reader, Failure> {
        let gone = |error: &io::Error| error.kind() == ErrorKind::BrokenPipe && self.target.is_none();
        // What could not be written whole must not take its name.
        let finished = if self.failed.is_none() { self.writer.map(PatternWriter::finish) } else { None };
        match (self.failed, finished) {
            (Some(error), _) | (None, Some(Err(WriteError::Io { source: error, .. }))) if gone(&error) => {
                Ok(Reader::Gone)
            }
            (Some(error), _) => Err(Failure::usage(format!("--list {}: cannot be written: {error}", self.name))),
            (None, Some(Err(error))) => Err(error.into()),
            (None, Some(Ok(())) | None) => Ok(Reader::Here),
        }
    }
}

/// Whether somebody still reads the list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reader {
    Here,
    Gone,
}
