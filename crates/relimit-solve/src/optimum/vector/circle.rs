//! Directions in the plane for several outputs: every local maximum of |Q| by one pass over the sorted kinks.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use super::super::line::{Line, Sum};
use super::super::{Objective, Ray};
use relimit_core::num::Mat;

/// A direction with the value of |Q| there.
pub(super) struct Peak {
    pub(super) ray: Ray,
    pub(super) value: f64,
}

/// `Q(u) = M u` between two neighbouring kinks, M k x 2.
struct Arc {
    from: f64,
    to: f64,
    m: Vec<[f64; 2]>,
}

impl Arc {
    /// Half the derivative of `|M u|^2` in the angle.
    fn slope(&self, at: f64) -> f64 {
        let (c, s) = (at.cos(), at.sin());
        self.m.iter().map(|a| (a[0] * c + a[1] * s) * (a[1] * c - a[0] * s)).sum()
    }

    fn value(&self, u: &[f64]) -> f64 {
        self.m.iter().map(|a| (a[0] * u[0] + a[1] * u[1]).powi(2)).sum::<f64>().sqrt()
    }

    /// The angle of the largest `|M u|` over all directions, where it lies in the open arc.
    fn inside(&self) -> Option<f64> {
        let (mut aa, mut bb, mut ab) = (0.0, 0.0, 0.0);
        for [a, b] in &self.m {
            (aa, bb, ab) = (aa + a * a, bb + b * b, ab + a * b);
        }
        let middle = 0.5 * (self.from + self.to);
        let mut away = (0.5 * ab.atan2(0.5 * (aa - bb)) - middle).rem_euclid(PI);
        if away > FRAC_PI_2 {
            away -= PI;
        }
        (away.abs() < 0.5 * (self.to - self.from)).then_some(middle + away)
    }
}

/// Every local maximum of |Q| on the unit circle above `threshold`, largest first. O(n k).
pub(super) fn peaks(line: &Line, objective: &Objective, r: &Mat, threshold: f64) -> Vec<Peak> {
    let (x, k) = (&objective.x, r.cols());
    let mut m = vec![[Sum::default(); 2]; k];
    let turn = |m: &mut [[Sum; 2]], i: usize, s: f64| {
        for (g, v) in m.iter_mut().zip(r.row(i)) {
            g[0].add(s * v * x[(i, 0)]);
            g[1].add(s * v * x[(i, 1)]);
        }
    };
    for &i in &line.first {
        turn(&mut m, i, 1.0);
    }
    let groups = line.groups();
    let mut arcs = Vec::with_capacity(groups.len());
    let mut from = groups.last().map_or(0.0, |t| line.events[t.0].0 - TAU);
    for &(start, end) in &groups {
        let to = line.events[start].0;
        arcs.push(Arc { from, to, m: m.iter().map(|g| [g[0].value(), g[1].value()]).collect() });
        for &(_, i, on) in &line.events[start..end] {
            turn(&mut m, i, if on { 1.0 } else { -1.0 });
        }
        from = to;
    }
    let mut out = Vec::new();
    for (t, arc) in arcs.iter().enumerate() {
        let mut offer = |at: f64, kink: Vec<usize>| {
            let mut ray = Ray { u: vec![at.cos(), at.sin()], c: 1.0, kink };
            ray.settle(objective);
            let value = arc.value(&ray.u);
            if value > threshold && ray.c > 0.0 {
                out.push(Peak { ray: Ray { c: 1.0, ..ray }, value });
            }
        };
        if let Some(angle) = arc.inside() {
            offer(angle, vec![]);
        }
        if arc.slope(arc.to) >= 0.0 && arcs[(t + 1) % arcs.len()].slope(arc.to) <= 0.0 {
            let (start, end) = groups[t];
            let mut kink: Vec<usize> = line.events[start..end].iter().map(|e| e.1).collect();
            kink.sort_unstable();
            kink.dedup();
            offer(arc.to, kink);
        }
    }
    out.sort_by(|a, b| b.value.total_cmp(&a.value));
    out
}

/// Every kink where |Q| over slope +-1 with a free bias is a local maximum above `threshold`, largest first. O(n k).
///
/// Needs sum r = 0: Q is constant where no or all examples are active and linear between kinks, hence |Q| convex.
pub(super) fn free_peaks(objective: &Objective, r: &Mat, threshold: f64) -> Vec<Peak> {
    let (x, k) = (&objective.x, r.cols());
    let mut order: Vec<usize> = (0..x.rows()).collect();
    order.sort_by(|a, b| x[(*a, 0)].total_cmp(&x[(*b, 0)]));
    let mut out = Vec::new();
    for side in [1.0, -1.0] {
        // kinks from the far end: examples with side x > side t are active
        if side > 0.0 {
            order.reverse();
        }
        let (mut sum, mut q) = (vec![Sum::default(); k], vec![Sum::default(); k]);
        let mut values: Vec<(f64, f64)> = Vec::new();
        for run in order.chunk_by(|a, b| x[(*a, 0)] == x[(*b, 0)]) {
            let t = x[(run[0], 0)];
            if let Some(&(before, _)) = values.last() {
                q.iter_mut().zip(&sum).for_each(|(q, s)| q.add(s.value() * (before - t) * side));
            }
            for &i in run {
                sum.iter_mut().zip(r.row(i)).for_each(|(s, v)| s.add(*v));
            }
            values.push((t, q.iter().map(|v| v.value() * v.value()).sum::<f64>().sqrt()));
        }
        for (j, &(t, value)) in values.iter().enumerate() {
            let beside = |j: usize| values.get(j).map_or(0.0, |v| v.1);
            if value > threshold && value >= beside(j + 1) && (j == 0 || value >= beside(j - 1)) {
                let kink = (0..x.rows()).filter(|&i| x[(i, 0)] == t).collect();
                out.push(Peak { ray: Ray { u: vec![side, -side * t], c: 1.0, kink }, value });
            }
        }
        order.sort_by(|a, b| x[(*a, 0)].total_cmp(&x[(*b, 0)]));
    }
    out.sort_by(|a, b| b.value.total_cmp(&a.value));
    out
}
