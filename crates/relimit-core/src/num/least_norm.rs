//! The shortest vector with `X w >= b`: a dual active-set method on the rows of X.
//!
//! ```text
//! min 1/2 |w|^2  subject to  x_i . w >= b_i        (dual: max b.a - 1/2 |X' a|^2, a >= 0, w = X' a)
//! ```
//!
//! Each pivot takes the most violated row in and drops the rows whose multiplier would turn negative, so the active
//! rows stay independent (never more than the rank), |w| grows from pivot to pivot, and the method ends. A row that
//! depends on the active ones and lets none of them go proves that there is no such w.
//!
//! Source: Goldfarb, Idnani, "A numerically stable dual method for solving strictly convex quadratic programs",
//! Math. Programming 27 (1983); here with unit Hessian and orthogonal factors of the active rows.

use super::Mat;
use super::eft::dot_minus;
use super::mat::{dot, norm2};
use super::row_basis::{DEPENDENT, RowBasis};

/// Constraints hold to this, relative to `|x_i| |w|`.
const TIGHT: f64 = 1e-14;
/// Below this relative violation the plain dot product is not trusted.
const LOOSE: f64 = 1e-12;
/// Coefficients on the active rows below this share of the largest are rounding.
const NOISE: f64 = 1e-9;

/// How well a point and its multipliers meet the optimality conditions; every number is relative.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Kkt {
    /// Largest `(b_i - x_i . w) / (|x_i| |w|)`, at least 0.
    pub primal: f64,
    /// `|w - X' a| / |w|`.
    pub dual: f64,
    /// `sum_i a_i |x_i . w - b_i| / |w|^2`.
    pub complementarity: f64,
}

impl Kkt {
    /// The largest of the three.
    pub fn max(&self) -> f64 {
        self.primal.max(self.dual).max(self.complementarity)
    }
}

/// The answer to `min 1/2 |w|^2, X w >= b`.
#[derive(Clone, Debug, PartialEq)]
pub enum LeastNorm {
    /// The shortest point.
    Point {
        /// w, D entries.
        w: Vec<f64>,
        /// Multipliers a >= 0, n entries, at most rank(X) of them nonzero: `w = X' a`.
        multipliers: Vec<f64>,
        /// Residuals of the optimality conditions, measured at the end.
        residual: Kkt,
        /// Pivots taken.
        pivots: usize,
    },
    /// No point: evidence for `X' a = 0, a >= 0, b . a > 0` in floating point, to be made exact by `certify::gordan`.
    Infeasible {
        /// Candidate multipliers a >= 0, n entries, at most rank(X) + 1 of them nonzero.
        multipliers: Vec<f64>,
    },
    /// Neither was reached: interrupted, out of pivots, or lost in rounding.
    Undecided {
        /// Pivots taken.
        pivots: usize,
    },
}

/// Solves `min 1/2 |w|^2 subject to X w >= b`; `stop` is polled once a pivot.
///
/// # Shapes
/// `x` n x D of any shape and rank, `b` n entries of any sign.
///
/// # Returns
/// The point polished so that the constraints hold to 1e-14 relative to `|x_i| |w|`; multiplying X, or b, by a power
/// of two scales the answer exactly.
///
/// # Panics
/// When `b` has not n entries.
///
/// # Example
/// ```
/// use relimit_core::num::{Mat, least_norm::{LeastNorm, least_norm}};
/// let x = Mat::from_rows(&[[2.0, 0.0], [1.0, 1.0]]);
/// let LeastNorm::Point { w, .. } = least_norm(&x, &[2.0, 1.0], &|| false) else { panic!() };
/// assert_eq!(w, [1.0, 0.0]);
/// ```
///
/// # Cost
/// O(n D) a pivot, O(rank D) memory; typically about as many pivots as active rows.
pub fn least_norm(x: &Mat, b: &[f64], stop: &dyn Fn() -> bool) -> LeastNorm {
    assert_eq!(b.len(), x.rows(), "right-hand side of {} entries for {}x{} rows", b.len(), x.rows(), x.cols());
    Solver::new(x, b).solve(stop)
}

/// The state: rows are taken as `scale_i x_i`, with lengths near 1, and b likewise, all by powers of two.
struct Solver<'a> {
    x: &'a Mat,
    scale: Vec<f64>,
    length: Vec<f64>,
    b: Vec<f64>,
    b_scale: f64,
    w: Vec<f64>,
    w_norm: f64,
    active: Vec<usize>,
    multipliers: Vec<f64>,
    is_active: Vec<bool>,
    basis: RowBasis,
    pivots: usize,
}

