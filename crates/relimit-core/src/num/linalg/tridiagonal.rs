//! Single eigenvalues of a symmetric matrix, and how many lie below a bound, without computing the others.

use super::reduce::tridiagonal;
use super::{Mat, scaled_lower};

/// A tridiagonal matrix with the eigenvalues of a symmetric matrix, to `n eps` of its norm.
///
/// Eigenvalues are asked for one by one, by bisection on the signs of pivots; all of them are cheaper by
/// [`super::symmetric_eigenvalues`]. Scaling the matrix by a power of two scales every answer exactly.
pub struct Tridiagonal {
    diagonal: Vec<f64>,
    /// Squares of the entries beside the diagonal.
    squares: Vec<f64>,
    /// Every eigenvalue lies in this interval.
    range: (f64, f64),
    scale: f64,
}

impl Tridiagonal {
    /// Reduces a symmetric matrix (its lower triangle is read) by reflections; panics on NaN or infinite entries.
    /// 4/3 n^3 flops.
    pub fn of(a: &Mat) -> Self {
        let (mut m, scale) = scaled_lower(a, "eigenvalues");
        let (diagonal, beside) = tridiagonal(&mut m);
        let radius = |i: usize| if i == 0 { 0.0 } else { beside[i - 1] } + beside.get(i).copied().unwrap_or(0.0);
        let mut range = (0.0f64, 0.0f64);
        for (i, d) in diagonal.iter().enumerate() {
            let (low, high) = (d - radius(i), d + radius(i));
            range = if i == 0 { (low, high) } else { (range.0.min(low), range.1.max(high)) };
        }
        // Rounding of the discs themselves.
        let slack = 4.0 * f64::EPSILON * range.0.abs().max(range.1.abs());
        let squares = beside.iter().map(|b| b * b).collect();
        Self { diagonal, squares, range: (range.0 - slack, range.1 + slack), scale }
    }

    /// Number of eigenvalues.
    pub fn order(&self) -> usize {
        self.diagonal.len()
    }

    /// How many eigenvalues lie below `x`. 3 n flops.
    pub fn count_below(&self, x: f64) -> usize {
        self.counts([x * self.scale; WAYS])[0]
    }

    /// The eigenvalue number `k`, from 0 and ascending; panics if there is none. About 25 counts.
    pub fn value(&self, k: usize) -> f64 {
        assert!(k < self.order(), "eigenvalue {k} of {}", self.order());
        let (mut low, mut high) = self.range;
        let resolution = f64::EPSILON / 4.0 * low.abs().max(high.abs());
        // Below `low` there are at most k, below `high` more.
        while high - low > resolution {
            let step = (high - low) / (WAYS + 1) as f64;
            let at: [f64; WAYS] = std::array::from_fn(|t| low + step * (t + 1) as f64);
            let first = self.counts(at).iter().position(|below| *below > k);
            let next = match first {
                Some(0) => (low, at[0]),
                Some(t) => (at[t - 1], at[t]),
                None => (at[WAYS - 1], high),
            };
            if next == (low, high) {
                break;
            }
            (low, high) = next;
        }
        (low + (high - low) / 2.0) / self.scale
    }

    /// The largest eigenvalue; 0 for an empty matrix.
    pub fn largest(&self) -> f64 {
        if self.order() == 0 { 0.0 } else { self.value(self.order() - 1) }
    }

    /// Negative pivots of `T - x I`, which are as many as eigenvalues below x, for several x at once.
    fn counts(&self, x: [f64; WAYS]) -> [usize; WAYS] {
        let mut pivot = [f64::INFINITY; WAYS];
        let mut below = [0.0; WAYS];
        for (i, d) in self.diagonal.iter().enumerate() {
            let square = if i == 0 { 0.0 } else { self.squares[i - 1] };
            for t in 0..WAYS {
                let p = d - x[t] - square / pivot[t];
                // A pivot 0 belongs to an x just above.
                pivot[t] = if p == 0.0 { -f64::MIN_POSITIVE } else { p };
                below[t] += if pivot[t] < 0.0 { 1.0 } else { 0.0 };
            }
        }
        below.map(|b| b as usize)
    }
}

