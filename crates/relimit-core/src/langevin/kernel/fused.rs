//! The kernel of ReLU networks with one output: a block of neurons is moved and at once evaluated, in registers.
//!
//! ```text
//! G = sum_i 1[z_i > 0] r_i x~_i     c += eta u . G (relu is homogeneous: sum_i r_i relu(z_i) = u . G)     u += eta c G
//! ```
//!
//! Needs the signs of the preactivations alone, one bit each, which the forward pass before leaves where they fit and which
//! are found again otherwise: the same bits either way.
#![allow(clippy::inline_always, reason = "the body is compiled into the copy of each instruction set")]
#![allow(unsafe_code, reason = "the calls of the copies for a processor, guarded by run-time detection")]

use super::examples::ROWS;
use super::gradient::{PANEL, gradient};
use super::lanes::Lanes;
use super::{Real, Sweep, Update};
use crate::langevin::particles::{BLOCK, Row};

/// As [`super::sweep`]; `active` holds the examples of every block where they are kept, else those of one.
pub(super) fn sweep<E: Real>(
    sweep: &Sweep<'_, E>,
    first: usize,
    theta: &mut [Row<E>],
    active: &mut [E::Active],
    out: &mut [E],
) {
    #[cfg(target_arch = "x86_64")]
    if has_avx512() {
        // SAFETY: the processor has it.
        return unsafe { avx512(sweep, first, theta, active, out) };
    } else if has_avx2() {
        // SAFETY: the processor has it.
        return unsafe { avx2(sweep, first, theta, active, out) };
    }
    body::<E::Plain>(sweep, first, theta, active, out);
}

#[cfg(target_arch = "x86_64")]
pub(super) fn has_avx2() -> bool {
    std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma")
}

