//! An orthonormal basis of a growing and shrinking list of rows: thin QR by twice-repeated Gram-Schmidt.

use super::mat::{axpy, dot, norm2};

/// A row whose part outside the span of the others is below this share of its length counts as dependent on them.
///
/// Far above rounding (so that data centred in double precision are seen to be dependent) and far below what the
/// duals of a start could resolve.
pub const DEPENDENT: f64 = 1e-10;

/// Rows `a_0, ..., a_{q-1}` of length D as `A' = Q R`: Q has orthonormal columns, R is upper triangular.
#[derive(Clone, Debug)]
pub struct RowBasis {
    dim: usize,
    q: Vec<Vec<f64>>,
    // r[k] is column k of R, k + 1 entries.
    r: Vec<Vec<f64>>,
}

impl RowBasis {
    /// No rows yet, in D dimensions.
    pub fn new(dim: usize) -> Self {
        Self { dim, q: vec![], r: vec![] }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.q.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.q.is_empty()
    }

    /// The newest basis vector, orthogonal to all rows but the last; panics when there is none.
    pub fn last(&self) -> &[f64] {
        self.q.last().expect("a basis vector")
    }

    /// `Q' v` and the rest `v - Q Q' v`, orthogonal to the rows to rounding. O(q D).
    pub fn project(&self, v: &[f64]) -> (Vec<f64>, Vec<f64>) {
        assert_eq!(v.len(), self.dim, "row of {} entries in {} dimensions", v.len(), self.dim);
        let mut rest = v.to_vec();
        let mut coef = vec![0.0; self.len()];
        for _ in 0..2 {
            for (c, q) in coef.iter_mut().zip(&self.q) {
                let t = dot(q, &rest);
                *c += t;
                axpy(-t, q, &mut rest);
            }
        }
        (coef, rest)
    }

    /// Appends a row; `false`, and nothing is done, when it depends on the others (see [`DEPENDENT`]). O(q D).
    pub fn push(&mut self, v: &[f64]) -> bool {
        let (coef, rest) = self.project(v);
        self.push_projected(coef, rest, norm2(v))
    }

    /// Appends a row of the given length whose projection is known, as [`RowBasis::push`] does.
    pub fn push_projected(&mut self, mut coef: Vec<f64>, mut rest: Vec<f64>, length: f64) -> bool {
        let rho = norm2(&rest);
        if rho.is_nan() || rho <= DEPENDENT * length {
            return false;
        }
        for t in &mut rest {
            *t /= rho;
        }
        coef.push(rho);
        self.q.push(rest);
        self.r.push(coef);
        true
    }

    /// Removes row `k`; the others keep their order. O(q D) by plane rotations.
    pub fn remove(&mut self, k: usize) {
        assert!(k < self.len(), "row {k} of {}", self.len());
        self.r.remove(k);
        let q = self.q.len();
        for t in k..q - 1 {
            // Column t of R now has an entry at t + 1: rotate basis vectors t and t + 1 to clear it.
            let (a, b) = (self.r[t][t], self.r[t][t + 1]);
            let h = norm2(&[a, b]);
            let (c, s) = (a / h, b / h);
            for col in &mut self.r[t..] {
                let (u, v) = (col[t], col[t + 1]);
                col[t] = c * u + s * v;
                col[t + 1] = c * v - s * u;
            }
            self.r[t].truncate(t + 1);
            let (head, tail) = self.q.split_at_mut(t + 1);
            for (u, v) in head[t].iter_mut().zip(&mut tail[0]) {
                (*u, *v) = (c * *u + s * *v, c * *v - s * *u);
            }
        }
        self.q.pop();
    }

    /// Solves `R x = y`: the coefficients on the rows of the vector `Q y`. O(q^2).
    pub fn solve_r(&self, y: &[f64]) -> Vec<f64> {
        assert_eq!(y.len(), self.len(), "{} entries for {} rows", y.len(), self.len());
        let mut x = y.to_vec();
        for k in (0..x.len()).rev() {
            x[k] /= self.r[k][k];
            let t = x[k];
            for i in 0..k {
                x[i] -= t * self.r[k][i];
            }
        }
        x
    }

