//! What runs that end at one level have in common: properties of the active sets at the end.

use relimit_core::langevin::{Particles, Plan};
use relimit_core::net::mask;

use crate::answer::{Trait, TraitFact};

/// Share of a level's runs from which on a property is told.
const TOLD: f64 = 0.5;

/// Who is active where, in one state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    /// Neurons that are active on some row and have an output weight.
    pub(super) alive: usize,
    traits: Vec<Trait>,
}

/// Reads the active sets of a state. O(n N (d + k)).
pub(super) fn seen(plan: &Plan, particles: &Particles) -> Seen {
    let (net, x) = (particles.network(plan), &plan.options().x);
    let n = x.rows();
    let mut sets: Vec<Vec<bool>> = vec![];
    let (mut plus, mut minus) = (false, false);
    for j in 0..net.width() {
        let set: Vec<bool> = (0..n).map(|i| mask(net.preactivation(j, x.row(i)), false)).collect();
        let weights: Vec<f64> = (0..net.outputs()).map(|a| net.c[(a, j)]).collect();
        if set.contains(&true) && weights.iter().any(|c| *c != 0.0) {
            plus |= weights.iter().any(|c| *c > 0.0);
            minus |= weights.iter().any(|c| *c < 0.0);
            sets.push(set);
        }
    }
    let alive = sets.len();
    let every = |test: &dyn Fn(&Vec<bool>) -> bool| sets.iter().all(test);
    let told = [
        (Trait::NoneAlive, alive == 0),
        (Trait::UnseenRow, alive > 0 && (0..n).any(|i| every(&|set| !set[i]))),
        (Trait::NoKink, every(&|set| !set.contains(&false))),
        (Trait::OneActiveSet, alive > 0 && every(&|set| *set == sets[0])),
        (Trait::OneAlive, alive == 1),
        (Trait::OneSign, alive > 1 && !(plus && minus)),
    ];
    let traits = told.into_iter().filter(|t| t.1).map(|t| t.0).collect();
    Seen { alive, traits }
}

/// The properties of at least half of the runs of a level, the commonest first, each with how many of the lowest level's
/// runs have it.
pub(super) fn facts(level: &[&Seen], lowest: &[&Seen]) -> Vec<TraitFact> {
    let count = |of: &[&Seen], which: Trait| of.iter().filter(|s| s.traits.contains(&which)).count() as u64;
    let mut out: Vec<TraitFact> = Trait::ALL
        .into_iter()
        .map(|which| TraitFact { name: which, runs: count(level, which), lowest: count(lowest, which) })
        .filter(|fact| fact.runs > 0 && fact.runs as f64 >= TOLD * level.len() as f64)
        .collect();
    out.sort_by(|a, b| b.runs.cmp(&a.runs).then(a.name.cmp(&b.name)));
    out
}
