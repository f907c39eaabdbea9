//! The theorem ledger: each theorem's hypotheses on one data set, its conclusion measured, the slack, and a verdict.
//!
//! ```text
//! a hypothesis is false -> hypotheses not met;   one is open -> undecided;   a rate -> undecided;
//! else the conclusion:  seen -> holds,  contradicted -> fails,  not known -> undecided
//! ```
//!
//! Engines fill an [`Evidence`]; [`ledger()`] turns it into one [`Finding`] an entry, always all of them in one order.
//! docs/theory.md lists the entries with their sources.

mod entry;
mod evidence;
mod family;
mod finding;

mod conditions;

mod high_dimension;

mod single_neuron;

mod orthogonal;

mod collapse;

mod knots;

mod ours;

mod arc;

pub use arc::arc_of_contact;
pub use conditions::{ENOUGH_PER_EXAMPLE, TOO_FEW_PER_EXAMPLE};
pub use entry::Entry;
pub use evidence::{
    DataFacts, EffectiveDimension, Evidence, GapFacts, LawFacts, Line, Measured, MinNormFacts, OptimumFacts,
    PatternCount, Ray, RunFacts, SelectionFacts, TrainingFacts,
};
pub use family::{Family, orthogonal_rows, rejected_difference};
pub use finding::{ClaimKind, Finding, Hypothesis, Read, Source, Verdict};

/// Every entry, in the order of the ledger.
const ENTRIES: [Entry; 29] = [
    Entry::never(high_dimension::gap_rate),
    Entry::any(high_dimension::gap_at_least),
    Entry::any(high_dimension::gap_at_most),
    Entry::any(high_dimension::gap_without_solver),
    Entry::any(high_dimension::fits_positives),
    Entry::any(high_dimension::decouples),
    Entry::any(high_dimension::active_stays_active),
    Entry::any(high_dimension::negative_duals_freeze),
    Entry::any(high_dimension::disjoint_subsets),
    Entry::any(high_dimension::one_step),
    Entry::never(single_neuron::nearest_zero_loss),
    Entry::any(single_neuron::factor_two),
    Entry::any(single_neuron::not_minimum_norm),
    Entry::never(orthogonal::variation_norm_limit),
    Entry::any(orthogonal::orthogonal_flow),
    Entry::any(collapse::kinks),
    Entry::any(collapse::rays),
    Entry::never(collapse::concentration),
    Entry::any(collapse::distinct),
    Entry::any(collapse::incomparable),
    Entry::undeniable(collapse::two_per_binary),
    Entry::any(collapse::two_point_law),
    Entry::any(collapse::several_outputs),
    Entry::any(knots::three_per_interval),
    Entry::any(ours::ray_count),
    Entry::unconditional(ours::virial),
    Entry::unconditional(ours::thermal_excess),
    Entry::unconditional(ours::outputs_unique),
    Entry::never(ours::selection),
];

/// The ledger: one finding for every entry, in fixed order, whatever the evidence.
///
/// What is absent from the evidence is `undecided` with the reason, never `holds`.
pub fn ledger(evidence: &Evidence) -> Vec<Finding> {
    ENTRIES.iter().map(|entry| entry.judge(evidence)).collect()
}

/// The entries themselves, in the same order.
pub fn entries() -> &'static [Entry] {
    &ENTRIES
}

/// A number as findings print it: four digits.
fn short(v: f64) -> String {
    if v == 0.0 || (1e-3..1e5).contains(&v.abs()) {
        let digits = (3 - libm::log10(v.abs().max(1e-300)).floor() as i32).clamp(0, 8) as usize;
        let text = format!("{v:.digits$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
    } else {
        format!("{v:.3e}")
    }
}
