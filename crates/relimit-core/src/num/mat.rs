//! A dense row-major matrix of f64: rows are examples, neurons or equations.

use serde::{Deserialize, Serialize};

use super::sums::{add_four, add_four_twice};
pub use super::sums::{axpy, dot};

/// Columns that `Mat::combine` takes at once: four rows and a few sums of them stay in the second cache.
const COMBINE_BLOCK: usize = 4096;

/// A dense row-major matrix.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct Mat {
    rows: usize,
    cols: usize,
    data: Vec<f64>,
}

impl Mat {
    /// The rows x cols matrix of zeros.
    pub fn zeros(rows: usize, cols: usize) -> Self {
        Self { rows, cols, data: vec![0.0; rows * cols] }
    }

    /// Takes row-major `data`; panics if its length is not rows * cols.
    pub fn from_vec(rows: usize, cols: usize, data: Vec<f64>) -> Self {
        assert_eq!(data.len(), rows * cols, "{rows}x{cols} matrix from {} numbers", data.len());
        Self { rows, cols, data }
    }

    /// Copies equal-length rows; panics if their lengths differ.
    pub fn from_rows<R: AsRef<[f64]>>(rows: &[R]) -> Self {
        let cols = rows.first().map_or(0, |r| r.as_ref().len());
        let mut data = Vec::with_capacity(rows.len() * cols);
        for r in rows {
            assert_eq!(r.as_ref().len(), cols, "ragged rows: {} and {cols}", r.as_ref().len());
            data.extend_from_slice(r.as_ref());
        }
        Self { rows: rows.len(), cols, data }
    }

    /// The matrix with entries `f(i, k)`.
    pub fn from_fn(rows: usize, cols: usize, mut f: impl FnMut(usize, usize) -> f64) -> Self {
        let mut data = Vec::with_capacity(rows * cols);
        for i in 0..rows {
            data.extend((0..cols).map(|k| f(i, k)));
        }
        Self { rows, cols, data }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Row `i`.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.data[i * self.cols..(i + 1) * self.cols]
    }

    /// Row `i`, to be changed.
    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.data[i * self.cols..(i + 1) * self.cols]
    }

    /// All entries, row-major.
    pub fn as_slice(&self) -> &[f64] {
        &self.data
    }

    /// All entries, row-major, to be changed.
    pub fn as_mut_slice(&mut self) -> &mut [f64] {
        &mut self.data
    }

    /// The row-major entries themselves.
    pub fn into_vec(self) -> Vec<f64> {
        self.data
    }

    /// Rows as vectors (for results that are written out).
    pub fn to_rows(&self) -> Vec<Vec<f64>> {
        (0..self.rows).map(|i| self.row(i).to_vec()).collect()
    }

    /// The transpose.
    pub fn transpose(&self) -> Self {
        Self::from_fn(self.cols, self.rows, |i, k| self[(k, i)])
    }

    /// `A v`; panics unless v has `cols` entries. O(rows cols).
    pub fn mul_vec(&self, v: &[f64]) -> Vec<f64> {
        assert_eq!(v.len(), self.cols, "{}x{} matrix times vector of {}", self.rows, self.cols, v.len());
        (0..self.rows).map(|i| dot(self.row(i), v)).collect()
    }

    /// `A' v`; panics unless v has `rows` entries. O(rows cols), reads A once; zero entries of v cost nothing.
    pub fn tmul_vec(&self, v: &[f64]) -> Vec<f64> {
        assert_eq!(v.len(), self.rows, "transpose of {}x{} matrix times vector of {}", self.rows, self.cols, v.len());
        let mut out = vec![0.0; self.cols];
        for (i, &s) in v.iter().enumerate() {
            if s != 0.0 {
                axpy(s, self.row(i), &mut out);
            }
        }
        out
    }

    /// `B A`, in one pass over A however many rows B has; panics unless B has `rows` columns.
    pub fn combine(&self, b: &Self) -> Self {
        assert_eq!(b.cols, self.rows, "combinations {}x{} of {} rows", b.rows, b.cols, self.rows);
        let mut out = Self::zeros(b.rows, self.cols);
        for from in (0..self.cols).step_by(COMBINE_BLOCK) {
            let to = (from + COMBINE_BLOCK).min(self.cols);
            let part = |i: usize| &self.row(i)[from..to];
            for i in (0..self.rows / 4).map(|q| 4 * q) {
                let rows = [part(i), part(i + 1), part(i + 2), part(i + 3)];
                let mut sums = out.data.chunks_exact_mut(self.cols).map(|sum| &mut sum[from..to]);
                for j in (0..b.rows).step_by(2) {
                    let (first, second) = (sums.next().expect("a row for every row of B"), sums.next());
                    match second {
                        Some(second) => {
                            add_four_twice([&b.row(j)[i..i + 4], &b.row(j + 1)[i..i + 4]], rows, first, second);
                        }
                        None => add_four(&b.row(j)[i..i + 4], rows, first),
                    }
                }
            }
            for i in self.rows / 4 * 4..self.rows {
                for j in 0..b.rows {
                    axpy(b[(j, i)], part(i), &mut out.row_mut(j)[from..to]);
                }
            }
        }
        out
    }

    /// The sub-matrix of the given rows and columns, in that order.
    pub fn select(&self, rows: &[usize], cols: &[usize]) -> Self {
        let mut data = Vec::with_capacity(rows.len() * cols.len());
        for &i in rows {
            let row = self.row(i);
            data.extend(cols.iter().map(|&k| row[k]));
        }
        Self { rows: rows.len(), cols: cols.len(), data }
    }

    /// The given rows, in that order.
    pub fn select_rows(&self, rows: &[usize]) -> Self {
        let mut data = Vec::with_capacity(rows.len() * self.cols);
        for &i in rows {
            data.extend_from_slice(self.row(i));
        }
        Self { rows: rows.len(), cols: self.cols, data }
    }

    /// Appends a column with one value in place: rows move up within the same storage, which grows by `rows` numbers.
    pub fn push_column(&mut self, value: f64) {
        let (n, d) = (self.rows, self.cols);
        self.data.reserve_exact(n);
        self.data.resize(n * (d + 1), value);
        for i in (0..n).rev() {
            self.data.copy_within(i * d..(i + 1) * d, i * (d + 1));
            self.data[i * (d + 1) + d] = value;
        }
        self.cols = d + 1;
    }

    /// Largest absolute entry (0 for an empty matrix).
    pub fn max_abs(&self) -> f64 {
        max_abs(&self.data)
    }
}

