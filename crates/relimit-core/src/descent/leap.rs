//! Leaps: the first step at which a mask could change, bracketed by bounds that hold for every step in between.

use super::dynamics::{Dynamics, State};
use super::modes::Modes;
use crate::num::mat::norm2;

/// How a mode behaves under the step.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// `eta mu <= 3/4`: monotone and smooth in k.
    Smooth,
    /// `3/4 < eta mu < 2`: bounded by its envelope.
    Wild,
    /// `eta mu = 2` to rounding: period two.
    Two,
    /// `eta mu > 2`: grows.
    Grow,
}

/// What the search for a change of mask found.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum First {
    /// No mask changes within the horizon.
    Never,
    /// Every mask holds before this step (at least 1); at it, some sign is not certain.
    At(u64),
    /// The limit itself lies on 0 to rounding.
    Touch,
}

/// One state on fixed masks, seen through its modes.
pub(crate) struct Leap<'a> {
    dynamics: &'a Dynamics<'a>,
    modes: &'a Modes,
    kind: Vec<Kind>,
    /// `log |1 - eta mu|`.
    rate: Vec<f64>,
    g: Vec<f64>,
    /// Amplitude of mode l in pair p at `p * modes + l`.
    amplitude: Vec<f64>,
    /// Start of each pair.
    from: Vec<f64>,
    sign: Vec<f64>,
    /// Rounding error of each pair's sum (0: the pair does not move).
    rounding: Vec<f64>,
    row_norm: Vec<f64>,
    /// A growing mode has content that cannot be told from 0.
    pub(crate) unresolved_growth: bool,
    touched: bool,
}

/// The modes' factors at one step.
struct Factors {
    k: f64,
    /// `1 - (1 - eta mu)^k`.
    done: Vec<f64>,
    /// `|1 - eta mu|^k`.
    left: Vec<f64>,
}

impl<'a> Leap<'a> {
    pub(crate) fn new(dynamics: &'a Dynamics, modes: &'a Modes, s: &State, row_norm: &[f64]) -> Self {
        let (n, m, ld, eta) = (dynamics.n, dynamics.m, dynamics.ld, dynamics.eta);
        let r = dynamics.residual(s);
        let (mut g, content_error) = modes.content(dynamics, &r);
        let band = 16.0 * n as f64 * f64::EPSILON;
        let mut unresolved_growth = false;
        let (mut kind, mut rate) = (vec![], vec![]);
        for (l, mu) in modes.mu.iter().enumerate() {
            let x = eta * mu;
            let this = match x {
                x if x <= 0.75 => Kind::Smooth,
                x if x < 2.0 - band => Kind::Wild,
                x if x <= 2.0 + band => Kind::Two,
                _ => Kind::Grow,
            };
            if matches!(this, Kind::Two | Kind::Grow) && g[l].abs() <= content_error {
                g[l] = 0.0;
                unresolved_growth |= this == Kind::Grow;
            }
            rate.push(if x <= 0.75 { libm::log1p(-x) } else { libm::log((x - 1.0).abs()) });
            kind.push(this);
        }
        let scaled: Vec<f64> = g.iter().zip(&modes.mu).map(|(g, mu)| g / mu).collect();
        let pairs = m * n;
        let (mut amplitude, mut from, mut sign, mut rounding) = (vec![], vec![], vec![], vec![]);
        amplitude.reserve(pairs * modes.len());
        for p in 0..pairs {
            let (j, i) = (p / n, p % n);
            let z = s.z[j * ld + i];
            let mut size = 0.0;
            for (u, a) in modes.response(p).iter().zip(&scaled) {
                let v = u * a;
                size += v.abs();
                amplitude.push(v);
            }
            from.push(z);
            sign.push(if s.on[j * ld + i] { 1.0 } else { -1.0 });
            rounding.push(if size == 0.0 { 0.0 } else { 4.0 * n as f64 * f64::EPSILON * (size + z.abs()) });
        }
        let row_norm = row_norm.to_vec();
        Self {
            dynamics,
            modes,
            kind,
            rate,
            g,
            amplitude,
            from,
            sign,
            rounding,
            row_norm,
            unresolved_growth,
            touched: false,
        }
    }

    /// Whether a mode of period two carries content.
    pub(crate) fn has_period_two(&self) -> bool {
        self.kind.iter().zip(&self.g).any(|(k, g)| *k == Kind::Two && *g != 0.0)
    }

    /// The first step in 1..=horizon (infinity allowed) at which some sign is not certain.
    pub(crate) fn first_flip(&mut self, horizon: f64) -> First {
        let all: Vec<usize> = (0..self.from.len()).filter(|&p| self.rounding[p] > 0.0).collect();
        let (start, end) = (self.factors(0.0), self.factors(horizon));
        match self.search(&all, &start, &end) {
            None => First::Never,
            Some(_) if self.touched => First::Touch,
            Some(k) => First::At(k as u64),
        }
    }

    /// Pairs (j, i) whose limit cannot be told from 0.
    pub(crate) fn touching(&self) -> Vec<(usize, usize)> {
        let end = self.factors(f64::INFINITY);
        let n = self.dynamics.n;
        let near = |p: usize| self.rounding[p] > 0.0 && self.value(p, &end).abs() <= 2.0 * self.error(p, f64::INFINITY);
        (0..self.from.len()).filter(|&p| near(p)).map(|p| (p / n, p % n)).collect()
    }

