//! Weighted points on the sphere in place of the cells, for four inputs and more: importance sampling from a mixture.
//!
//! On a cell `q = g . v`, so that the integrand `(1 - |q|^2)^(-D/2)` is there the density of an angular central Gaussian
//! law with matrix `I - g g'`. Points are drawn from the uniform law and around each local maximum u of |q|: from the law
//! with `g = q(u) u`, and from two that were fitted to earlier points, by their mass and by their coefficient, as at a
//! kink the mass lies closer. Every point is weighted by one over the density of the whole mixture (deterministic shares).
//! Each component is filled by a shifted lattice of its own in every batch: batches are independent, and their spread is
//! the error. \[ours; mixtures: Veach and Guibas, SIGGRAPH 1995\]

use super::bump::Bump;
use super::integral::Integral;
use super::peaks::{Peak, highest};
use crate::num::Mat;
use crate::num::linalg::mul_transposed;
use crate::num::mat::{axpy, dot, norm2};
use crate::num::noise::{Purpose, Stream, unit};
use crate::num::quantile::normal_quantile;

/// Independent batches.
pub(super) const BATCHES: usize = 16;
/// Least share of the uniform law.
const UNIFORM: f64 = 0.1;
/// Part of a peak's share that goes to the laws fitted to points near it.
const FITTED: f64 = 0.7;
/// Least share of a peak.
const LEAST: f64 = 1e-3;
/// A peak this close to 1 is drawn around as if it were so far away.
const NEAREST: f64 = 1e-9;

/// Points, their weights and what the rows see of them.
#[derive(Clone, Debug)]
pub(super) struct Points {
    /// Directions, N x D, batch after batch.
    pub(super) v: Mat,
    /// Weight of each point: `sum w h(v)` estimates `int h`; N.
    weight: Vec<f64>,
    /// `relu(x_i . v)`, n x N.
    features: Mat,
    /// Local maxima of |q| that the points were drawn around.
    pub(super) peaks: Vec<Peak>,
}

/// The area of the unit sphere in `dim` dimensions.
fn area(dim: usize) -> f64 {
    let half = 0.5 * dim as f64;
    2.0 * libm::exp(half * libm::log(std::f64::consts::PI) - libm::lgamma(half))
}

/// A law to draw from and its share of the points.
#[derive(Clone, Debug)]
struct Component {
    bump: Bump,
    share: f64,
}

impl Points {
    /// At least `count` points in each of [`BATCHES`] batches, drawn around `peaks` for the dual point p, with what
    /// earlier points tell; `round` makes them new.
    ///
    /// O(N (n D + peaks D^2)).
    pub(super) fn draw(
        x: &Mat,
        p: &Mat,
        peaks: Vec<Peak>,
        before: Option<&Self>,
        count: usize,
        at: (u64, u64),
    ) -> Self {
        let (seed, round) = at;
        let dim = x.cols();
        let area = area(dim);
        let (components, spread) = before.and_then(|b| b.fit(p, &peaks)).unwrap_or_else(|| (around(&peaks), 0.0));
        let total: f64 = components.iter().map(|c| c.share).sum();
        let flat = spread.max(UNIFORM);
        let number = |share: f64| (share * count as f64).ceil() as usize;
        let numbers: Vec<usize> = components.iter().map(|c| number((1.0 - flat) * c.share / total)).collect();
        let uniform = number(flat);
        let each: usize = uniform + numbers.iter().sum::<usize>();
        let noise = Stream::new(seed, Purpose::Probe);
        let lattice = Lattice::new(dim);
        let mut v = Vec::with_capacity(BATCHES * each * dim);
        for batch in 0..BATCHES as u64 {
            for component in 0..=components.len() {
                let step = (round * BATCHES as u64 + batch) << 12 | component as u64;
                let shift: Vec<f64> = (0..dim as u64).map(|j| noise.uniform(step, j)).collect();
                let law = component.checked_sub(1).map(|c| &components[c].bump);
                for t in 0..law.map_or(uniform, |_| numbers[component - 1]) {
                    let z = lattice.normal(t, &shift);
                    match law {
                        Some(bump) => v.extend(bump.place(&z)),
                        None => v.extend(z.iter().map(|a| a / norm2(&z))),
                    }
                }
            }
        }
        let v = Mat::from_vec(BATCHES * each, dim, v);
        let density = |v: &[f64]| {
            let bumps = components.iter().zip(&numbers).map(|(c, number)| *number as f64 * c.bump.density(v));
            (uniform as f64 + bumps.sum::<f64>()) / (each as f64 * area)
        };
        let count = v.rows();
        let weight = (0..count).map(|t| 1.0 / (count as f64 * density(v.row(t)))).collect();
        let mut features = mul_transposed(x, &v);
        for z in features.as_mut_slice() {
            *z = z.max(0.0);
        }
        Self { v, weight, features, peaks }
    }

