//! The bound of a node by chords and multipliers, and the ranges that it leaves.

use super::bounded::{ABSENT, FREE, LOWER, Shares, UPPER, Work, shortest};
use super::node::Node;
use super::rows::{Moved, Rows, TINY, axpy, norm};
use crate::num::outward::{add_up, sub_down};

/// Bounds nodes against one target; holds what would be allocated for each otherwise.
pub(super) struct Bounder<'a, const D: usize> {
    pub(super) rows: &'a Rows<D>,
    pub(super) target: f64,
    pub(super) means: Means,
    pub(super) shares: Shares,
    pub(super) z: Vec<f64>,
    pub(super) work: Work,
    pub(super) moved: Moved<D>,
    /// What the chord of each undecided row adds, by the last [`Bounder::line`]; 0 for the others.
    pub(super) loose: Vec<f64>,
    /// Where the multipliers of a range start.
    pub(super) start: Shares,
}

/// Which bounds are used on top of chords.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Means {
    /// Ranges from the cap of the node's own inequality.
    pub(super) cap: bool,
    /// Ranges of the loosest rows from the node's whole cone.
    pub(super) cone: bool,
    /// Quadratic majorants and their ellipsoids.
    pub(super) quadratic: bool,
}

impl Means {
    /// All of them: each where it pays.
    pub(super) const ALL: Self = Self { cap: true, cone: true, quadratic: true };
}

/// The inequality that a bound rests on: `q(u) <= v . u + excess` on the node, with v taken as exact.
pub(super) struct Plane<const D: usize> {
    pub(super) v: [f64; D],
    pub(super) excess: f64,
}

/// The part of a node's inequality that has no multipliers: rows decided positive and chords.
///
/// ```text
/// sum_+ r_i relu(x_i . u) + sum_{*,r>0} r_i relu(x_i . u) <= v . u + excess
/// ```
pub(super) struct Line<const D: usize> {
    pub(super) v: [f64; D],
    /// What the chords add, before the rounding of the sum.
    pub(super) excess: f64,
    /// Sum of the sizes of the terms of v.
    pub(super) size: f64,
}

/// What is left of a node after its bound.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Left {
    /// Proved: q <= target on it.
    Closed,
    /// Open.
    Open,
}

/// Rounds of bound and cap on one node.
const ROUNDS: usize = 8;

/// Largest dimension for quadratic majorants: beyond, their matrices cost more than they gain.
const QUADRATIC_DIM: usize = 16;

/// Quadratic majorants and chords in turn, at most.
const QUADRATIC_ROUNDS: usize = 3;

/// Share of the way to the target that quadratic majorants must take off for the children to try them too.
const PAYS: f64 = 0.3;

/// Dimension above which they are tried again at some depths; below, more nodes with chords and cones take less time.
const TRY_AGAIN_ABOVE: usize = 8;

/// Depths at which they are tried again.
const TRY_AGAIN: u32 = 4;

/// Further bounds of a node whose rows are all decided.
const AGAIN: usize = 4;

impl<'a, const D: usize> Bounder<'a, D> {
    pub(super) fn new(rows: &'a Rows<D>, target: f64, means: Means) -> Self {
        let n = rows.n();
        Self {
            rows,
            target,
            means,
            shares: Shares::new(n),
            z: vec![0.0; rows.padded()],
            work: Work::new(rows.padded()),
            moved: Moved::new(rows),
            loose: vec![0.0; n],
            start: Shares::new(n),
        }
    }

    /// Bounds q on a node, by every means that ships and pays on it.
    pub(super) fn bound(&mut self, node: &mut Node<D>) -> Left {
        if self.chords_to_the_end(node) == Left::Closed {
            return Left::Closed;
        }
        // Known when the code is made: nothing of the quadratic bound is built for larger D.
        if const { D > QUADRATIC_DIM } {
            return Left::Open;
        }
        let again = const { D > TRY_AGAIN_ABOVE } && node.depth.is_multiple_of(TRY_AGAIN);
        if !self.means.quadratic || !(node.quadratic || again) {
            return Left::Open;
        }
        let before = node.bound;
        for _ in 0..QUADRATIC_ROUNDS {
            let (left, progress) = self.quadratics(node);
            if left == Left::Closed {
                return left;
            }
            if !progress {
                break;
            }
            let branch = node.branch;
            if self.chords_to_the_end(node) == Left::Closed {
                return Left::Closed;
            }
            // The row of the tighter of both majorants is the better one to split.
            if branch.is_some_and(|i| node.sign[i] == 0) {
                node.branch = branch;
            }
        }
        if node.branch.is_none() && self.chords_to_the_end(node) == Left::Closed {
            return Left::Closed;
        }
        node.quadratic = before - node.bound >= PAYS * (before - self.target);
        Left::Open
    }