    /// Preactivation of pair p after k steps.
    pub(crate) fn values(&self, k: f64) -> Vec<f64> {
        let at = self.factors(k);
        (0..self.from.len()).map(|p| self.value(p, &at)).collect()
    }

    /// Advances duals (and weights) by `steps` on the fixed masks; preactivations are left to a refresh.
    pub(crate) fn apply(&self, s: &mut State, steps: f64) {
        let at = self.factors(steps);
        let a: Vec<f64> = (0..self.g.len()).map(|l| at.done[l] * self.g[l] / self.modes.mu[l]).collect();
        self.modes.apply(self.dynamics, s, &a);
        if steps.is_finite() {
            s.step += steps as u64;
        }
    }

    fn factors(&self, k: f64) -> Factors {
        let (mut done, mut left) = (Vec::with_capacity(self.g.len()), Vec::with_capacity(self.g.len()));
        let odd = k.is_finite() && (k % 2.0) == 1.0;
        for l in 0..self.g.len() {
            let t = if k == 0.0 { 0.0 } else { k * self.rate[l] };
            match self.kind[l] {
                Kind::Smooth => {
                    done.push(-libm::expm1(t));
                    left.push(libm::exp(t));
                }
                kind => {
                    let size = if kind == Kind::Two || k == 0.0 { 1.0 } else { libm::exp(t) };
                    let alternates = self.dynamics.eta * self.modes.mu[l] > 1.0;
                    left.push(size);
                    done.push(if alternates && odd { 1.0 + size } else { 1.0 - size });
                }
            }
        }
        Factors { k, done, left }
    }

    fn amplitudes(&self, p: usize) -> &[f64] {
        &self.amplitude[p * self.g.len()..(p + 1) * self.g.len()]
    }

    fn value(&self, p: usize, at: &Factors) -> f64 {
        self.from[p] + self.amplitudes(p).iter().zip(&at.done).map(|(a, e)| a * e).sum::<f64>()
    }

    fn error(&self, p: usize, k: f64) -> f64 {
        self.rounding[p] + self.row_norm[p % self.dynamics.n] * self.modes.drift(&self.g, self.dynamics.eta, k)
    }

    /// Lower bound of `sign * z` over the integers from `a.k` to `b.k`: terms taken monotone one by one, or the
    /// chord less the largest curvature, whichever is better.
    fn lower(&self, p: usize, a: &Factors, b: &Factors) -> f64 {
        let sign = self.sign[p];
        let (mut single, mut at_a, mut at_b, mut curvature, mut wild) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for (l, amplitude) in self.amplitudes(p).iter().enumerate() {
            let v = sign * amplitude;
            if self.kind[l] == Kind::Smooth {
                let (x, y) = (v * a.done[l], v * b.done[l]);
                single += x.min(y);
                at_a += x;
                at_b += y;
                curvature -= self.rate[l] * self.rate[l] * (v * a.left[l]).min(v * b.left[l]);
            } else if v != 0.0 {
                let size = if self.kind[l] == Kind::Grow { b.left[l] } else { a.left[l] };
                wild += v - v.abs() * size;
            }
        }
        let mut low = single;
        if b.k.is_finite() {
            let h = b.k - a.k;
            low = low.max(at_a.min(at_b) - 0.125 * h * h * f64::max(curvature, 0.0));
        }
        sign * self.from[p] + low + wild
    }

    fn search(&mut self, list: &[usize], a: &Factors, b: &Factors) -> Option<f64> {
        let drift = self.modes.drift(&self.g, self.dynamics.eta, b.k);
        let n = self.dynamics.n;
        let open = |p: &usize| !(self.lower(*p, a, b) > self.rounding[*p] + self.row_norm[*p % n] * drift);
        let rest: Vec<usize> = list.iter().copied().filter(|p| open(p)).collect();
        if rest.is_empty() {
            return None;
        }
        if b.k - a.k <= 1.0 {
            let uncertain = |p: &usize| !(self.sign[*p] * self.value(*p, b) > self.error(*p, b.k));
            return rest.iter().any(uncertain).then_some(b.k);
        }
        let middle = if b.k.is_finite() {
            if a.k > 0.0 && b.k > 8.0 * a.k {
                (a.k * b.k).sqrt().floor().max(a.k + 1.0)
            } else {
                ((a.k + b.k) * 0.5).floor()
            }
        } else {
            let settled = a.k > 0.0 && (0..self.g.len()).all(|l| self.g[l] == 0.0 || a.left[l] < 1e-18);
            if settled || a.k > 4e15 {
                self.touched = true;
                return Some(a.k);
            }
            (a.k * 4.0).max(1.0)
        };
        let m = self.factors(middle);
        self.search(&rest, a, &m).or_else(|| self.search(&rest, &m, b))
    }
}

/// `|x_i|` for every example.
pub(crate) fn row_norms(dynamics: &Dynamics) -> Vec<f64> {
    let norm = |i: usize| match dynamics.problem.gram() {
        Some(g) => g[(i, i)].sqrt(),
        None => norm2(dynamics.problem.x().row(i)),
    };
    (0..dynamics.n).map(norm).collect()
}
