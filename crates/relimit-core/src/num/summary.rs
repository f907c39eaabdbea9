//! Summaries of samples: mean with its standard error, quantiles, the slope of one logarithm against another.

use std::f64::consts::PI;

/// Mean and standard error of the mean (`None` for one value); `None` for no value. O(n).
pub fn mean(values: &[f64]) -> Option<(f64, Option<f64>)> {
    let n = values.len() as f64;
    if values.is_empty() {
        return None;
    }
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
    Some((mean, (values.len() > 1).then(|| (squares / (n - 1.0) / n).sqrt())))
}

/// The quantile of a share between 0 and 1, linear between order statistics (type 7); `None` for no value.
///
/// `sorted` is in increasing order. O(1).
pub fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let at = share.clamp(0.0, 1.0) * last as f64;
    let below = sorted[at as usize];
    let above = sorted[last.min(at as usize + 1)];
    Some(below + (above - below) * at.fract())
}

/// The least-squares slope of log y against log x with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogSlope {
    /// The slope.
    pub slope: f64,
    /// Half the width of its 95 % interval by Student's t; `None` for two points, which a line fits exactly.
    pub half_width: Option<f64>,
    /// Points used: those with two positive numbers.
    pub points: usize,
}

/// Fits `log y = intercept + slope log x`; `None` with fewer than two different positive x.
///
/// The interval supposes independent errors of equal size in log y. O(n).
pub fn log_slope(x: &[f64], y: &[f64]) -> Option<LogSlope> {
    assert_eq!(x.len(), y.len(), "{} x and {} y", x.len(), y.len());
    let both = x.iter().zip(y).filter(|(x, y)| **x > 0.0 && **y > 0.0 && x.is_finite() && y.is_finite());
    let logs: Vec<(f64, f64)> = both.map(|(x, y)| (libm::log(*x), libm::log(*y))).collect();
    let n = logs.len() as f64;
    let (x0, y0) = (logs.iter().map(|p| p.0).sum::<f64>() / n, logs.iter().map(|p| p.1).sum::<f64>() / n);
    let (mut xx, mut xy) = (0.0, 0.0);
    for (x, y) in &logs {
        xx += (x - x0) * (x - x0);
        xy += (x - x0) * (y - y0);
    }
    // rounding alone makes equal x differ by an ulp of their mean
    if !(logs.len() >= 2 && xx > 1e-24 * n * (1.0 + x0 * x0)) {
        return None;
    }
    let slope = xy / xx;
    let rest: f64 = logs.iter().map(|(x, y)| y - y0 - slope * (x - x0)).map(|e| e * e).sum();
    let freedom = n - 2.0;
    let half_width = (logs.len() > 2).then(|| student(0.975, freedom) * (rest / freedom / xx).sqrt());
    Some(LogSlope { slope, half_width, points: logs.len() })
}

/// The quantile of Student's t for a share above 1/2 and `freedom` degrees of freedom, to about 1e-10.
pub fn student(share: f64, freedom: f64) -> f64 {
    assert!(share > 0.5 && share < 1.0 && freedom > 0.0, "share {share}, {freedom} degrees of freedom");
    // P(|T| > t) = I_z(freedom/2, 1/2) with z = freedom/(freedom + t^2): bisection in z, which lies between 0 and 1
    let tail = 2.0 * (1.0 - share);
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..200 {
        let z = 0.5 * (low + high);
        if z <= low || z >= high {
            break;
        }
        if incomplete_beta(z, 0.5 * freedom, 0.5) < tail { low = z } else { high = z }
    }
    let z: f64 = 0.5 * (low + high);
    (freedom * (1.0 - z) / z).sqrt()
}

/// The regularised incomplete beta function I_z(a, b), by its continued fraction (Lentz's method).
fn incomplete_beta(z: f64, a: f64, b: f64) -> f64 {
    if z > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(1.0 - z, b, a);
    }
    let front = libm::exp(a * libm::log(z) + b * libm::log(1.0 - z) + ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b)) / a;
    let away = |v: f64| if v.abs() < 1e-300 { 1e-300 } else { v };
    let (mut c, mut d) = (1.0, 1.0 / away(1.0 - (a + b) * z / (a + 1.0)));
    let mut fraction = d;
    for k in 1..500 {
        let k = f64::from(k);
        let even = k * (b - k) * z / ((a + 2.0 * k - 1.0) * (a + 2.0 * k));
        let odd = -(a + k) * (a + b + k) * z / ((a + 2.0 * k) * (a + 2.0 * k + 1.0));
        let before = fraction;
        for term in [even, odd] {
            d = 1.0 / away(1.0 + term * d);
            c = away(1.0 + term / c);
            fraction *= c * d;
        }
        if (fraction - before).abs() <= 1e-15 * fraction.abs() {
            break;
        }
    }
    front * fraction
}

