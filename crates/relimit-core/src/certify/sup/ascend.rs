//! Local search for large q: linearise the convex part, solve the concave rest exactly.

use super::bounded::{ABSENT, LOWER, Shares, UPPER, Work, shortest};
use super::rows::{Rows, axpy, norm, unit};
use crate::num::noise::Stream;

/// Steps of one ascent; each lands on another face, and the value rises, so that far fewer are taken.
const STEPS: usize = 200;

/// Climbs q on the unit sphere from a direction.
pub(super) struct Climber<'a, const D: usize> {
    rows: &'a Rows<D>,
    shares: Shares,
    z: Vec<f64>,
    work: Work,
}

impl<'a, const D: usize> Climber<'a, D> {
    pub(super) fn new(rows: &'a Rows<D>) -> Self {
        let n = rows.n();
        Self {
            rows,
            shares: Shares { coef: rows.r.clone(), ..Shares::new(n) },
            z: vec![0.0; rows.padded()],
            work: Work::new(rows.padded()),
        }
    }

    /// `q(u)` as computed.
    pub(super) fn value(&mut self, u: &[f64; D]) -> f64 {
        self.rows.products(u, &mut self.z);
        self.rows.value(&self.z)
    }

    /// The value and direction of a local maximum: each step maximises the concave minorant that touches q at u.
    ///
    /// ```text
    /// q(w) >= c . w - sum_{r<0} |r_i| relu(x_i . w),   c = sum_{r>0, x_i.u>0} r_i x_i
    /// max over |w| <= 1 of the right side = min over theta in [0,1] of |c + sum_{r<0} theta_i r_i x_i|
    /// ```
    pub(super) fn ascend(&mut self, start: &[f64; D]) -> (f64, [f64; D]) {
        let rows = self.rows;
        let mut u = unit(start);
        let mut value = self.value(&u);
        for i in 0..rows.n() {
            let active = self.z[i] > 0.0;
            self.shares.state[i] = if rows.r[i] > 0.0 {
                ABSENT
            } else if active {
                UPPER
            } else {
                LOWER
            };
            self.shares.share[i] = if self.shares.state[i] == UPPER { 1.0 } else { 0.0 };
        }
        for _ in 0..STEPS {
            let mut c = [0.0; D];
            for i in 0..rows.n() {
                if rows.r[i] > 0.0 && self.z[i] > 0.0 {
                    axpy(rows.r[i], &rows.x[i], &mut c);
                }
            }
            let size = norm(&c);
            let enough = 1e-13 * size;
            let v = shortest(rows, &mut self.shares, &c, enough, &mut self.work);
            if !(norm(&v) > 1e-12 * size) {
                break;
            }
            let next = unit(&v);
            let reached = self.value(&next);
            if !(reached > value + 1e-15 * value.abs()) {
                break;
            }
            u = next;
            value = reached;
        }
        (value, u)
    }
}

/// Random directions by number, the same for every dimension of storage.
pub(super) fn direction<const D: usize>(stream: Stream, number: u64, dim: usize) -> [f64; D] {
    let mut u = [0.0; D];
    for (k, v) in u.iter_mut().take(dim).enumerate() {
        *v = stream.normal(number, k as u64);
    }
    unit(&u)
}