#[cfg(target_arch = "x86_64")]
pub(super) fn has_avx512() -> bool {
    std::is_x86_feature_detected!("avx512f")
        && std::is_x86_feature_detected!("avx512bw")
        && std::is_x86_feature_detected!("avx512dq")
        && std::is_x86_feature_detected!("avx512vl")
        && has_avx2()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
pub(super) fn avx2<E: Real>(
    sweep: &Sweep<'_, E>,
    first: usize,
    theta: &mut [Row<E>],
    active: &mut [E::Active],
    out: &mut [E],
) {
    body::<E::Avx2>(sweep, first, theta, active, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) fn avx512<E: Real>(
    sweep: &Sweep<'_, E>,
    first: usize,
    theta: &mut [Row<E>],
    active: &mut [E::Active],
    out: &mut [E],
) {
    body::<E::Avx512>(sweep, first, theta, active, out);
}

/// What a block needs beside its state.
struct Scratch<S: Lanes> {
    /// u = (w, b) of a group of lanes, d + 1.
    u: Vec<S>,
    /// G, d + 1.
    g: Vec<S>,
    /// Room for those of a panel, see [`gradient`].
    pushes: Vec<S>,
    /// A normal for every parameter.
    normals: Vec<Row<S::Number>>,
}

#[inline(always)]
pub(super) fn body<S: Lanes>(
    sweep: &Sweep<'_, S::Number>,
    first: usize,
    theta: &mut [Row<S::Number>],
    active: &mut [<S::Number as Real>::Active],
    out: &mut [S::Number],
) {
    let rows = sweep.rows();
    let zero = S::splat(S::Number::default());
    let normals = vec![Row([S::Number::default(); BLOCK]); rows];
    let pushes = vec![zero; if S::MASKS { 0 } else { PANEL }];
    let mut scratch = Scratch { u: vec![zero; rows - 1], g: vec![zero; rows - 1], pushes, normals };
    for (at, block) in theta.chunks_exact_mut(rows).enumerate() {
        let active =
            if sweep.kept { &mut active[at * sweep.count..(at + 1) * sweep.count] } else { &mut active[..sweep.count] };
        let index = first + at;
        if let Some(update) = sweep.update {
            if !sweep.kept {
                for group in 0..BLOCK / S::WIDTH {
                    load(block, group, &mut scratch.u);
                    forward::<S, false>(zero, &scratch.u, &sweep.before.tall, group, active, &mut []);
                }
            }
            noise::<S>(update, index, &mut scratch.normals);
            for group in 0..BLOCK / S::WIDTH {
                load(block, group, &mut scratch.u);
                let select = S::select(group);
                gradient(&sweep.before.wide, &update.r, active, select, &mut scratch.g, &mut scratch.pushes);
                advance(update, group, block, &scratch);
            }
            let filled = sweep.filled(index);
            if filled < BLOCK {
                for row in block.iter_mut() {
                    row.0[filled..].fill(S::Number::default());
                }
            }
        }
        for group in 0..BLOCK / S::WIDTH {
            load(block, group, &mut scratch.u);
            let c = S::load(&block[0].0[group * S::WIDTH..]);
            forward::<S, true>(c, &scratch.u, &sweep.after.tall, group, active, out);
        }
    }
}

#[inline(always)]
fn load<S: Lanes>(block: &[Row<S::Number>], group: usize, u: &mut [S]) {
    for (u, row) in u.iter_mut().zip(&block[1..]) {
        *u = S::load(&row.0[group * S::WIDTH..]);
    }
}

#[inline(always)]
fn noise<S: Lanes>(update: &Update<S::Number>, block: usize, normals: &mut [Row<S::Number>]) {
    let last = normals.len() - 1;
    let noisy = |p: &usize| update.rule(*p, 1, last).sigma > S::Number::default();
    if let (Some(first), Some(end)) = ((0..=last).find(noisy), (0..=last).rfind(noisy)) {
        S::normals(&update.keys, update.step, block as u32, first as u32, &mut normals[first..=end]);
    }
}

/// `out_i += c relu(z_i)` (where SUM) and the activity at every example.
#[inline(always)]
fn forward<S: Lanes, const SUM: bool>(
    c: S,
    u: &[S],
    tall: &[S::Number],
    group: usize,
    active: &mut [<S::Number as Real>::Active],
    out: &mut [S::Number],
) {
    let d = u.len() - 1;
    let whole = active.len() / ROWS;
    for tile in 0..whole {
        let x = &tall[tile * ROWS * d..(tile + 1) * ROWS * d];
        let lanes = S::Number::LANES;
        let out = if SUM { &mut out[tile * ROWS * lanes..(tile + 1) * ROWS * lanes] } else { &mut out[..0] };
        forward_tile::<S, ROWS, SUM>(c, u, x, group, &mut active[tile * ROWS..(tile + 1) * ROWS], out);
    }
    let (x, active) = (&tall[whole * ROWS * d..], &mut active[whole * ROWS..]);
    let out = if SUM { &mut out[whole * ROWS * S::Number::LANES..] } else { out };
    match active.len() {
        0 => {}
        1 => forward_tile::<S, 1, SUM>(c, u, x, group, active, out),
        2 => forward_tile::<S, 2, SUM>(c, u, x, group, active, out),
        3 => forward_tile::<S, 3, SUM>(c, u, x, group, active, out),
        4 => forward_tile::<S, 4, SUM>(c, u, x, group, active, out),
        _ => forward_tile::<S, 5, SUM>(c, u, x, group, active, out),
    }
}

#[inline(always)]
fn forward_tile<S: Lanes, const R: usize, const SUM: bool>(
    c: S,
    u: &[S],
    x: &[S::Number],
    group: usize,
    active: &mut [<S::Number as Real>::Active],
    out: &mut [S::Number],
) {
    let (b, w) = u.split_last().expect("a bias");
    let mut z = [*b; R];
    for (x, w) in x.as_chunks::<R>().0.iter().zip(w) {
        for r in 0..R {
            z[r] = S::splat(x[r]).fused(*w, z[r]);
        }
    }
    let active = &mut active[..R];
    let lanes = S::Number::LANES;
    let out = &mut out[..if SUM { R * lanes } else { 0 }];
    for r in 0..R {
        let h = z[r].relu(group, &mut active[r]);
        if SUM {
            c.add_to(h, &mut out[r * lanes..(r + 1) * lanes]);
        }
    }
}

/// `theta <- keep theta + eta gradient + sigma normal` of a group.
#[inline(always)]
fn advance<S: Lanes>(update: &Update<S::Number>, group: usize, block: &mut [Row<S::Number>], scratch: &Scratch<S>) {
    let at = group * S::WIDTH;
    let last = block.len() - 1;
    let c = S::load(&block[0].0[at..]);
    let mut uphill = S::splat(S::Number::default());
    for (u, g) in scratch.u.iter().zip(&scratch.g) {
        uphill = u.fused(*g, uphill);
    }
    for p in 0..block.len() {
        let (old, gradient) = if p == 0 { (c, uphill) } else { (scratch.u[p - 1], c.mul(scratch.g[p - 1])) };
        let rule = update.rule(p, 1, last);
        let normal = S::load(&scratch.normals[p].0[at..]);
        let moved = S::splat(rule.eta).fused(gradient, S::splat(rule.keep).mul(old));
        S::splat(rule.sigma).fused(normal, moved).store(&mut block[p].0[at..]);
    }
}
