//! The one kernel for convex quadratic programs on a Gram matrix, with some variables nonnegative.

use super::Mat;
use super::linalg::Cholesky;
use super::mat::{dot, max_abs};
use super::sums::add_with_size;
use super::updating::UpdatingCholesky;

/// `min over v of 1/2 v'Hv - b'v`, `v_i >= 0` where `nonneg[i]`, other v_i free; H symmetric positive semidefinite.
#[derive(Clone, Copy)]
pub struct Nnls<'a> {
    /// H, n x n.
    pub h: &'a Mat,
    /// b, n.
    pub b: &'a [f64],
    /// Which variables must be nonnegative, n.
    pub nonneg: &'a [bool],
}

/// How a solve ended.
#[derive(Clone, Debug, PartialEq)]
pub enum NnlsEnd {
    /// Optimal to rounding.
    Solved,
    /// The value falls without bound along `ray`: `H ray = 0` to rounding, `b'ray > 0`, `ray_i >= 0` where required.
    ///
    /// If H = QQ', no w has `Qw = b` on free and `Qw >= b` on nonnegative variables (Farkas), to rounding.
    Unbounded {
        /// The direction, n.
        ray: Vec<f64>,
    },
    /// The pivot limit was reached, or the caller stopped it; the point is feasible, its residual says how far it is from optimal.
    Stalled,
}

/// A solution with its optimality residual.
#[derive(Clone, Debug, PartialEq)]
pub struct NnlsSolution {
    /// v, n; feasible in every case.
    pub v: Vec<f64>,
    /// Gradient `Hv - b`, n.
    pub gradient: Vec<f64>,
    /// Largest violation of `g_i = 0` (v_i free or positive), `g_i >= 0` (v_i = 0).
    pub residual: f64,
    /// The magnitude that `residual` came from: `max_i sum_k |H_ik v_k| + |b_i|`.
    pub scale: f64,
    /// How the solve ended.
    pub end: NnlsEnd,
    /// Changes of the support (single pivots) or factorisations (block pivots).
    pub pivots: usize,
}

/// A pivot below this share of the terms that it is made of counts as 0: the row depends on the others.
const DEPENDENT: f64 = 1e-14;
/// From this order on a cold start begins with block pivots.
const BLOCK_ORDER: usize = 48;

/// A gradient and the magnitudes that its entries came from.
type Slope = (Vec<f64>, Vec<f64>);

