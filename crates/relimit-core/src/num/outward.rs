//! Arithmetic rounded outward: each result is a bound on the exact one, so that a comparison is a proof.
//!
//! A correctly rounded operation lies within half a unit in the last place of the exact result; the next number in the
//! direction asked for is therefore a bound. Infinity stands for "no bound", and NaN never compares as proved.

/// Upper bound of `a + b`.
pub fn add_up(a: f64, b: f64) -> f64 {
    (a + b).next_up()
}

/// Lower bound of `a + b`.
pub fn add_down(a: f64, b: f64) -> f64 {
    (a + b).next_down()
}

/// Upper bound of `a - b`.
pub fn sub_up(a: f64, b: f64) -> f64 {
    (a - b).next_up()
}

/// Lower bound of `a - b`.
pub fn sub_down(a: f64, b: f64) -> f64 {
    (a - b).next_down()
}

/// Upper bound of `a b`.
pub fn mul_up(a: f64, b: f64) -> f64 {
    (a * b).next_up()
}

/// Lower bound of `a b`.
pub fn mul_down(a: f64, b: f64) -> f64 {
    (a * b).next_down()
}

/// Upper bound of `a / b`.
pub fn div_up(a: f64, b: f64) -> f64 {
    (a / b).next_up()
}

/// Lower bound of `a / b`.
pub fn div_down(a: f64, b: f64) -> f64 {
    (a / b).next_down()
}

/// Upper bound of `gamma_k = k u / (1 - k u)`, u = 2^-53: the relative error of a sum of k products, in any order,
/// with or without fused operations; infinite once k u >= 1.
///
/// Source: Higham, Accuracy and Stability of Numerical Algorithms, lemma 3.1 and section 3.1.
pub fn gamma(k: usize) -> f64 {
    let ku = mul_up(k as f64, 0.5 * f64::EPSILON);
    if ku >= 1.0 { f64::INFINITY } else { div_up(ku, sub_down(1.0, ku)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1/3, 0.1 + 0.2 and 0.1 * 0.1 have known expansions; the bounds must lie on either side.
    #[test]
    fn bounds_enclose() {
        // 3 (1/3) - 1 decides exactly on which side of 1/3 an f64 lies: fused, hence one rounding of the exact value.
        assert!(div_up(1.0, 3.0).mul_add(3.0, -1.0) > 0.0);
        assert!(div_down(1.0, 3.0).mul_add(3.0, -1.0) < 0.0);
        // The exact product minus the bound, by fusing.
        assert!(0.1f64.mul_add(0.1, -mul_up(0.1, 0.1)) < 0.0);
        assert!(0.1f64.mul_add(0.1, -mul_down(0.1, 0.1)) > 0.0);
        // 1 + 2^-60 rounds to 1.
        let tiny = 0.5f64.powi(60);
        assert!(add_up(1.0, tiny) > 1.0 && add_down(1.0, -tiny) < 1.0);
        assert!(sub_up(1.0, -tiny) > 1.0 && sub_down(1.0, tiny) < 1.0);
    }

    #[test]
    fn gamma_covers_a_bad_sum() {
        assert!(gamma(0) < 1e-300 && gamma(1) > 0.5 * f64::EPSILON);
        assert_eq!(gamma(usize::MAX), f64::INFINITY);
        // 1 + 2^-53 + ... (k terms, each lost): relative error about k u.
        let k = 1000;
        let sum = (1..k).fold(1.0, |s, _| s + 0.5 * f64::EPSILON);
        let exact = 1.0 + (k - 1) as f64 * 0.5 * f64::EPSILON;
        assert!(sum == 1.0 && exact - sum <= gamma(k) * exact);
    }
}
