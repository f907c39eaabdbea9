//! An exact basis of the vectors orthogonal to integer rows.

use dashu_int::IBig;
use dashu_int::ops::{Gcd, UnsignedAbs};

/// Primitive integer vectors that span `{u : a_i . u = 0 for all i}`, dim - rank of them.
///
/// One for each column without a pivot: fraction-free Gauss-Jordan elimination, whose intermediate numbers are minors.
/// O(rank n D) integer operations. Panics when a row is not of length `dim`.
pub fn null_space(mut rows: Vec<Vec<IBig>>, dim: usize) -> Vec<Vec<IBig>> {
    assert!(rows.iter().all(|r| r.len() == dim), "a row is not of length {dim}");
    let mut pivots: Vec<usize> = vec![];
    let mut denominator = IBig::ONE;
    for c in 0..dim {
        let done = pivots.len();
        let Some(p) = (done..rows.len()).find(|&i| !rows[i][c].is_zero()) else { continue };
        rows.swap(done, p);
        let top = rows[done].clone();
        for (i, row) in rows.iter_mut().enumerate() {
            if i == done {
                continue;
            }
            let lead = row[c].clone();
            for (v, t) in row.iter_mut().zip(&top) {
                *v = (&*v * &top[c] - &lead * t) / &denominator;
            }
        }
        denominator.clone_from(&top[c]);
        pivots.push(c);
    }
    // Row r now reads: denominator u_(pivot r) + sum over free columns of its entries = 0.
    let free = (0..dim).filter(|c| !pivots.contains(c));
    free.map(|c| {
        let mut u = vec![IBig::ZERO; dim];
        u[c].clone_from(&denominator);
        for (row, &p) in rows.iter().zip(&pivots) {
            u[p] = -&row[c];
        }
        primitive(u)
    })
    .collect()
}

fn primitive(u: Vec<IBig>) -> Vec<IBig> {
    let nonzero = u.iter().filter(|v| !v.is_zero());
    let divisor = nonzero.fold(IBig::ZERO, |g, v| if g.is_zero() { v.unsigned_abs().into() } else { g.gcd(v).into() });
    u.into_iter().map(|v| v / &divisor).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::test_random::Random;

    #[test]
    fn it_is_orthogonal_independent_and_large_enough() {
        let mut random = Random(3);
        for case in 0..400 {
            let (n, dim) = (random.below(5), 1 + random.below(5));
            let mut rows: Vec<Vec<IBig>> =
                (0..n).map(|_| (0..dim).map(|_| IBig::from(random.below(7).cast_signed() - 3)).collect()).collect();
            if case % 3 == 0 && n > 1 {
                rows[n - 1] = rows[0].iter().map(|v| v * IBig::from(-2)).collect();
            }
            let basis = null_space(rows.clone(), dim);
            for (a, u) in rows.iter().flat_map(|a| basis.iter().map(move |u| (a, u))) {
                assert!(a.iter().zip(u).fold(IBig::ZERO, |s, (x, y)| s + x * y).is_zero());
            }
            // Independent, since the null space of the basis has the complementary dimension: that of the row space.
            let back = null_space(basis.clone(), dim);
            assert_eq!(back.len() + basis.len(), dim);
            let rank = dim - basis.len();
            assert!(rank <= n && null_space(back, dim).len() == basis.len());
        }
        assert_eq!(null_space(vec![], 2), [[1, 0].map(IBig::from), [0, 1].map(IBig::from)]);
        // Known: the plane x + y + z = 0.
        let plane = null_space(vec![vec![IBig::from(2); 3]], 3);
        assert_eq!(plane, [[-1, 1, 0].map(IBig::from), [-1, 0, 1].map(IBig::from)]);
    }
}
