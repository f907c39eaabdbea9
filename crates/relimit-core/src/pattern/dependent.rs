//! Which rows are special: more of them in a subspace than its dimension, and no reason for it in a smaller one.
//!
//! ```text
//! special flat F of rank r < D:  |F| > r, and each of its rows depends on the others
//! ```
//!
//! In the language of matroids: cyclic flats of rank 2 and more that are not a direct sum of smaller ones. Three points on
//! a line and four in a plane are examples, with a bias column; the line together with a point outside it is none.

use std::ops::ControlFlow;

use super::arrangement::Arrangement;
use super::faces::for_each_flat;

/// Classes in a common subspace of a dimension below their number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DependentFlat {
    /// All classes in it, ascending.
    pub classes: Vec<usize>,
    /// Its dimension.
    pub rank: usize,
}

/// Special flats by rank, and whether they are all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependent {
    /// The flats, smaller ranks first.
    pub flats: Vec<DependentFlat>,
    /// Whether the search came to its end.
    pub complete: bool,
}

/// The special flats of rank 2 to D - 1, searched rank by rank with at most `max_flats` flats of each rank.
///
/// Rows along one line are one class: what they have in common is seen from their roles. The flats that hold all rows
/// count too, when their rank is below D. `stop` is polled at every flat.
///
/// # Cost
/// O(n D) integer products a flat; there are up to `C(n, r)` flats of rank r.
pub fn dependent_flats(a: &Arrangement, max_flats: u64, stop: &dyn Fn() -> bool) -> Dependent {
    let mut found = Dependent { flats: vec![], complete: true };
    // Flats with more classes than dimensions one rank below, special or not.
    let mut below: Vec<Vec<usize>> = vec![];
    for rank in 2..=a.rank().min(a.dim().saturating_sub(1)) {
        let mut visited = 0;
        let mut crowded: Vec<Vec<usize>> = vec![];
        let flow = for_each_flat(a, rank, &mut |flat| {
            if flat.rank() < rank {
                return ControlFlow::Continue(());
            }
            visited += 1;
            if visited > max_flats || stop() {
                return ControlFlow::Break(());
            }
            if flat.classes.len() > rank {
                let mut classes = flat.classes.to_vec();
                classes.sort_unstable();
                crowded.push(classes);
            }
            ControlFlow::Continue(())
        });
        found.complete &= flow.is_continue();
        crowded.sort_unstable();
        for classes in &crowded {
            // A row that does not depend on the others leaves a crowded flat of one rank less.
            let loose = below.iter().any(|b| b.len() + 1 == classes.len() && within(b, classes));
            if !loose && !is_sum(classes, rank, &found.flats) {
                found.flats.push(DependentFlat { classes: classes.clone(), rank });
            }
        }
        if flow.is_break() {
            // What is loose one rank higher could no longer be told.
            break;
        }
        below = crowded;
    }
    found
}

/// Whether the flat is the direct sum of two special ones.
fn is_sum(classes: &[usize], rank: usize, flats: &[DependentFlat]) -> bool {
    let parts: Vec<&DependentFlat> = flats.iter().filter(|f| f.rank < rank && within(&f.classes, classes)).collect();
    let fits = |f: &DependentFlat, g: &DependentFlat| {
        f.rank + g.rank == rank
            && f.classes.len() + g.classes.len() == classes.len()
            && f.classes.iter().all(|c| g.classes.binary_search(c).is_err())
    };
    parts.iter().enumerate().any(|(k, f)| parts[k + 1..].iter().any(|g| fits(f, g)))
}

/// Whether ascending `part` lies in ascending `whole`.
fn within(part: &[usize], whole: &[usize]) -> bool {
    part.iter().all(|c| whole.binary_search(c).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points of small integers with a bias column.
    fn points<const D: usize>(points: &[[i64; D]]) -> Arrangement {
        let rows: Vec<i64> = points.iter().flat_map(|p| p.iter().copied().chain([1])).collect();
        Arrangement::from_integers(points.len(), D + 1, &rows)
    }

    fn all(a: &Arrangement) -> Vec<(usize, Vec<usize>)> {
        let found = dependent_flats(a, u64::MAX, &|| false);
        assert!(found.complete);
        found.flats.into_iter().map(|f| (f.rank, f.classes)).collect()
    }

    #[test]
    fn points_on_lines_are_found_once_a_line() {
        let grid: Vec<[i64; 2]> = (0..9).map(|k| [k % 3, k / 3]).collect();
        let lines = all(&points(&grid));
        // 3 rows, 3 columns, 2 diagonals
        assert_eq!(lines.len(), 8);
        assert!(lines.iter().all(|(rank, classes)| *rank == 2 && classes.len() == 3));
        assert!(lines.contains(&(2, vec![0, 4, 8])) && lines.contains(&(2, vec![2, 4, 6])));
        // parallel sides do not matter
        assert_eq!(all(&points(&[[0, 0], [1, 0], [0, 1], [1, 1]])), []);
    }

    #[test]
    fn a_plane_counts_only_for_what_its_lines_do_not_explain() {
        // 0, 1, 2 on a line; 3 off it (their plane is no news); 4 off that plane
        let line = [[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0], [0, 0, 1]];
        assert_eq!(all(&points(&line)), [(2, vec![0, 1, 2])]);
        // a square in the plane z = 0, and a point above
        let square = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [3, 5, 0], [0, 0, 1]];
        assert_eq!(all(&points(&square)), [(3, vec![0, 1, 2, 3])]);
        // the twelve coplanar fours of a cube: 6 faces and 6 diagonal rectangles
        let cube: Vec<[i64; 3]> = (0..8).map(|k| [k & 1, k >> 1 & 1, k >> 2]).collect();
        assert_eq!(all(&points(&cube)).len(), 12);
    }

    #[test]
    fn two_skew_lines_make_no_third_flat() {
        // rank 4 in five dimensions: lines in complementary directions
        let rows = [1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 2, 0];
        assert_eq!(all(&Arrangement::from_integers(6, 5, &rows)), [(2, vec![0, 1, 2]), (2, vec![3, 4, 5])]);
    }

    #[test]
    fn rows_of_lower_rank_are_special_together() {
        assert_eq!(all(&points(&[[0, 0], [1, 1], [3, 3]])), [(2, vec![0, 1, 2])]);
        assert_eq!(all(&points(&[[0], [1], [3]])), [], "points on a line of one feature are as they must be");
    }

    #[test]
    fn a_search_that_is_cut_says_so() {
        let grid: Vec<[i64; 2]> = (0..9).map(|k| [k % 3, k / 3]).collect();
        let cut = dependent_flats(&points(&grid), 2, &|| false);
        assert!(!cut.complete && cut.flats.len() <= 2);
        assert!(!dependent_flats(&points(&grid), u64::MAX, &|| true).complete);
    }
}
