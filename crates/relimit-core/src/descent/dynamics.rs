//! The plain step of gradient descent, in duals when n <= D and in weights otherwise.

use super::kernel::{Active, move_rows};
use super::{Event, Initial, Move, Observer, Problem, Weights};
use crate::net::{mask, relu};
use crate::num::Mat;
use crate::num::mat::{axpy, dot};

/// Every so many steps preactivations are recomputed from the duals, in every engine alike: rounding does not pile up.
const REFRESH: u64 = 1 << 16;

/// Gradient descent with a fixed step on a problem: the map that every engine iterates or leaps over.
pub(crate) struct Dynamics<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) start: &'a Initial,
    pub(crate) eta: f64,
    pub(crate) n: usize,
    pub(crate) m: usize,
    /// Row stride of every per-example array: n padded to a multiple of 8.
    pub(crate) ld: usize,
    /// The Gram matrix with padded rows (empty in weight form).
    gram: Vec<f64>,
}

/// Where a run is. Pair (j, i) lives at index `j * ld + i`.
#[derive(Clone)]
pub(crate) struct State {
    pub(crate) step: u64,
    pub(crate) alpha: Vec<f64>,
    pub(crate) z: Vec<f64>,
    pub(crate) on: Vec<bool>,
    /// Weights, m x D (weight form only).
    pub(crate) w: Mat,
    /// Largest |z| of the pairs that changed in the last step that changed any.
    pub(crate) flip_size: f64,
    r: Vec<f64>,
    active: Vec<Active>,
}

impl<'a> Dynamics<'a> {
    pub(crate) fn new(problem: &'a Problem, start: &'a Initial, eta: f64) -> Self {
        let (n, m) = (problem.n(), problem.m());
        assert!(eta > 0.0 && eta.is_finite(), "step {eta}");
        assert_eq!((start.z.rows(), start.z.cols()), (m, n), "start for {m} neurons and {n} examples");
        let ld = n.div_ceil(8) * 8;
        let mut gram = vec![];
        if let Some(g) = problem.gram() {
            gram = vec![0.0; n * ld];
            for i in 0..n {
                gram[i * ld..i * ld + n].copy_from_slice(g.row(i));
            }
        }
        Self { problem, start, eta, n, m, ld, gram }
    }

    pub(crate) fn in_duals(&self) -> bool {
        !self.gram.is_empty() || self.n == 0
    }

    /// Row i of the Gram matrix, padded (duals only).
    pub(crate) fn gram_row(&self, i: usize) -> &[f64] {
        &self.gram[i * self.ld..(i + 1) * self.ld]
    }

    pub(crate) fn state(&self) -> State {
        let (n, m, ld) = (self.n, self.m, self.ld);
        let mut s = State {
            step: 0,
            alpha: vec![0.0; m * ld],
            z: vec![0.0; m * ld],
            on: vec![false; m * ld],
            w: Mat::zeros(0, 0),
            flip_size: f64::INFINITY,
            r: vec![0.0; ld],
            active: Vec::with_capacity(n),
        };
        for j in 0..m {
            s.alpha[j * ld..j * ld + n].copy_from_slice(self.start.alpha.row(j));
            s.z[j * ld..j * ld + n].copy_from_slice(self.start.z.row(j));
        }
        if !self.in_duals() {
            s.w = Mat::clone(&Weights::of_duals(self.problem, &self.start.alpha, &self.start.offset));
        }
        self.read_masks(&mut s);
        s
    }

    /// The duals as an m x n matrix.
    pub(crate) fn alpha_matrix(&self, s: &State) -> Mat {
        Mat::from_fn(self.m, self.n, |j, i| s.alpha[j * self.ld + i])
    }

    /// `w_j = X' alpha_j + offset_j`, m x D, from the duals (duals) or as carried (weights).
    pub(crate) fn end_weights(&self, s: &State) -> Weights {
        if s.w.rows() > 0 {
            return s.w.clone().into();
        }
        Weights::of_duals(self.problem, &self.alpha_matrix(s), &self.start.offset)
    }

    fn read_masks(&self, s: &mut State) {
        for j in 0..self.m {
            for i in 0..self.n {
                s.on[j * self.ld + i] = mask(s.z[j * self.ld + i], self.problem.at_zero());
            }
        }
    }

    /// `r = y - f`, n entries (the padding stays 0).
    pub(crate) fn residual_into(&self, s: &State, r: &mut [f64]) {
        r[..self.n].copy_from_slice(self.problem.y());
        for (j, c) in self.problem.c().iter().enumerate() {
            for (ri, zi) in r[..self.n].iter_mut().zip(&s.z[j * self.ld..j * self.ld + self.n]) {
                *ri -= c * relu(*zi);
            }
        }
    }

    pub(crate) fn residual(&self, s: &State) -> Vec<f64> {
        let mut r = vec![0.0; self.n];
        self.residual_into(s, &mut r);
        r
    }

    /// The preactivations as an m x n matrix.
    pub(crate) fn z_matrix(&self, s: &State) -> Mat {
        Mat::from_fn(self.m, self.n, |j, i| s.z[j * self.ld + i])
    }

