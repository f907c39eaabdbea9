//! The answer of `patterns`: how many activation patterns the data can produce, listed on request.

mod decimal;
mod degenerate;
mod histogram;
mod known;
mod search;
mod single;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use dashu_int::{IBig, UBig};
use relimit_core::num::Mat;
use relimit_core::pattern::{Arrangement, End, Options, Role, cover};

use crate::answer::{Covectors, ListFacts, PatternsAnswer, PatternsData, PatternsSettings, PatternsStatus, Stopped};
use crate::plan::{Bias, PatternsPlan};
use decimal::Decimals;
use search::{Search, Seen};

/// What is asked: a checked plan, the data, and the settings of the reader to be echoed.
pub struct PatternsQuestion<'a> {
    /// The plan.
    pub plan: &'a PatternsPlan,
    /// Features, n x d, without a bias column.
    pub x: &'a Mat,
    /// Threads to use.
    pub threads: usize,
    /// Names, rows and notices of the reader.
    pub data: PatternsData,
    /// Settings of the reader (data, target, columns, ...); the rest is filled in here.
    pub settings: PatternsSettings,
}

/// Takes listed patterns one by one: the sign of each row (0 on a boundary, and for zero rows) and the witness where the plan asks for one. It may break off.
pub type Sink<'a> = dyn FnMut(&[i8], Option<&str>) -> ControlFlow<()> + 'a;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PatternsError {
    /// A pattern of another number of rows.
    #[error("--check {pattern}: has {given} characters and the data have {n} rows; give one character a row")]
    CheckLength {
        /// The pattern.
        pattern: String,
        /// Its characters.
        given: usize,
        /// Rows.
        n: usize,
    },
    /// A column that is not made of short decimals.
    #[error(
        "--decimals: column {column} holds {value:e}, which times a power of ten is no whole number below 2^53; leave \
         --decimals out to take the values as doubles"
    )]
    Decimals {
        /// The column.
        column: String,
        /// A value in it.
        value: f64,
    },
}

/// Answers the question. Patterns go to `sink` as they are found when there is one; `stop` ends early with a partial
/// answer, whose cause is [`Stopped::Interrupted`].
///
/// # Errors
/// [`PatternsError`]: a pattern to check of another length.
///
/// # Cost
/// Without a list all threads work and nothing is kept but counts; with one the order is that of a single thread.
pub fn patterns(
    question: &PatternsQuestion<'_>,
    sink: Option<&mut Sink<'_>>,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<PatternsAnswer, PatternsError> {
    let plan = question.plan;
    if let Some(pattern) = plan.check.as_ref().filter(|p| p.signs.len() != question.x.rows()) {
        let (given, n) = (pattern.signs.len(), question.x.rows());
        return Err(PatternsError::CheckLength { pattern: pattern.to_string(), given, n });
    }
    let decimals = plan.decimals.then(|| Decimals::new(question.x, &question.data.features)).transpose()?;
    let x = with_bias(decimals.as_ref().map_or(question.x, |d| &d.x), plan.bias);
    let unscaled = |u: Vec<IBig>| match &decimals {
        Some(decimals) => decimals.weights(u),
        None => u,
    };
    let a = Arrangement::new(&x);
    let limit = plan.limit.unwrap_or_else(|| default_limit(&a));
    let options = Options {
        max_cells: Some(limit),
        pairs: false,
        threads: question.threads,
        witnesses: false,
        seed: plan.seed,
        stop,
    };
    let known = known::without_search(&a);
    let listed = sink.is_some();
    // A reader that has gone away waits for nothing more.
    let gone = AtomicBool::new(false);
    let mut watched = sink.map(|sink| {
        |signs: &[i8], witness: Option<&str>| {
            let flow = sink(signs, witness);
            gone.fetch_or(flow.is_break(), Ordering::Relaxed);
            flow
        }
    });
    let sink: Option<&mut Sink<'_>> = watched.as_mut().map(|sink| sink as &mut Sink<'_>);
    let search = Search { a: &a, options: &options, witness: plan.witness.then_some(&x), unscaled: &unscaled };
    let seen = match (plan.ternary, sink) {
        (true, sink) => search.faces(sink),
        (false, Some(sink)) => search.listed(sink),
        // A search that is sure to be cut short shows nothing that is not known already, and one cell of many dimensions
        // can take minutes.
        (false, None) if !known.exact && known.lower > limit.into() => {
            Seen { cells: 0, end: End::Limit, active: None, faces: None }
        }
        (false, None) => search.counted(known.exact),
    };
    let exact = known.exact || seen.end == End::Complete;
    let (lower, upper) = match (known.exact, exact) {
        (false, true) => (seen.cells.into(), seen.cells.into()),
        _ => (known.lower.max(seen.cells.into()), known.upper),
    };
    let no_zero_row = !a.roles().contains(&Role::Zero);
    let general_position = if exact { Some(no_zero_row && upper == known.cover_bound) } else { known.general_position };
    let stopped = match seen.end {
        End::Complete => None,
        End::Limit => Some(Stopped::Limit),
        End::Stopped => Some(Stopped::Interrupted),
    };
    let status = match stopped {
        None => PatternsStatus::Exact,
        Some(Stopped::Limit) if seen.cells == 0 || (plan.limit.is_none() && !listed) => PatternsStatus::Bound,
        Some(_) => PatternsStatus::Partial,
    };
    let ray_bound = &upper * UBig::from(2u8) - UBig::ONE;
    let rows = &question.data.rows;
    // The directions alone, multiples set aside: as many patterns as possible only in general position.
    let general = exact && upper == cover(a.classes(), a.dim());
    let unread = || gone.load(Ordering::Relaxed) || stop();
    let degenerate = degenerate::named(&a, &x, rows, general, &unread);
    let zero = a.roles().iter().zip(rows).filter(|(role, _)| **role == Role::Zero).map(|(_, row)| *row);
    let check = plan.check.as_ref().and_then(|p| single::check(p, &x, rows, &unscaled, stop));
    Ok(PatternsAnswer {
        schema: PatternsAnswer::SCHEMA.into(),
        command: "patterns".into(),
        settings: settings(question, limit),
        data: PatternsData { notices: notices(question), ..question.data.clone() },
        n: a.n(),
        dim: a.dim(),
        rank: a.rank(),
        distinct: a.classes(),
        status,
        stopped,
        patterns: exact.then(|| small(&upper)).flatten(),
        patterns_text: exact.then(|| upper.to_string()),
        lower: lower.to_string(),
        upper: upper.to_string(),
        general_position,
        cover_bound: small(&known.cover_bound),
        cover_bound_text: known.cover_bound.to_string(),
        ray_bound: small(&ray_bound),
        ray_bound_text: ray_bound.to_string(),
        zero_rows: zero.collect(),
        degeneracies: degenerate.found,
        more_degeneracies: degenerate.more,
        active_counts: seen.active,
        covectors: seen.faces.as_ref().map(|f| covectors(f, seen.end)),
        list: plan.list.as_ref().map(|list| ListFacts {
            file: list.path().map_or_else(|| "-".into(), |p| p.display().to_string()),
            format: list.format().into(),
            written: seen.faces.as_ref().map_or(seen.cells, |f| f.iter().sum()),
            complete: seen.end == End::Complete,
        }),
        check,
    })
}

