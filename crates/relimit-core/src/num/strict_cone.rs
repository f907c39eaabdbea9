//! Whether a cone given by strict inequalities and equations has a point: an exact simplex method that always decides.
//!
//! ```text
//! either  some u has a_i . u > 0 for all strict rows and a_i . u = 0 for all equal rows,
//! or      sum_i m_i a_i = 0 with m_i >= 0 on the strict rows, not all 0 there        (Motzkin);  never both
//! ```
//!
//! The second system is a linear program whose right-hand side is 0 but for `sum m_i = 1` over the strict rows: every
//! pivot before the last is degenerate, and Bland's smallest-index rule makes the method end. The tableau holds
//! integers over one denominator (the determinant of the basis), so nothing is rounded.
//!
//! Source: Bland, "New finite pivoting rules for the simplex method", Math. Oper. Res. 2 (1977); integer pivoting:
//! Edmonds, "Systems of distinct representatives and linear algebra", J. Res. NBS 71B (1967).

use dashu_int::IBig;

use super::exact::solve;

/// What the rows decide; exactly one of the first two holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StrictCone {
    /// `u = numerators / denominator` is positive on the strict rows and 0 on the equal ones; the denominator is positive.
    Point {
        /// D integers.
        numerators: Vec<IBig>,
        /// Positive.
        denominator: IBig,
    },
    /// The rows cancel: one multiplier a row, nonzero on a minimal dependent set (at most rank + 1 rows).
    Empty {
        /// n integers, at least 0 on the strict rows and not all 0 there.
        multipliers: Vec<IBig>,
    },
    /// `stop` said so before either was found.
    Stopped,
}

/// Decides the system for n integer rows of length `dim`; `equal[i]` marks the rows that must vanish.
///
/// `stop` is polled once a pivot. Panics when a row has another length, or `equal` not n entries.
///
/// # Cost
/// O(r n) integer operations a pivot for rank r, on minors of up to r rows; finitely many pivots, usually about r.
pub fn strict_cone(rows: &[Vec<IBig>], equal: &[bool], dim: usize, stop: &dyn Fn() -> bool) -> StrictCone {
    assert_eq!(equal.len(), rows.len(), "{} marks for {} rows", equal.len(), rows.len());
    assert!(rows.iter().all(|r| r.len() == dim), "a row is not of length {dim}");
    let mut t = Tableau::new(rows, equal, dim);
    loop {
        if stop() {
            return StrictCone::Stopped;
        }
        // The sum of the strict multipliers grows with the first such column.
        let entering = (0..rows.len()).find(|&j| !equal[j] && !t.basic[j] && t.total[j] > IBig::ZERO);
        let Some(j) = entering else {
            return point(rows, equal, dim, &t);
        };
        let leaving = (0..t.basis.len())
            .filter(|&r| !equal[t.basis[r]] && t.entries[r][j] > IBig::ZERO)
            .min_by_key(|&r| t.basis[r]);
        match leaving {
            Some(r) => t.pivot(r, j),
            None => return StrictCone::Empty { multipliers: t.ray(j) },
        }
    }
}

/// The equations `sum_i m_i a_i = 0` solved for the basic multipliers.
struct Tableau {
    /// One equation a basic row: entry (r, i) over `denominator` is the coefficient of m_i.
    entries: Vec<Vec<IBig>>,
    /// `sum over strict rows of m_i`, in terms of the multipliers outside the basis.
    total: Vec<IBig>,
    denominator: IBig,
    /// The row of the data that each equation is solved for.
    basis: Vec<usize>,
    basic: Vec<bool>,
    /// The columns of the data that the equations came from.
    columns: Vec<usize>,
}

impl Tableau {
    fn new(rows: &[Vec<IBig>], equal: &[bool], dim: usize) -> Self {
        let n = rows.len();
        let total = equal.iter().map(|e| if *e { IBig::ZERO } else { IBig::ONE }).collect();
        let mut t = Self {
            entries: vec![],
            total,
            denominator: IBig::ONE,
            basis: vec![],
            basic: vec![false; n],
            columns: vec![],
        };
        let mut open: Vec<usize> = (0..dim).collect();
        t.entries = open.iter().map(|&c| rows.iter().map(|row| row[c].clone()).collect()).collect();
        // Equal rows first: their multipliers are free, so they stay in the basis for good.
        let order: Vec<usize> = (0..n).filter(|&i| equal[i]).chain((0..n).filter(|&i| !equal[i])).collect();
        for i in order {
            let done = t.basis.len();
            let Some(r) = (done..dim).find(|&r| !t.entries[r][i].is_zero()) else { continue };
            t.entries.swap(done, r);
            open.swap(done, r);
            t.basis.push(i);
            t.basic[i] = true;
            t.eliminate(done, i);
        }
        let rank = t.basis.len();
        t.entries.truncate(rank);
        open.truncate(rank);
        t.columns = open;
        t
    }

    fn pivot(&mut self, r: usize, j: usize) {
        self.basic[self.basis[r]] = false;
        self.basic[j] = true;
        self.basis[r] = j;
        self.eliminate(r, j);
    }

