//! The bound of a node by quadratic majorants, and the ellipsoid that it leaves.
//!
//! ```text
//! r relu(z) <= a z^2 + b z + c on [lo, hi]
//! q(u) <= u'Mu + g.u + e <= sigma + h'Sh + |g - 2 S h| + e - (u - h)'S(u - h),   S = sigma I - M,  any h, |u| <= 1
//! ```
//!
//! Chords add up like a trace, this like a largest eigenvalue. The proof needs S to be positive semidefinite (a Cholesky
//! factor, with its backward error put into sigma) and nothing else of what the search proposes.

use super::bounded::{ABSENT, FREE, LOWER, Shares, UPPER, shortest};
use super::chords::{Bounder, Left};
use super::ellipsoid::{Ellipsoid, Majorised};
use super::majorant::{excess, touching};
use super::node::Node;
use super::rows::{axpy, dot, norm, unit};
use super::secular::Spectrum;

/// Rounds of majorants and multipliers on one node.
const ROUNDS: usize = 8;

/// Share of the width of a range that a new one must take off to count as progress.
const NARROWER: f64 = 0.03;

/// The multipliers of the linear part: fixed while the majorants move, chosen in the metric of the ellipsoid.
struct Linear<const D: usize> {
    shares: Shares,
    /// Weights of rows decided positive at the start.
    base: [f64; D],
    base_size: f64,
    sum: [f64; D],
    sum_size: f64,
}