/// log Gamma(v), v > 0: Stirling's series from 10 on, the recurrence below.
fn ln_gamma(v: f64) -> f64 {
    if v < 10.0 {
        return ln_gamma(v + 1.0) - libm::log(v);
    }
    let (w, i) = (v * v, 1.0 / v);
    let series = i * (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - (1.0 / 1680.0 - 1.0 / (1188.0 * w)) / w) / w) / w);
    (v - 0.5) * libm::log(v) - v + 0.5 * libm::log(2.0 * PI) + series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_student_are_those_of_the_tables() {
        // 97.5 %: published table (NIST/SEMATECH e-Handbook, 1.3.6.7.2); one degree of freedom is tan(pi 0.475)
        for (freedom, t) in [(2.0, 4.303), (5.0, 2.571), (10.0, 2.228), (30.0, 2.042), (100.0, 1.984)] {
            assert!((student(0.975, freedom) - t).abs() < 5e-4, "{freedom}: {}", student(0.975, freedom));
        }
        assert!((student(0.975, 1.0) - (0.475 * PI).tan()).abs() < 1e-8);
        // two degrees of freedom: t = (2p - 1)/sqrt(2p(1 - p)), p the share
        assert!((student(0.9, 2.0) - 0.8 / (2.0_f64 * 0.9 * 0.1).sqrt()).abs() < 1e-9);
        assert!((student(0.975, 1e6) - 1.959_966_4).abs() < 1e-5, "the normal quantile in the limit");
    }

    #[test]
    fn a_power_law_has_its_exponent_and_noise_an_interval() {
        let x: [f64; 4] = [1.0, 2.0, 4.0, 8.0];
        let exact = log_slope(&x, &x.map(|v| 3.0 * v.powf(-0.5))).unwrap();
        assert!((exact.slope + 0.5).abs() < 1e-14 && exact.half_width.unwrap() < 1e-13);
        // log2 y = 0, 1, 2, 3 with errors e, -e, -e, e: orthogonal to line and constant, so the slope stays 1 and the
        // residual variance is 4 e^2 / 2; sum of squares of log2 x about its mean is 5
        let e: f64 = 0.1;
        let y = [e, 1.0 - e, 2.0 - e, 3.0 + e].map(f64::exp2);
        let fit = log_slope(&x, &y).unwrap();
        let t2 = 0.95 / (2.0_f64 * 0.975 * 0.025).sqrt();
        assert!((fit.slope - 1.0).abs() < 1e-14);
        assert!((fit.half_width.unwrap() - t2 * (2.0 * e * e / 5.0).sqrt()).abs() < 1e-9, "{fit:?}");
        assert_eq!(log_slope(&[2.0, 2.0, 2.0], &[1.0, 2.0, 3.0]), None);
        assert_eq!(log_slope(&[1.0, -2.0], &[1.0, 2.0]), None);
        assert_eq!(log_slope(&[1.0, 2.0, 0.0], &[1.0, 2.0, 5.0]).map(|f| (f.points, f.half_width)), Some((2, None)));
    }

    #[test]
    fn means_and_quantiles_of_small_samples() {
        assert_eq!(mean(&[]), None);
        assert_eq!(mean(&[3.0]), Some((3.0, None)));
        // 1, 2, 3, 4: mean 2.5, sample variance 5/3
        let (m, s) = mean(&[1.0, 2.0, 3.0, 4.0]).unwrap();
        assert!(m == 2.5 && (s.unwrap() - (5.0_f64 / 12.0).sqrt()).abs() < 1e-15);
        assert_eq!(quantile(&[1.0, 2.0, 3.0, 4.0], 0.5), Some(2.5));
        assert_eq!(quantile(&[1.0, 2.0, 4.0, 8.0, 16.0], 0.25), Some(2.0));
        assert_eq!((quantile(&[], 0.5), quantile(&[7.0], 0.9)), (None, Some(7.0)));
    }
}
