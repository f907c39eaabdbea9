//! Ranges of a node's loosest rows from its whole cone, each with multipliers of its own.

use super::bounded::{ABSENT, FREE, LOWER, Shares, UPPER, shortest};
use super::chords::{Bounder, Line, Plane};
use super::node::Node;
use super::rows::{axpy, norm};
use crate::num::outward::{add_down, add_up, sub_down, sub_up};

/// Rows with the loosest chords that get ranges from the whole cone, where quadratic majorants are left off.
const ROWS: usize = 14;
/// The same in more dimensions, where majorants narrow the ranges too.
const FEW_ROWS: usize = 5;
/// Dimension up to which [`ROWS`] applies.
const SMALL: usize = 8;

/// An end of a range is left as it is when its move changes the excess of the chord by less than this share of the same
/// move of a relu: `(other end / width)^2`.
const NEGLIGIBLE: f64 = 0.05;

impl<const D: usize> Bounder<'_, D> {
    /// Ranges of the rows with the loosest chords from all decided rows and the node's inequality together:
    ///
    /// ```text
    /// s x_j . u <= |s x_j + mu (c + sum_{*,r<0} theta_i r_i x_i) + sum_decided p_i s_i x_i| - mu (target - e)
    /// mu, p >= 0, theta in [0, 1];   c . u + e: rows decided positive and chords
    /// ```
    ///
    /// theta and p are best for each end, mu is that of the cap. `None` when a range is empty, else whether a sign was decided.
    ///
    /// # Source
    /// math note on certificates, section 4.
    pub(super) fn cone(&mut self, node: &mut Node<D>, plane: &Plane<D>, line: &Line<D>) -> Option<bool> {
        let rows = self.rows;
        let length = norm(&plane.v);
        if length == 0.0 {
            return Some(false);
        }
        let capped = sub_down(self.target, plane.excess);
        let tau = sub_down(self.target, (line.excess + rows.slack) * (1.0 + rows.g));
        let mut loosest: Vec<(f64, usize)> =
            (0..rows.n()).filter(|&i| self.loose[i] > 0.0).map(|i| (self.loose[i], i)).collect();
        loosest.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        loosest.truncate(const { if D <= SMALL { ROWS } else { FEW_ROWS } });
        self.prepare(node);
        let mut decided = false;
        for &(_, j) in &loosest {
            for s in [1.0, -1.0] {
                let other = if s > 0.0 { node.lo[j] } else { node.hi[j] } / (node.hi[j] - node.lo[j]);
                if other * other < NEGLIGIBLE {
                    continue;
                }
                let mu = if capped > -length { self.cap_multiplier(j, s, capped, length) } else { 0.0 };
                let (mut v, mut size) = ([0.0; D], rows.length[j] + mu * line.size);
                axpy(s, &rows.x[j], &mut v);
                axpy(mu, &line.v, &mut v);
                self.scale(mu);
                shortest(rows, &mut self.shares, &v, 0.0, &mut self.work);
                self.shares.add(rows, &mut v, &mut size);
                let end = add_up(sub_up(rows.norm_up(&v), add_down(mu * tau, 0.0)), 4.0 * rows.g * size);
                let empty =
                    if s > 0.0 { node.narrow(j, f64::NEG_INFINITY, end) } else { node.narrow(j, -end, f64::INFINITY) };
                if empty {
                    return None;
                }
            }
            decided |= node.decide(j);
        }
        Some(decided)
    }

    /// The multipliers of the node's bound, for mu = 1: where those of every end start.
    fn prepare(&mut self, node: &Node<D>) {
        let start = &mut self.start;
        for i in 0..self.rows.n() {
            let (decided, r) = (node.sign[i] != 0, self.rows.r[i]);
            start.open[i] = decided;
            start.coef[i] = if decided { f64::from(node.sign[i]) } else { r };
            start.state[i] = match node.state[i] {
                _ if !decided && r > 0.0 => ABSENT,
                ABSENT => LOWER,
                UPPER if decided => LOWER,
                state => state,
            };
            start.share[i] = if start.state[i] == UPPER { 1.0 } else { 0.0 };
        }
        for &(i, share) in &node.free {
            let i = i as usize;
            if start.state[i] == FREE {
                start.share[i] = if start.open[i] { share } else { share.min(1.0) };
            }
        }
    }

    /// The multipliers for another mu: p and the columns of theta grow with it.
    fn scale(&mut self, mu: f64) {
        let (shares, start): (&mut Shares, &Shares) = (&mut self.shares, &self.start);
        shares.state.copy_from_slice(&start.state);
        shares.open.copy_from_slice(&start.open);
        for i in 0..self.rows.n() {
            if start.open[i] {
                shares.coef[i] = start.coef[i];
                shares.share[i] = mu * start.share[i];
            } else {
                shares.coef[i] = mu * start.coef[i];
                shares.share[i] = start.share[i];
                if mu == 0.0 {
                    shares.state[i] = ABSENT;
                }
            }
        }
    }
}
