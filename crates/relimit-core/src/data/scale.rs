//! Scaling of features and labels, with the map kept so that a fitted network can take raw inputs.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::Dataset;
use crate::net::Network;
use crate::num::Mat;
use crate::num::mat::{dot, max_abs};

/// What is done to each column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Nothing.
    #[default]
    None,
    /// Subtract the mean.
    Centre,
    /// Subtract the mean and divide by the population standard deviation (divisor n, as scikit-learn).
    Standardise,
}

/// A column that cannot be scaled.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ScaleError {
    /// All values are equal, so there is no standard deviation to divide by.
    #[error("column '{column}' is {value} in every row and cannot be standardised: drop it, or use 'centre' or 'none'")]
    Constant {
        /// Name of the column.
        column: String,
        /// Its one value.
        value: f64,
    },
    /// Mean or standard deviation leave the range of f64.
    #[error(
        "column '{column}' (largest absolute value {largest:e}) has a mean or spread outside the range of 64-bit numbers: change its unit"
    )]
    OutOfRange {
        /// Name of the column.
        column: String,
        /// Its largest absolute value.
        largest: f64,
    },
}

/// The map `scaled = (raw - shift) / factor`, column by column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Affine {
    /// Subtracted first (0 for `Scale::None`).
    pub shift: Vec<f64>,
    /// Divided by second, positive (1 unless standardised).
    pub factor: Vec<f64>,
}

impl Affine {
    /// The identity on `columns` columns.
    pub fn identity(columns: usize) -> Self {
        Self { shift: vec![0.0; columns], factor: vec![1.0; columns] }
    }

    /// Whether nothing is changed.
    pub fn is_identity(&self) -> bool {
        self.shift.iter().all(|s| *s == 0.0) && self.factor.iter().all(|f| *f == 1.0)
    }

    /// Scales rows of raw values (n x columns).
    pub fn apply(&self, raw: &Mat) -> Mat {
        assert_eq!(raw.cols(), self.shift.len(), "{} columns, scaling of {}", raw.cols(), self.shift.len());
        Mat::from_fn(raw.rows(), raw.cols(), |i, k| (raw[(i, k)] - self.shift[k]) / self.factor[k])
    }

    /// Raw values of scaled rows.
    pub fn invert(&self, scaled: &Mat) -> Mat {
        assert_eq!(scaled.cols(), self.shift.len(), "{} columns, scaling of {}", scaled.cols(), self.shift.len());
        Mat::from_fn(scaled.rows(), scaled.cols(), |i, k| scaled[(i, k)] * self.factor[k] + self.shift[k])
    }

    /// The scaling of the columns of `x`; `names` is used in errors only, row i counts one in `divisors[i]`.
    fn fit(x: &Mat, names: &[&str], scale: Scale, divisors: &[f64]) -> Result<Self, ScaleError> {
        assert_eq!(x.cols(), names.len(), "{} columns and {} names", x.cols(), names.len());
        let mut map = Self::identity(x.cols());
        if scale == Scale::None || x.rows() == 0 {
            return Ok(map);
        }
        for (k, name) in names.iter().enumerate() {
            let column: Vec<f64> = (0..x.rows()).map(|i| x[(i, k)]).collect();
            let (mean, deviation) = mean_and_deviation(&column, divisors);
            if !mean.is_finite() || !deviation.is_finite() {
                return Err(ScaleError::OutOfRange { column: (*name).into(), largest: max_abs(&column) });
            }
            map.shift[k] = mean;
            if scale == Scale::Standardise {
                if deviation == 0.0 {
                    return Err(ScaleError::Constant { column: (*name).into(), value: column[0] });
                }
                map.factor[k] = deviation;
            }
        }
        Ok(map)
    }
}

/// Mean (corrected once by the mean of the deviations) and population standard deviation, value i counting one in
/// `divisors[i]` (all of them n for equal counts); exact for equal values.
fn mean_and_deviation(v: &[f64], divisors: &[f64]) -> (f64, f64) {
    if v.iter().all(|x| *x == v[0]) {
        return (v[0], 0.0);
    }
    let mean_of = |part: &dyn Fn(f64) -> f64| -> f64 { v.iter().zip(divisors).map(|(x, n)| part(*x) / n).sum() };
    let first = mean_of(&|x| x);
    let mean = first + mean_of(&|x| x - first);
    let deviations: Vec<f64> = v.iter().map(|x| x - mean).collect();
    let top = max_abs(&deviations);
    if top == 0.0 || !top.is_finite() {
        return (mean, top);
    }
    let variance = mean_of(&|x| ((x - mean) / top) * ((x - mean) / top));
    (mean, top * variance.sqrt())
}