impl<const D: usize> Bounder<'_, D> {
    /// Bounds q on a node by quadratic majorants and narrows its ranges by ellipsoids; `progress` tells whether ranges moved much.
    pub(super) fn quadratics(&mut self, node: &mut Node<D>) -> (Left, bool) {
        let rows = self.rows;
        let n = rows.n();
        let undecided: Vec<usize> = (0..n).filter(|&i| node.sign[i] == 0 && rows.r[i] > 0.0).collect();
        let mut linear = self.linear(node);
        let has_multipliers = linear.shares.state.iter().any(|s| *s != ABSENT);
        // First moments: a blend of the direction of the bound and the uniform law.
        let mut centre = unit(&node.v).map(|v| 0.7 * v);
        let mut second: Vec<f64> = (0..n)
            .map(|i| {
                let z = dot(&rows.x[i], &centre) / 0.7;
                0.7 * z * z + 0.3 / D as f64 * rows.length[i] * rows.length[i]
            })
            .collect();
        let mut majorant = vec![(0.0, 0.0); n];
        let mut progress = false;
        for round in 0..ROUNDS {
            let mut m = Majorised::new(linear.base, linear.base_size);
            for &i in &undecided {
                let (lo, hi, r) = (node.lo[i], node.hi[i], rows.r[i]);
                let (a, b) = touching(lo, hi, dot(&rows.x[i], &centre), second[i]);
                let old = majorant[i];
                let (a, b) = if round > 0 { (0.5 * (a + old.0), 0.5 * (b + old.1)) } else { (a, b) };
                majorant[i] = (a, b);
                m.add(&rows.x[i], rows.length[i], r * a, r * b, excess(r, r * a, r * b, lo, hi));
            }
            let spectrum = Spectrum::new(&m.matrix);
            for pass in 0..2 {
                m.with_linear(&linear.sum, linear.sum_size);
                let g = spectrum.coordinates(&m.gradient);
                let sharp = spectrum.sigma(&g, 0.0);
                let value = spectrum.value(&g, sharp) + m.excess;
                if value < node.bound
                    && let Some(e) = Ellipsoid::prove(rows, &m, sharp + 1e-12 * sharp.abs())
                {
                    node.bound = node.bound.min(e.bound);
                    if node.bound <= self.target {
                        return (Left::Closed, false);
                    }
                }
                // A wider law of directions than the point of the bound: sigma with a term for its volume.
                let scale = (value - m.excess).abs();
                let volume = 0.02 * scale / D as f64;
                let sigma = spectrum.sigma(&g, volume);
                let Some(inner) = Ellipsoid::prove(rows, &m, sigma) else { break };
                inner.transform(rows, &mut self.moved);
                centre = inner.centre;
                for &i in &undecided {
                    let z = dot(&rows.x[i], &centre);
                    second[i] = z * z + volume * self.moved.squares[i];
                }
                if pass == 1 || round % 2 == 0 || !has_multipliers {
                    match self.narrow_by(node, &inner) {
                        Some(moved) => progress |= moved,
                        None => return (self.empty(node), false),
                    }
                    let outer = sigma + 0.5 * (sigma - spectrum.largest()) + 0.1 * scale;
                    if let Some(outer) = Ellipsoid::prove(rows, &m, outer) {
                        outer.transform(rows, &mut self.moved);
                        match self.narrow_by(node, &outer) {
                            Some(moved) => progress |= moved,
                            None => return (self.empty(node), false),
                        }
                        if pass == 0 && has_multipliers {
                            inner.transform(rows, &mut self.moved);
                        }
                    }
                    if progress && round >= 3 {
                        break;
                    }
                }
                if pass == 1 || !has_multipliers {
                    break;
                }
                let c = inner.forward(&m.constant);
                shortest(&self.moved.rows, &mut linear.shares, &c, 0.0, &mut self.work);
                self.sum_up(&mut linear);
            }
            if progress && round >= 3 {
                break;
            }
        }
        self.pick_by_majorants(node, &undecided, &majorant, &centre, &second);
        (Left::Open, progress)
    }

    /// The multipliers of the node's last bound by chords.
    fn linear(&self, node: &Node<D>) -> Linear<D> {
        let rows = self.rows;
        let n = rows.n();
        let mut l = Linear { shares: Shares::new(n), base: [0.0; D], base_size: 0.0, sum: [0.0; D], sum_size: 0.0 };
        for i in 0..n {
            if node.sign[i] != 0 {
                if node.sign[i] > 0 {
                    axpy(rows.r[i], &rows.x[i], &mut l.base);
                    l.base_size += rows.r[i].abs() * rows.length[i];
                }
                l.shares.coef[i] = f64::from(node.sign[i]);
                l.shares.open[i] = true;
                l.shares.state[i] = if node.state[i] == FREE { FREE } else { LOWER };
            } else if rows.r[i] < 0.0 {
                l.shares.coef[i] = rows.r[i];
                l.shares.state[i] = if node.state[i] == ABSENT { LOWER } else { node.state[i] };
                l.shares.share[i] = if l.shares.state[i] == UPPER { 1.0 } else { 0.0 };
            }
        }
        for &(i, s) in &node.free {
            let i = i as usize;
            if l.shares.state[i] == FREE {
                l.shares.share[i] = if l.shares.open[i] { s } else { s.min(1.0) };
            }
        }
        self.sum_up(&mut l);
        l
    }

    /// `sum_i share_i coef_i x_i` with shares within their bounds.
    fn sum_up(&self, l: &mut Linear<D>) {
        (l.sum, l.sum_size) = ([0.0; D], 0.0);
        l.shares.add(self.rows, &mut l.sum, &mut l.sum_size);
    }

    /// Ranges and signs on an ellipsoid whose transformed rows are at hand; `None` when nothing is left of the node.
    fn narrow_by(&mut self, node: &mut Node<D>, e: &Ellipsoid<D>) -> Option<bool> {
        let rows = self.rows;
        if e.bound < self.target {
            return None;
        }
        let reach = e.reach(self.target);
        let size = norm(&e.centre);
        rows.products(&e.centre, &mut self.z);
        let mut moved = false;
        for i in 0..rows.n() {
            if node.sign[i] != 0 {
                continue;
            }
            let half = self.moved.squares[i].sqrt() * reach + 2.0 * rows.g * rows.length[i] * size;
            let half = half * (1.0 + rows.g);
            let width = node.hi[i] - node.lo[i];
            if node.narrow(i, (self.z[i] - half).next_down(), (self.z[i] + half).next_up()) {
                return None;
            }
            moved |= rows.r[i] > 0.0 && node.hi[i] - node.lo[i] < (1.0 - NARROWER) * width;
            moved |= node.decide(i);
        }
        Some(moved)
    }

    /// The undecided row whose majorant lies highest above relu on the ellipsoid.
    fn pick_by_majorants(
        &self,
        node: &mut Node<D>,
        undecided: &[usize],
        majorant: &[(f64, f64)],
        centre: &[f64; D],
        second: &[f64],
    ) {
        let mut most = f64::NEG_INFINITY;
        node.branch = None;
        for &i in undecided {
            if node.sign[i] != 0 {
                continue;
            }
            let (r, (a, b)) = (self.rows.r[i], majorant[i]);
            let z = dot(&self.rows.x[i], centre);
            let e = excess(r, r * a, r * b, node.lo[i], node.hi[i]);
            let above = r * (a * second[i] + b * z - z.max(0.0)) + e;
            if above > most {
                most = above;
                node.branch = Some(i);
            }
        }
    }
}
