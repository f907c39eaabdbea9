//! What keeps the preactivations of sliding examples at 0 while the active ones push.

use super::space::Space;
use super::stretch::NoStretch;
use crate::num::Mat;
use crate::num::linalg::{Cholesky, mul_transposed};
use crate::num::mat::{axpy, dot, norm2};

/// `W = G_ZZ^-1 G_ZA` of one neuron; in weight coordinates also an orthonormal basis of the sliding rows.
///
/// In weights W comes from the factorisation `X_Z = L B`, which loses digits with the condition of X_Z and not with
/// its square: rows of spectra are nearly parallel.
pub(super) struct Hold {
    /// W, |Z| x |A|.
    pub(super) weights: Mat,
    /// B, |Z| x D (no rows in dual coordinates).
    basis: Mat,
    /// L, |Z| x |Z|.
    lower: Mat,
}

impl Hold {
    /// For sliding rows that are independent; the error says that they are not.
    pub(super) fn new(space: &Space, sliding: &[usize], active: &[usize]) -> Result<Self, NoStretch> {
        if space.dual() && !sliding.is_empty() {
            let factor = Cholesky::new(&space.block(sliding, sliding)).ok_or(NoStretch::Dependent)?;
            let weights = factor.solve_mat(&space.block(sliding, active));
            return Ok(Self { weights, ..Self::none(space.basis().cols()) });
        }
        let mut hold = Self::of_rows(space, sliding)?;
        if sliding.is_empty() {
            hold.weights = Mat::zeros(0, active.len());
            return Ok(hold);
        }
        hold.weights = mul_transposed(&hold.basis, &space.basis().select_rows(active));
        hold.back_substitute();
        Ok(hold)
    }

    fn none(dim: usize) -> Self {
        Self { weights: Mat::zeros(0, 0), basis: Mat::zeros(0, dim), lower: Mat::zeros(0, 0) }
    }

    /// The factorisation of the sliding rows alone, in weight coordinates: W is left out. O(|Z|^2 D).
    pub(super) fn of_rows(space: &Space, sliding: &[usize]) -> Result<Self, NoStretch> {
        let x = space.basis();
        let (mut basis, mut lower) = (Mat::zeros(sliding.len(), x.cols()), Mat::zeros(sliding.len(), sliding.len()));
        for (p, &i) in sliding.iter().enumerate() {
            let mut row = x.row(i).to_vec();
            for _ in 0..2 {
                for q in 0..p {
                    let s = dot(basis.row(q), &row);
                    lower[(p, q)] += s;
                    axpy(-s, basis.row(q), &mut row);
                }
            }
            let length = norm2(&row);
            if length <= space.unit() * space.row_norm(i) {
                return Err(NoStretch::Dependent);
            }
            lower[(p, p)] = length;
            basis.row_mut(p).iter_mut().zip(&row).for_each(|(b, v)| *b = v / length);
        }
        Ok(Self { weights: Mat::zeros(0, 0), basis, lower })
    }

    /// `W <- L'^-1 W`.
    fn back_substitute(&mut self) {
        let (lower, weights) = (&self.lower, &mut self.weights);
        for p in (0..lower.rows()).rev() {
            for q in p + 1..lower.rows() {
                let below = weights.row(q).to_vec();
                axpy(-lower[(q, p)], &below, weights.row_mut(p));
            }
            weights.row_mut(p).iter_mut().for_each(|v| *v /= lower[(p, p)]);
        }
    }

    /// The coefficients on the sliding rows of the part of g in their span, `L'^-1 B g`. O(|Z| D).
    pub(super) fn coefficients(&self, g: &[f64]) -> Vec<f64> {
        let mut out = self.basis.mul_vec(g);
        self.substitute(&mut out);
        out
    }

    /// `|row q of L'^-1 B|` for every q: how much an error of g moves its coefficients. O(|Z|^3).
    pub(super) fn gains(&self) -> Vec<f64> {
        let mut square = vec![0.0; self.basis.rows()];
        for p in 0..self.basis.rows() {
            for (s, v) in square.iter_mut().zip(self.coefficients(self.basis.row(p))) {
                *s += v * v;
            }
        }
        square.into_iter().map(f64::sqrt).collect()
    }

    /// Coefficients on the sliding rows of the shortest shift that changes their preactivations by `-z`:
    /// `-L'^-1 L^-1 z`. O(|Z|^2).
    pub(super) fn pin(&self, z: &[f64]) -> Vec<f64> {
        let mut out: Vec<f64> = z.iter().map(|v| -v).collect();
        for p in 0..out.len() {
            for q in 0..p {
                out[p] -= self.lower[(p, q)] * out[q];
            }
            out[p] /= self.lower[(p, p)];
        }
        self.substitute(&mut out);
        out
    }

    /// `v <- L'^-1 v`.
    fn substitute(&self, v: &mut [f64]) {
        for p in (0..v.len()).rev() {
            for q in p + 1..v.len() {
                v[p] -= self.lower[(q, p)] * v[q];
            }
            v[p] /= self.lower[(p, p)];
        }
    }

    /// Takes out of a weight vector what would move a sliding preactivation.
    pub(super) fn project(&self, w: &mut [f64]) {
        for _ in 0..2 {
            for p in 0..self.basis.rows() {
                let s = dot(self.basis.row(p), w);
                axpy(-s, self.basis.row(p), w);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descent::Problem;

    #[test]
    fn both_coordinates_hold_in_the_same_way() {
        // 3 rows in 3 dimensions (duals) and the same rows with a fourth (weights)
        let rows = [[1.0, 2.0, 0.5], [0.3, -1.0, 1.0], [2.0, 0.1, -0.7], [0.0, 1.0, 1.0]];
        let problem = |k: usize| Problem::new(Mat::from_rows(&rows[..k]), vec![1.0; k], vec![1.0], false);
        let (thin, tall) = (problem(3), problem(4));
        let a = Hold::new(&Space::new(&thin), &[2, 0], &[1]).unwrap();
        let b = Hold::new(&Space::new(&tall), &[2, 0], &[1]).unwrap();
        for p in 0..2 {
            assert!((a.weights[(p, 0)] - b.weights[(p, 0)]).abs() < 1e-14);
        }
        let mut w = vec![0.4, -0.2, 1.3];
        // the same W, row by row from the pull of one example
        let column = b.coefficients(tall.x().row(1));
        assert!((0..2).all(|p| (column[p] - b.weights[(p, 0)]).abs() < 1e-14));
        // and the shift that takes the preactivations 0.5 and -2 of the rows to 0
        let shift = tall.x().select_rows(&[2, 0]).tmul_vec(&b.pin(&[0.5, -2.0]));
        assert!((dot(&shift, &rows[2]) + 0.5).abs() < 1e-14 && (dot(&shift, &rows[0]) - 2.0).abs() < 1e-14);
        b.project(&mut w);
        assert!(dot(&w, &rows[0]).abs() < 1e-15 && dot(&w, &rows[2]).abs() < 1e-15);
        assert_eq!(Hold::new(&Space::new(&tall), &[0, 0], &[1]).err(), Some(NoStretch::Dependent));
    }
}
