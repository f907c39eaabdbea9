//! The plain kernel: any number of outputs, any unit, no fused multiply-add, preactivations computed twice.
#![allow(clippy::inline_always, reason = "the body must be compiled into its AVX2 copy to use AVX2")]
#![allow(unsafe_code, reason = "the call of the AVX2 copy, guarded by run-time detection")]

use super::{Real, Sweep, Update};
use crate::langevin::activation::Activation;
use crate::langevin::particles::{BLOCK, Row};

/// As [`super::sweep`].
///
/// Compiled for AVX2 where the processor has it; without fused operations the bits are the same (the normals are fused by
/// definition, in hardware or not).
pub(super) fn sweep<E: Real>(sweep: &Sweep<'_, E>, first: usize, theta: &mut [Row<E>], out: &mut [E]) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2,fma")]
        fn wide<E: Real>(sweep: &Sweep<'_, E>, first: usize, theta: &mut [Row<E>], out: &mut [E]) {
            body(sweep, first, theta, out);
        }
        if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
            // SAFETY: the processor has both; the body is ordinary safe code.
            return unsafe { wide(sweep, first, theta, out) };
        }
    }
    body(sweep, first, theta, out);
}

#[inline(always)]
fn body<E: Real>(sweep: &Sweep<'_, E>, first: usize, theta: &mut [Row<E>], out: &mut [E]) {
    let rows = sweep.rows();
    let zero = Row([E::default(); BLOCK]);
    // Weights as they enter the network, and their derivatives (the smooth unit alone).
    let (mut enters, mut slopes, mut gradient) = (vec![zero; rows], vec![zero; rows], vec![zero; rows]);
    for (at, block) in theta.chunks_exact_mut(rows).enumerate() {
        let index = first + at;
        if let Some(update) = sweep.update {
            enter(sweep, block, &mut enters, &mut slopes);
            gradient.fill(zero);
            descend(sweep, update, &enters, &mut gradient);
            advance(sweep, update, index, block, &slopes, &gradient);
            for row in block.iter_mut() {
                row.0[sweep.filled(index)..].fill(E::default());
            }
        }
        enter(sweep, block, &mut enters, &mut slopes);
        forward(sweep, &enters, out);
    }
}

/// Weights as they enter: c and w truncated by the smooth unit, b as it is.
#[inline(always)]
fn enter<E: Real>(sweep: &Sweep<'_, E>, block: &[Row<E>], enters: &mut [Row<E>], slopes: &mut [Row<E>]) {
    enters.copy_from_slice(block);
    if let Activation::Smooth(smooth) = sweep.activation {
        for p in 0..block.len() - 1 {
            for l in 0..BLOCK {
                let (value, slope) = smooth.weight(block[p].0[l].wide());
                (enters[p].0[l], slopes[p].0[l]) = (E::of(value), E::of(slope));
            }
        }
    }
}

/// Preactivations of a block at one example.
#[inline(always)]
fn preactivation<E: Real>(sweep: &Sweep<'_, E>, enters: &[Row<E>], x: &[E]) -> Row<E> {
    let mut z = enters[sweep.outputs + sweep.inputs];
    for (v, w) in x.iter().zip(&enters[sweep.outputs..]) {
        for l in 0..BLOCK {
            z.0[l] = z.0[l] + *v * w.0[l];
        }
    }
    z
}

/// Hidden units and their derivatives. NaN counts as active, so that it reaches the outputs, where it is seen.
#[inline(always)]
fn units<E: Real>(activation: Activation, z: &Row<E>) -> (Row<E>, Row<E>) {
    let zero = E::default();
    let (mut h, mut slope) = (*z, Row([zero; BLOCK]));
    match activation {
        Activation::Relu => {
            for l in 0..BLOCK {
                let silent = z.0[l] <= zero;
                h.0[l] = if silent { zero } else { z.0[l] };
                slope.0[l] = if silent { zero } else { E::of(1.0) };
            }
        }
        Activation::Smooth(smooth) => {
            for l in 0..BLOCK {
                let (value, derivative) = smooth.unit(z.0[l].wide());
                (h.0[l], slope.0[l]) = (E::of(value), E::of(derivative));
            }
        }
    }
    (h, slope)
}

/// `gradient += sum_i r_i d(c h)/d(entering weights)`.
#[inline(always)]
fn descend<E: Real>(sweep: &Sweep<'_, E>, update: &Update<E>, enters: &[Row<E>], gradient: &mut [Row<E>]) {
    let (d, k) = (sweep.inputs, sweep.outputs);
    for (i, r) in update.r.chunks_exact(k).enumerate() {
        let x = &sweep.before.x[i * d..(i + 1) * d];
        let z = preactivation(sweep, enters, x);
        let (h, slope) = units(sweep.activation, &z);
        let mut push = Row([E::default(); BLOCK]);
        for (out, r) in r.iter().enumerate() {
            for l in 0..BLOCK {
                gradient[out].0[l] = gradient[out].0[l] + *r * h.0[l];
                push.0[l] = push.0[l] + *r * enters[out].0[l];
            }
        }
        for l in 0..BLOCK {
            push.0[l] = push.0[l] * slope.0[l];
        }
        for (v, g) in x.iter().zip(&mut gradient[k..]) {
            for l in 0..BLOCK {
                g.0[l] = g.0[l] + *v * push.0[l];
            }
        }
        for l in 0..BLOCK {
            gradient[k + d].0[l] = gradient[k + d].0[l] + push.0[l];
        }
    }
}

#[inline(always)]
fn advance<E: Real>(
    sweep: &Sweep<'_, E>,
    update: &Update<E>,
    index: usize,
    block: &mut [Row<E>],
    slopes: &[Row<E>],
    gradient: &[Row<E>],
) {
    let (d, k) = (sweep.inputs, sweep.outputs);
    let zero = E::default();
    for p in 0..block.len() {
        let rule = update.rule(p, k, k + d);
        let mut normal = [zero; BLOCK];
        if rule.sigma > zero {
            E::normals(update.keys.key(), update.step, index as u32, p as u32, &mut normal);
        }
        let truncated = matches!(sweep.activation, Activation::Smooth(_)) && p < k + d;
        for l in 0..BLOCK {
            let g = if truncated { gradient[p].0[l] * slopes[p].0[l] } else { gradient[p].0[l] };
            block[p].0[l] = rule.keep * block[p].0[l] + rule.eta * g + rule.sigma * normal[l];
        }
    }
}

/// `out += c h`, in lanes.
#[inline(always)]
fn forward<E: Real>(sweep: &Sweep<'_, E>, enters: &[Row<E>], out: &mut [E]) {
    let (d, k) = (sweep.inputs, sweep.outputs);
    for i in 0..sweep.count {
        let z = preactivation(sweep, enters, &sweep.after.x[i * d..(i + 1) * d]);
        let (h, _) = units(sweep.activation, &z);
        for o in 0..k {
            let lanes = &mut out[(i * k + o) * E::LANES..(i * k + o + 1) * E::LANES];
            for (q, part) in h.0.chunks_exact(E::LANES).enumerate() {
                for (l, v) in part.iter().enumerate() {
                    lanes[l] = lanes[l] + enters[o].0[q * E::LANES + l] * *v;
                }
            }
        }
    }
}
