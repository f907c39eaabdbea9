//! Which rows are degenerate and how, in rows of the file.

use dashu_int::ops::BitTest;
use relimit_core::num::Mat;
use relimit_core::pattern::{Arrangement, Role, dependent_flats};

use crate::answer::{Degeneracy, DegeneracyKind};

/// Integer products of one machine word that a search for dependent rows may cost, a rank.
const WORK: u64 = 10_000_000;

/// Groups found, the larger ranks last.
pub(super) struct Degenerate {
    pub(super) found: Vec<Degeneracy>,
    pub(super) more: bool,
}

/// Rows along one line through 0, by how they differ; then rows in a common subspace.
///
/// `x` holds the rows of `a` and decides which multiples are equal. Subspaces are searched only where `general` does not
/// say that the different directions are in general position.
pub(super) fn degeneracies(
    a: &Arrangement,
    x: &Mat,
    rows: &[usize],
    general: bool,
    stop: &dyn Fn() -> bool,
) -> Degenerate {
    let mut groups: Vec<Vec<(usize, bool)>> = vec![vec![]; a.classes()];
    for (i, role) in a.roles().iter().enumerate() {
        if let Role::Multiple { class, negative } = *role {
            groups[class].push((i, negative));
        }
    }
    let several = groups.into_iter().filter(|g| g.len() > 1);
    let mut found: Vec<Degeneracy> = several
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
        return Degenerate { found, more: false };
    }
    let first = a.first_rows();
    let longest = (0..a.classes()).flat_map(|c| a.row(c)).map(BitTest::bit_len).max().unwrap_or(0);
    let cost = a.n() * a.dim() * (1 + longest / 32);
    let flats = dependent_flats(a, WORK / cost.max(1) as u64, stop);
    found.extend(flats.flats.into_iter().map(|flat| Degeneracy {
        kind: DegeneracyKind::Dependent,
        rows: flat.classes.iter().map(|c| rows[first[*c]]).collect(),
        rank: flat.rank,
    }));
    Degenerate { found, more: !flats.complete }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiples_are_told_apart() {
        let x =
            Mat::from_rows(&[[1.0, 2.0], [0.0, 0.0], [1.0, 2.0], [3.0, 1.0], [6.0, 2.0], [-1.0, 5.0], [2.0, -10.0]]);
        let found = degeneracies(&Arrangement::new(&x), &x, &[2, 3, 4, 5, 6, 7, 8], false, &|| false).found;
        let group = |kind, rows: [usize; 2]| Degeneracy { kind, rows: rows.into(), rank: 1 };
        let expected = [
            group(DegeneracyKind::Equal, [2, 4]),
            group(DegeneracyKind::Proportional, [5, 6]),
            group(DegeneracyKind::Opposite, [7, 8]),
        ];
        assert_eq!(found, expected);
    }
}
