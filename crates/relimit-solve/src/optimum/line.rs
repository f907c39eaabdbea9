//! Directions in the plane: every local maximum of q by one pass over the sorted kinks, exactly.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use relimit_core::num::Mat;

use super::{Objective, Ray};

/// A direction that a pass over the circle found, with its value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Peak {
    /// The ray; its coefficient carries the sign of q.
    pub(super) ray: Ray,
    /// |q|.
    pub(super) value: f64,
}

/// The kinks of n rows in two coordinates, sorted once.
#[derive(Clone, Debug)]
pub struct Line {
    /// (angle, row, whether the row becomes active there), increasing in angle.
    pub(super) events: Vec<(f64, usize, bool)>,
    /// Rows active just after angle 0 of the sweep.
    pub(super) first: Vec<usize>,
}

impl Line {
    /// Sorts the angles at which u . x_i changes sign; `None` unless rows have two coordinates. O(n log n).
    pub fn new(x: &Mat) -> Option<Self> {
        if x.cols() != 2 {
            return None;
        }
        let mut events = Vec::with_capacity(2 * x.rows());
        let mut first = Vec::new();
        for i in 0..x.rows() {
            let (a, b) = (x[(i, 0)], x[(i, 1)]);
            if a == 0.0 && b == 0.0 {
                continue;
            }
            let normal = b.atan2(a);
            let (on, off) = (wrapped(normal - FRAC_PI_2), wrapped(normal + FRAC_PI_2));
            events.push((on, i, true));
            events.push((off, i, false));
            if off < on || off == 0.0 {
                first.push(i);
            }
        }
        events.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        Some(Self { events, first })
    }

    /// Every local maximum of |q| on the unit circle above `threshold`, largest first. O(n).
    ///
    /// Between two kinks q(u) = g . u with one vector g: the maximum is g/|g| where that lies between, else an end.
    pub(super) fn peaks(&self, objective: &Objective, r: &[f64], threshold: f64) -> Vec<Peak> {
        let x = &objective.x;
        let mut g = [Sum::default(); 2];
        let add = |i: usize, s: f64, g: &mut [Sum; 2]| {
            g[0].add(s * r[i] * x[(i, 0)]);
            g[1].add(s * r[i] * x[(i, 1)]);
        };
        for &i in &self.first {
            add(i, 1.0, &mut g);
        }
        let groups = self.groups();
        let mut arcs = Vec::with_capacity(groups.len() + 1);
        let last = groups.last().map_or(0.0, |t| self.events[t.0].0);
        let mut from = last - TAU;
        for &(start, end) in &groups {
            let to = self.events[start].0;
            arcs.push(Arc { from, to, g: [g[0].value(), g[1].value()] });
            for &(_, i, on) in &self.events[start..end] {
                add(i, if on { 1.0 } else { -1.0 }, &mut g);
            }
            from = to;
        }
        let mut out = Vec::new();
        for (k, arc) in arcs.iter().enumerate() {
            for sign in [1.0, -1.0] {
                let g = [sign * arc.g[0], sign * arc.g[1]];
                let length = g[0].hypot(g[1]);
                if length <= threshold {
                    // an end has |q| <= |g| too
                    continue;
                }
                if arc.holds(g) {
                    let ray = Ray { u: vec![g[0] / length, g[1] / length], c: sign, kink: vec![] };
                    out.push(Peak { ray, value: length });
                    continue;
                }
                // the end of this arc, when the next arc does not rise from it
                let next = arcs[(k + 1) % arcs.len()];
                let at = arc.to;
                if arc.slope(sign, at) >= 0.0 && next.slope(sign, at) <= 0.0 {
                    let (start, end) = groups[k];
                    let mut kink: Vec<usize> = self.events[start..end].iter().map(|e| e.1).collect();
                    kink.sort_unstable();
                    kink.dedup();
                    let mut ray = Ray { u: vec![at.cos(), at.sin()], c: sign, kink };
                    ray.settle(objective);
                    ray.c = sign;
                    let value = g[0] * ray.u[0] + g[1] * ray.u[1];
                    if value > threshold {
                        out.push(Peak { ray, value });
                    }
                }
            }
        }
        out.sort_by(|a, b| b.value.total_cmp(&a.value));
        out
    }

