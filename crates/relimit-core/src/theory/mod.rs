//! The theorem ledger: each theorem's hypotheses on one data set, its conclusion measured, the slack, and a verdict.
//!
//! ```text
//! a hypothesis is false -> hypotheses not met;   one is open -> undecided;   a rate -> undecided;
//! else the conclusion:  seen -> holds,  contradicted -> fails,  not known -> undecided
//! ```
//!
//! Engines fill an [`Evidence`]; [`ledger()`] turns it into one [`Finding`] an entry, always all of them in one order.
//! docs/theory.md lists the entries with their sources.

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
pub use evidence::{
    DataFacts, EffectiveDimension, Evidence, GapFacts, LawFacts, Line, Measured, MinNormFacts, OptimumFacts,
    PatternCount, Ray, RunFacts, SelectionFacts, TrainingFacts,
};
pub use family::{Family, orthogonal_rows, rejected_difference};
pub use finding::{ClaimKind, Finding, Hypothesis, Read, Source, Verdict};

/// Every entry, in the order of the ledger.
const ENTRIES: [fn(&Evidence) -> Finding; 29] = [
    high_dimension::gap_rate,
    high_dimension::gap_at_least,
    high_dimension::gap_at_most,
    high_dimension::gap_without_solver,
    high_dimension::fits_positives,
    high_dimension::decouples,
    high_dimension::active_stays_active,
    high_dimension::negative_duals_freeze,
    high_dimension::disjoint_subsets,
    high_dimension::one_step,
    single_neuron::nearest_zero_loss,
    single_neuron::factor_two,
    single_neuron::not_minimum_norm,
    orthogonal::variation_norm_limit,
    orthogonal::orthogonal_flow,
    collapse::kinks,
    collapse::rays,
    collapse::concentration,
    collapse::distinct,
    collapse::incomparable,
    collapse::two_per_binary,
    collapse::two_point_law,
    collapse::several_outputs,
    knots::three_per_interval,
    ours::ray_count,
    ours::virial,
    ours::thermal_excess,
    ours::outputs_unique,
    ours::selection,
];

/// The ledger: one finding for every entry, in fixed order, whatever the evidence.
///
/// What is absent from the evidence is `undecided` with the reason, never `holds`.
pub fn ledger(evidence: &Evidence) -> Vec<Finding> {
    ENTRIES.iter().map(|entry| entry(evidence)).collect()
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
