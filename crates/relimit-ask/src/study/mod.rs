//! A study in a program: the choices that were left open, each section in its share of the time, and nothing lost that
//! was found.

mod question;
mod work;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use relimit_run::clock::Stopwatch;
use relimit_solve::answer::{Fitted, FurtherTarget, Part, Section, SectionFact, SectionStatus, StudyAnswer, StudyData};
use relimit_solve::plan::StudyOptions;
use relimit_solve::study::{Found, StudyQuestion, Until, ledger};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json as object};

use crate::patience::Patience;
use crate::{AskError, DataWords};
use question::Asked;
use work::{Waited, Work};

/// Features of at most so many columns are kept for the pictures.
const DRAWN: usize = 2;
/// Share of a section's time that it may overrun before it is left behind.
const GRACE: f64 = 0.25;

/// A study that is ready to begin.
pub struct Study {
    question: Arc<StudyQuestion>,
    blank: StudyAnswer,
    key: String,
    watch: Stopwatch,
}

/// What one section found and how far it came.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Kept {
    /// What it found.
    pub part: Option<Part>,
    /// How far it came.
    pub fact: SectionFact,
}

/// Whoever keeps what a study finds while it goes on.
pub trait Keeper {
    /// Why something cannot be kept.
    type Error;

    /// A section begins.
    fn begins(&mut self, section: Section);

    /// What an earlier call has kept of a section.
    fn kept(&mut self, section: Section) -> Option<Kept>;

    /// Keeps a section that is done.
    ///
    /// # Errors
    /// Whatever the keeping needs.
    fn keep(&mut self, kept: &Kept) -> Result<(), Self::Error>;

    /// Shows what is there so far.
    ///
    /// # Errors
    /// Whatever the showing needs.
    fn show(&mut self, so_far: &StudyAnswer) -> Result<(), Self::Error>;
}

impl Study {
    /// Reads the data and makes every choice; the budget counts from here.
    ///
    /// # Errors
    /// What the plan, the reader or the scaling refuses.
    pub fn of(words: &DataWords, options: &StudyOptions) -> Result<Self, AskError> {
        let watch = Stopwatch::start();
        let plan = options.check()?;
        let asked = question::question(words, options, &plan)?;
        Ok(Self { blank: empty(&asked), key: asked.key, question: Arc::new(asked.question), watch })
    }

    /// Short name of the data.
    pub fn name(&self) -> &str {
        &self.question.name
    }

    /// What determines the result; the budget does not, so that more time may go on where less has ended.
    pub fn identity(&self) -> Value {
        let s = &self.question.settings;
        object!({
            "command": "study",
            "data": self.key,
            "scale": s.reader.scale,
            "target_scale": s.reader.target_scale,
            "bias": s.bias,
            "lambda": s.lambda,
            "beta": s.beta,
            "signs": s.signs,
            "seed": s.seed,
        })
    }

    /// Does every section that `keeper` does not have, each within its share of the time that is left.
    ///
    /// # Errors
    /// What `keeper` cannot keep or show.
    pub fn run<K: Keeper>(self, stop: &(dyn Fn() -> bool + Sync), keeper: &mut K) -> Result<StudyAnswer, K::Error> {
        let Self { question, blank: mut answer, watch, .. } = self;
        let mut late = Vec::new();
        for (k, section) in Section::ALL.into_iter().enumerate() {
            let kept = if let Some(kept) = keeper.kept(section) {
                kept
            } else {
                keeper.begins(section);
                let left = (question.plan.budget.as_secs_f64() - watch.seconds()).max(0.0);
                let weight = |s: Section| if question.wants_time(s) { weight(s) } else { 0.0 };
                let rest: f64 = Section::ALL[k..].iter().map(|s| weight(*s)).sum();
                let share = if rest > 0.0 { left * weight(section) / rest } else { left };
                let found =
                    within(&question, section, &answer.optimum, Duration::from_secs_f64(share), stop, &mut late);
                done(keeper, judged(section, found))?
            };
            take(&mut answer, kept.part);
            answer.sections.push(kept.fact);
            keeper.show(&answer)?;
        }
        for (section, mut work) in late {
            if let Waited::Ended(found @ Ok(_)) = work.wait(Duration::ZERO, || ()) {
                let kept = done(keeper, judged(section, found))?;
                take(&mut answer, kept.part);
                answer.sections.iter_mut().filter(|s| s.section == section).for_each(|s| s.clone_from(&kept.fact));
            }
        }
        answer.ledger = ledger(&answer, &question);
        keeper.show(&answer)?;
        Ok(answer)
    }
}