enum Entry {
    Entered,
    Infeasible { row: usize, coefficients: Vec<f64> },
}

impl<'a> Solver<'a> {
    fn new(x: &'a Mat, b: &[f64]) -> Self {
        let n = x.rows();
        let norms: Vec<f64> = (0..n).map(|i| norm2(x.row(i))).collect();
        let scale: Vec<f64> = norms.iter().map(|&v| power_of_two_below(v).recip()).collect();
        let length = norms.iter().zip(&scale).map(|(v, s)| v * s).collect();
        let b: Vec<f64> = b.iter().zip(&scale).map(|(v, s)| v * s).collect();
        let b_scale = power_of_two_below(b.iter().fold(0.0, |m: f64, v| m.max(v.abs()))).recip();
        Self {
            x,
            scale,
            length,
            b: b.iter().map(|v| v * b_scale).collect(),
            b_scale,
            w: vec![0.0; x.cols()],
            w_norm: 0.0,
            active: vec![],
            multipliers: vec![],
            is_active: vec![false; n],
            basis: RowBasis::new(x.cols()),
            pivots: 0,
        }
    }

    fn solve(mut self, stop: &dyn Fn() -> bool) -> LeastNorm {
        let most = 1000 + 20 * self.x.rows().min(4 * self.x.cols());
        let mut stalled = 0;
        loop {
            if self.pivots > most || stalled > 100 || stop() {
                return LeastNorm::Undecided { pivots: self.pivots };
            }
            let Some(p) = self.most_violated(stalled > 0) else {
                return self.finish();
            };
            let before = self.w_norm;
            match self.enter(p) {
                Entry::Entered => self.refresh(),
                Entry::Infeasible { row, coefficients } => return self.infeasible(row, &coefficients),
            }
            // In exact arithmetic |w| grows; where rounding hides that, the lowest index is taken, which cannot cycle.
            stalled = if self.w_norm > before { 0 } else { stalled + 1 };
        }
    }

    fn row(&self, i: usize) -> Vec<f64> {
        self.x.row(i).iter().map(|v| v * self.scale[i]).collect()
    }

    /// The row that is farthest on the wrong side (or the first one), seen in twice the precision near the end.
    fn most_violated(&mut self, first: bool) -> Option<usize> {
        let mut worst: Option<(usize, f64)> = None;
        let mut close = vec![];
        for i in 0..self.x.rows() {
            if self.is_active[i] {
                continue;
            }
            let slack = dot(self.x.row(i), &self.w) * self.scale[i] - self.b[i];
            let size = self.length[i] * self.w_norm + self.b[i].abs();
            if slack < -LOOSE * size {
                let depth = if self.length[i] > 0.0 { slack / self.length[i] } else { f64::NEG_INFINITY };
                if worst.is_none_or(|(_, d)| depth < d && !first) {
                    worst = Some((i, depth));
                }
            } else if slack < LOOSE * size {
                close.push(i);
            }
        }
        if let Some((p, _)) = worst {
            return Some(p);
        }
        self.polish();
        let depth = |i: &usize| self.slack(*i) / (self.length[*i] * self.w_norm);
        let violated = close.into_iter().map(|i| (i, depth(&i))).filter(|(_, d)| *d < -TIGHT);
        violated.min_by(|a, b| if first { a.0.cmp(&b.0) } else { a.1.total_cmp(&b.1) }).map(|(i, _)| i)
    }

    /// `x_i . w - b_i` of the scaled row, in twice the precision.
    fn slack(&self, i: usize) -> f64 {
        dot_minus(self.x.row(i), &self.w, self.b[i] / self.scale[i]) * self.scale[i]
    }