impl Nnls<'_> {
    /// Solves by block principal pivoting (cold, large) or single pivots of an active set (warm, small, singular).
    ///
    /// `start` is a point to start from (entries that must be nonnegative are clipped at 0). Single pivots keep v
    /// feasible and never worsen the value, so they end for every H; block pivots are tried a bounded number of times.
    ///
    /// # Cost
    /// O(k^2) a single pivot, O(k^3 / 3) a block pivot, k the size of the support.
    ///
    /// # Source
    /// Block pivoting: Judice and Pires 1994; single pivots: Lawson and Hanson 1974, with free variables and rays.
    pub fn solve(&self, start: Option<&[f64]>) -> NnlsSolution {
        self.solve_until(start, &|| false)
    }

    /// [`Nnls::solve`], `Stalled` at the first pivot at which `stop` says so.
    pub fn solve_until(&self, start: Option<&[f64]>, stop: &dyn Fn() -> bool) -> NnlsSolution {
        let n = self.b.len();
        assert_eq!(
            (self.h.rows(), self.h.cols()),
            (n, n),
            "H is {}x{}, b has {n} entries",
            self.h.rows(),
            self.h.cols()
        );
        assert_eq!(self.nonneg.len(), n, "{} flags for {n} variables", self.nonneg.len());
        if let Some(s) = start {
            assert_eq!(s.len(), n, "start of {} entries for {n} variables", s.len());
        }
        if start.is_none()
            && n >= BLOCK_ORDER
            && let Some((v, gradient, pivots)) = self.block_pivots(stop)
        {
            return self.report_at(v, gradient, NnlsEnd::Solved, pivots);
        }
        self.single_pivots(start, stop)
    }

    /// `Hv - b` and the magnitudes `sum_k |H_ik v_k| + |b_i|`.
    fn gradient(&self, v: &[f64]) -> Slope {
        let (mut g, mut scale) = (self.b.iter().map(|b| -b).collect::<Vec<_>>(), vec![0.0; v.len()]);
        for (s, b) in scale.iter_mut().zip(self.b) {
            *s = b.abs();
        }
        for (k, &vk) in v.iter().enumerate() {
            if vk != 0.0 {
                // H is symmetric: its row k is its column k.
                add_with_size(vk, self.h.row(k), &mut g, &mut scale);
            }
        }
        (g, scale)
    }

    fn tolerance(&self) -> f64 {
        4.0 * f64::EPSILON * (self.b.len() as f64 + 8.0)
    }

    /// The rounding level of the pivot of j: `(sqrt H_jj + sum_i |d_i| sqrt H_ii)^2` times a small constant, where
    /// `d = H_SS^-1 H_Sj` are the multipliers of the dependence that a zero pivot would mean.
    fn pivot_floor(&self, factor: &UpdatingCholesky<'_>, j: usize, l: &[f64]) -> f64 {
        let mut d = l.to_vec();
        factor.back_substitute(&mut d);
        let terms = factor.set().iter().zip(&d).map(|(&i, di)| di.abs() * self.h[(i, i)].sqrt());
        let size = self.h[(j, j)].sqrt() + terms.sum::<f64>();
        DEPENDENT * size * size
    }

    fn report(&self, v: Vec<f64>, end: NnlsEnd, pivots: usize) -> NnlsSolution {
        let gradient = self.gradient(&v);
        self.report_at(v, gradient, end, pivots)
    }

    /// The same where the gradient and its magnitudes are known.
    fn report_at(&self, v: Vec<f64>, (gradient, scales): Slope, end: NnlsEnd, pivots: usize) -> NnlsSolution {
        let violation =
            |i: usize| if self.nonneg[i] && v[i] == 0.0 { (-gradient[i]).max(0.0) } else { gradient[i].abs() };
        let residual = (0..v.len()).map(violation).fold(0.0, f64::max);
        let scale = scales.iter().copied().fold(0.0, f64::max);
        NnlsSolution { v, gradient, residual, scale, end, pivots }
    }

    /// The support that a diagonal H would have: free variables alone first, `v_i = b_i / H_ii`, then those that their
    /// gradient asks for. A place to start from; nothing depends on how good it is.
    fn diagonal_support(&self) -> Vec<bool> {
        let v: Vec<f64> = (0..self.b.len())
            .map(|i| if self.nonneg[i] || self.h[(i, i)] <= 0.0 { 0.0 } else { self.b[i] / self.h[(i, i)] })
            .collect();
        let (g, _) = self.gradient(&v);
        self.nonneg.iter().zip(&g).map(|(nonneg, g)| !nonneg || *g < 0.0).collect()
    }

    /// Block principal pivoting from the support of a diagonal H, with the gradient at the end and its magnitudes; `None`
    /// when it does not settle, a passive block is singular, or `stop` says so.
    fn block_pivots(&self, stop: &dyn Fn() -> bool) -> Option<(Vec<f64>, Slope, usize)> {
        let n = self.b.len();
        let mut passive = self.diagonal_support();
        let (mut fewest, mut tries) = (n + 1, 3);
        for pivots in 1..=60 {
            if stop() {
                return None;
            }
            let set: Vec<usize> = (0..n).filter(|&i| passive[i]).collect();
            let on_set = |values: &[f64]| set.iter().map(|&i| values[i]).collect::<Vec<f64>>();
            let factor = if set.is_empty() { None } else { Some(Cholesky::new(&self.h.select(&set, &set))?) };
            let mut v = vec![0.0; n];
            for (&i, s) in set.iter().zip(factor.iter().flat_map(|f| f.solve(&on_set(self.b)))) {
                v[i] = s;
            }
            let wrong_sides = |v: &[f64], (g, scale): &Slope| -> Vec<usize> {
                let tol = self.tolerance();
                let wrong = |i: usize| self.nonneg[i] && if passive[i] { v[i] < 0.0 } else { g[i] < -tol * scale[i] };
                (0..n).filter(|&i| wrong(i)).collect()
            };
            let mut gradient = self.gradient(&v);
            let mut flips = wrong_sides(&v, &gradient);
            if flips.is_empty() {
                // One step of refinement where it may be the end: the residual is that of the whole problem.
                for (&i, s) in set.iter().zip(factor.iter().flat_map(|f| f.solve(&on_set(&gradient.0)))) {
                    v[i] -= s;
                }
                gradient = self.gradient(&v);
                flips = wrong_sides(&v, &gradient);
            }
            if v.iter().any(|x| !x.is_finite()) {
                return None;
            }
            if flips.is_empty() {
                return Some((v, gradient, pivots));
            }
            if flips.len() < fewest {
                (fewest, tries) = (flips.len(), 3);
            } else if tries > 0 {
                tries -= 1;
            } else {
                return None;
            }
            for i in flips {
                passive[i] = !passive[i];
            }
        }
        None
    }

    /// Active set with one change at a time from a feasible point.
    fn single_pivots(&self, start: Option<&[f64]>, stop: &dyn Fn() -> bool) -> NnlsSolution {
        let n = self.b.len();
        let mut v: Vec<f64> = start.map_or_else(|| vec![0.0; n], <[f64]>::to_vec);
        let mut factor = UpdatingCholesky::new(self.h);
        let mut inside = vec![false; n];
        for i in 0..n {
            v[i] = if self.nonneg[i] { v[i].max(0.0) } else { v[i] };
            if !self.nonneg[i] || v[i] > 0.0 {
                let (l, pivot) = factor.pivot(i);
                if pivot > self.pivot_floor(&factor, i, &l) {
                    factor.append(i, l, pivot);
                    inside[i] = true;
                } else {
                    v[i] = 0.0;
                }
            }
        }
        let mut refused = vec![false; n];
        let limit = 60 * (n + 10);
        for pivots in 0..limit {
            if stop() {
                return self.report(v, NnlsEnd::Stalled, pivots);
            }
            self.descend(&mut v, &mut factor, &mut inside, &mut refused);
            let (g, scale) = self.gradient(&v);
            let tol = self.tolerance();
            let push = |i: usize| if self.nonneg[i] { -g[i] } else { g[i].abs() };
            let entering = (0..n)
                .filter(|&i| !inside[i] && !refused[i] && push(i) > tol * scale[i])
                .map(|i| (i, push(i) / self.h[(i, i)].max(f64::MIN_POSITIVE).sqrt()))
                .fold(
                    None,
                    |best: Option<(usize, f64)>, (i, p)| {
                        if best.is_some_and(|b| b.1 >= p) { best } else { Some((i, p)) }
                    },
                );
            let Some((j, _)) = entering else {
                return self.report(v, NnlsEnd::Solved, pivots);
            };
            let (l, pivot) = factor.pivot(j);
            if pivot > self.pivot_floor(&factor, j, &l) {
                factor.append(j, l, pivot);
                inside[j] = true;
                refused[j] = true; // until the point moves, it may not come back
                continue;
            }
            // H d = 0 along d = (-H_SS^-1 H_Sj, 1): move until a nonnegative variable reaches 0.
            let sign = if self.nonneg[j] || g[j] < 0.0 { 1.0 } else { -1.0 };
            let mut d = l;
            factor.back_substitute(&mut d);
            let noise = 1e-11 * max_abs(&d).max(1.0);
            let mut block: Option<(usize, f64)> = None;
            for (t, &i) in factor.set().iter().enumerate() {
                d[t] *= -sign;
                if d[t].abs() < noise {
                    d[t] = 0.0;
                }
                if self.nonneg[i] && d[t] < 0.0 {
                    let step = v[i] / -d[t];
                    if block.is_none_or(|(_, s)| step < s) {
                        block = Some((t, step));
                    }
                }
            }
            let Some((at, step)) = block else {
                let mut ray = vec![0.0; n];
                for (t, &i) in factor.set().iter().enumerate() {
                    ray[i] = d[t];
                }
                ray[j] = sign;
                return self.report(v, NnlsEnd::Unbounded { ray }, pivots);
            };
            for (t, &i) in factor.set().iter().enumerate() {
                v[i] += step * d[t];
            }
            let out = factor.set()[at];
            v[out] = 0.0;
            inside[out] = false;
            factor.remove(at);
            let (l, pivot) = factor.pivot(j);
            if pivot > self.pivot_floor(&factor, j, &l) {
                v[j] = sign * step;
                factor.append(j, l, pivot);
                inside[j] = true;
            }
            if step > 0.0 {
                refused.fill(false);
            }
            refused[out] = step == 0.0;
        }
        self.report(v, NnlsEnd::Stalled, limit)
    }

    /// Moves v to the minimum on its support, dropping variables that reach 0 on the way.
    fn descend(&self, v: &mut [f64], factor: &mut UpdatingCholesky<'_>, inside: &mut [bool], refused: &mut [bool]) {
        loop {
            let set = factor.set().to_vec();
            let s = self.minimum_on(&set, factor);
            let mut block: Option<(usize, f64)> = None;
            for (t, &i) in set.iter().enumerate() {
                if self.nonneg[i] && s[t] <= 0.0 {
                    let step = if v[i] > 0.0 { v[i] / (v[i] - s[t]) } else { 0.0 };
                    if block.is_none_or(|(_, b)| step < b) {
                        block = Some((t, step));
                    }
                }
            }
            let step = block.map_or(1.0, |b| b.1);
            if step > 0.0 {
                let size = max_abs(v).max(max_abs(&s));
                let moved = set.iter().zip(&s).any(|(&i, si)| step * (v[i] - si).abs() > 1e-12 * size);
                for (t, &i) in set.iter().enumerate() {
                    v[i] = if block.is_none() { s[t] } else { v[i] + step * (s[t] - v[i]) };
                }
                if moved {
                    refused.fill(false);
                }
            }
            let Some((at, _)) = block else { return };
            v[set[at]] = 0.0;
            inside[set[at]] = false;
            factor.remove(at);
            for (i, vi) in v.iter_mut().enumerate() {
                if self.nonneg[i] && *vi < 0.0 {
                    *vi = 0.0;
                }
            }
        }
    }

    /// `H[set, set]^-1 b[set]` with one step of refinement.
    fn minimum_on(&self, set: &[usize], factor: &UpdatingCholesky<'_>) -> Vec<f64> {
        let b: Vec<f64> = set.iter().map(|&i| self.b[i]).collect();
        let mut s = factor.solve(&b);
        let mut full = vec![0.0; self.b.len()];
        for (&i, x) in set.iter().zip(&s) {
            full[i] = *x;
        }
        let r: Vec<f64> = set.iter().zip(&b).map(|(&i, b)| b - dot(self.h.row(i), &full)).collect();
        for (x, e) in s.iter_mut().zip(factor.solve(&r)) {
            *x += e;
        }
        s
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::linalg::gram;

    fn splitmix(state: &mut u64) -> f64 {
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = *state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn value(h: &Mat, b: &[f64], v: &[f64]) -> f64 {
        0.5 * dot(&h.mul_vec(v), v) - dot(b, v)
    }

    /// The smallest value over all supports: each support solved by Gaussian elimination.
    fn brute_force(h: &Mat, b: &[f64], nonneg: &[bool]) -> f64 {
        let n = b.len();
        let mut best = f64::INFINITY;
        for bits in 0..1usize << n {
            let set: Vec<usize> = (0..n).filter(|&i| bits >> i & 1 == 1).collect();
            if (0..n).any(|i| !nonneg[i] && !set.contains(&i)) {
                continue;
            }
            let k = set.len();
            let mut a: Vec<Vec<f64>> =
                set.iter().map(|&i| set.iter().map(|&l| h[(i, l)]).chain([b[i]]).collect()).collect();
            for t in 0..k {
                let p = (t..k).max_by(|&p, &q| a[p][t].abs().total_cmp(&a[q][t].abs())).unwrap();
                a.swap(t, p);
                for r in 0..k {
                    if r != t {
                        let f = a[r][t] / a[t][t];
                        for c in t..=k {
                            a[r][c] -= f * a[t][c];
                        }
                    }
                }
            }
            let mut v = vec![0.0; n];
            for (t, &i) in set.iter().enumerate() {
                v[i] = a[t][k] / a[t][t];
            }
            if (0..n).all(|i| !nonneg[i] || v[i] >= 0.0) {
                best = best.min(value(h, b, &v));
            }
        }
        best
    }

    #[test]
    fn agrees_with_all_supports() {
        let mut state = 11;
        for case in 0..300 {
            let n = 1 + case % 7;
            let q = Mat::from_fn(n, n + case % 5, |_, _| splitmix(&mut state));
            let h = gram(&q);
            let b: Vec<f64> = (0..n).map(|_| splitmix(&mut state)).collect();
            let nonneg: Vec<bool> = (0..n).map(|_| splitmix(&mut state) > -0.3).collect();
            let qp = Nnls { h: &h, b: &b, nonneg: &nonneg };
            let best = brute_force(&h, &b, &nonneg);
            let warm: Vec<f64> = (0..n).map(|_| splitmix(&mut state)).collect();
            let block = qp.block_pivots(&|| false).map(|(v, g, p)| qp.report_at(v, g, NnlsEnd::Solved, p));
            for s in [Some(qp.solve(None)), Some(qp.solve(Some(&warm))), block].into_iter().flatten() {
                assert_eq!(s.end, NnlsEnd::Solved);
                assert!(s.residual <= 1e-9 * s.scale, "case {case}: residual {} of {}", s.residual, s.scale);
                let scale = best.abs() + 1.0;
                assert!(
                    (value(&h, &b, &s.v) - best).abs() < 1e-9 * scale,
                    "case {case}: {} and {best}",
                    value(&h, &b, &s.v)
                );
            }
        }
    }

    /// Wherever it is stopped the point is feasible and no worse than the start; never stopped, it is the optimum.
    #[test]
    fn a_stop_leaves_a_feasible_point() {
        let mut state = 7;
        for (n, warm) in [(9, true), (60, false)] {
            let q = Mat::from_fn(n, n + 3, |_, _| splitmix(&mut state));
            let h = gram(&q);
            let b: Vec<f64> = (0..n).map(|_| splitmix(&mut state)).collect();
            let qp = Nnls { h: &h, b: &b, nonneg: &vec![true; n] };
            let start = warm.then(|| vec![1.0; n]);
            let first = start.as_ref().map_or(0.0, |s| value(&h, &b, s));
            let (best, mut cut) = (value(&h, &b, &qp.solve(None).v), 0);
            for polls in 0..2 * n {
                let left = std::cell::Cell::new(polls);
                let stop = || left.replace(left.get().saturating_sub(1)) == 0;
                let s = qp.solve_until(start.as_deref(), &stop);
                cut += usize::from(s.end == NnlsEnd::Stalled);
                assert!(s.v.iter().all(|v| *v >= 0.0), "{n}, {polls}");
                let reached = value(&h, &b, &s.v);
                assert!(reached <= first + 1e-12 && reached >= best - 1e-9, "{n}, {polls}: {reached}");
                assert!(s.end == NnlsEnd::Stalled || (reached - best).abs() < 1e-9, "{n}, {polls}: {reached}");
            }
            assert!(cut > 0 && qp.solve_until(None, &|| true).pivots == 0, "{cut}");
        }
    }

    #[test]
    fn singular_problems_end_solved_or_with_a_ray() {
        let mut state = 5;
        let (mut solved, mut rays) = (0, 0);
        for case in 0..400 {
            let n = 4 + case % 9;
            let q = Mat::from_fn(n, 1 + case % 5, |_, _| splitmix(&mut state));
            let h = gram(&q);
            let free = case % 3;
            let b: Vec<f64> = (0..n).map(|_| splitmix(&mut state)).collect();
            let nonneg: Vec<bool> = (0..n).map(|i| i >= free).collect();
            let s = Nnls { h: &h, b: &b, nonneg: &nonneg }.solve(None);
            match s.end {
                NnlsEnd::Solved => {
                    solved += 1;
                    // The primal point w = Q'v meets its constraints and complementary slackness, so it is optimal.
                    let w = q.tmul_vec(&s.v);
                    for (i, z) in q.mul_vec(&w).iter().enumerate() {
                        let slack = z - b[i];
                        assert!(slack > -1e-8 && (nonneg[i] || slack < 1e-8), "case {case}: slack {slack}");
                        assert!(s.v[i] == 0.0 || slack.abs() < 1e-8, "case {case}: not complementary");
                    }
                }
                NnlsEnd::Unbounded { ref ray } => {
                    rays += 1;
                    assert!(dot(&b, ray) > 1e-9 && max_abs(&q.tmul_vec(ray)) < 1e-6 * max_abs(ray), "case {case}");
                    assert!((0..n).all(|i| !nonneg[i] || ray[i] >= 0.0), "case {case}");
                }
                NnlsEnd::Stalled => panic!("case {case} stalled"),
            }
        }
        assert!(solved > 50 && rays > 50, "{solved} solved, {rays} rays");
    }

    #[test]
    fn large_problems_take_few_block_pivots() {
        let mut state = 3;
        let n = 200;
        let h = gram(&Mat::from_fn(n, 2 * n, |_, _| splitmix(&mut state)));
        let b: Vec<f64> = (0..n).map(|_| splitmix(&mut state)).collect();
        let s = Nnls { h: &h, b: &b, nonneg: &vec![true; n] }.solve(None);
        assert_eq!(s.end, NnlsEnd::Solved);
        assert!(s.pivots <= 10 && s.residual <= 1e-12 * s.scale, "{} pivots, residual {}", s.pivots, s.residual);
        assert!(s.v.iter().all(|&x| x >= 0.0) && s.v.iter().any(|&x| x > 0.0));
    }
}