impl std::ops::Index<(usize, usize)> for Mat {
    type Output = f64;
    fn index(&self, (i, k): (usize, usize)) -> &f64 {
        &self.data[i * self.cols + k]
    }
}

impl std::ops::IndexMut<(usize, usize)> for Mat {
    fn index_mut(&mut self, (i, k): (usize, usize)) -> &mut f64 {
        &mut self.data[i * self.cols + k]
    }
}

/// Euclidean norm, scaled so that it neither overflows nor underflows before the result does.
pub fn norm2(v: &[f64]) -> f64 {
    let square = dot(v, v);
    if (1e-250..1e250).contains(&square) {
        return square.sqrt();
    }
    let scale = max_abs(v);
    if scale == 0.0 || !scale.is_finite() {
        return scale;
    }
    // by a power of two: the same bits as in range
    let exponent = libm::ilogb(scale);
    let scaled: Vec<f64> = v.iter().map(|x| libm::ldexp(*x, -exponent)).collect();
    libm::ldexp(dot(&scaled, &scaled).sqrt(), exponent)
}

/// Largest absolute entry (0 for none; NaN counts as infinity).
pub fn max_abs(v: &[f64]) -> f64 {
    // The bits of |x| order as the numbers do, and NaN lies above infinity.
    let largest = v.iter().fold(0, |a: u64, x| a.max(x.to_bits() & !(1 << 63)));
    f64::from_bits(largest.min(f64::INFINITY.to_bits()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_agree_with_loops() {
        let a = Mat::from_fn(5, 11, |i, k| (i * 13 + k * 7) as f64 % 5.0 - 2.0);
        let v: Vec<f64> = (0..11).map(|k| k as f64 - 4.0).collect();
        let u: Vec<f64> = (0..5).map(|k| 2.0 - k as f64).collect();
        for i in 0..5 {
            let slow: f64 = (0..11).map(|k| a[(i, k)] * v[k]).sum();
            assert!((a.mul_vec(&v)[i] - slow).abs() < 1e-12);
        }
        for k in 0..11 {
            let slow: f64 = (0..5).map(|i| a[(i, k)] * u[i]).sum();
            assert!((a.tmul_vec(&u)[k] - slow).abs() < 1e-12);
        }
        assert_eq!(a.transpose().transpose(), a);
        let b = Mat::from_fn(3, 5, |j, i| ((j * 5 + i) % 4) as f64 - 1.0);
        for j in 0..3 {
            for (p, q) in a.combine(&b).row(j).iter().zip(a.tmul_vec(b.row(j))) {
                assert!((p - q).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_column_is_appended_in_place() {
        for (n, d) in [(0, 3), (1, 1), (4, 0), (5, 3)] {
            let mut a = Mat::from_fn(n, d, |i, k| (10 * i + k) as f64);
            a.push_column(0.5);
            assert_eq!(a, Mat::from_fn(n, d + 1, |i, k| if k < d { (10 * i + k) as f64 } else { 0.5 }));
        }
    }

    #[test]
    fn norm_survives_extreme_scales() {
        assert!((norm2(&[3e300, 4e300]) / 5e300 - 1.0).abs() < 1e-15);
        assert!((norm2(&[3e-300, 4e-300]) / 5e-300 - 1.0).abs() < 1e-15);
        assert_eq!(norm2(&[]), 0.0);
    }
}
