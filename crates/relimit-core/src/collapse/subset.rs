//! Which subset of given residues sums to a target: meet in the middle, every hit confirmed by the caller.

use crate::num::dyadic::{PRIME, add_residues};

/// What a search found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Search {
    /// The members, one bit each.
    Found(u64),
    /// There is none.
    Nothing,
    /// Stopped before the end.
    Stopped,
}

/// Searches a subset of `values` (residues modulo [`PRIME`], at most 62) with sum `target` that `confirm` accepts.
///
/// `2^(n/2)` sums are kept and sorted, as many looked up. `stop` is polled every 2^14 of them.
pub(super) fn subset(values: &[u64], target: u64, confirm: &dyn Fn(u64) -> bool, stop: &dyn Fn() -> bool) -> Search {
    let half = values.len() / 2;
    if stop() {
        return Search::Stopped;
    }
    let mut left: Vec<(u64, u32)> = sums(&values[..half]).into_iter().zip(0..).collect();
    left.sort_unstable();
    for (high, sum) in sums(&values[half..]).into_iter().enumerate() {
        if high % (1 << 14) == 0 && stop() {
            return Search::Stopped;
        }
        let wanted = add_residues(target, PRIME - sum);
        let from = left.partition_point(|l| l.0 < wanted);
        for (_, low) in left[from..].iter().take_while(|l| l.0 == wanted) {
            let members = u64::from(*low) | (high as u64) << half;
            if confirm(members) {
                return Search::Found(members);
            }
        }
    }
    Search::Nothing
}

/// Sums of all subsets; bit i of the place says whether value i is in.
fn sums(values: &[u64]) -> Vec<u64> {
    let mut all = Vec::with_capacity(1 << values.len());
    all.push(0);
    for v in values {
        for k in 0..all.len() {
            all.push(add_residues(all[k], *v));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subsets_are_those_of_a_plain_search() {
        let go = || false;
        let values = [3, 34, 4, 12, 5, 2, PRIME - 7];
        for target in (0..60).chain([PRIME - 7, PRIME - 4]) {
            let sum = |s: u64| (0..7).filter(|i| s >> i & 1 == 1).fold(0, |a, i| add_residues(a, values[i]));
            let exists = (0..1 << 7).any(|s| sum(s) == target);
            match subset(&values, target, &|s| sum(s) == target, &go) {
                Search::Found(s) => assert_eq!(sum(s), target),
                other => assert!(!exists && other == Search::Nothing, "{target}"),
            }
        }
        assert_eq!(subset(&[], 0, &|_| true, &go), Search::Found(0));
        assert_eq!(subset(&values, 3, &|_| false, &go), Search::Nothing, "a hit that is no solution is passed over");
        assert_eq!(subset(&values, 3, &|_| true, &|| true), Search::Stopped);
    }
}