/// Bounds that are looked at together: divisions overlap.
const WAYS: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::linalg::{eigen::tests::sample, gram, symmetric_eigenvalues};
    use crate::num::test_random::Random;

    #[test]
    fn second_differences_have_their_closed_form() {
        for n in [1, 2, 3, 10, 33, 100] {
            let m = Mat::from_fn(n, n, |i, k| match i.abs_diff(k) {
                0 => 2.0,
                1 => -1.0,
                _ => 0.0,
            });
            // A dense matrix with the same eigenvalues: reflected at a fixed vector.
            let u = Mat::from_fn(1, n, |_, i| ((i + 1) as f64).sqrt());
            let square: f64 = u.as_slice().iter().map(|v| v * v).sum();
            let mirror = Mat::from_fn(n, n, |i, k| f64::from(u8::from(i == k)) - 2.0 * u[(0, i)] * u[(0, k)] / square);
            let half = crate::num::linalg::mul_transposed(&mirror, &m);
            let dense = crate::num::linalg::mul_transposed(&half, &mirror);
            let t = Tridiagonal::of(&dense);
            for l in 0..n {
                let angle = std::f64::consts::PI * (l + 1) as f64 / (2 * (n + 1)) as f64;
                let exact = 4.0 * angle.sin().powi(2);
                assert!((t.value(l) - exact).abs() < 4e-14, "order {n} value {l}: {} for {exact}", t.value(l));
                assert_eq!((t.count_below(exact - 1e-9), t.count_below(exact + 1e-9)), (l, l + 1));
            }
        }
    }

    #[test]
    fn agrees_with_all_eigenvalues_at_once() {
        let mut random = Random(51);
        for case in 0..300 {
            let g = sample(&mut random, case);
            let (t, all) = (Tridiagonal::of(&g), symmetric_eigenvalues(&g));
            let top = all[g.rows() - 1];
            for k in [0, g.rows() / 2, g.rows() - 1] {
                assert!(
                    (t.value(k) - all[k]).abs() <= 1e-13 * top,
                    "case {case} value {k}: {} and {}",
                    t.value(k),
                    all[k]
                );
            }
        }
    }

    /// Couplings whose squares leave the range of f64 move no eigenvalue by more than themselves.
    #[test]
    fn blocks_that_hardly_couple_keep_their_eigenvalues() {
        let block = Mat::from_fn(6, 6, |i, k| if i == k { 3.0 + i as f64 } else { 1.0 / (1 + i + k) as f64 });
        let alone = Tridiagonal::of(&block);
        for power in [-60, -140, -155, -159, -160, -161, -162, -165, -200, -300] {
            let coupling = 10f64.powi(power);
            let whole = Mat::from_fn(12, 12, |i, k| match (i < 6, k < 6) {
                (true, true) => block[(i, k)],
                (false, false) => coupling * block[(i - 6, k - 6)],
                _ => coupling * (1.0 + (i * k % 5) as f64),
            });
            let t = Tridiagonal::of(&whole);
            for k in 0..6 {
                assert!((t.value(6 + k) - alone.value(k)).abs() < 1e-13, "1e{power}, value {k}: {}", t.value(6 + k));
            }
        }
    }

    #[test]
    fn powers_of_two_scale_exactly() {
        let g = gram(&Random(52).matrix(40, 70));
        let plain = Tridiagonal::of(&g);
        for power in [-900, -1, 3, 900] {
            let factor = 2f64.powi(power);
            let scaled = Tridiagonal::of(&Mat::from_fn(40, 40, |i, k| g[(i, k)] * factor));
            for k in [0, 17, 39] {
                assert_eq!(scaled.value(k), plain.value(k) * factor);
            }
            assert_eq!(
                scaled.count_below(plain.value(17) * 1.001 * factor),
                plain.count_below(plain.value(17) * 1.001)
            );
        }
    }

    #[test]
    fn diagonal_repeated_and_empty_matrices() {
        let d = Tridiagonal::of(&Mat::from_fn(5, 5, |i, k| if i == k { [3.0, -1.0, 3.0, 0.0, 2.0][i] } else { 0.0 }));
        let all: Vec<f64> = (0..5).map(|k| d.value(k)).collect();
        for (a, b) in all.iter().zip([-1.0, 0.0, 2.0, 3.0, 3.0]) {
            assert!((a - b).abs() <= 4.0 * f64::EPSILON, "{all:?}");
        }
        assert_eq!((d.count_below(-1.5), d.count_below(2.5), d.count_below(4.0)), (0, 3, 5));
        assert_eq!(Tridiagonal::of(&Mat::zeros(3, 3)).largest(), 0.0);
        assert_eq!(Tridiagonal::of(&Mat::zeros(0, 0)).largest(), 0.0);
    }

    #[test]
    #[should_panic(expected = "eigenvalues of a 1x1 matrix with NaN")]
    fn nan_is_misuse() {
        Tridiagonal::of(&Mat::from_rows(&[[f64::NAN]]));
    }
}
