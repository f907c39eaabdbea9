//! A line walked from one end to the other: rows sorted by where they vanish, one sign flipped at each vertex.
//!
//! Doubles sort; each pair of neighbours is then certified, in integers where the filter leaves it open, so that rows which
//! vanish together stand together. O(m log m) for m rows instead of O(m) for each vertex.

use std::cmp::Ordering;

use super::block::{Block, OWN};
use super::line::{Line, Scratch};
use super::tableau::SLACK;
use crate::pattern::cell::put;

/// From this number of candidates on a sweep is faster than scans.
pub(super) const SWEEP_FROM: usize = 32;

/// Low bits of a sort key that hold the row.
const ROW_BITS: u32 = 20;

/// Rows that a key can hold.
pub(super) const MOST_ROWS: usize = (1 << ROW_BITS) - 1;

impl Line<'_> {
    /// All vertices of the line in the order of t.
    pub(super) fn sweep(&mut self, scratch: &mut Scratch, block: &mut Block) {
        let (n, candidates) = (self.space.n(), self.candidates());
        let mut order = std::mem::take(&mut scratch.order);
        self.list_multipliers(&mut scratch.multipliers, &mut scratch.open);
        let ties = self.start(scratch, &mut order);
        let mut from = 0;
        while from < order.len() {
            let mut end = from + 1;
            while ties && end < order.len() && self.compare(scratch, order[end - 1], order[end]) == Ordering::Equal {
                end += 1;
            }
            let group = &order[from..end];
            let least = group.iter().copied().min().unwrap_or(0) as usize;
            if least == n || least < candidates {
                let signs = block.push(if least == n { OWN } else { least as u32 });
                signs.copy_from_slice(&scratch.running);
                let y = if least == n { self.last_flag() } else { least };
                self.put_multipliers(y, &scratch.multipliers, signs);
                if group.len() > 1 {
                    scratch.tight.clear();
                    scratch.tight.extend(group.iter().filter(|&&i| i as usize != least));
                    self.put_tight(y, scratch.slope[least], &scratch.tight, signs);
                }
            }
            for &i in &order[from..end] {
                if (i as usize) < n {
                    scratch.running[i as usize / 64] ^= 1 << (i % 64);
                }
            }
            from = end;
        }
        scratch.order = order;
    }

    /// Slopes, the signs at the far left, and the rows (n for the flag) in certified order; false if no two neighbours tie.
    fn start(&mut self, scratch: &mut Scratch, order: &mut Vec<u32>) -> bool {
        let n = self.space.n();
        self.table.vertices(self.chart, self.free, &mut scratch.vertex, &mut scratch.radius, self.kernel);
        scratch.slope.clear();
        scratch.slope.resize(n + 1, 0);
        scratch.running.clear();
        scratch.running.resize(self.space.words(), 0);
        scratch.keys.clear();
        for w in 0..self.space.words() {
            let mut rows = !self.settled[w];
            while rows != 0 {
                let i = 64 * w + rows.trailing_zeros() as usize;
                rows &= rows - 1;
                let slope = self.slope(i);
                if slope == 0 {
                    // A row of constant sign.
                    let sign = match self.table.entry_sign(i, self.chart) {
                        Some(s) => s,
                        None => self.exact.entry_sign(self.space, i, self.chart),
                    };
                    put(&mut scratch.running, i, sign > 0);
                    continue;
                }
                scratch.slope[i] = slope;
                put(&mut scratch.running, i, slope < 0);
                scratch.keys.push(key(scratch.vertex[i], i));
            }
        }
        scratch.slope[n] = self.slope(self.last_flag());
        scratch.keys.push(key(scratch.vertex[self.table.place(self.last_flag())], n));
        scratch.keys.sort_unstable();
        order.clear();
        let mut ties = false;
        for q in 0..scratch.keys.len() {
            order.push((scratch.keys[q] & ((1 << ROW_BITS) - 1)) as u32);
            for p in (1..=q).rev() {
                match self.compare(scratch, order[p - 1], order[p]) {
                    Ordering::Less => break,
                    Ordering::Equal => {
                        ties = true;
                        break;
                    }
                    Ordering::Greater => order.swap(p - 1, p),
                }
            }
        }
        ties
    }

    /// The order of the vertices of two rows: `t_x - t_y = (a_y b_x - b_y a_x) / (b_x b_y)`.
    fn compare(&mut self, scratch: &Scratch, x: u32, y: u32) -> Ordering {
        let n = self.space.n();
        let place = |i: u32| self.table.place(row_of(i, n, self.last_flag()));
        let (px, py) = (place(x), place(y));
        let apart = scratch.vertex[px] - scratch.vertex[py];
        // The difference and the sum are rounded once each, which the slack covers.
        if apart.abs() > SLACK * (scratch.radius[px] + scratch.radius[py]) {
            return if apart < 0.0 { Ordering::Less } else { Ordering::Greater };
        }
        let slopes = scratch.slope[x as usize] * scratch.slope[y as usize];
        let (x, y) = (row_of(x, n, self.last_flag()), row_of(y, n, self.last_flag()));
        (self.determinant(y, x, self.chart) * slopes).cmp(&0)
    }
}

/// A label of the order as a row: n stands for the flag.
fn row_of(label: u32, n: usize, flag: usize) -> usize {
    if label as usize == n { flag } else { label as usize }
}

/// An integer that sorts as t does, but for its last digits, which hold the label.
fn key(t: f64, label: usize) -> u64 {
    let bits = t.to_bits();
    let sorted = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
    sorted & !((1 << ROW_BITS) - 1) | label as u64
}
