//! From the parts of a study to the evidence that the theorem ledger judges.

use std::cmp::Ordering;

use relimit_core::data::scale::Scaled;
use relimit_core::descent::Event;
use relimit_core::num::Mat;
use relimit_core::num::mat::{dot, norm2};
use relimit_core::pattern::Covector;
use relimit_core::theory::{
    DataFacts, EffectiveDimension, Evidence, Family, Finding, GapFacts, LawFacts, Line, MinNormFacts, OptimumFacts,
    PatternCount, Ray, RunFacts, arc_of_contact, ledger as judge, orthogonal_rows,
};

use super::StudyQuestion;
use crate::answer::{
    CellFact, Fitted, Followed, GibbsAnswer, NeuronFact, OptimumAnswer, PatternsAnswer, PerTarget, StudyAnswer,
};

/// Rows up to which orthogonality is looked at (n^2 products).
const PAIRS: usize = 2000;
/// Neurons of a cell up to which pairs of them are tried as ends of an arc of contact.
const ENDS: usize = 20;
/// Share of lambda within which |Q| counts as lambda on an arc: certified optima are some 1e-9 from theirs.
const TOUCHES: f64 = 1e-6;

/// The ledger of a study; entries whose evidence is absent are `undecided`.
pub fn ledger(answer: &StudyAnswer, question: &StudyQuestion) -> Vec<Finding> {
    let scaled = &question.scaled;
    let (data, bias) = (&scaled.dataset, answer.settings.bias != "none");
    let n = data.n();
    let dim = data.d() + usize::from(bias);
    let omega = 1.0 / n as f64;
    let run = answer.limit.as_ref().or(answer.flow.as_ref());
    judge(&Evidence {
        data: Some(rows(scaled, bias, run)),
        descent: answer.limit.as_ref().and_then(|f| facts(f, n)),
        flow: answer.flow.as_ref().and_then(|f| facts(f, n)),
        min_norm: run.map(|f| {
            let m = &f.answer.min_norm;
            MinNormFacts { status: m.status, norm: m.norm, lower: m.lower, upper: m.upper }
        }),
        gap: answer.limit.as_ref().and_then(distance),
        flow_gap: answer.flow.as_ref().and_then(distance),
        one_step: answer.limit.as_ref().map(|f| f.state.one_step.clone()),
        training: None,
        patterns: answer.patterns.as_ref().and_then(count),
        optima: answer.optimum.iter().map(|f| optimum(f, answer, question, omega)).collect(),
        laws: answer.law.as_ref().map_or_else(Vec::new, |law| laws(law, dim + 1, omega)),
    })
}

fn rows(scaled: &Scaled, bias: bool, run: Option<&Followed>) -> DataFacts {
    let data = &scaled.dataset;
    let one = f64::from(u8::from(bias));
    let product = |i: usize, l: usize| dot(data.x.row(i), data.x.row(l)) + one;
    let n = data.n();
    let lengths: Vec<f64> = (0..n).map(|i| product(i, i).sqrt()).collect();
    let dim = data.d() + usize::from(bias);
    let d2 = run.and_then(|f| f.answer.data.d2_population).and_then(|d| {
        let value = d.value?;
        Some(EffectiveDimension { value, low: d.low.unwrap_or(value), high: d.high.unwrap_or(value) })
    });
    DataFacts {
        n,
        dim,
        tau: lengths.iter().map(|l| l * l).sum::<f64>() / n as f64,
        d2,
        orthogonal: match n.cmp(&dim) {
            // more rows than inputs are dependent
            Ordering::Greater => Some(false),
            _ if n > PAIRS => None,
            _ => Some(orthogonal_rows(&Mat::from_fn(n, n, product), dim)),
        },
        lengths,
        labels: data.y.clone(),
        family: Family::of(&data.x, &data.y),
    }
}

fn facts(found: &Followed, n: usize) -> Option<RunFacts> {
    let (answer, state) = (&found.answer, &found.state);
    let limit = &answer.limit;
    let place = |row: &usize| answer.data.rows.iter().position(|r| r == row);
    let mut fitted = vec![false; n];
    for i in limit.fitted.iter().filter_map(place) {
        fitted[i] = true;
    }
    let events: Option<Vec<Event>> = answer
        .events
        .shown
        .iter()
        .map(|e| Some(Event { at: e.at, neuron: e.neuron as u32, example: place(&e.row)? as u32, to: e.to }))
        .collect();
    Some(RunFacts {
        c: state.c.clone(),
        at_zero: answer.settings.relu_at_zero == 1,
        eta: state.step,
        status: limit.status,
        start_z: state.start.clone(),
        z: Mat::from_rows(&limit.preactivations),
        fitted,
        // the answer's loss is the half-mean
        loss: limit.loss? * n as f64,
        events: events?,
        events_complete: !answer.events.truncated,
        last_event: answer.events.last_step.map(|k| k as f64).or(answer.events.last_time)?,
        distance: state.distance,
        offset: limit.offset_norm.unwrap_or(0.0),
        radius: limit.radius?,
    })
}

fn distance(found: &Followed) -> Option<GapFacts> {
    let gap = &found.answer.gap;
    Some(GapFacts { absolute: gap.absolute?, relative: gap.relative, bound: gap.bound, v_norm: None })
}