    /// Laws around the peaks, fitted to these points at p: by mass and by coefficient, beside those that the peaks have
    /// by themselves; and the share of what no peak is near. `None` where p is outside the domain here.
    fn fit(&self, p: &Mat, peaks: &[Peak]) -> Option<(Vec<Component>, f64)> {
        let (mass, q) = self.shares(p);
        let square: Vec<f64> = (0..self.len()).map(|t| q.iter().map(|q| q[t] * q[t]).sum()).collect();
        if square.iter().any(|s| *s >= 1.0) {
            return None;
        }
        let mut coefficient: Vec<f64> = mass.iter().zip(&square).map(|(m, s)| m * s.sqrt() / (1.0 - s)).collect();
        let sum: f64 = coefficient.iter().sum();
        for c in &mut coefficient {
            *c /= sum.max(f64::MIN_POSITIVE);
        }
        let broad: Vec<Bump> = around(peaks).into_iter().map(|c| c.bump).collect();
        let mut near: Vec<Vec<usize>> = vec![vec![]; peaks.len()];
        let mut spread = 0.0;
        for t in 0..self.len() {
            let levels = broad.iter().map(|b| b.density(self.v.row(t)));
            let nearest = levels.enumerate().fold((0, 1.0), |best, (k, l)| if l > best.1 { (k, l) } else { best });
            if nearest.1 > 1.0 {
                near[nearest.0].push(t);
            } else {
                spread += 0.5 * (mass[t] + coefficient[t]);
            }
        }
        let mut out = vec![];
        for ((peak, rows), broad) in peaks.iter().zip(&near).zip(broad) {
            let part = |w: &[f64]| rows.iter().map(|t| w[*t]).sum::<f64>();
            let (m, c) = (part(&mass), part(&coefficient));
            let mut left = m + c;
            for (weight, share) in [(&mass, m), (&coefficient, c)] {
                if let Some(bump) = Bump::fitted(&peak.u, &self.v, rows, weight) {
                    left -= FITTED * share;
                    out.push(Component { bump, share: FITTED * share });
                }
            }
            out.push(Component { bump: broad, share: left.max(LEAST) });
        }
        (!out.is_empty()).then_some((out, spread))
    }

    /// Number of points.
    pub(super) fn len(&self) -> usize {
        self.weight.len()
    }

    /// q at every point: k rows.
    fn q(&self, p: &Mat) -> Vec<Vec<f64>> {
        (0..p.cols())
            .map(|a| {
                let mut q = vec![0.0; self.len()];
                for i in 0..p.rows() {
                    axpy(p[(i, a)], self.features.row(i), &mut q);
                }
                q
            })
            .collect()
    }

    /// `1 - |q|^2` at every point; `None` where it is not positive, at a point or on the way up from a peak.
    fn room(&self, x: &Mat, p: &Mat, q: &[Vec<f64>]) -> Option<Vec<f64>> {
        let mut room = vec![1.0; self.len()];
        for q in q {
            for (r, q) in room.iter_mut().zip(q) {
                *r -= q * q;
            }
        }
        let inside = room.iter().all(|r| *r > 0.0) && highest(x, p, &self.peaks) < 1.0;
        inside.then_some(room)
    }

    /// I alone; `None` outside the domain.
    pub(super) fn mass(&self, x: &Mat, p: &Mat) -> Option<f64> {
        let room = self.room(x, p, &self.q(p))?;
        let power = -0.5 * self.v.cols() as f64;
        let sum: f64 = room.iter().zip(&self.weight).map(|(r, w)| w * libm::pow(*r, power)).sum();
        sum.is_finite().then_some(sum)
    }