    /// Solves `R' y = b`: then `w = Q y` is the shortest vector with `A w = b`. O(q^2).
    pub fn solve_rt(&self, b: &[f64]) -> Vec<f64> {
        assert_eq!(b.len(), self.len(), "{} entries for {} rows", b.len(), self.len());
        let mut y: Vec<f64> = vec![];
        for (k, &bk) in b.iter().enumerate() {
            let col = &self.r[k];
            let s: f64 = col[..k].iter().zip(&y).map(|(r, t)| r * t).sum();
            y.push((bk - s) / col[k]);
        }
        y
    }

    /// `Q y`. O(q D).
    pub fn combine(&self, y: &[f64]) -> Vec<f64> {
        assert_eq!(y.len(), self.len(), "{} entries for {} rows", y.len(), self.len());
        let mut w = vec![0.0; self.dim];
        for (t, q) in y.iter().zip(&self.q) {
            axpy(*t, q, &mut w);
        }
        w
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::Mat;

    fn rows() -> Mat {
        Mat::from_fn(6, 9, |i, k| ((i * i * 31 + k * 17 + i * k * 5) % 23) as f64 - 11.0)
    }

    fn check(basis: &RowBasis, x: &Mat, active: &[usize]) {
        assert_eq!(basis.len(), active.len());
        let b: Vec<f64> = active.iter().map(|&i| 1.0 + i as f64).collect();
        let y = basis.solve_rt(&b);
        let w = basis.combine(&y);
        for (t, &i) in active.iter().enumerate() {
            assert!((dot(x.row(i), &w) - b[t]).abs() < 1e-12);
        }
        // The shortest such vector is a combination of the rows themselves.
        let a = basis.solve_r(&y);
        let mut v = vec![0.0; x.cols()];
        for (s, &i) in a.iter().zip(active) {
            axpy(*s, x.row(i), &mut v);
        }
        assert!(v.iter().zip(&w).all(|(p, q)| (p - q).abs() < 1e-12));
    }

    #[test]
    fn rows_come_and_go() {
        let x = rows();
        for gone in 0..6 {
            let mut basis = RowBasis::new(9);
            (0..6).for_each(|i| assert!(basis.push(x.row(i))));
            let mut active: Vec<usize> = (0..6).collect();
            check(&basis, &x, &active);
            basis.remove(gone);
            active.remove(gone);
            check(&basis, &x, &active);
            basis.remove(2);
            active.remove(2);
            check(&basis, &x, &active);
            assert!(basis.push(x.row(gone)));
            active.push(gone);
            check(&basis, &x, &active);
        }
    }

    #[test]
    fn nearly_dependent_rows_leave_the_basis_orthonormal() {
        let x = rows();
        let mut basis = RowBasis::new(9);
        assert!(basis.push(x.row(0)));
        let near: Vec<f64> = (0..9).map(|k| x[(0, k)] + 1e-8 * x[(3, k)]).collect();
        assert!(basis.push(&near));
        let (p, q) = (basis.combine(&[1.0, 0.0]), basis.combine(&[0.0, 1.0]));
        assert!(dot(&p, &q).abs() < 1e-15 && (norm2(&q) - 1.0).abs() < 1e-15, "{}", dot(&p, &q));
    }

    #[test]
    fn a_dependent_row_is_refused() {
        let x = rows();
        let mut basis = RowBasis::new(9);
        assert!(basis.push(x.row(0)) && basis.push(x.row(3)));
        let sum: Vec<f64> = (0..9).map(|k| 0.3 * x[(0, k)] - 1.7 * x[(3, k)]).collect();
        assert!(!basis.push(&sum) && !basis.push(&[0.0; 9]));
        assert_eq!(basis.len(), 2);
        assert!(basis.push(x.row(1)));
    }
}