/// What the reader noticed, and whether values are not what stands in the file.
fn notices(question: &PatternsQuestion<'_>) -> Vec<String> {
    let mut notices = question.data.notices.clone();
    let rounded = |v: &f64| v.fract() != 0.0 && (v * 1024.0).fract() != 0.0;
    if !question.plan.decimals && question.x.as_slice().iter().any(rounded) {
        notices.push(
            "decimals are taken as the nearest doubles, which can part rows that lie on one line; --decimals takes them \
             as they are"
                .into(),
        );
    }
    notices
}

/// Faces by dimension as the answer gives them.
fn covectors(by_dimension: &[u64], end: End) -> Covectors {
    let total = by_dimension.iter().map(|f| UBig::from(*f)).fold(UBig::ZERO, |s, f| s + f);
    let complete = end == End::Complete;
    Covectors {
        count: complete.then(|| small(&total)).flatten(),
        count_text: total.to_string(),
        by_dimension: by_dimension.iter().map(ToString::to_string).collect(),
        complete,
    }
}

/// X with a column of ones for a bias.
fn with_bias(x: &Mat, bias: Bias) -> Mat {
    let d = x.cols();
    match bias {
        Bias::None => x.clone(),
        Bias::Penalised | Bias::Free => Mat::from_fn(x.rows(), d + 1, |i, k| if k < d { x[(i, k)] } else { 1.0 }),
    }
}

/// Most patterns by default: ten million, fewer where one costs more (n times rank operations, roughly).
fn default_limit(a: &Arrangement) -> u64 {
    let cost = (a.n() * a.rank()).max(1) as u64;
    (4_000_000_000 / cost).clamp(10_000, 10_000_000)
}

/// The number, if JSON readers keep it exactly (below 2^53).
fn small(value: &UBig) -> Option<u64> {
    u64::try_from(value).ok().filter(|v| *v < 1 << 53)
}

fn settings(question: &PatternsQuestion<'_>, limit: u64) -> PatternsSettings {
    let plan = question.plan;
    PatternsSettings {
        bias: plan.bias.name().into(),
        limit,
        limit_source: if plan.limit.is_some() { "flag" } else { "default" }.into(),
        seed: plan.seed,
        threads: question.threads as u64,
        budget: plan.budget.map(|b| b.as_secs_f64()),
        decimals: plan.decimals,
        ternary: plan.ternary,
        witness: plan.witness,
        ..question.settings.clone()
    }
}