    /// I with its gradient and, where asked for, its Hessian; `None` outside the domain. O(N n k), with the Hessian
    /// O(N n^2 k^2).
    pub(super) fn integral(&self, x: &Mat, p: &Mat, curved: bool) -> Option<Integral> {
        let (n, k, dim) = (p.rows(), p.cols(), self.v.cols() as f64);
        let q = self.q(p);
        let room = self.room(x, p, &q)?;
        // w (1 - |q|^2)^(-D/2 - 1)
        let base: Vec<f64> = room.iter().zip(&self.weight).map(|(r, w)| w * libm::pow(*r, -0.5 * dim - 1.0)).collect();
        let mut out = Integral { mass: dot(&base, &room), first: vec![0.0; n * k], second: Mat::zeros(0, 0) };
        for (a, q) in q.iter().enumerate() {
            let pushed: Vec<f64> = base.iter().zip(q).map(|(b, q)| dim * b * q).collect();
            for i in 0..n {
                out.first[i * k + a] = dot(self.features.row(i), &pushed);
            }
        }
        if curved {
            out.second = Mat::zeros(n * k, n * k);
            for a in 0..k {
                for b in a..k {
                    let mut scaled = self.features.clone();
                    let level = |t: usize| {
                        let same = if a == b { room[t] } else { 0.0 };
                        dim * base[t] / room[t] * ((dim + 2.0) * q[a][t] * q[b][t] + same)
                    };
                    let levels: Vec<f64> = (0..self.len()).map(level).collect();
                    for i in 0..n {
                        for (s, l) in scaled.row_mut(i).iter_mut().zip(&levels) {
                            *s *= l;
                        }
                    }
                    let block = mul_transposed(&scaled, &self.features);
                    for i in 0..n {
                        for j in 0..n {
                            out.second[(i * k + a, j * k + b)] = block[(i, j)];
                            out.second[(i * k + b, j * k + a)] = block[(i, j)];
                        }
                    }
                }
            }
        }
        (out.mass.is_finite() && out.first.iter().all(|f| f.is_finite())).then_some(out)
    }

    /// The direction of the largest `|q|^2` among the points, and that number.
    pub(super) fn top(&self, p: &Mat) -> Peak {
        let q = self.q(p);
        let height = |t: usize| q.iter().map(|q| q[t] * q[t]).sum::<f64>();
        let (t, height) = (0..self.len()).map(|t| (t, height(t))).fold((0, 0.0), |a, b| if b.1 > a.1 { b } else { a });
        Peak { u: self.v.row(t).to_vec(), height }
    }

    /// I and its gradient from each batch alone, as if it were all there is.
    pub(super) fn batches(&self, x: &Mat, p: &Mat) -> Option<Vec<Integral>> {
        let each = self.len() / BATCHES;
        (0..BATCHES)
            .map(|b| {
                let columns: Vec<usize> = (b * each..(b + 1) * each).collect();
                let part = Self {
                    v: self.v.select_rows(&columns),
                    weight: columns.iter().map(|t| BATCHES as f64 * self.weight[*t]).collect(),
                    features: Mat::from_fn(x.rows(), each, |i, t| self.features[(i, b * each + t)]),
                    peaks: vec![],
                };
                part.integral(x, p, false)
            })
            .collect()
    }

    /// What each point stands for at p: its share of I, and q there.
    pub(super) fn shares(&self, p: &Mat) -> (Vec<f64>, Vec<Vec<f64>>) {
        let q = self.q(p);
        let power = -0.5 * self.v.cols() as f64;
        let level = |t: usize| {
            let room = 1.0 - q.iter().map(|q| q[t] * q[t]).sum::<f64>();
            self.weight[t] * libm::pow(room, power)
        };
        let mut share: Vec<f64> = (0..self.len()).map(level).collect();
        let sum: f64 = share.iter().sum();
        for s in &mut share {
            *s /= sum;
        }
        (share, q)
    }
}

/// The law that each peak has by itself, with its share of the integral of all.
fn around(peaks: &[Peak]) -> Vec<Component> {
    let component = |t: &Peak| {
        let height = t.height.min(1.0 - NEAREST);
        Component { bump: Bump::around(&t.u, height), share: 0.5 / (1.0 - height).sqrt() }
    };
    peaks.iter().map(component).collect()
}

/// The additive recurrence with the powers of the root of `g^(D+1) = g + 1`, the golden ratio's sequel.
struct Lattice {
    steps: Vec<f64>,
}

impl Lattice {
    fn new(dim: usize) -> Self {
        let mut g = 1.5;
        for _ in 0..64 {
            g = libm::pow(1.0 + g, 1.0 / (dim as f64 + 1.0));
        }
        Self { steps: (1..=dim).map(|j| libm::pow(g, -(j as f64))).collect() }
    }

    /// Point t, shifted, as a normal vector.
    fn normal(&self, t: usize, shift: &[f64]) -> Vec<f64> {
        self.steps
            .iter()
            .zip(shift)
            .map(|(step, shift)| {
                let place = (shift + (t as f64 + 0.5) * step).fract();
                // never 0 or 1
                normal_quantile(unit(libm::ldexp(place, 64) as u64))
            })
            .collect()
    }
}