/// A scaled data set and the maps that led to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaled {
    /// The scaled data.
    pub dataset: Dataset,
    /// Map of the features.
    pub inputs: Affine,
    /// Map of the label (one column).
    pub target: Affine,
}

impl Scaled {
    /// Appends the column of ones of a bias to the scaled features: in place where nobody else holds them, in a copy
    /// otherwise.
    ///
    /// # Example
    /// ```
    /// use relimit_core::data::{Dataset, scale::{Scale, scale}};
    /// use relimit_core::num::Mat;
    /// let (x, features) = (Mat::from_rows(&[[2.0], [3.0]]).into(), vec!["a".to_owned()]);
    /// let raw = Dataset { x, y: vec![0.0, 1.0], features, target: "y".into(), rows: vec![1, 2] };
    /// let mut scaled = scale(&raw, Scale::None, Scale::None).unwrap();
    /// scaled.push_bias();
    /// assert_eq!(*scaled.dataset.x, Mat::from_rows(&[[2.0, 1.0], [3.0, 1.0]]));
    /// assert_eq!((scaled.dataset.d(), scaled.dataset.has_bias(), raw.has_bias()), (1, true, false));
    /// ```
    pub fn push_bias(&mut self) {
        assert!(!self.dataset.has_bias(), "a second bias column behind {} features", self.dataset.d());
        Arc::make_mut(&mut self.dataset.x).push_column(1.0);
    }
}

/// Scales the features by `scale` and the label by `target_scale`; unscaled features are shared, not copied. O(n d).
///
/// # Errors
/// A constant column or label under `Standardise`, or one whose mean or spread is out of range.
pub fn scale(dataset: &Dataset, scale: Scale, target_scale: Scale) -> Result<Scaled, ScaleError> {
    scale_weighted(dataset, scale, target_scale, None)
}

/// As [`scale`], with means and standard deviations in which row i counts `weights[i]` > 0 times: a weight is a number
/// of copies, so that data of integer weights and data of repeated rows are scaled alike.
///
/// # Errors
/// As for [`scale`].
pub fn scale_weighted(
    dataset: &Dataset,
    scale: Scale,
    target_scale: Scale,
    weights: Option<&[f64]>,
) -> Result<Scaled, ScaleError> {
    let n = dataset.n();
    let divisors: Vec<f64> = match weights {
        None => vec![n as f64; n],
        Some(weights) => {
            assert_eq!(weights.len(), n, "{} sample weights for {n} rows", weights.len());
            // divided by the largest first: the sum stays in range
            let top = max_abs(weights);
            let total: f64 = weights.iter().map(|w| w / top).sum();
            weights.iter().map(|w| total / (w / top)).collect()
        }
    };
    let names: Vec<&str> = dataset.features.iter().map(String::as_str).collect();
    let inputs = Affine::fit(&dataset.x, &names, scale, &divisors)?;
    let labels = Mat::from_vec(dataset.n(), 1, dataset.y.clone());
    let target = Affine::fit(&labels, &[&dataset.target], target_scale, &divisors)?;
    let x = if scale == Scale::None { Arc::clone(&dataset.x) } else { Arc::new(inputs.apply(&dataset.x)) };
    let y = target.apply(&labels).into_vec();
    Ok(Scaled { dataset: Dataset { x, y, ..dataset.clone() }, inputs, target })
}

/// The network on raw inputs and labels that equals `net` on scaled ones.
///
/// ```text
/// w.((x - s)/t) + b = (w/t).x + (b - (w/t).s)        y = factor f + shift
/// ```
pub fn fold(net: &Network, inputs: &Affine, target: &Affine) -> Network {
    assert_eq!(
        net.inputs(),
        inputs.shift.len(),
        "network of {} inputs, scaling of {}",
        net.inputs(),
        inputs.shift.len()
    );
    let (outputs, maps) = (net.outputs(), target.shift.len());
    assert_eq!(maps, outputs, "network of {outputs} outputs, scaling of {maps} labels");
    let w = Mat::from_fn(net.width(), net.inputs(), |j, k| net.w[(j, k)] / inputs.factor[k]);
    let b = (0..net.width()).map(|j| net.b[j] - dot(w.row(j), &inputs.shift)).collect();
    let c = Mat::from_fn(outputs, net.width(), |o, j| net.c[(o, j)] * target.factor[o]);
    let offset = (0..outputs).map(|o| net.offset[o] * target.factor[o] + target.shift[o]).collect();
    Network { w, b, c, offset }
}

