//! The inner loops of products with vectors, each with a copy for AVX2 that gives the same bits.
#![allow(clippy::inline_always, reason = "the bodies must be compiled into their AVX2 copies to use AVX2")]
#![allow(unsafe_code, reason = "calls to the AVX2 copies of the loops, guarded by run-time detection")]

/// Below this length a loop is over before the processor has been asked.
const SHORT: usize = 32;

/// A public function that runs its body compiled for AVX2 where the processor has it and the slices are long.
/// Without fused multiply-add and with a fixed order of sums, both copies give the same bits.
macro_rules! dispatched {
    ($(#[$doc:meta])* $vis:vis fn $name:ident($($arg:ident: $type:ty),*) $(-> $out:ty)? where $long:ident = $body:ident, $avx2:ident) => {
        $(#[$doc])*
        $vis fn $name($($arg: $type),*) $(-> $out)? {
            #[cfg(target_arch = "x86_64")]
            if $long.len() >= SHORT && std::arch::is_x86_feature_detected!("avx2") {
                // SAFETY: the processor has AVX2; the body is ordinary safe code.
                return unsafe { $avx2($($arg),*) };
            }
            $body($($arg),*)
        }

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2")]
        fn $avx2($($arg: $type),*) $(-> $out)? {
            $body($($arg),*)
        }
    };
}

dispatched! {
    /// Dot product with eight fixed partial sums, folded pairwise: the order depends on the length alone.
    pub fn dot(a: &[f64], b: &[f64]) -> f64 where a = dot_body, dot_avx2
}

dispatched! {
    /// `y <- y + s x`; panics on different lengths.
    pub fn axpy(s: f64, x: &[f64], y: &mut [f64]) where x = axpy_body, axpy_avx2
}

dispatched! {
    /// `y <- y + sum_t s_t x_t` for four vectors.
    pub(super) fn add_four(s: &[f64], x: [&[f64]; 4], y: &mut [f64]) where y = add_four_body, add_four_avx2
}

dispatched! {
    /// Two of them, which read the four vectors once.
    pub(super) fn add_four_twice(s: [&[f64]; 2], x: [&[f64]; 4], y: &mut [f64], z: &mut [f64])
        where y = add_four_twice_body, add_four_twice_avx2
}

dispatched! {
    /// `y <- y + s x` and `size <- size + |s x|`: a sum with the magnitude that its rounding error is judged by.
    pub(super) fn add_with_size(s: f64, x: &[f64], y: &mut [f64], size: &mut [f64])
        where x = add_with_size_body, add_with_size_avx2
}

#[inline(always)]
fn dot_body(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len(), "dot product of {} and {} entries", a.len(), b.len());
    let mut acc = [0.0f64; 8];
    let (ca, cb) = (a.chunks_exact(8), b.chunks_exact(8));
    let tail: f64 = ca.remainder().iter().zip(cb.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in ca.zip(cb) {
        for t in 0..8 {
            acc[t] += x[t] * y[t];
        }
    }
    ((acc[0] + acc[4]) + (acc[1] + acc[5])) + ((acc[2] + acc[6]) + (acc[3] + acc[7])) + tail
}

#[inline(always)]
fn axpy_body(s: f64, x: &[f64], y: &mut [f64]) {
    assert_eq!(x.len(), y.len(), "axpy of {} and {} entries", x.len(), y.len());
    for (a, b) in y.iter_mut().zip(x) {
        *a += s * b;
    }
}

#[inline(always)]
fn add_four_body(s: &[f64], x: [&[f64]; 4], y: &mut [f64]) {
    let n = y.len();
    let [a, b, c, d] = x.map(|v| &v[..n]);
    for k in 0..n {
        y[k] += (s[0] * a[k] + s[1] * b[k]) + (s[2] * c[k] + s[3] * d[k]);
    }
}

#[inline(always)]
fn add_four_twice_body(s: [&[f64]; 2], x: [&[f64]; 4], y: &mut [f64], z: &mut [f64]) {
    let n = y.len();
    let ([a, b, c, d], z) = (x.map(|v| &v[..n]), &mut z[..n]);
    let [s, t] = s.map(|s| [s[0], s[1], s[2], s[3]]);
    for k in 0..n {
        y[k] += (s[0] * a[k] + s[1] * b[k]) + (s[2] * c[k] + s[3] * d[k]);
        z[k] += (t[0] * a[k] + t[1] * b[k]) + (t[2] * c[k] + t[3] * d[k]);
    }
}

#[inline(always)]
fn add_with_size_body(s: f64, x: &[f64], y: &mut [f64], size: &mut [f64]) {
    let n = x.len();
    let (y, size) = (&mut y[..n], &mut size[..n]);
    for k in 0..n {
        let term = s * x[k];
        y[k] += term;
        size[k] += term.abs();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::test_random::Random;

    #[test]
    fn both_copies_give_the_bits_of_the_plain_loop() {
        let mut random = Random(41);
        for n in (0..70).chain([1000, 4099]) {
            let rows = random.matrix(5, n);
            let (a, b) = (rows.row(0), rows.row(1));
            let mut part = [0.0f64; 8];
            for k in 0..n / 8 * 8 {
                part[k % 8] += a[k] * b[k];
            }
            let tail: f64 = (n / 8 * 8..n).map(|k| a[k] * b[k]).sum();
            let folded = ((part[0] + part[4]) + (part[1] + part[5])) + ((part[2] + part[6]) + (part[3] + part[7]));
            assert_eq!(dot(a, b).to_bits(), (folded + tail).to_bits(), "{n} entries");

            let mut y = b.to_vec();
            axpy(0.3, a, &mut y);
            assert!((0..n).all(|k| y[k] == b[k] + 0.3 * a[k]), "{n} entries");

            let (mut y, mut size) = (b.to_vec(), vec![1.0; n]);
            add_with_size(-0.3, a, &mut y, &mut size);
            assert!((0..n).all(|k| y[k] == b[k] + -0.3 * a[k] && size[k] == 1.0 + (0.3 * a[k]).abs()), "{n} entries");

            let s = [0.7, -1.1, 1e-3, 5.0];
            let mut y = rows.row(4).to_vec();
            add_four(&s, [0, 1, 2, 3].map(|i| rows.row(i)), &mut y);
            let (mut first, mut second) = (rows.row(4).to_vec(), b.to_vec());
            let t = [2.0, 0.1, -3.0, 1.0];
            add_four_twice([&s, &t], [0, 1, 2, 3].map(|i| rows.row(i)), &mut first, &mut second);
            assert_eq!(first, y);
            let mut alone = b.to_vec();
            add_four(&t, [0, 1, 2, 3].map(|i| rows.row(i)), &mut alone);
            assert_eq!(second, alone);
            for k in 0..n {
                let pairs = (s[0] * rows[(0, k)] + s[1] * rows[(1, k)]) + (s[2] * rows[(2, k)] + s[3] * rows[(3, k)]);
                assert_eq!(y[k], rows[(4, k)] + pairs, "{n} entries");
            }
        }
    }

    #[test]
    #[should_panic(expected = "dot product of 40 and 41 entries")]
    fn different_lengths_are_misuse() {
        dot(&[0.0; 40], &[0.0; 41]);
    }
}
