//! How a cost grows with the size: a power law through some measurements, and what it says about a size out of reach.

/// Costs by size, and the exponents between them.
pub(crate) struct Growth {
    points: Vec<(f64, f64)>,
    /// Slope of log cost over log size, by least squares.
    pub(crate) exponent: f64,
    /// The least slope between neighbouring sizes.
    pub(crate) least: f64,
    /// The largest.
    pub(crate) most: f64,
}

impl Growth {
    /// Takes (size, cost) by increasing size, two or more.
    pub(crate) fn of(points: &[(f64, f64)]) -> Self {
        assert!(points.len() > 1, "growth from {} measurements", points.len());
        let logs: Vec<(f64, f64)> = points.iter().map(|(k, t)| (k.ln(), t.ln())).collect();
        let count = logs.len() as f64;
        let (a, b) = (logs.iter().map(|l| l.0).sum::<f64>() / count, logs.iter().map(|l| l.1).sum::<f64>() / count);
        let spread: f64 = logs.iter().map(|l| (l.0 - a) * (l.0 - a)).sum();
        let exponent = logs.iter().map(|l| (l.0 - a) * (l.1 - b)).sum::<f64>() / spread;
        let slopes: Vec<f64> = logs.windows(2).map(|w| (w[1].1 - w[0].1) / (w[1].0 - w[0].0)).collect();
        let least = slopes.iter().copied().fold(f64::INFINITY, f64::min);
        let most = slopes.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Self { points: points.to_vec(), exponent, least, most }
    }

    /// The cost of a larger size from the last measurement on, by the least and by the largest slope.
    pub(crate) fn at(&self, size: f64) -> (f64, f64) {
        let (last, cost) = self.points[self.points.len() - 1];
        (cost * (size / last).powf(self.least), cost * (size / last).powf(self.most))
    }

    /// The cost of a larger size on the straight line through the last two measurements.
    pub(crate) fn along_a_line(&self, size: f64) -> f64 {
        let [.., (a, s), (b, t)] = self.points[..] else { unreachable!("two measurements or more") };
        t + (t - s) / (b - a) * (size - b)
    }
}

#[cfg(test)]
mod tests {
    use super::Growth;

    /// A power law is recovered, and one point off it shows in the range.
    #[test]
    fn a_power_law_has_one_exponent() {
        let law = |k: f64| (k, 3.0 * k.powf(1.5));
        let exact = Growth::of(&[law(1.0), law(2.0), law(8.0)]);
        assert!([exact.exponent, exact.least, exact.most].iter().all(|p| (p - 1.5).abs() < 1e-12));
        assert!((exact.at(16.0).0 / 192.0 - 1.0).abs() < 1e-12);
        let bent = Growth::of(&[law(1.0), law(4.0), (16.0, 48.0)]);
        assert!((bent.least - 0.5).abs() < 1e-12 && (bent.most - 1.5).abs() < 1e-12);
        assert!(bent.least < bent.exponent && bent.exponent < bent.most);
        assert_eq!(bent.along_a_line(28.0), 48.0 + 24.0);
    }
}
