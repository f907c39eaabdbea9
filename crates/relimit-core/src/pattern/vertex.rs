//! The cell of one no-broken-circuit set, from scratch and exactly: the definition behind the enumeration.
//!
//! Rows `n_0 .. n_{n-1}` of rank r, generic flags `f_1 .. f_{r-1}`, chart `n_0 . u = 1`, and a set
//! `S = {s_1 < .. < s_k}` without 0. The vertex and the multipliers of S are
//!
//! ```text
//! p:  n_0 . p = 1,  n_s . p = 0 (s in S),  f_{k+1} . p = .. = f_{r-1} . p = 0
//! f_k = l_0 n_0 + sum_S l_s n_s + (combination of f_{k+1} .. f_{r-1})
//! ```
//!
//! and the cell of S has the signs
//!
//! ```text
//! sigma_i = sign(n_i . p)                where that is not 0
//! sigma_s = sign(l_s) sign(l_0)          for s in S
//! sigma_i = sign(c_im) sigma_m           for n_i = sum_S c_is n_s, m = min { s : c_is != 0 }
//! ```
//!
//! S is a no-broken-circuit set iff m < i for each such i. These sets and the cells with `sigma_0 = +` correspond one to
//! one. Reason: the flag orders the cells by the first of its flats that they meet; there p is the point of the closed
//! cell where a linear function is smallest, unique because the flag is generic, and sigma_s are the signs of its
//! multipliers. Where more rows than S vanish at p, the cells with that p are as many as the no-broken-circuit bases of
//! those rows (Greene and Zaslavsky), and the last rule gives each of them a cell of its own.
//!
//! Sources: Whitney 1932 and Zaslavsky 1975 for the numbers; Greene and Zaslavsky, "On the interpretation of Whitney
//! numbers through arrangements of hyperplanes", Trans. AMS 280 (1983), for a vertex; the rule itself is derived.

use std::cell::OnceCell;

use dashu_int::IBig;

use super::basis::{ExactBasis, sign};
use super::cell::{bit, put};
use super::space::{Space, generic, magnitude};

/// The basis `n_0`, S, `f_{k+1} ..`, and the column that holds each; `None` if `n_0` and S are dependent or the flag vanishes.
struct Frame {
    basis: ExactBasis,
    chart: usize,
    set: Vec<usize>,
}

fn frame(space: &Space, set: &[u32], fine: bool) -> Option<Frame> {
    let mut basis = ExactBasis::new(space.rank);
    let mut taken: Vec<usize> = vec![];
    let flags = set.len()..space.rank - 1;
    let rows = std::iter::once(0).chain(set.iter().map(|&s| s as usize)).chain(flags.map(|k| space.n() + k));
    for i in rows {
        let row = space.row(i, fine);
        let entries = basis.coordinates(row);
        let c = (0..space.rank).find(|c| !taken.contains(c) && !entries[*c].is_zero())?;
        basis.pivot(row, c);
        taken.push(c);
    }
    Some(Frame { basis, chart: taken[0], set: taken[1..=set.len()].to_vec() })
}

/// The signs of the cell of S (largest class first) on the side `sigma_0 = +`; `None` if S is no no-broken-circuit set.
pub(super) fn cell_of(space: &Space, set: &[u32]) -> Option<Vec<u64>> {
    // Independence does not involve the flag; the fine one, which is generic, is asked where the other fails.
    let coarse = frame(space, set, false);
    let fine = OnceCell::new();
    let fine = || fine.get_or_init(|| frame(space, set, true)).as_ref();
    if coarse.is_none() {
        fine()?;
    }
    let ask = |i: usize, column: &dyn Fn(&Frame) -> usize| {
        let at = |f: &Frame, level| sign(&f.basis.coordinate(space.row(i, level), column(f)));
        let first = coarse.as_ref().map_or(0, |f| at(f, false));
        if first == 0 { at(fine().expect("S is independent"), true) } else { first }
    };
    let (n, k) = (space.n(), set.len());
    let mut signs = vec![0; space.words()];
    put(&mut signs, 0, true);
    if k > 0 {
        let multiplier = n + k - 1;
        let first = generic(ask(multiplier, &|f| f.chart));
        for (q, &s) in set.iter().enumerate() {
            let multiplier = generic(ask(multiplier, &|f| f.set[q]));
            put(&mut signs, s as usize, multiplier == first);
        }
    }
    for i in (1..n).filter(|&i| !set.contains(&(i as u32))) {
        let value = ask(i, &|f| f.chart);
        if value != 0 {
            put(&mut signs, i, value > 0);
            continue;
        }
        // Largest first: the last nonzero coefficient is that of the least member.
        let frame = fine().expect("S is independent");
        let coefficient = |q: &usize| sign(&frame.basis.coordinate(space.row(i, true), frame.set[*q]));
        let least = (0..k).rev().find(|q| coefficient(q) != 0).expect("a row is not 0");
        if set[least] as usize > i {
            return None;
        }
        let positive = (coefficient(&least) > 0) == bit(&signs, set[least] as usize);
        put(&mut signs, i, positive);
    }
    Some(signs)
}

/// A point strictly inside the cell of S with these signs (on the side `sigma_0 = +`), in reduced coordinates.
///
/// ```text
/// u = M^k p + M^{k-1} sigma_{s_1} e_{s_1} + .. + sigma_{s_k} e_{s_k}       (e_s dual to n_s; M large)
/// ```
pub(super) fn inside(space: &Space, set: &[u32], signs: &[u64], antipode: bool) -> Vec<IBig> {
    if space.rank == 0 {
        return vec![];
    }
    let coarse = frame(space, set, false);
    // The coarse frame serves if its vertex lies off every row that the fine one avoids; dominance settles the rest.
    let frame = coarse.filter(|f| regular(space, f)).or_else(|| frame(space, set, true)).expect("S is independent");
    let columns: Vec<usize> = std::iter::once(frame.chart).chain(frame.set.iter().rev().copied()).collect();
    let mut largest = IBig::ONE;
    for row in space.rows() {
        for &c in &columns {
            largest = largest.max(magnitude(&frame.basis.coordinate(row, c)));
        }
    }
    let factor = largest * IBig::from(4 * (set.len() + 1));
    let mut point = frame.basis.dual(frame.chart).to_vec();
    for (q, &c) in frame.set.iter().enumerate().rev() {
        let plus = bit(signs, set[q] as usize) != antipode;
        for (v, e) in point.iter_mut().zip(frame.basis.dual(c)) {
            *v = &*v * &factor;
            if plus {
                *v += e;
            } else {
                *v -= e;
            }
        }
    }
    point
}

/// Whether no row outside the span of S vanishes at the vertex.
fn regular(space: &Space, f: &Frame) -> bool {
    let vanishes = |row: &Vec<IBig>| f.basis.coordinate(row, f.chart).is_zero();
    let others = (0..space.rank).filter(|c| *c != f.chart && !f.set.contains(c));
    let inside_span = |row: &Vec<IBig>| others.clone().all(|c| f.basis.coordinate(row, c).is_zero());
    space.rows().iter().all(|row| !vanishes(row) || inside_span(row))
}