fn count(answer: &PatternsAnswer) -> Option<PatternCount> {
    match answer.patterns {
        Some(p) => Some(PatternCount::exact(p)),
        None => answer.lower.parse().ok().map(|lower| PatternCount { lower, upper: answer.upper.parse().ok() }),
    }
}

fn optimum(fitted: &Fitted, study: &StudyAnswer, question: &StudyQuestion, omega: f64) -> OptimumFacts {
    let answer = &fitted.answer;
    let one = question.further.is_empty();
    OptimumFacts {
        outputs: 1 + question.further.len(),
        penalised_bias: study.settings.bias != "none",
        lambda: answer.lambda,
        omega,
        status: answer.status,
        objective: answer.objective,
        lower_bound: answer.dual,
        fitted: answer.outputs.iter().flat_map(numbers).copied().collect(),
        rays: rays(answer),
        contact: None,
        kinks: one.then(|| hyperplanes(answer)),
        line: answer
            .kinks
            .as_ref()
            .zip(study.data.points.as_ref())
            .map(|(kinks, points)| Line { points: points.iter().map(|p| p[0]).collect(), kinks: kinks.clone() }),
        unique: answer.unique,
        contact_count: answer.contact,
        face_rank: face_rank(answer),
        contact_dimension: arc(answer, question, omega).then_some(1),
    }
}

/// The number, or those of every target.
fn numbers(value: &PerTarget) -> &[f64] {
    match value {
        PerTarget::One(v) => std::slice::from_ref(v),
        PerTarget::Several(all) => all,
    }
}

/// Several targets: the largest rank of a cell whose neurons have one and the same pattern.
fn face_rank(answer: &OptimumAnswer) -> Option<usize> {
    let alike = |cell: &&CellFact| cell.neurons.iter().all(|j| answer.neurons[*j].pattern == cell.pattern);
    answer.cells.as_ref()?.iter().filter(alike).map(|cell| cell.rank).max()
}

/// Several targets: whether two neurons of one cell are ends of an arc of contact.
fn arc(answer: &OptimumAnswer, question: &StudyQuestion, omega: f64) -> bool {
    let Some(cells) = &answer.cells else { return false };
    let mut scaled = question.scaled.clone();
    if question.settings.bias != "none" {
        scaled.push_bias();
    }
    let data = &scaled.dataset;
    let columns: Vec<&[f64]> =
        std::iter::once(&data.y[..]).chain(question.further.iter().map(|t| t.y.as_slice())).collect();
    let dual = Mat::from_fn(data.n(), columns.len(), |i, l| omega * (columns[l][i] - numbers(&answer.outputs[i])[l]));
    let direction = |n: &NeuronFact| -> Vec<f64> { n.w.iter().copied().chain([n.b]).take(data.x.cols()).collect() };
    cells.iter().any(|cell| {
        let ends: Vec<Vec<f64>> = cell.neurons.iter().take(ENDS).map(|j| direction(&answer.neurons[*j])).collect();
        let joined = |k: usize, v: &Vec<f64>| {
            ends[..k].iter().any(|u| arc_of_contact(&data.x, &dual, answer.lambda, u, v, TOUCHES))
        };
        ends.iter().enumerate().any(|(k, v)| joined(k, v))
    })
}

fn rays(answer: &OptimumAnswer) -> Vec<Ray> {
    let sign = |c: &PerTarget| match c {
        PerTarget::One(c) if *c > 0.0 => 1,
        PerTarget::One(_) => -1,
        PerTarget::Several(_) => 0,
    };
    let ray =
        |n: &NeuronFact| Ray { sign: sign(&n.c), pattern: Covector::from_signs(n.pattern.iter().map(|s| s.cmp(&0))) };
    answer.neurons.iter().map(ray).collect()
}

/// Distinct hyperplanes w . x + b = 0 of the neurons, as far as directions differ by more than rounding.
fn hyperplanes(answer: &OptimumAnswer) -> usize {
    /// Directions nearer than this are one: a thousand times the rounding of a polished direction.
    const SAME: f64 = 1e-9;
    let directions: Vec<Vec<f64>> = answer
        .neurons
        .iter()
        .filter(|n| norm2(&n.w) > 0.0)
        .map(|n| n.w.iter().copied().chain([n.b]).collect())
        .collect();
    let same = |a: &[f64], b: &[f64]| {
        let close = |sign: f64| norm2(&a.iter().zip(b).map(|(a, b)| a - sign * b).collect::<Vec<_>>()) < SAME;
        close(1.0) || close(-1.0)
    };
    let first = |k: &usize| !directions[..*k].iter().any(|other| same(other, &directions[*k]));
    (0..directions.len()).filter(first).count()
}

fn laws(answer: &GibbsAnswer, parameters: usize, omega: f64) -> Vec<LawFacts> {
    let law = |p: &crate::answer::GibbsPoint| LawFacts {
        outputs: 1,
        beta: p.beta,
        lambda: answer.lambda,
        omega,
        parameters,
        fitted: p.outputs.clone(),
        error: p.outputs_error,
        objective: p.objective,
        effective_width: Some(p.effective_width),
        covered: Some(p.covered),
        virial: None,
        selection: None,
    };
    answer.path.iter().map(law).collect()
}
