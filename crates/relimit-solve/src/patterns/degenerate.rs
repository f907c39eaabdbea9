//! Which rows are degenerate and how, in rows of the file.

use relimit_core::num::Mat;
use relimit_core::pattern::{Arrangement, degeneracies};

use crate::answer::{Degeneracy, DegeneracyKind};

/// Most groups of rows in a common subspace.
const MOST: usize = 1000;

/// Groups found, the larger ranks last.
pub(super) struct Degenerate {
    pub(super) found: Vec<Degeneracy>,
    pub(super) more: bool,
}

/// Rows along one line through 0, by how they differ; then rows in a common subspace.
///
/// `x` holds the rows of `a` and decides which multiples are equal. Subspaces are searched only where `general` does not
/// say that the different directions are in general position.
pub(super) fn named(a: &Arrangement, x: &Mat, rows: &[usize], general: bool, stop: &dyn Fn() -> bool) -> Degenerate {
    // Where the different directions are in general position there is nothing to search for.
    let found = degeneracies(a, MOST, &|| general || stop());
    let mut told: Vec<Degeneracy> = found
        .proportional
        .into_iter()
        .map(|group| {
            let first = x.row(group[0].0);
            let kind = if group.iter().any(|(_, negative)| *negative) {
                DegeneracyKind::Opposite
            } else if group.iter().all(|(i, _)| x.row(*i) == first) {
                DegeneracyKind::Equal
            } else {
                DegeneracyKind::Proportional
            };
            Degeneracy { kind, rows: group.iter().map(|(i, _)| rows[*i]).collect(), rank: 1 }
        })
        .collect();
    if general {
        return Degenerate { found: told, more: false };
    }
    told.extend(found.dependent.into_iter().map(|set| Degeneracy {
        kind: DegeneracyKind::Dependent,
        rows: set.rows.iter().map(|i| rows[*i]).collect(),
        rank: set.rank,
    }));
    Degenerate { found: told, more: !found.complete }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiples_are_told_apart() {
        let x =
            Mat::from_rows(&[[1.0, 2.0], [0.0, 0.0], [1.0, 2.0], [3.0, 1.0], [6.0, 2.0], [-1.0, 5.0], [2.0, -10.0]]);
        let found = named(&Arrangement::new(&x), &x, &[2, 3, 4, 5, 6, 7, 8], false, &|| false).found;
        let group = |kind, rows: [usize; 2]| Degeneracy { kind, rows: rows.into(), rank: 1 };
        let expected = [
            group(DegeneracyKind::Equal, [2, 4]),
            group(DegeneracyKind::Proportional, [5, 6]),
            group(DegeneracyKind::Opposite, [7, 8]),
        ];
        assert_eq!(found, expected);
    }
}
