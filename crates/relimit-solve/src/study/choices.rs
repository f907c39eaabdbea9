//! Settings that a study chooses by itself, each with the numbers that decided.

use relimit_core::data::Dataset;
use relimit_core::data::scale::Scale;

use crate::answer::Choice;

/// Columns whose sizes differ by more than this are standardised.
const APART: f64 = 10.0;

/// What is done to the features: standardise when sizes (root mean squares) differ by more than a factor of 10.
///
/// A penalised bias is a column of ones beside the features, so it counts with size 1: weight decay weighs it against
/// them. Constant columns have no spread to divide by and cannot be standardised.
pub fn choose_scale(raw: &Dataset, bias: bool) -> (Scale, Choice) {
    let column = |k: usize| (0..raw.n()).map(move |i| raw.x[(i, k)]);
    let constant = (0..raw.d()).find(|k| deviation(column(*k)) == 0.0).map(|k| &raw.features[k]);
    let mut sizes: Vec<(f64, &str)> = (0..raw.d()).map(|k| (size(column(k)), raw.features[k].as_str())).collect();
    if bias {
        sizes.push((1.0, "the column of ones of the bias"));
    }
    let made = |scale, value: &str, reason| (scale, Choice { flag: "--scale".into(), value: value.into(), reason });
    if let Some(column) = constant {
        return made(Scale::None, "none", format!("column '{column}' is constant and has no spread to divide by"));
    }
    let by_size = |a: &&(f64, &str), b: &&(f64, &str)| a.0.total_cmp(&b.0);
    let (Some(low), Some(high)) = (sizes.iter().min_by(by_size), sizes.iter().max_by(by_size)) else {
        return made(Scale::None, "none", "there is no column".into());
    };
    let told = format!("sizes go from {} ({}) to {} ({})", short(low.0), low.1, short(high.0), high.1);
    if high.0 / low.0 > APART {
        made(Scale::Standardise, "standardise", format!("{told}: more than a factor of {APART}"))
    } else {
        made(Scale::None, "none", format!("{told}: at most a factor of {APART}"))
    }
}

/// What is done to the labels: standardise when their spread or their size (root mean square) is more than a factor of 10
/// away from 1.
pub fn choose_target_scale(raw: &Dataset) -> (Scale, Choice) {
    let spread = deviation(raw.y.iter().copied());
    let size = size(raw.y.iter().copied());
    let near = |v: f64| (1.0 / APART..=APART).contains(&v);
    let made = |scale, value: &str, why: &str| {
        let (what, v) = if near(spread) && !near(size) { ("size", size) } else { ("spread", spread) };
        let reason = format!("the {what} of {} is {}{why}", raw.target, short(v));
        (scale, Choice { flag: "--target-scale".into(), value: value.into(), reason })
    };
    if spread == 0.0 {
        made(Scale::None, "none", ": nothing to divide by")
    } else if !(near(spread) && near(size)) {
        made(Scale::Standardise, "standardise", ", more than a factor of 10 away from 1")
    } else {
        made(Scale::None, "none", ", of the order of 1")
    }
}

/// Root mean square.
fn size(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let n = values.clone().count().max(1) as f64;
    values.map(|v| v * v / n).sum::<f64>().sqrt()
}

/// Population standard deviation; 0 where all are equal.
fn deviation(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let n = values.clone().count().max(1) as f64;
    let first = values.clone().next().unwrap_or(0.0);
    if values.clone().all(|v| v == first) {
        return 0.0;
    }
    let mean = values.clone().map(|v| v / n).sum::<f64>();
    values.map(|v| (v - mean) * (v - mean) / n).sum::<f64>().sqrt()
}

fn short(v: f64) -> String {
    if v == 0.0 {
        "0".into()
    } else if (1e-3..1e5).contains(&v) {
        let digits = (2 - v.log10().floor() as i32).clamp(0, 6) as usize;
        format!("{v:.digits$}")
    } else {
        format!("{v:.2e}")
    }
}

#[cfg(test)]
mod tests {
    use relimit_core::num::Mat;

    use super::*;

    fn data(columns: &[&[f64]], y: &[f64]) -> Dataset {
        let n = y.len();
        Dataset {
            x: Mat::from_fn(n, columns.len(), |i, k| columns[k][i]).into(),
            y: y.to_vec(),
            features: (0..columns.len()).map(|k| format!("f{k}")).collect(),
            target: "y".into(),
            rows: (2..n + 2).collect(),
        }
    }

    #[test]
    fn spreads_decide_and_are_told() {
        // root mean squares 1 and 12
        let apart = data(&[&[-1.0, 1.0], &[-12.0, 12.0]], &[0.0, 1.0]);
        let (scale, why) = choose_scale(&apart, false);
        assert_eq!(
            (scale, why.reason.as_str()),
            (Scale::Standardise, "sizes go from 1.00 (f0) to 12.0 (f1): more than a factor of 10")
        );
        // spreads alike, but far from 0
        let far = data(&[&[75.0, 77.0], &[1.0, -1.0]], &[0.0, 1.0]);
        assert_eq!(choose_scale(&far, false).0, Scale::Standardise);
        let near = data(&[&[-1.0, 1.0], &[-9.0, 9.0]], &[0.0, 1.0]);
        assert_eq!(choose_scale(&near, true).0, Scale::None);
        // one feature alone is weighed against the bias
        let minutes = data(&[&[-13.0, 13.0]], &[0.0, 1.0]);
        assert_eq!(choose_scale(&minutes, true).0, Scale::Standardise);
        assert_eq!(choose_scale(&minutes, false).0, Scale::None);
        let constant = data(&[&[3.0, 3.0], &[-100.0, 100.0]], &[0.0, 1.0]);
        assert!(choose_scale(&constant, true).1.reason.contains("'f0' is constant"));
    }

    #[test]
    fn labels_are_brought_to_order_one() {
        let of = |y: &[f64]| choose_target_scale(&data(&[&[0.0, 1.0]], y)).0;
        assert_eq!(of(&[-11.0, 11.0]), Scale::Standardise);
        assert_eq!(of(&[-0.05, 0.05]), Scale::Standardise);
        assert_eq!(of(&[-1.0, 2.0]), Scale::None);
        assert_eq!(of(&[2.0, 2.0]), Scale::None);
        // a spread of 1 around 63
        let far = choose_target_scale(&data(&[&[0.0, 1.0]], &[62.0, 64.0]));
        assert_eq!(far.0, Scale::Standardise);
        assert!(far.1.reason.starts_with("the size of y is 63.0, more than a factor of 10"), "{}", far.1.reason);
    }
}