fn done<K: Keeper>(keeper: &mut K, kept: Kept) -> Result<Kept, K::Error> {
    if kept.fact.status == SectionStatus::Done {
        keeper.keep(&kept)?;
    }
    Ok(kept)
}

fn empty(asked: &Asked) -> StudyAnswer {
    let Asked { question, data, more, .. } = asked;
    let raw = &data.raw;
    let target = |(name, labels): &(String, Vec<f64>)| FurtherTarget { name: name.clone(), labels: labels.clone() };
    StudyAnswer {
        schema: StudyAnswer::SCHEMA.into(),
        command: "study".into(),
        settings: question.settings.clone(),
        choices: question.choices.clone(),
        data: StudyData {
            name: data.name.clone(),
            n: raw.n(),
            d: raw.d(),
            features: raw.features.clone(),
            target: raw.target.clone(),
            rows: raw.rows.clone(),
            points: (raw.d() <= DRAWN).then(|| raw.x.to_rows()),
            labels: raw.y.clone(),
            further_targets: (!more.is_empty()).then(|| more.iter().map(target).collect()),
            notices: data.notices.clone(),
        },
        sections: vec![],
        patterns: None,
        limit: None,
        flow: None,
        optimum: vec![],
        law: None,
        ledger: vec![],
    }
}

/// How the sections share the time that is left.
fn weight(section: Section) -> f64 {
    match section {
        Section::Patterns => 1.0,
        Section::Limit | Section::Flow => 2.0,
        Section::Optimum | Section::Law => 3.0,
    }
}

/// One section in its time. One that does not come back in time is left behind on its thread, in `late`.
fn within(
    question: &Arc<StudyQuestion>,
    section: Section,
    optima: &[Fitted],
    share: Duration,
    stop: &(dyn Fn() -> bool + Sync),
    late: &mut Vec<(Section, Work<Found>)>,
) -> Found {
    if stop() {
        return Err("interrupted before it began".into());
    }
    let halt = Arc::new(AtomicBool::new(false));
    let (question, optima, flag) = (Arc::clone(question), optima.to_vec(), Arc::clone(&halt));
    let mut work = Work::start(move |reached| {
        let halted = || flag.load(Ordering::Relaxed);
        let patience = Patience::new(&halted, Some(share));
        let until = Until { enough: &|| patience.enough(), stop: &|| patience.now() };
        question.section(section, &optima, until, reached)
    });
    let look = || halt.store(stop(), Ordering::Relaxed);
    match work.wait(share.mul_f64(1.0 + GRACE) + Duration::from_millis(200), look) {
        Waited::Ended(found) => found,
        Waited::Late(reached) => {
            late.push((section, work));
            reached.unwrap_or_else(|| {
                let share = share.as_secs_f64();
                Err(format!(
                    "it needs more than its share of the budget, {share:.1} s; a longer --budget gives it more"
                ))
            })
        }
        // the panic has been told by the thread itself
        Waited::Broken => Err("it ended in a fault of ours, reported on standard error".into()),
    }
}

fn judged(section: Section, found: Found) -> Kept {
    match found {
        Ok((part, status, why)) => Kept { part: Some(part), fact: SectionFact { section, status, why } },
        Err(why) => Kept { part: None, fact: SectionFact { section, status: SectionStatus::Skipped, why: Some(why) } },
    }
}

fn take(answer: &mut StudyAnswer, part: Option<Part>) {
    match part {
        None => {}
        Some(Part::Patterns(found)) => answer.patterns = Some(*found),
        Some(Part::Limit(found)) => answer.limit = Some(*found),
        Some(Part::Flow(found)) => answer.flow = Some(*found),
        Some(Part::Optimum(found)) => answer.optimum = found,
        Some(Part::Law(found)) => answer.law = Some(*found),
    }
}