    /// Chords, and again where the last row was decided after the last bound: what is left cannot be split.
    fn chords_to_the_end(&mut self, node: &mut Node<D>) -> Left {
        for _ in 0..AGAIN {
            if self.chords(node) == Left::Closed {
                return Left::Closed;
            }
            if node.branch.is_some() {
                break;
            }
        }
        Left::Open
    }

    /// Bounds q on a node by chords, narrows its ranges by caps and cones until little moves, and picks the row to split on.
    ///
    /// ```text
    /// relu(z) <= k z + e on [lo, hi],  k = hi / (hi - lo)
    /// q(u) <= |sum_+ r_i x_i + sum_{*,r<0} theta_i r_i x_i + sum_{*,r>0} k_i r_i x_i + sum_decided m_i s_i x_i| + sum_{*,r>0} r_i e_i
    /// ```
    ///
    /// # Source
    /// math note on certificates, section 4.
    pub(super) fn chords(&mut self, node: &mut Node<D>) -> Left {
        let mut line = self.line(node);
        for round in 0..ROUNDS {
            let before = node.bound;
            let plane = self.plane(node, &line);
            let bound = add_up(self.rows.norm_up(&plane.v), plane.excess);
            node.v = plane.v;
            node.bound = node.bound.min(bound);
            if node.bound <= self.target {
                return Left::Closed;
            }
            let loose = line.excess;
            let Some(mut changed) = self.cap(node, &plane) else { return self.empty(node) };
            line = self.line(node);
            if self.means.cone && round == 0 {
                match self.cone(node, &plane, &line) {
                    Some(decided) => changed |= decided,
                    None => return self.empty(node),
                }
                line = self.line(node);
            }
            let moved = loose - line.excess > 0.01 * (bound - self.target);
            if !changed && !moved {
                break;
            }
            if round > 0 && !changed && before - node.bound < 0.02 * (node.bound - self.target) {
                break;
            }
        }
        self.pick(node);
        Left::Open
    }

    /// No direction of the node has q >= target.
    pub(super) fn empty(&self, node: &mut Node<D>) -> Left {
        node.bound = node.bound.min(self.target);
        Left::Closed
    }

    /// The part of the inequality without multipliers, for the node's signs and ranges.
    fn line(&mut self, node: &Node<D>) -> Line<D> {
        let rows = self.rows;
        let mut line = Line { v: [0.0; D], excess: 0.0, size: 0.0 };
        for i in 0..rows.n() {
            let r = rows.r[i];
            self.loose[i] = 0.0;
            let a = match node.sign[i] {
                1 => r,
                0 if r > 0.0 => {
                    let (a, e) = chord(r, node.lo[i], node.hi[i]);
                    self.loose[i] = e;
                    line.excess += e;
                    a
                }
                _ => continue,
            };
            axpy(a, &rows.x[i], &mut line.v);
            line.size += a.abs() * rows.length[i];
        }
        line
    }

    /// Best multipliers for the node's signs and ranges, and the inequality that they prove, rounded outward.
    fn plane(&mut self, node: &mut Node<D>, line: &Line<D>) -> Plane<D> {
        let rows = self.rows;
        for i in 0..rows.n() {
            let r = rows.r[i];
            self.shares.share[i] = 0.0;
            self.shares.state[i] = node.state[i];
            if node.sign[i] != 0 {
                self.shares.coef[i] = f64::from(node.sign[i]);
                self.shares.open[i] = true;
                if self.shares.state[i] != FREE {
                    self.shares.state[i] = LOWER;
                }
            } else if r > 0.0 {
                self.shares.state[i] = ABSENT;
            } else {
                self.shares.coef[i] = r;
                self.shares.open[i] = false;
                if self.shares.state[i] == ABSENT {
                    self.shares.state[i] = LOWER;
                }
                self.shares.share[i] = if self.shares.state[i] == UPPER { 1.0 } else { 0.0 };
            }
        }
        for &(i, s) in &node.free {
            let i = i as usize;
            if self.shares.state[i] == FREE {
                self.shares.share[i] = if self.shares.open[i] { s } else { s.min(1.0) };
            }
        }
        // A little less than what closes the node, so that rounding outward does not open it again.
        let enough = (self.target - line.excess) * (1.0 - 8.0 * rows.g) - 8.0 * rows.g * line.excess;
        shortest(rows, &mut self.shares, &line.v, enough, &mut self.work);
        node.remember(&self.shares);
        let (mut v, mut size) = (line.v, line.size);
        self.shares.add(rows, &mut v, &mut size);
        let excess = (line.excess + 2.0 * rows.g * size + rows.slack) * (1.0 + rows.g);
        Plane { v, excess: add_up(excess, TINY) }
    }