    /// Takes row p in, dropping active rows on the way.
    fn enter(&mut self, p: usize) -> Entry {
        let xp = self.row(p);
        let mut entering = 0.0;
        loop {
            self.pivots += 1;
            let (coef, rest) = self.basis.project(&xp);
            let r = self.basis.solve_r(&coef);
            let zz = dot(&rest, &rest);
            let independent = zz.sqrt() > DEPENDENT * self.length[p];
            let slack = dot(&xp, &self.w) - self.b[p];
            let full = if independent { (-slack / zz).max(0.0) } else { f64::INFINITY };
            let noise = NOISE * r.iter().fold(1.0, |m: f64, v| m.max(v.abs()));
            let mut drop: Option<(usize, f64)> = None;
            for (k, (&rk, &uk)) in r.iter().zip(&self.multipliers).enumerate() {
                let floor = if independent { 0.0 } else { noise };
                if rk > floor && drop.is_none_or(|(_, t)| uk / rk < t) {
                    drop = Some((k, uk / rk));
                }
            }
            let part = drop.map_or(f64::INFINITY, |(_, t)| t);
            if part.is_infinite() && full.is_infinite() {
                let coefficients = r.iter().map(|v| if *v < -noise { -v } else { 0.0 }).collect();
                return Entry::Infeasible { row: p, coefficients };
            }
            let t = part.min(full);
            for (u, rk) in self.multipliers.iter_mut().zip(&r) {
                *u = (*u - t * rk).max(0.0);
            }
            entering += t;
            if part < full {
                let (k, _) = drop.unwrap_or_default();
                if independent {
                    self.w.iter_mut().zip(&rest).for_each(|(w, z)| *w += t * z);
                }
                self.basis.remove(k);
                self.is_active[self.active.remove(k)] = false;
                self.multipliers.remove(k);
            } else {
                let pushed = self.basis.push_projected(coef, rest, self.length[p]);
                debug_assert!(pushed, "an independent row is accepted");
                self.active.push(p);
                self.multipliers.push(entering);
                self.is_active[p] = true;
                return Entry::Entered;
            }
        }
    }

    /// w and multipliers from the active rows alone, so that no error accumulates.
    fn refresh(&mut self) {
        let b: Vec<f64> = self.active.iter().map(|&i| self.b[i]).collect();
        let y = self.basis.solve_rt(&b);
        self.w = self.basis.combine(&y);
        self.w_norm = norm2(&self.w);
        self.multipliers = self.basis.solve_r(&y).into_iter().map(|u| u.max(0.0)).collect();
    }

    /// Iterative refinement of the active equations with residuals in twice the precision.
    fn polish(&mut self) {
        for _ in 0..3 {
            let miss: Vec<f64> = self.active.iter().map(|&i| -self.slack(i)).collect();
            if miss.iter().zip(&self.active).all(|(e, &i)| e.abs() <= 0.1 * TIGHT * self.length[i] * self.w_norm) {
                break;
            }
            let y = self.basis.solve_rt(&miss);
            let du = self.basis.solve_r(&y);
            self.multipliers.iter_mut().zip(du).for_each(|(u, d)| *u = (*u + d).max(0.0));
            let step = self.basis.combine(&y);
            self.w.iter_mut().zip(step).for_each(|(w, s)| *w += s);
        }
        self.w_norm = norm2(&self.w);
    }

    fn finish(self) -> LeastNorm {
        let n = self.x.rows();
        let mut a = vec![0.0; n];
        for (&i, u) in self.active.iter().zip(&self.multipliers) {
            a[i] = u * self.scale[i];
        }
        let mut residual = Kkt::default();
        if self.w_norm > 0.0 {
            for i in (0..n).filter(|&i| self.length[i] > 0.0) {
                residual.primal = residual.primal.max(-self.slack(i) / (self.length[i] * self.w_norm));
            }
            let v = self.x.tmul_vec(&a);
            let miss: Vec<f64> = v.iter().zip(&self.w).map(|(p, q)| p - q).collect();
            residual.dual = norm2(&miss) / self.w_norm;
            let idle: f64 = self.active.iter().zip(&self.multipliers).map(|(&i, u)| u * self.slack(i).abs()).sum();
            residual.complementarity = idle / (self.w_norm * self.w_norm);
        }
        let s = self.b_scale.recip();
        LeastNorm::Point {
            w: self.w.iter().map(|v| v * s).collect(),
            multipliers: a.iter().map(|v| v * s).collect(),
            residual,
            pivots: self.pivots,
        }
    }

    fn infeasible(&self, row: usize, coefficients: &[f64]) -> LeastNorm {
        let mut multipliers = vec![0.0; self.x.rows()];
        multipliers[row] = self.scale[row];
        for (&i, c) in self.active.iter().zip(coefficients) {
            multipliers[i] = c * self.scale[i];
        }
        LeastNorm::Infeasible { multipliers }
    }
}

/// The largest power of two at or below `v` (1 for 0), kept within 2^-1000 .. 2^1000 so that its inverse exists.
fn power_of_two_below(v: f64) -> f64 {
    let exponent = (((v.to_bits() >> 52) & 0x7ff) as i32 - 1023).clamp(-1000, 1000);
    if v == 0.0 { 1.0 } else { f64::from_bits(((exponent + 1023) as u64) << 52) }
}
