//! A short name of the numbers that a certificate is about, so that no number of the data changes unseen.

/// The FNV-1a hash (64 bits, as 16 hexadecimal digits) of the bits of all numbers in turn, after the shape.
///
/// It guards against damage, not against forgery. `-0` counts as 0. O(n d).
///
/// # Source
/// Fowler, Noll, Vo; RFC 9923.
pub fn fingerprint(x: &[Vec<f64>], y: &[f64]) -> String {
    let shape = [x.len() as u64, x.first().map_or(0, Vec::len) as u64];
    let numbers = x.iter().flatten().chain(y).map(|v| (v + 0.0).to_bits());
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in shape.into_iter().chain(numbers).flat_map(u64::to_le_bytes) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::fingerprint;

    /// Computed with the published offset and prime by hand-written Python.
    #[test]
    fn shape_numbers_and_order_count() {
        let base = fingerprint(&[vec![1.0, 2.0], vec![0.0, -3.5]], &[0.5, -1.0]);
        assert_eq!(base, "7db5be05933dea44");
        assert_eq!(fingerprint(&[vec![1.0, 2.0], vec![-0.0, -3.5]], &[0.5, -1.0]), base);
        assert_ne!(fingerprint(&[vec![2.0, 1.0], vec![0.0, -3.5]], &[0.5, -1.0]), base);
        assert_ne!(fingerprint(&[vec![1.0], vec![2.0], vec![0.0], vec![-3.5]], &[0.5, -1.0]), base);
    }
}
