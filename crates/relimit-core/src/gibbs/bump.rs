//! Angular central Gaussian laws on a hemisphere, and their fit to weighted directions.

use crate::num::Mat;
use crate::num::linalg::Cholesky;
use crate::num::mat::{axpy, dot, norm2};

/// Steps of the fit.
const STEPS: usize = 12;
/// Weighted directions, by their effective number for each coordinate, below which nothing is fitted.
const ENOUGH: f64 = 8.0;
/// Share of the mean square that is added in every direction.
const FLOOR: f64 = 1e-9;

/// Density `2 sqrt(det A) (v'Av)^(-D/2) / area` on the hemisphere of u.
#[derive(Clone, Debug)]
pub(super) struct Bump {
    u: Vec<f64>,
    /// `A = R R'`; D x D.
    form: Mat,
    /// `R'^-1`: normal vectors go through it.
    spread: Mat,
    /// `2 sqrt(det A)`.
    factor: f64,
}

impl Bump {
    /// The law with `A = I - height u u'`, height below 1.
    pub(super) fn around(u: &[f64], height: f64) -> Self {
        let dim = u.len();
        let identity = |i: usize, j: usize| if i == j { 1.0 } else { 0.0 };
        let form = Mat::from_fn(dim, dim, |i, j| identity(i, j) - height * u[i] * u[j]);
        let stretch = 1.0 / (1.0 - height).sqrt() - 1.0;
        let spread = Mat::from_fn(dim, dim, |i, j| identity(i, j) + stretch * u[i] * u[j]);
        Self { u: u.to_vec(), form, spread, factor: 2.0 * (1.0 - height).sqrt() }
    }

    /// The law that fits weighted directions (rows of v, on the side of u) best; `None` where they are too few.
    ///
    /// The fixed point `A^-1 = D sum w v v' / (v'Av) / sum w`, which is the maximum of the likelihood.
    ///
    /// # Source
    /// Tyler, Biometrika 74 (1987), 579-589.
    pub(super) fn fitted(u: &[f64], v: &Mat, rows: &[usize], weight: &[f64]) -> Option<Self> {
        let dim = u.len();
        let (sum, squares) = rows.iter().fold((0.0, 0.0), |s, t| (s.0 + weight[*t], s.1 + weight[*t] * weight[*t]));
        if !(sum > 0.0) || sum * sum / squares < ENOUGH * dim as f64 {
            return None;
        }
        let mut form = Mat::from_fn(dim, dim, |i, j| if i == j { 1.0 } else { 0.0 });
        for _ in 0..STEPS {
            let mut scatter = Mat::zeros(dim, dim);
            for &t in rows {
                let row = v.row(t);
                let level = dim as f64 * weight[t] / (sum * dot(row, &form.mul_vec(row)));
                for (i, r) in row.iter().enumerate() {
                    axpy(level * r, row, scatter.row_mut(i));
                }
            }
            let mean = (0..dim).map(|i| scatter[(i, i)]).sum::<f64>() / dim as f64;
            for i in 0..dim {
                scatter[(i, i)] += FLOOR * mean;
            }
            let factor = Cholesky::new(&scatter)?;
            let identity = Mat::from_fn(dim, dim, |i, j| if i == j { mean } else { 0.0 });
            form = factor.solve_mat(&identity);
        }
        let factor = Cholesky::new(&form)?;
        // columns R^-1 e_i are the rows of the transposed inverse
        let mut spread = Mat::zeros(dim, dim);
        let mut log_det = 0.0;
        for i in 0..dim {
            let mut e = vec![0.0; dim];
            e[i] = 1.0;
            let column = factor.solve_lower(&e);
            log_det -= libm::log(column[i]);
            spread.row_mut(i).copy_from_slice(&column);
        }
        let bump = Self { u: u.to_vec(), form, spread, factor: 2.0 * libm::exp(log_det) };
        bump.factor.is_finite().then_some(bump)
    }

    /// The density times the area of the sphere.
    pub(super) fn density(&self, v: &[f64]) -> f64 {
        if dot(&self.u, v) <= 0.0 {
            return 0.0;
        }
        let square: f64 = v.iter().enumerate().map(|(i, v_i)| v_i * dot(self.form.row(i), v)).sum();
        self.factor * libm::pow(square, -0.5 * v.len() as f64)
    }

    /// The direction of a standard normal vector.
    pub(super) fn place(&self, z: &[f64]) -> Vec<f64> {
        let mut v = self.spread.mul_vec(z);
        let length = norm2(&v);
        let side = if dot(&self.u, &v) < 0.0 { -1.0 } else { 1.0 };
        for a in &mut v {
            *a *= side / length;
        }
        v
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::test_random::Random;

    /// A bump's own draws, weighted alike, give its matrix back, and its density integrates to 1.
    #[test]
    fn a_fit_finds_the_law_that_it_was_drawn_from() {
        let (mut random, u) = (Random(5), [0.6, 0.0, 0.8]);
        let bump = Bump::around(&u, 0.96);
        let normal = |random: &mut Random| crate::num::quantile::normal_quantile(random.unit());
        let rows: Vec<Vec<f64>> =
            (0..20_000).map(|_| bump.place(&[normal(&mut random), normal(&mut random), normal(&mut random)])).collect();
        let v = Mat::from_rows(&rows);
        let all: Vec<usize> = (0..rows.len()).collect();
        let fitted = Bump::fitted(&u, &v, &all, &vec![1.0; rows.len()]).expect("enough directions");
        for test in [[0.6, 0.0, 0.8], [0.0, 1.0, 0.1], [0.8, 0.0, 0.6]] {
            let length = norm2(&test);
            let w: Vec<f64> = test.iter().map(|t| t / length).collect();
            let (a, b) = (bump.density(&w), fitted.density(&w));
            assert!((a / b - 1.0).abs() < 0.1, "{test:?}: {a} and {b}");
        }
        let mut mean = 0.0;
        for _ in 0..200_000 {
            let z = [normal(&mut random), normal(&mut random), normal(&mut random)];
            let length = norm2(&z);
            mean += fitted.density(&z.map(|c| c / length)) / 200_000.0;
        }
        assert!((mean - 1.0).abs() < 0.05, "{mean}");
    }
}
