//! Error-free transformations: products and dot products whose rounding errors are kept.
//!
//! Source: Ogita, Rump, Oishi, "Accurate sum and dot product", SIAM J. Sci. Comput. 26 (2005).

/// `a + b = s + e` exactly; returns (s, e). Valid for any order of magnitude (Knuth), barring overflow.
#[inline]
pub fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let bb = s - a;
    (s, (a - (s - bb)) + (b - bb))
}

/// `a b = p + e` exactly; returns (p, e), barring overflow and underflow.
#[inline]
pub fn two_product(a: f64, b: f64) -> (f64, f64) {
    let p = a * b;
    (p, a.mul_add(b, -p))
}

/// `a . b - c`, computed as if in twice the working precision, then rounded.
///
/// The relative error is `eps + k^2 eps^2 cond`, cond = (sum |a_i b_i| + |c|) / |a . b - c|: the way to measure a
/// residual. Panics on different lengths. O(k).
pub fn dot_minus(a: &[f64], b: &[f64], c: f64) -> f64 {
    assert_eq!(a.len(), b.len(), "dot product of {} and {} entries", a.len(), b.len());
    let (mut sum, mut low) = (-c, 0.0);
    for (x, y) in a.iter().zip(b) {
        let (p, e) = two_product(*x, *y);
        let (s, f) = two_sum(sum, p);
        sum = s;
        low += e + f;
    }
    sum + low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cancellation_is_exact_where_plain_sums_fail() {
        // 1e16 + 1 - 1e16 = 1, and (1 + 2^-30)^2 - 1 - 2^-29 = 2^-60.
        assert_eq!(dot_minus(&[1e16, 1.0, -1e16], &[1.0, 1.0, 1.0], 0.0), 1.0);
        let a = 1.0 + (0.5f64).powi(30);
        assert_eq!(dot_minus(&[a, 1.0], &[a, -1.0], (0.5f64).powi(29)), (0.5f64).powi(60));
        assert_eq!(a * a - 1.0 - (0.5f64).powi(29), 0.0);
    }

    #[test]
    fn errors_are_recovered() {
        let (s, e) = two_sum(1e20, 3.0);
        assert_eq!((s, e), (1e20, 3.0));
        let (p, e) = two_product(134_217_729.0, 134_217_729.0);
        assert_eq!(p + e, 18_014_398_777_917_440.0);
        assert_eq!(e, 1.0);
    }
}