/// The network on scaled inputs and labels that equals `net` on raw ones: the inverse of [`fold`], to rounding.
///
/// A bias or offset that is nothing but rounding (1e-12 of the terms that it is made of) becomes 0.
pub fn unfold(net: &Network, inputs: &Affine, target: &Affine) -> Network {
    assert_eq!(
        net.inputs(),
        inputs.shift.len(),
        "network of {} inputs, scaling of {}",
        net.inputs(),
        inputs.shift.len()
    );
    let (outputs, maps) = (net.outputs(), target.shift.len());
    assert_eq!(maps, outputs, "network of {outputs} outputs, scaling of {maps} labels");
    let settle = |v: f64, size: f64| if v.abs() <= 1e-12 * size { 0.0 } else { v };
    let w = Mat::from_fn(net.width(), net.inputs(), |j, k| net.w[(j, k)] * inputs.factor[k]);
    let bias = |j: usize| {
        let (row, shift) = (net.w.row(j), &inputs.shift);
        let size: f64 = row.iter().zip(shift).map(|(a, s)| (a * s).abs()).sum();
        if size == 0.0 { net.b[j] } else { settle(net.b[j] + dot(row, shift), net.b[j].abs() + size) }
    };
    let b = (0..net.width()).map(bias).collect();
    let c = Mat::from_fn(outputs, net.width(), |o, j| net.c[(o, j)] / target.factor[o]);
    let offset =
        (0..outputs).map(|o| settle(net.offset[o] - target.shift[o], net.offset[o].abs()) / target.factor[o]).collect();
    Network { w, b, c, offset }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::noise::{Purpose, Stream};

    fn sample(n: usize, d: usize) -> Dataset {
        let s = Stream::new(11, Purpose::Test);
        let x = Mat::from_fn(n, d, |i, k| [1.0, 10.0, 100.0, 1000.0][k] * (3.0 + s.normal(i as u64, k as u64)));
        let y = (0..n).map(|i| 50.0 + 7.0 * s.normal(1000, i as u64)).collect();
        let features = (0..d).map(|k| format!("x{}", k + 1)).collect();
        Dataset { x: Arc::new(x), y, features, target: "y".into(), rows: (1..=n).collect() }
    }

    #[test]
    fn standardised_columns_have_mean_0_and_deviation_1() {
        let data = sample(40, 3);
        let s = scale(&data, Scale::Standardise, Scale::Standardise).unwrap();
        for k in 0..3 {
            let col: Vec<f64> = (0..40).map(|i| s.dataset.x[(i, k)]).collect();
            assert!(col.iter().sum::<f64>().abs() < 1e-12);
            assert!((col.iter().map(|v| v * v).sum::<f64>() / 40.0 - 1.0).abs() < 1e-13);
        }
        assert!((s.dataset.y.iter().map(|v| v * v).sum::<f64>() / 40.0 - 1.0).abs() < 1e-13);
        // {1, 2, 3, 4}: mean 5/2, population variance 5/4
        let (mean, deviation) = mean_and_deviation(&[1.0, 2.0, 3.0, 4.0], &[4.0; 4]);
        assert!(mean == 2.5 && (deviation - 1.25f64.sqrt()).abs() < 1e-15);
        // {1, 1, 1, 5}, the 1 counted three times: mean 2, variance 3
        let (mean, deviation) = mean_and_deviation(&[1.0, 5.0], &[4.0 / 3.0, 4.0]);
        assert!((mean - 2.0).abs() < 1e-15 && (deviation - 3.0f64.sqrt()).abs() < 1e-15);
    }

    #[test]
    fn weights_count_copies_up_to_one_factor() {
        let data = sample(6, 2);
        let order = [0, 0, 1, 2, 2, 2, 3, 4, 5];
        let y = order.iter().map(|i| data.y[*i]).collect();
        let copied = Dataset { x: data.x.select_rows(&order).into(), y, rows: order.to_vec(), ..data.clone() };
        let repeated = scale(&copied, Scale::Standardise, Scale::Standardise).unwrap();
        for unit in [1.0, 0.25, 1e300] {
            let weights = [2.0, 1.0, 3.0, 1.0, 1.0, 1.0].map(|w| unit * w);
            let s = scale_weighted(&data, Scale::Standardise, Scale::Standardise, Some(&weights)).unwrap();
            let of =
                |t: &Scaled| [&t.inputs.shift, &t.inputs.factor, &t.target.shift, &t.target.factor].map(Vec::clone);
            for (a, b) in of(&s).concat().iter().zip(of(&repeated).concat()) {
                assert!((a - b).abs() <= 1e-13 * b.abs().max(1.0), "{a} and {b}");
            }
        }
    }

    #[test]
    fn round_trip_and_modes() {
        let data = sample(15, 4);
        for mode in [Scale::None, Scale::Centre, Scale::Standardise] {
            let s = scale(&data, mode, mode).unwrap();
            let back = s.inputs.invert(&s.dataset.x);
            for (a, b) in back.as_slice().iter().zip(data.x.as_slice()) {
                assert!((a - b).abs() <= 4e-16 * b.abs().max(10f64.powi(4)));
            }
            assert_eq!(s.inputs.is_identity(), mode == Scale::None);
            assert_eq!(s.inputs.factor.iter().all(|f| *f == 1.0), mode != Scale::Standardise);
            assert_eq!(s.dataset.rows, data.rows);
        }
        assert_eq!(scale(&data, Scale::None, Scale::None).unwrap().dataset, data);
    }

    #[test]
    fn folded_network_takes_raw_inputs() {
        let data = sample(25, 3);
        let s = Stream::new(5, Purpose::Test);
        let net = Network::scalar(
            Mat::from_fn(4, 3, |j, k| s.normal(j as u64, k as u64)),
            (0..4).map(|j| s.normal(10, j)).collect(),
            (0..4).map(|j| s.normal(11, j)).collect(),
            0.3,
        );
        let scaled = scale(&data, Scale::Standardise, Scale::Standardise).unwrap();
        let inside = net.forward(&scaled.dataset.x).into_vec();
        let folded = fold(&net, &scaled.inputs, &scaled.target);
        let raw = folded.forward(&data.x).into_vec();
        let back = unfold(&folded, &scaled.inputs, &scaled.target);
        for (f, g) in inside.iter().zip(back.forward(&scaled.dataset.x).as_slice()) {
            assert!((f - g).abs() < 1e-12, "{f} and {g}");
        }
        let still = Network { offset: vec![0.0], ..net };
        let back = unfold(&fold(&still, &scaled.inputs, &scaled.target), &scaled.inputs, &scaled.target);
        assert_eq!(back.offset, [0.0], "rounding is no offset");
        for (f, g) in inside.iter().zip(&raw) {
            let expected = f * scaled.target.factor[0] + scaled.target.shift[0];
            assert!((expected - g).abs() < 1e-12 * (1.0 + g.abs()), "{expected} and {g}");
        }
    }

    #[test]
    fn constant_and_extreme_columns() {
        let mut data = sample(6, 2);
        for i in 0..6 {
            Arc::make_mut(&mut data.x)[(i, 1)] = 0.1;
        }
        let error = scale(&data, Scale::Standardise, Scale::None).unwrap_err();
        assert_eq!(error, ScaleError::Constant { column: "x2".into(), value: 0.1 });
        assert!(error.to_string().contains("'x2' is 0.1 in every row"));
        assert!((0..6).all(|i| scale(&data, Scale::Centre, Scale::None).unwrap().dataset.x[(i, 1)] == 0.0));
        for size in [1e300, 1e-300] {
            let mut big = sample(6, 2);
            for v in Arc::make_mut(&mut big.x).as_mut_slice() {
                *v *= size;
            }
            let s = scale(&big, Scale::Standardise, Scale::None).unwrap();
            assert!((s.dataset.x.as_slice().iter().map(|v| v * v).sum::<f64>() - 12.0).abs() < 1e-12);
        }
        for (i, v) in [f64::MAX, f64::MIN, 0.0, 0.0, 0.0, 0.0].into_iter().enumerate() {
            Arc::make_mut(&mut data.x)[(i, 1)] = v;
        }
        assert!(scale(&data, Scale::Standardise, Scale::None).is_ok());
        Arc::make_mut(&mut data.x)[(1, 1)] = f64::MAX;
        Arc::make_mut(&mut data.x)[(2, 1)] = f64::MIN;
        Arc::make_mut(&mut data.x)[(3, 1)] = f64::MIN;
        Arc::make_mut(&mut data.x)[(4, 1)] = f64::MIN;
        assert!(matches!(scale(&data, Scale::Centre, Scale::None), Err(ScaleError::OutOfRange { .. })));
        assert!(matches!(
            scale(&Dataset { y: vec![2.0; 6], ..sample(6, 1) }, Scale::None, Scale::Standardise),
            Err(ScaleError::Constant { .. })
        ));
    }
}
