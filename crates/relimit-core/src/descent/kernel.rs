//! The inner loop of a plain step: preactivations move by a combination of rows of the Gram matrix.
#![allow(clippy::inline_always, reason = "the body must be compiled into its AVX2 copy to use AVX2")]
#![allow(unsafe_code, reason = "calls to the AVX2 copy of the loop, guarded by run-time detection")]

/// One active example of one neuron: by how much its dual moves, and where its row of the padded Gram matrix begins.
pub(super) type Active = (f64, usize);

/// `z_i <- z_i + sum_t a_t G[t, i]` over the active examples, in their order for every entry.
///
/// `z` and the rows of `gram` are padded to a multiple of 8; the bits do not depend on the processor (no fused
/// multiply-add) nor on the padding. 2 |active| n flops.
pub(super) fn move_rows(z: &mut [f64], active: &[Active], gram: &[f64]) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2; the body is ordinary safe code.
        return unsafe { move_rows_avx2(z, active, gram) };
    }
    move_rows_body(z, active, gram);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn move_rows_avx2(z: &mut [f64], active: &[Active], gram: &[f64]) {
    move_rows_body(z, active, gram);
}

#[inline(always)]
fn move_rows_body(z: &mut [f64], active: &[Active], gram: &[f64]) {
    assert_eq!(z.len() % 8, 0, "padded length {}", z.len());
    let wide = z.len() / 32 * 32;
    let (head, tail) = z.split_at_mut(wide);
    for (b, block) in head.chunks_exact_mut(32).enumerate() {
        add_block::<32>(block, b * 32, active, gram);
    }
    // One pass over the rows for the rest: sums side by side hide the latency of each other.
    match tail.len() {
        8 => add_block::<8>(tail, wide, active, gram),
        16 => add_block::<16>(tail, wide, active, gram),
        24 => add_block::<24>(tail, wide, active, gram),
        _ => {}
    }
}

#[inline(always)]
fn add_block<const L: usize>(block: &mut [f64], at: usize, active: &[Active], gram: &[f64]) {
    let mut acc = [0.0f64; L];
    for &(a, offset) in active {
        let row = &gram[offset + at..offset + at + L];
        for t in 0..L {
            acc[t] += a * row[t];
        }
    }
    for t in 0..L {
        block[t] += acc[t];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_equal_the_plain_loop_at_any_padding() {
        for ld in [8, 16, 24, 32, 40, 72, 80, 88] {
            let gram: Vec<f64> = (0..5 * ld).map(|k| (k as f64 * 0.37).sin()).collect();
            let active: Vec<Active> = vec![(0.3, 0), (-1.7, 2 * ld), (1e-9, 4 * ld)];
            let mut z: Vec<f64> = (0..ld).map(|k| (k as f64).cos()).collect();
            let slow: Vec<f64> = (0..ld)
                .map(|i| {
                    let mut s = 0.0;
                    for &(a, o) in &active {
                        s += a * gram[o + i];
                    }
                    z[i] + s
                })
                .collect();
            move_rows(&mut z, &active, &gram);
            assert_eq!(z, slow);
        }
    }
}
