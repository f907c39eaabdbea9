//! A box of inputs, and the exact range of an affine function on it.

use serde::{Deserialize, Serialize};

use crate::num::Mat;
use crate::num::exact::Dyadic;

/// All x with `low_k <= x_k <= high_k`; every bound is finite.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InputBox {
    /// Lower ends, d.
    pub low: Vec<f64>,
    /// Upper ends, d.
    pub high: Vec<f64>,
}

impl InputBox {
    /// The box; panics unless both lists are as long, finite and in order.
    pub fn new(low: Vec<f64>, high: Vec<f64>) -> Self {
        assert_eq!(low.len(), high.len(), "box of {} lower and {} upper ends", low.len(), high.len());
        for (k, (a, b)) in low.iter().zip(&high).enumerate() {
            assert!(a.is_finite() && b.is_finite() && a <= b, "side {k} of the box is [{a}, {b}]");
        }
        Self { low, high }
    }

    /// `[-size, size]` in each of d inputs.
    pub fn around_zero(d: usize, size: f64) -> Self {
        Self::new(vec![-size; d], vec![size; d])
    }

    /// The smallest box that holds the rows of `x` (n x d, n >= 1).
    pub fn of_rows(x: &Mat) -> Self {
        assert!(x.rows() > 0, "a box round no rows");
        let (mut low, mut high) = (x.row(0).to_vec(), x.row(0).to_vec());
        for i in 1..x.rows() {
            for (k, v) in x.row(i).iter().enumerate() {
                low[k] = low[k].min(*v);
                high[k] = high[k].max(*v);
            }
        }
        Self::new(low, high)
    }

    /// Number of inputs.
    pub fn inputs(&self) -> usize {
        self.low.len()
    }

    /// The exact least and greatest value of `w . x + b`; the d + 1 entries of `row` are w and b.
    pub fn range(&self, row: &[Dyadic]) -> (Dyadic, Dyadic) {
        let d = self.inputs();
        assert_eq!(row.len(), d + 1, "affine function of {} entries on a box of {d} inputs", row.len());
        let (mut least, mut greatest) = (row[d].clone(), row[d].clone());
        for (k, w) in row[..d].iter().enumerate().filter(|(_, w)| !w.is_zero()) {
            let (a, b) = (w.mul(&Dyadic::new(self.low[k])), w.mul(&Dyadic::new(self.high[k])));
            let rises = w.sign() == std::cmp::Ordering::Greater;
            let (small, large) = if rises { (a, b) } else { (b, a) };
            least = least.add(&small);
            greatest = greatest.add(&large);
        }
        (least, greatest)
    }

    /// Certified bounds of `w . x + b` on the box: the exact range, rounded outward to f64.
    pub fn bounds(&self, w: &[f64], b: f64) -> (f64, f64) {
        let row: Vec<Dyadic> = w.iter().chain([&b]).map(|v| Dyadic::new(*v)).collect();
        let (least, greatest) = self.range(&row);
        (least.down(), greatest.up())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_attained_at_corners_and_rounded_outward() {
        let b = InputBox::new(vec![-1.0, 2.0], vec![3.0, 5.0]);
        assert_eq!(b.bounds(&[2.0, -1.0], 0.5), (-6.5, 4.5));
        // 0.1 * 3 is not an f64: the ends lie strictly on either side of the rounded product's neighbours
        let (low, high) = InputBox::new(vec![3.0], vec![3.0]).bounds(&[0.1], 0.0);
        assert!(low < high && low.next_up() == high && (low == 0.3 || high == 0.3));
        let rows = Mat::from_rows(&[[1.0, 7.0], [-2.0, 8.0]]);
        assert_eq!(InputBox::of_rows(&rows), InputBox::new(vec![-2.0, 7.0], vec![1.0, 8.0]));
    }
}
