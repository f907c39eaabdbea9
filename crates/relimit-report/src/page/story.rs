//! One sentence a section: what page and terminal say first.

use relimit_core::descent::Status;
use relimit_solve::answer::{Claim, OptimumAnswer, Section, SectionStatus, StudyAnswer};

use crate::number::{count, four, interval, percent};
use crate::text::{headline, many, optimum_sentence, sentence};

/// What one section says.
pub(crate) struct Told {
    /// Which.
    pub(crate) section: Section,
    /// How far it came.
    pub(crate) status: SectionStatus,
    /// The answer in a sentence; why there is none where it was skipped.
    pub(crate) sentence: String,
    /// What limits it.
    pub(crate) why: Option<String>,
}

/// Every section in order.
pub(crate) fn story(answer: &StudyAnswer) -> Vec<Told> {
    let told = |fact: &relimit_solve::answer::SectionFact| {
        let found = match fact.section {
            Section::Patterns => answer.patterns.as_ref().map(headline),
            Section::Limit => answer.limit.as_ref().map(|f| followed(&f.answer)),
            Section::Flow => answer.flow.as_ref().map(|f| followed(&f.answer)),
            Section::Optimum => optimum(answer),
            Section::Law => answer.law.as_ref().map(law),
        };
        let (sentence, why) = match found {
            Some(sentence) => (sentence, fact.why.clone()),
            None => (format!("Skipped: {}.", fact.why.as_deref().unwrap_or("no reason is known")), None),
        };
        Told { section: fact.section, status: fact.status, sentence, why }
    };
    answer.sections.iter().map(told).collect()
}

/// The limit, and how far it is from the minimum norm where that is known.
fn followed(answer: &relimit_solve::answer::LimitAnswer) -> String {
    let mut text = sentence(answer);
    let open = answer.limit.fitted.len() < answer.data.n;
    match (answer.limit.status, answer.limit.loss) {
        (Status::Converged, Some(loss)) if open => text = format!("{text} Its loss ends at {}.", four(loss)),
        (Status::Budget | Status::Cycle, Some(loss)) if open => {
            text = format!("{text} Its loss has come to {}.", four(loss));
        }
        _ => {}
    }
    if let Some(relative) = answer.gap.relative {
        text = format!("{text} It ends {} of the minimum norm away from the minimum-norm solution.", percent(relative));
    }
    text
}

/// The optima from the largest to the smallest lambda.
fn optimum(answer: &StudyAnswer) -> Option<String> {
    let (first, last) = (&answer.optimum.first()?.answer, &answer.optimum.last()?.answer);
    let sure = answer.optimum.iter().filter(|f| f.answer.status == Claim::Certified).count();
    let all = answer.optimum.len();
    let certainty = match sure {
        k if k == all => "all certified".to_owned(),
        0 => "none certified".to_owned(),
        k => format!("{k} of {all} certified"),
    };
    if all == 1 {
        let certainty = if sure == 1 { "certified" } else { "not certified" };
        return Some(format!("{} ({certainty}).", optimum_sentence(first).trim_end_matches('.')));
    }
    let rank = |a: &OptimumAnswer| a.cells.as_ref().map(|cells| cells.iter().map(|c| c.rank).sum::<usize>());
    if let (Some(low), Some(high)) = (rank(first), rank(last)) {
        return Some(format!(
            "The best network for all targets has rank {low} at lambda {} and {high} at {}, counted over its cells ({certainty}).",
            four(first.lambda),
            four(last.lambda)
        ));
    }
    let which = if sure == all { "The best network of any width" } else { "The best network found" };
    Some(format!(
        "{which} has {} at lambda {} and {} at {} ({certainty}).",
        many(first.width, "neuron"),
        four(first.lambda),
        many(last.width, "neuron"),
        four(last.lambda)
    ))
}

fn law(answer: &relimit_solve::answer::GibbsAnswer) -> String {
    match (answer.path.first(), answer.path.last()) {
        (Some(hot), Some(cold)) if answer.path.len() > 1 && hot.effective_width == cold.effective_width => format!(
            "Noisy training acts like {} at beta {} as at beta {}, where they carry {} of the coefficient.",
            many(cold.effective_width, "neuron"),
            four(hot.beta),
            four(cold.beta),
            percent(cold.covered)
        ),
        (Some(hot), Some(cold)) if answer.path.len() > 1 => format!(
            "Noisy training acts like {} at beta {} and like {} at beta {}, which carry {} of the coefficient.",
            many(hot.effective_width, "neuron"),
            four(hot.beta),
            many(cold.effective_width, "neuron"),
            four(cold.beta),
            percent(cold.covered)
        ),
        (_, Some(only)) => format!(
            "Noisy training acts like {} at beta {}, which carry {} of the coefficient.",
            many(only.effective_width, "neuron"),
            four(only.beta),
            percent(only.covered)
        ),
        _ => format!("The law at beta {} was not reached.", four(answer.beta)),
    }
}

/// The objective where it is certified, an interval otherwise.
pub(crate) fn objective(answer: &OptimumAnswer) -> String {
    match answer.status {
        Claim::Certified => four(answer.objective),
        _ => format!("in {}", interval(answer.dual, answer.objective)),
    }
}

/// `label y`, or `labels y1 and y2`.
pub(crate) fn labels(answer: &StudyAnswer) -> String {
    let data = &answer.data;
    let Some(more) = &data.further_targets else { return format!("label {}", data.target) };
    let names: Vec<&str> =
        std::iter::once(&data.target).chain(more.iter().map(|t| &t.name)).map(String::as_str).collect();
    let (last, others) = names.split_last().map_or(("", &[][..]), |(last, others)| (*last, others));
    format!("labels {} and {last}", others.join(", "))
}

/// `133 rows, 1 feature`.
pub(crate) fn size(answer: &StudyAnswer) -> String {
    let (n, d) = (answer.data.n, answer.data.d);
    format!("{} row{}, {}", count(n as u64), if n == 1 { "" } else { "s" }, many(d, "feature"))
}