    /// Solves equation r for m_j and removes m_j from all the others.
    fn eliminate(&mut self, r: usize, j: usize) {
        let mut top = std::mem::take(&mut self.entries[r]);
        if top[j] < IBig::ZERO {
            for v in &mut top {
                *v = -&*v;
            }
        }
        let pivot = top[j].clone();
        for row in self.entries.iter_mut().filter(|row| !row.is_empty()).chain([&mut self.total]) {
            let lead = row[j].clone();
            for (v, p) in row.iter_mut().zip(&top) {
                if !v.is_zero() {
                    *v *= &pivot;
                }
                if !lead.is_zero() && !p.is_zero() {
                    *v -= &lead * p;
                }
                if !v.is_zero() && !self.denominator.is_one() {
                    *v = &*v / &self.denominator;
                }
            }
        }
        self.entries[r] = top;
        self.denominator = pivot;
    }

    /// The multipliers along column j: m_j = denominator, the basic ones follow.
    fn ray(&self, j: usize) -> Vec<IBig> {
        let mut m = vec![IBig::ZERO; self.total.len()];
        m[j].clone_from(&self.denominator);
        for (row, &i) in self.entries.iter().zip(&self.basis) {
            m[i] = -&row[j];
        }
        m
    }
}

/// At the optimum the basic strict rows have `a_i . u = 1`, the basic equal rows 0, and the other strict rows at least 1.
fn point(rows: &[Vec<IBig>], equal: &[bool], dim: usize, t: &Tableau) -> StrictCone {
    let a: Vec<Vec<IBig>> = t.basis.iter().map(|&i| t.columns.iter().map(|&c| rows[i][c].clone()).collect()).collect();
    let b = t.basis.iter().map(|&i| if equal[i] { IBig::ZERO } else { IBig::ONE }).collect();
    let (values, denominator) = solve(a, b).unwrap_or_else(|| unreachable!("the rows of a basis are independent"));
    let negative = denominator < IBig::ZERO;
    let mut numerators = vec![IBig::ZERO; dim];
    for (&c, v) in t.columns.iter().zip(values) {
        numerators[c] = if negative { -v } else { v };
    }
    StrictCone::Point { numerators, denominator: if negative { -denominator } else { denominator } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::test_random::Random;

    fn big(rows: &[Vec<i32>]) -> Vec<Vec<IBig>> {
        rows.iter().map(|r| r.iter().map(|v| IBig::from(*v)).collect()).collect()
    }

    fn dot(a: &[IBig], b: &[IBig]) -> IBig {
        a.iter().zip(b).fold(IBig::ZERO, |s, (x, y)| s + x * y)
    }

    /// Either answer proves itself, and no system has both: so every answer is right.
    #[test]
    fn every_answer_is_its_own_proof() {
        let mut random = Random(11);
        let (mut points, mut empties) = (0, 0);
        for case in 0..3000 {
            let (n, dim) = (random.below(8), 1 + random.below(4));
            let rows: Vec<Vec<i32>> =
                (0..n).map(|_| (0..dim).map(|_| i32::try_from(random.below(5)).unwrap() - 2).collect()).collect();
            let equal: Vec<bool> = (0..n).map(|_| case % 2 == 1 && random.below(4) == 0).collect();
            let a = big(&rows);
            match strict_cone(&a, &equal, dim, &|| false) {
                StrictCone::Point { numerators, denominator } => {
                    points += 1;
                    assert!(denominator > IBig::ZERO);
                    for (row, e) in a.iter().zip(&equal) {
                        let z = dot(row, &numerators);
                        assert!(if *e { z.is_zero() } else { z > IBig::ZERO }, "case {case}: {rows:?} {equal:?}");
                    }
                }
                StrictCone::Empty { multipliers } => {
                    empties += 1;
                    let strict = || multipliers.iter().zip(&equal).filter(|(_, e)| !**e).map(|(m, _)| m);
                    assert!(strict().all(|m| *m >= IBig::ZERO) && strict().any(|m| *m > IBig::ZERO));
                    for c in 0..dim {
                        let column: Vec<IBig> = a.iter().map(|r| r[c].clone()).collect();
                        assert!(dot(&column, &multipliers).is_zero(), "case {case}: {rows:?} {equal:?}");
                    }
                    assert!(multipliers.iter().filter(|m| !m.is_zero()).count() <= dim + 1);
                }
                StrictCone::Stopped => panic!("nobody stopped it"),
            }
        }
        assert!(points > 800 && empties > 800, "{points} points, {empties} empty");
    }

    #[test]
    fn interrupts_and_empty_systems() {
        let rows = big(&[vec![1, 0], vec![0, 1]]);
        assert_eq!(strict_cone(&rows, &[false, false], 2, &|| true), StrictCone::Stopped);
        // No strict row: u = 0 is a point. No column: a strict row is 0 everywhere.
        let zero = StrictCone::Point { numerators: vec![IBig::ZERO; 2], denominator: IBig::ONE };
        assert_eq!(strict_cone(&rows, &[true, true], 2, &|| false), zero);
        let empty = StrictCone::Empty { multipliers: vec![IBig::ONE] };
        assert_eq!(strict_cone(&[vec![]], &[false], 0, &|| false), empty);
    }
}
