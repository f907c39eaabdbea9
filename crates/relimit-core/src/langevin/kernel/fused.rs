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

use super::examples::{FIRST, OTHERS, ROWS, tiles};
use super::lanes::Lanes;
use super::{Real, Sweep, Update};
use crate::langevin::particles::{BLOCK, Row};

/// Rows whose pushes stay in the first cache beside a tile.
const PANEL: usize = 128;

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
    /// `r_i relu'(z_i)` of a panel of rows.
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
                gradient(&sweep.before.wide, &update.r, active, group, &mut scratch);
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

/// G over all examples, a panel of rows after the other and in it a tile of features after the other.
#[inline(always)]
fn gradient<S: Lanes>(
    wide: &[S::Number],
    r: &[S::Number],
    active: &[<S::Number as Real>::Active],
    group: usize,
    scratch: &mut Scratch<S>,
) {
    let select = S::select(group);
    let zero = S::splat(S::Number::default());
    let (bias, g) = scratch.g.split_last_mut().expect("a bias");
    let bias = std::slice::from_mut(bias);
    g.fill(zero);
    bias.fill(zero);
    let n = r.len();
    let mut row = 0;
    for (r, active) in r.chunks(PANEL).zip(active.chunks(PANEL)) {
        let mut pushes = Pushes { r, active, select, stored: &[] };
        if !S::MASKS {
            let stored = &mut scratch.pushes[..r.len()];
            for ((push, r), active) in stored.iter_mut().zip(r).zip(active) {
                *push = S::masked(*r, *active, select);
            }
            pushes.stored = stored;
        }
        for (from, size) in tiles(g.len()) {
            let at = from * n + row * size;
            let (x, g) = (&wide[at..at + size * r.len()], &mut g[from..from + size]);
            match (from, size) {
                (0, 1) => gradient_tile::<S, 1, 1, 3>(x, &pushes, g, bias),
                (0, 2) => gradient_tile::<S, 2, 1, 2>(x, &pushes, g, bias),
                (0, 3) => gradient_tile::<S, 3, 1, 1>(x, &pushes, g, bias),
                (0, 4) => gradient_tile::<S, 4, 1, 1>(x, &pushes, g, bias),
                (0, _) => gradient_tile::<S, FIRST, 1, 1>(x, &pushes, g, bias),
                (_, 1) => gradient_tile::<S, 1, 0, 4>(x, &pushes, g, &mut []),
                (_, 2) => gradient_tile::<S, 2, 0, 3>(x, &pushes, g, &mut []),
                (_, 3) => gradient_tile::<S, 3, 0, 2>(x, &pushes, g, &mut []),
                (_, 4) => gradient_tile::<S, 4, 0, 1>(x, &pushes, g, &mut []),
                (_, 5) => gradient_tile::<S, 5, 0, 1>(x, &pushes, g, &mut []),
                _ => gradient_tile::<S, OTHERS, 0, 1>(x, &pushes, g, &mut []),
            }
        }
        row += r.len();
    }
}

/// `r_i relu'(z_i)` of a panel of rows: stored, or made where they are used.
struct Pushes<'a, S: Lanes> {
    r: &'a [S::Number],
    active: &'a [<S::Number as Real>::Active],
    select: S::Select,
    stored: &'a [S],
}

impl<S: Lanes> Pushes<'_, S> {
    #[inline(always)]
    fn of(&self, row: usize) -> S {
        if S::MASKS { S::masked(self.r[row], self.active[row], self.select) } else { self.stored[row] }
    }
}

/// Adds T features and B (0 or 1) biases of G, in C chains of every C-th row, which hide the latency of the additions.
#[inline(always)]
fn gradient_tile<S: Lanes, const T: usize, const B: usize, const C: usize>(
    x: &[S::Number],
    pushes: &Pushes<'_, S>,
    g: &mut [S],
    bias: &mut [S],
) {
    let zero = S::splat(S::Number::default());
    let (mut sums, mut biases) = ([[zero; T]; C], [[zero; B]; C]);
    sums[0].copy_from_slice(g);
    biases[0].copy_from_slice(bias);
    let (x, left) = x.as_chunks::<T>().0.as_chunks::<C>();
    for (at, x) in x.iter().enumerate() {
        for chain in 0..C {
            add_row(&mut sums[chain], &mut biases[chain], &x[chain], pushes.of(C * at + chain));
        }
    }
    for (chain, row) in left.iter().enumerate() {
        add_row(&mut sums[chain], &mut biases[chain], row, pushes.of(C * x.len() + chain));
    }
    for chain in 1..C {
        for t in 0..T {
            sums[0][t] = sums[0][t].add(sums[chain][t]);
        }
        for b in 0..B {
            biases[0][b] = biases[0][b].add(biases[chain][b]);
        }
    }
    g.copy_from_slice(&sums[0]);
    bias.copy_from_slice(&biases[0]);
}

#[inline(always)]
fn add_row<S: Lanes, const T: usize, const B: usize>(
    sums: &mut [S; T],
    biases: &mut [S; B],
    x: &[S::Number; T],
    push: S,
) {
    for bias in biases {
        *bias = bias.add(push);
    }
    for t in 0..T {
        sums[t] = S::splat(x[t]).fused(push, sums[t]);
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