    /// Ranges and signs on the cap `v . u >= target - excess` of the ball; `None` when a range is empty, else whether a sign was decided.
    fn cap(&mut self, node: &mut Node<D>, plane: &Plane<D>) -> Option<bool> {
        let tau = sub_down(self.target, plane.excess);
        let length = norm(&plane.v);
        if tau <= -length || length == 0.0 {
            return Some(false);
        }
        self.rows.products(&plane.v, &mut self.z);
        if !self.means.cap {
            return Some(false);
        }
        let mut decided = false;
        for i in 0..self.rows.n() {
            if node.sign[i] != 0 {
                continue;
            }
            let hi = self.cap_end(i, 1.0, plane, tau, length);
            let lo = -self.cap_end(i, -1.0, plane, tau, length);
            if node.narrow(i, lo, hi) {
                return None;
            }
            decided |= node.decide(i);
        }
        Some(decided)
    }

    /// The multiplier that is best for `min over mu >= 0 of |s x_i + mu v| - mu tau`, by the angle between both.
    pub(super) fn cap_multiplier(&self, i: usize, s: f64, tau: f64, length: f64) -> f64 {
        let l = self.rows.length[i];
        let cos_row = (s * self.z[i] / (l * length)).clamp(-1.0, 1.0);
        let cos_cap = (tau / length).clamp(-1.0, 1.0);
        if cos_row >= cos_cap {
            return 0.0;
        }
        let (sin_row, sin_cap) = ((1.0 - cos_row * cos_row).sqrt(), (1.0 - cos_cap * cos_cap).sqrt());
        (l / length * (sin_row * cos_cap / sin_cap.max(1e-9) - cos_row)).max(0.0)
    }

    /// An upper bound of `s x_i . u` on the cap, by one multiplier mu >= 0: `s x_i . u <= |s x_i + mu v| - mu tau`.
    fn cap_end(&self, i: usize, s: f64, plane: &Plane<D>, tau: f64, length: f64) -> f64 {
        let l = self.rows.length[i];
        let mu = self.cap_multiplier(i, s, tau, length);
        if mu == 0.0 {
            return l;
        }
        let g = self.rows.g;
        let size = l + mu * length;
        let square = l * l + 2.0 * mu * s * self.z[i] + mu * mu * length * length;
        let distance = if square > 1e-3 * size * size {
            (square + 4.0 * g * size * size).sqrt()
        } else {
            let mut a = self.rows.x[i].map(|v| v * s);
            axpy(mu, &plane.v, &mut a);
            norm(&a)
        };
        distance - mu * tau + 4.0 * g * size
    }

    /// The undecided row whose chord adds most, by the last line.
    fn pick(&self, node: &mut Node<D>) {
        let mut most = 0.0;
        node.branch = None;
        for (i, e) in self.loose.iter().enumerate() {
            if *e > most {
                most = *e;
                node.branch = Some(i);
            }
        }
    }
}

/// `r relu(z) <= a z + e` on [lo, hi], for r > 0: the slope is a float in [0, r], the excess is rounded up.
#[inline]
pub(super) fn chord(r: f64, lo: f64, hi: f64) -> (f64, f64) {
    if lo >= 0.0 {
        (r, 0.0)
    } else if hi <= 0.0 {
        (0.0, 0.0)
    } else {
        let a = r * (hi / (hi - lo)).min(1.0);
        // The line lies above both ends, hence above the convex function between them; three roundings.
        (a, (a * -lo).max((r - a) * hi) * (1.0 + 4.0 * f64::EPSILON) + TINY)
    }
}
