//! Decimal values as whole numbers: a column times a power of ten has the same patterns, and no rounding.

use dashu_int::IBig;
use relimit_core::num::Mat;

use super::PatternsError;

/// Most digits behind the point; whole numbers must stay below 2^53.
const DIGITS: usize = 15;

/// Columns as whole numbers, and the power of ten that each was multiplied with.
pub(super) struct Decimals {
    pub(super) x: Mat,
    digits: Vec<usize>,
}

impl Decimals {
    /// The columns of x with every value taken as its shortest decimal.
    ///
    /// # Errors
    /// A column whose values times a power of ten are not whole numbers below 2^53.
    pub(super) fn new(x: &Mat, names: &[String]) -> Result<Self, PatternsError> {
        let column = |k: usize| {
            let most = (0..x.rows()).map(|i| behind_point(x[(i, k)])).max().unwrap_or(0);
            let value = |i: usize| whole(x[(i, k)], most);
            let worst = || (0..x.rows()).find(|i| value(*i).is_none()).unwrap_or(0);
            let values: Option<Vec<f64>> = if most <= DIGITS { (0..x.rows()).map(value).collect() } else { None };
            values.map(|v| (v, most)).ok_or_else(|| PatternsError::Decimals {
                column: names[k].clone(),
                value: if most <= DIGITS { x[(worst(), k)] } else { longest(x, k) },
            })
        };
        let columns: Vec<(Vec<f64>, usize)> = (0..x.cols()).map(column).collect::<Result<_, _>>()?;
        let x = Mat::from_fn(x.rows(), x.cols(), |i, k| columns[k].0[i]);
        Ok(Self { x, digits: columns.into_iter().map(|c| c.1).collect() })
    }

    /// Weights for the decimals from weights for the whole numbers; a bias at the end stays as it is.
    pub(super) fn weights(&self, mut u: Vec<IBig>) -> Vec<IBig> {
        for (w, digits) in u.iter_mut().zip(&self.digits) {
            *w *= IBig::from(10).pow(*digits);
        }
        u
    }
}

fn longest(x: &Mat, k: usize) -> f64 {
    (0..x.rows()).map(|i| x[(i, k)]).max_by_key(|v| behind_point(*v)).unwrap_or(0.0)
}

/// Digits behind the point of the shortest decimal that reads back as v.
fn behind_point(v: f64) -> usize {
    format!("{v}").split_once('.').map_or(0, |(_, digits)| digits.len())
}

/// The shortest decimal of v times 10^digits, if it is below 2^53 in size.
fn whole(v: f64, digits: usize) -> Option<f64> {
    let text = format!("{v:.digits$}").replace('.', "");
    let value: i64 = text.parse().ok()?;
    (value.unsigned_abs() < 1 << 53).then_some(value as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_become_whole_numbers() {
        let x = Mat::from_rows(&[[8.3, 70.0, -0.05], [10.75, 81.0, 0.0], [-0.5, 1e9, 1.0]]);
        let names = ["a", "b", "c"].map(String::from);
        let got = Decimals::new(&x, &names).unwrap();
        assert_eq!(got.x.to_rows(), [[830.0, 70.0, -5.0], [1075.0, 81.0, 0.0], [-50.0, 1e9, 100.0]]);
        let u = [2, 3, -1, 7].map(IBig::from).to_vec();
        assert_eq!(got.weights(u), [200, 3, -100, 7].map(IBig::from));
    }

    #[test]
    fn what_is_no_short_decimal_is_refused_by_name() {
        let names = ["a", "b"].map(String::from);
        for value in [1.0 / 3.0, 1e-300, 1e300, 9_007_199_254_740_992.0] {
            let x = Mat::from_rows(&[[1.0, value], [2.0, 0.5]]);
            let error = Decimals::new(&x, &names).err().unwrap().to_string();
            assert!(
                error.starts_with("--decimals: column b holds ") && error.contains("leave --decimals out"),
                "{error}"
            );
        }
    }
}
