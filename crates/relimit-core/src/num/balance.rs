//! Numbers brought to sum exactly 0.

use super::mat::max_abs;

/// Subtracts the mean of the `taken` entries from each of them, on a grid of a power of two that is coarse enough for every
/// sum to be exact: they sum to exactly 0 afterwards.
///
/// An entry moves by the mean and by about `2^-50` of the largest. O(n).
pub fn balance(r: &mut [f64], taken: &[usize]) {
    let largest = max_abs(r);
    if taken.is_empty() || largest == 0.0 {
        return;
    }
    let mean = taken.iter().map(|&i| r[i]).sum::<f64>() / taken.len() as f64;
    // 2 n max|r| <= 2^52 grid steps.
    let bits = 2 + libm::ilogb(largest) + libm::ilogb(taken.len() as f64) + 2;
    let step = bits - 52;
    let mut sum = 0.0;
    for &i in taken {
        let k = libm::rint(libm::ldexp(r[i] - mean, -step));
        sum += k;
        r[i] = k;
    }
    // What rounding left over goes one step at a time to the first rows, a part of 2^-50 of the largest each.
    let count = taken.len() as f64;
    let each = (sum / count).trunc();
    let mut rest = sum - each * count;
    for &i in taken {
        r[i] -= each;
        if rest != 0.0 {
            r[i] -= rest.signum();
            rest -= rest.signum();
        }
        r[i] = libm::ldexp(r[i], step);
    }
}
