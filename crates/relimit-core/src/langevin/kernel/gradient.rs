//! G = sum_i 1[z_i > 0] r_i x~_i of a group of lanes, in registers.
#![allow(clippy::inline_always, reason = "compiled into the copy of each instruction set")]

use super::Real;
use super::examples::{FIRST, OTHERS, tiles};
use super::lanes::Lanes;

/// Rows whose pushes stay in the first cache beside a tile.
pub(super) const PANEL: usize = 128;

/// G over all examples, a panel of rows after the other and in it a tile of features after the other; `room` for [`PANEL`]
/// values, for none where [`Lanes::MASKS`].
#[inline(always)]
pub(super) fn gradient<S: Lanes>(
    wide: &[S::Number],
    r: &[S::Number],
    active: &[<S::Number as Real>::Active],
    select: S::Select,
    g: &mut [S],
    room: &mut [S],
) {
    let zero = S::splat(S::Number::default());
    let (bias, g) = g.split_last_mut().expect("a bias");
    let bias = std::slice::from_mut(bias);
    g.fill(zero);
    bias.fill(zero);
    let n = r.len();
    let mut row = 0;
    for (r, active) in r.chunks(PANEL).zip(active.chunks(PANEL)) {
        let mut pushes = Pushes { r, active, select, stored: &[] };
        if !S::MASKS {
            let stored = &mut room[..r.len()];
            for ((push, r), active) in stored.iter_mut().zip(r).zip(active) {
                *push = S::masked(*r, *active, select);
            }
            pushes.stored = stored;
        }
        let x = |from: usize, size: usize| &wide[from * n + row * size..][..size * r.len()];
        // The first tile beside the loop: where the features are few and counted by the compiler, nothing else is left.
        let first = FIRST.min(g.len());
        let (x0, g0) = (x(0, first), &mut g[..first]);
        match first {
            1 => gradient_tile::<S, 1, 1, 3>(x0, &pushes, g0, bias),
            2 => gradient_tile::<S, 2, 1, 2>(x0, &pushes, g0, bias),
            3 => gradient_tile::<S, 3, 1, 1>(x0, &pushes, g0, bias),
            4 => gradient_tile::<S, 4, 1, 1>(x0, &pushes, g0, bias),
            _ => gradient_tile::<S, FIRST, 1, 1>(x0, &pushes, g0, bias),
        }
        for (from, size) in tiles(g.len()).skip(1) {
            let (x, g) = (x(from, size), &mut g[from..from + size]);
            match size {
                1 => gradient_tile::<S, 1, 0, 4>(x, &pushes, g, &mut []),
                2 => gradient_tile::<S, 2, 0, 3>(x, &pushes, g, &mut []),
                3 => gradient_tile::<S, 3, 0, 2>(x, &pushes, g, &mut []),
                4 => gradient_tile::<S, 4, 0, 1>(x, &pushes, g, &mut []),
                5 => gradient_tile::<S, 5, 0, 1>(x, &pushes, g, &mut []),
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
#[allow(clippy::manual_memcpy, reason = "copied as a whole, the sums stay in memory in some copies: a third slower")]
fn gradient_tile<S: Lanes, const T: usize, const B: usize, const C: usize>(
    x: &[S::Number],
    pushes: &Pushes<'_, S>,
    g: &mut [S],
    bias: &mut [S],
) {
    let zero = S::splat(S::Number::default());
    let (mut sums, mut biases) = ([[zero; T]; C], [[zero; B]; C]);
    for t in 0..T {
        sums[0][t] = g[t];
    }
    for b in 0..B {
        biases[0][b] = bias[b];
    }
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
    for t in 0..T {
        g[t] = sums[0][t];
    }
    for b in 0..B {
        bias[b] = biases[0][b];
    }
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