    /// One plain step; masks are read from the new preactivations and changes reported. Returns their number.
    ///
    /// 2 m n |active| flops in duals, 4 m n D in weights.
    #[inline]
    pub(crate) fn step(&self, s: &mut State, observer: &mut dyn Observer) -> usize {
        let mut r = std::mem::take(&mut s.r);
        self.residual_into(s, &mut r);
        s.step += 1;
        s.flip_size = 0.0;
        let flips = if self.in_duals() { self.step_duals(s, &r, observer) } else { self.step_weights(s, &r, observer) };
        s.r = r;
        flips
    }

    fn step_duals(&self, s: &mut State, r: &[f64], observer: &mut dyn Observer) -> usize {
        let (n, ld) = (self.n, self.ld);
        let mut flips = 0;
        for j in 0..self.m {
            let rate = self.eta * self.problem.c()[j];
            let pairs = j * ld..j * ld + n;
            // Every slot is written and kept only if its example is active: masks that change do not stall the loop.
            s.active.resize(n, (0.0, 0));
            let mut count = 0;
            for (i, (on, a)) in s.on[pairs.clone()].iter().zip(&mut s.alpha[pairs]).enumerate() {
                let by = rate * r[i];
                *a = if *on { *a + by } else { *a };
                s.active[count] = (by, i * ld);
                count += usize::from(*on);
            }
            s.active.truncate(count);
            if count > 0 {
                if s.step.is_multiple_of(REFRESH) {
                    self.reread_neuron(s, j);
                } else {
                    move_rows(&mut s.z[j * ld..(j + 1) * ld], &s.active, &self.gram);
                }
                flips += self.report_flips(s, j, observer);
            }
        }
        flips
    }

    fn step_weights(&self, s: &mut State, r: &[f64], observer: &mut dyn Observer) -> usize {
        let (n, ld, x) = (self.n, self.ld, self.problem.x());
        let mut flips = 0;
        for j in 0..self.m {
            let rate = self.eta * self.problem.c()[j];
            let mut grad = vec![0.0; self.problem.dim()];
            let mut moved = false;
            for i in 0..n {
                if s.on[j * ld + i] {
                    let by = rate * r[i];
                    s.alpha[j * ld + i] += by;
                    axpy(by, x.row(i), &mut grad);
                    moved = true;
                }
            }
            if moved {
                axpy(1.0, &grad, s.w.row_mut(j));
                let w = s.w.row(j);
                for i in 0..n {
                    s.z[j * ld + i] = dot(x.row(i), w);
                }
                flips += self.report_flips(s, j, observer);
            }
        }
        flips
    }

    /// Brings neuron j's masks in line with its preactivations.
    pub(crate) fn report_flips(&self, s: &mut State, j: usize, observer: &mut dyn Observer) -> usize {
        let (n, ld) = (self.n, self.ld);
        let at_zero = self.problem.at_zero();
        let changed = |s: &State, i: usize| mask(s.z[j * ld + i], at_zero) != s.on[j * ld + i];
        let pairs = j * ld..j * ld + n;
        let flips = s.z[pairs.clone()].iter().zip(&s.on[pairs]).filter(|(z, on)| mask(**z, at_zero) != **on).count();
        if flips > 0 {
            for i in 0..n {
                if changed(s, i) {
                    let on = !s.on[j * ld + i];
                    s.on[j * ld + i] = on;
                    s.flip_size = s.flip_size.max(s.z[j * ld + i].abs());
                    let to = if on { Move::On } else { Move::Off };
                    observer.event(&Event { at: s.step as f64, neuron: j as u32, example: i as u32, to });
                }
            }
        }
        flips
    }

    /// Recomputes the preactivations from duals or weights, which takes the drift out of a long run, and reports
    /// the masks that this moves. Returns their number. O(m n^2) in duals.
    pub(crate) fn refresh(&self, s: &mut State, observer: &mut dyn Observer) -> usize {
        self.reread(s);
        (0..self.m).map(|j| self.report_flips(s, j, observer)).sum()
    }

    /// Recomputes the preactivations from duals or weights and leaves the masks alone.
    pub(crate) fn reread(&self, s: &mut State) {
        for j in 0..self.m {
            self.reread_neuron(s, j);
        }
    }

    fn reread_neuron(&self, s: &mut State, j: usize) {
        let (n, ld) = (self.n, self.ld);
        if !self.in_duals() {
            for i in 0..n {
                s.z[j * ld + i] = dot(self.problem.x().row(i), s.w.row(j));
            }
            return;
        }
        s.active.clear();
        for i in 0..n {
            let by = s.alpha[j * ld + i] - self.start.alpha[(j, i)];
            if by != 0.0 {
                s.active.push((by, i * ld));
            }
        }
        let z = &mut s.z[j * ld..(j + 1) * ld];
        z[..n].copy_from_slice(self.start.z.row(j));
        z[n..].fill(0.0);
        move_rows(z, &s.active, &self.gram);
    }
}
