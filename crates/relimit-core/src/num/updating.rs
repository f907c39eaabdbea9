//! A Cholesky factor that grows and shrinks by one index at a time.

use super::Mat;
use super::mat::dot;

/// Cholesky factor of `H[set, set]` for a changing ordered `set` of indices of one symmetric matrix H.
///
/// Appending and removing cost O(k^2) for k indices; both are backward stable (forward substitution, rotations).
pub struct UpdatingCholesky<'a> {
    h: &'a Mat,
    set: Vec<usize>,
    /// Row t of L is `rows[t][..=t]`.
    rows: Vec<Vec<f64>>,
}

impl<'a> UpdatingCholesky<'a> {
    /// The factor of the empty set.
    pub fn new(h: &'a Mat) -> Self {
        assert_eq!(h.rows(), h.cols(), "Cholesky of a {}x{} matrix", h.rows(), h.cols());
        Self { h, set: Vec::new(), rows: Vec::new() }
    }

    /// The indices factored, in order.
    pub fn set(&self) -> &[usize] {
        &self.set
    }

    /// `L^-1 H[set, j]` and the Schur pivot `H_jj - |L^-1 H[set, j]|^2` of index j. O(k^2).
    pub fn pivot(&self, j: usize) -> (Vec<f64>, f64) {
        let mut l = Vec::with_capacity(self.set.len() + 1);
        for (t, &i) in self.set.iter().enumerate() {
            let s = self.h[(i, j)] - dot(&self.rows[t][..t], &l);
            l.push(s / self.rows[t][t]);
        }
        let pivot = self.h[(j, j)] - dot(&l, &l);
        (l, pivot)
    }

    /// Appends index j with what [`Self::pivot`] returned for it; the pivot must be positive.
    pub fn append(&mut self, j: usize, mut l: Vec<f64>, pivot: f64) {
        assert!(pivot > 0.0, "pivot {pivot} of index {j} is not positive");
        l.push(pivot.sqrt());
        self.rows.push(l);
        self.set.push(j);
    }

    /// Removes the index at position `at`. O((k - at) k).
    pub fn remove(&mut self, at: usize) {
        self.set.remove(at);
        self.rows.remove(at);
        // Rows from `at` on have one entry right of the diagonal: rotate columns (t, t + 1).
        for t in at..self.rows.len() {
            let (p, q) = (self.rows[t][t], self.rows[t][t + 1]);
            let radius = p.hypot(q);
            let (cos, sin) = if radius > 0.0 { (p / radius, q / radius) } else { (1.0, 0.0) };
            for row in &mut self.rows[t..] {
                let (p, q) = (row[t], row[t + 1]);
                row[t] = cos * p + sin * q;
                row[t + 1] = cos * q - sin * p;
            }
            self.rows[t].truncate(t + 1);
        }
    }

    /// `H[set, set]^-1 b` for b given on the set. O(k^2).
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        let k = self.set.len();
        assert_eq!(b.len(), k, "solve with {} entries for order {k}", b.len());
        let mut x = Vec::with_capacity(k);
        for t in 0..k {
            let s = b[t] - dot(&self.rows[t][..t], &x);
            x.push(s / self.rows[t][t]);
        }
        self.back_substitute(&mut x);
        x
    }

    /// `L'^-1 x` in place. O(k^2).
    pub fn back_substitute(&self, x: &mut [f64]) {
        for t in (0..self.set.len()).rev() {
            x[t] /= self.rows[t][t];
            let s = x[t];
            for (xk, l) in x[..t].iter_mut().zip(&self.rows[t]) {
                *xk -= s * l;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_after_every_change_of_the_set() {
        // H = A A' + I is far from singular; the check multiplies back.
        let a = Mat::from_fn(9, 9, |i, k| ((i * 7 + k * 5) % 11) as f64 - 5.0);
        let h = Mat::from_fn(9, 9, |i, k| dot(a.row(i), a.row(k)) + f64::from(u8::from(i == k)));
        let mut factor = UpdatingCholesky::new(&h);
        let check = |factor: &UpdatingCholesky<'_>| {
            let b: Vec<f64> = factor.set().iter().map(|&i| i as f64 - 3.0).collect();
            let x = factor.solve(&b);
            for (t, &i) in factor.set().iter().enumerate() {
                let back: f64 = factor.set().iter().zip(&x).map(|(&k, v)| h[(i, k)] * v).sum();
                assert!((back - b[t]).abs() < 1e-9, "{back} is not {}", b[t]);
            }
        };
        for j in [3, 0, 8, 5, 1, 7] {
            let (l, pivot) = factor.pivot(j);
            factor.append(j, l, pivot);
            check(&factor);
        }
        for at in [2, 0, 3] {
            factor.remove(at);
            check(&factor);
        }
        assert_eq!(factor.set(), &[0, 5, 1]);
        let (l, pivot) = factor.pivot(8);
        factor.append(8, l, pivot);
        check(&factor);
    }
}
