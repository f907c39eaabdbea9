//! What is known about the number of patterns before any search.

use dashu_int::UBig;
use relimit_core::pattern::{Arrangement, Role, cover};

/// An interval for P, closed forms included.
pub(super) struct Known {
    pub(super) lower: UBig,
    pub(super) upper: UBig,
    /// Whether the two are equal by proof.
    pub(super) exact: bool,
    /// `Some(false)` where rows are zero, proportional or of too small a rank; otherwise not decided here.
    pub(super) general_position: Option<bool>,
    /// P of as many rows in general position.
    pub(super) cover_bound: UBig,
}

/// Bounds for m different directions of rank r:
///
/// ```text
/// max(2^r, 2 m) <= P <= 2 sum_{k < r} C(m - 1, k)        (with equality on both sides for m = r and for r <= 2)
/// ```
///
/// The lower bounds are those of r independent rows, which have every pattern, and of a generic path from a pattern to
/// its complement, which crosses the m hyperplanes one by one.
pub(super) fn without_search(a: &Arrangement) -> Known {
    let (m, rank) = (a.classes(), a.rank());
    let zero = a.roles().contains(&Role::Zero);
    let special = zero || rank < a.n().min(a.dim()) || (m < a.n() && a.dim() > 1);
    let lower = (UBig::ONE << rank).max(UBig::from(2 * m));
    let upper = cover(m, rank);
    Known {
        exact: lower == upper,
        lower,
        upper,
        general_position: special.then_some(false),
        cover_bound: cover(a.n(), a.dim()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(n: usize, dim: usize, rows: &[i64]) -> (u64, u64, bool) {
        let known = without_search(&Arrangement::from_integers(n, dim, rows));
        (known.lower.try_into().unwrap(), known.upper.try_into().unwrap(), known.exact)
    }

    #[test]
    fn closed_forms_and_intervals() {
        assert_eq!(bounds(2, 2, &[0, 0, 0, 0]), (1, 1, true));
        assert_eq!(bounds(3, 1, &[5, 0, -2]), (2, 2, true));
        // three points on a line with a bias: 2 * 3
        assert_eq!(bounds(3, 2, &[0, 1, 1, 1, 2, 1]), (6, 6, true));
        // independent rows: 2^3
        assert_eq!(bounds(3, 3, &[1, 0, 0, 0, 1, 0, 0, 0, 1]), (8, 8, true));
        // four points in a plane: 14 in general, 12 with three on a line (reference values)
        assert_eq!(bounds(4, 3, &[0, 0, 1, 1, 0, 1, 2, 0, 1, 0, 1, 1]), (8, 14, false));
    }
}