    /// Every local maximum of |q| over slope +-1 with a free bias, above `threshold`, largest first. O(n).
    ///
    /// Needs sum r = 0: then q is constant where no or all examples are active, linear between kinks, and largest at one.
    pub(super) fn free_peaks(objective: &Objective, r: &[f64], threshold: f64) -> Vec<Peak> {
        let x = &objective.x;
        let mut order: Vec<usize> = (0..x.rows()).collect();
        order.sort_by(|a, b| x[(*a, 0)].total_cmp(&x[(*b, 0)]));
        let mut out = Vec::new();
        for side in [1.0, -1.0] {
            // kinks from the far end: examples with side x > side t are active
            let walk: Vec<usize> = if side > 0.0 { order.iter().rev().copied().collect() } else { order.clone() };
            let (mut sum, mut value) = (Sum::default(), Sum::default());
            let mut values: Vec<(f64, f64, f64)> = Vec::with_capacity(walk.len());
            let mut k = 0;
            while k < walk.len() {
                let t = x[(walk[k], 0)];
                if let Some(&(before, ..)) = values.last() {
                    value.add(sum.value() * (before - t) * side);
                }
                let slope_before = sum.value();
                while k < walk.len() && x[(walk[k], 0)] == t {
                    sum.add(r[walk[k]]);
                    k += 1;
                }
                values.push((t, value.value(), slope_before));
            }
            for (k, &(t, value, slope)) in values.iter().enumerate() {
                let next = values.get(k + 1).map_or(0.0, |v| v.2);
                let size = value.abs();
                // rising up to here, not rising beyond
                if size > threshold && slope * value >= 0.0 && next * value <= 0.0 {
                    let kink = (0..x.rows()).filter(|&i| x[(i, 0)] == t).collect();
                    let ray = Ray { u: vec![side, -side * t], c: value.signum(), kink };
                    out.push(Peak { ray, value: size });
                }
            }
        }
        out.sort_by(|a, b| b.value.total_cmp(&a.value));
        out
    }

    /// Number of cells P: open arcs between kinks, 1 when no row has a direction.
    pub fn cells(&self) -> usize {
        self.groups().len().max(1)
    }

    /// Runs of events at one angle, as ranges.
    pub(super) fn groups(&self) -> Vec<(usize, usize)> {
        let mut out: Vec<(usize, usize)> = Vec::new();
        for k in 0..self.events.len() {
            match out.last_mut() {
                Some(run) if self.events[k].0 - self.events[run.0].0 <= SAME => run.1 = k + 1,
                _ => out.push((k, k + 1)),
            }
        }
        out
    }
}

/// Angles closer than this are one kink: a few units in the last place of an angle.
const SAME: f64 = 4e-15;

/// The angle in [0, 2 pi).
fn wrapped(angle: f64) -> f64 {
    let a = if angle < 0.0 { angle + TAU } else { angle };
    if a >= TAU - SAME { 0.0 } else { a }
}

/// Directions between two neighbouring kinks, and q(u) = g . u there.
#[derive(Clone, Copy, Debug)]
struct Arc {
    from: f64,
    to: f64,
    g: [f64; 2],
}

impl Arc {
    /// Whether g points into the open arc.
    fn holds(&self, g: [f64; 2]) -> bool {
        let middle = 0.5 * (self.from + self.to);
        let mut away = g[1].atan2(g[0]) - middle;
        while away > PI {
            away -= TAU;
        }
        while away < -PI {
            away += TAU;
        }
        away.abs() < 0.5 * (self.to - self.from)
    }

    /// Derivative of `sign q` in the angle.
    fn slope(&self, sign: f64, at: f64) -> f64 {
        sign * (self.g[1] * at.cos() - self.g[0] * at.sin())
    }
}

/// A sum that carries its rounding along (Neumaier).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sum {
    sum: f64,
    rest: f64,
}

impl Sum {
    pub(super) fn add(&mut self, v: f64) {
        let t = self.sum + v;
        self.rest += if self.sum.abs() >= v.abs() { (self.sum - t) + v } else { (v - t) + self.sum };
        self.sum = t;
    }

    pub(super) fn value(&self) -> f64 {
        self.sum + self.rest
    }
}
