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

use std::ops::Range;

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
struct Scratch<'a, S: Lanes> {
    /// u = (w, b) of a group of lanes, d + 1.
    u: &'a mut [S],
    /// G, d + 1.
    g: &'a mut [S],
    /// Room for those of a panel, see [`gradient`].
    pushes: &'a mut [S],
    /// A normal for every parameter, d + 2.
    normals: &'a mut [Row<S::Number>],
}

/// The blocks with everything in registers where the features are few, and so counted when the program is compiled.
#[inline(always)]
pub(super) fn body<S: Lanes>(
    sweep: &Sweep<'_, S::Number>,
    first: usize,
    theta: &mut [Row<S::Number>],
    active: &mut [<S::Number as Real>::Active],
    out: &mut [S::Number],
) {
    match sweep.inputs {
        1 => few::<S, 2, 3>(sweep, first, theta, active, out),
        2 => few::<S, 3, 4>(sweep, first, theta, active, out),
        3 => few::<S, 4, 5>(sweep, first, theta, active, out),
        _ => many::<S>(sweep, first, theta, active, out),
    }
}

/// U = d + 1, P = d + 2.
#[inline(always)]
fn few<S: Lanes, const U: usize, const P: usize>(
    sweep: &Sweep<'_, S::Number>,
    first: usize,
    theta: &mut [Row<S::Number>],
    active: &mut [<S::Number as Real>::Active],
    out: &mut [S::Number],
) {
    let zero = S::splat(S::Number::default());
    let (mut u, mut g, mut normals) = ([zero; U], [zero; U], [Row([S::Number::default(); BLOCK]); P]);
    let mut pushes = pushes(sweep.count);
    let mut scratch = Scratch { u: &mut u, g: &mut g, pushes: &mut pushes, normals: &mut normals };
    blocks(sweep, first, theta, active, out, &mut scratch);
}

#[inline(always)]
fn many<S: Lanes>(
    sweep: &Sweep<'_, S::Number>,
    first: usize,
    theta: &mut [Row<S::Number>],
    active: &mut [<S::Number as Real>::Active],
    out: &mut [S::Number],
) {
    let (rows, zero) = (sweep.rows(), S::splat(S::Number::default()));
    let (mut u, mut g) = (vec![zero; rows - 1], vec![zero; rows - 1]);
    let mut normals = vec![Row([S::Number::default(); BLOCK]); rows];
    let mut pushes = pushes(sweep.count);
    let mut scratch = Scratch { u: &mut u, g: &mut g, pushes: &mut pushes, normals: &mut normals };
    blocks(sweep, first, theta, active, out, &mut scratch);
}

#[inline(always)]
fn pushes<S: Lanes>(count: usize) -> Vec<S> {
    vec![S::splat(S::Number::default()); if S::MASKS { 0 } else { PANEL.min(count) }]
}

#[inline(always)]
fn blocks<S: Lanes>(
    sweep: &Sweep<'_, S::Number>,
    first: usize,
    theta: &mut [Row<S::Number>],
    active: &mut [<S::Number as Real>::Active],
    out: &mut [S::Number],
    scratch: &mut Scratch<'_, S>,
) {
    let zero = S::splat(S::Number::default());
    let noisy = sweep.update.map_or(0..0, |update| noisy(update, scratch.normals.len()));
    let draw = |normals: &mut [Row<S::Number>], block: usize| {
        if let Some(update) = sweep.update {
            let p = noisy.start as u32;
            S::normals(&update.keys, update.step, block as u32, p, &mut normals[noisy.clone()]);
        }
    };
    let rows = scratch.normals.len();
    let count = theta.len() / rows;
    draw(scratch.normals, first);
    for (at, block) in theta.chunks_exact_mut(rows).enumerate() {
        let active =
            if sweep.kept { &mut active[at * sweep.count..(at + 1) * sweep.count] } else { &mut active[..sweep.count] };
        let index = first + at;
        if let Some(update) = sweep.update {
            if !sweep.kept {
                for group in 0..BLOCK / S::WIDTH {
                    load(block, group, scratch.u);
                    forward::<S, false>(zero, scratch.u, &sweep.before.tall, group, active, &mut []);
                }
            }
            for group in 0..BLOCK / S::WIDTH {
                load(block, group, scratch.u);
                let select = S::select(group);
                gradient(&sweep.before.wide, &update.r, active, select, scratch.g, scratch.pushes);
                advance(update, group, block, scratch);
            }
            let filled = sweep.filled(index);
            if filled < BLOCK {
                for row in block.iter_mut() {
                    row.0[filled..].fill(S::Number::default());
                }
            }
            // Those of the next block, while the processor waits for the last sums of this one.
            if at + 1 < count {
                draw(scratch.normals, index + 1);
            }
        }
        for group in 0..BLOCK / S::WIDTH {
            load(block, group, scratch.u);
            let c = S::load(&block[0].0[group * S::WIDTH..]);
            forward::<S, true>(c, scratch.u, &sweep.after.tall, group, active, out);
        }
    }
}

/// The fewest rows side by side that hold all with noise.
#[inline(always)]
fn noisy<E: Real>(update: &Update<E>, rows: usize) -> Range<usize> {
    let noisy = |p: &usize| update.rule(*p, 1, rows - 1).sigma > E::default();
    let (first, last) = ((0..rows).find(noisy), (0..rows).rfind(noisy));
    first.zip(last).map_or(0..0, |(first, last)| first..last + 1)
}

#[inline(always)]
fn load<S: Lanes>(block: &[Row<S::Number>], group: usize, u: &mut [S]) {
    for (u, row) in u.iter_mut().zip(&block[1..]) {
        *u = S::load(&row.0[group * S::WIDTH..]);
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
fn advance<S: Lanes>(update: &Update<S::Number>, group: usize, block: &mut [Row<S::Number>], scratch: &Scratch<'_, S>) {
    let at = group * S::WIDTH;
    let last = block.len() - 1;
    let c = S::load(&block[0].0[at..]);
    let mut uphill = S::splat(S::Number::default());
    for (u, g) in scratch.u.iter().zip(&*scratch.g) {
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
