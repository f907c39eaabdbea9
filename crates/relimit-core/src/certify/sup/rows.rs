//! The rows that a search runs over: once as vectors, once transposed in blocks of eight for products, with the slack of rounding.

#![allow(unsafe_code, reason = "calls to the AVX2 copy of one loop, guarded by run-time detection")]

use crate::num::outward::{add_up, gamma};

/// Rows in a block.
const LANES: usize = 8;

/// `q(u) = sum_i r_i relu(x_i . u)` over rows in R^D with r_i != 0 and x_i != 0, largest |x_ik| and |r_i| of order 1.
#[derive(Clone, Debug)]
pub(super) struct Rows<const D: usize> {
    /// The rows `x_i`.
    pub(super) x: Vec<[f64; D]>,
    /// The weights `r_i`.
    pub(super) r: Vec<f64>,
    /// Upper bounds of `|x_i|`.
    pub(super) length: Vec<f64>,
    /// `1 / length`, as computed.
    pub(super) inverse: Vec<f64>,
    /// Relative slack that covers a sum of n products, its norm and a few operations more.
    pub(super) g: f64,
    /// What `|q|` of the caller's rows may exceed `|q|` of these by, on the unit ball.
    pub(super) slack: f64,
    blocks: Vec<[[f64; LANES]; D]>,
}

impl<const D: usize> Rows<D> {
    /// Takes rows (m x dim, dim <= D, row-major) and weights; missing coordinates are 0.
    pub(super) fn new(rows: &[f64], dim: usize, r: Vec<f64>, slack: f64) -> Self {
        assert!(dim <= D, "{dim} coordinates in {D}");
        let m = r.len();
        let mut x = vec![[0.0; D]; m];
        let mut blocks = vec![[[0.0; LANES]; D]; m.div_ceil(LANES)];
        for i in 0..m {
            for k in 0..dim {
                x[i][k] = rows[i * dim + k];
                blocks[i / LANES][k][i % LANES] = x[i][k];
            }
        }
        let g = gamma(m + D + 64);
        let length: Vec<f64> = x.iter().map(|a| norm(a) * (1.0 + g)).collect();
        let inverse = length.iter().map(|l| 1.0 / l).collect();
        Self { x, r, length, inverse, g, slack, blocks }
    }

    /// Number of rows.
    pub(super) fn n(&self) -> usize {
        self.x.len()
    }

    /// Length of the output of [`Rows::products`].
    pub(super) fn padded(&self) -> usize {
        self.blocks.len() * LANES
    }

    /// `out_i = x_i . v`, each within `g |x_i| |v|` of its exact value.
    pub(super) fn products(&self, v: &[f64; D], out: &mut [f64]) {
        #[cfg(target_arch = "x86_64")]
        if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
            // SAFETY: the features that the function needs have just been detected.
            unsafe { products_avx2(&self.blocks, v, out) };
            return;
        }
        products_plain(&self.blocks, v, out);
    }

    /// The row with the largest `factor_i (x_i . v)`, the first of equals, if any exceeds `least`; factors are padded.
    pub(super) fn steepest(&self, v: &[f64; D], factor: &[f64], least: f64) -> Option<usize> {
        #[cfg(target_arch = "x86_64")]
        if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
            // SAFETY: the features that the function needs have just been detected.
            return unsafe { steepest_avx2(&self.blocks, v, factor, least) };
        }
        steepest_body(&self.blocks, v, factor, least)
    }

    /// `y_i = L^-1 x_i` for a lower triangular L with positive diagonal: the vectors, their lengths and squared lengths.
    ///
    /// Each is the exact solution for factors that differ from L by `g |L|` entrywise; squared lengths are within g.
    pub(super) fn solve_lower(&self, l: &[[f64; D]; D], out: &mut Moved<D>) {
        #[cfg(target_arch = "x86_64")]
        if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
            // SAFETY: the features that the function needs have just been detected.
            unsafe { solve_avx2(&self.blocks, l, &mut out.rows.blocks, &mut out.squares) };
            self.unpack(out);
            return;
        }
        solve_plain(&self.blocks, l, &mut out.rows.blocks, &mut out.squares);
        self.unpack(out);
    }

    fn unpack(&self, out: &mut Moved<D>) {
        for i in 0..self.n() {
            let block = &out.rows.blocks[i / LANES];
            for k in 0..D {
                out.rows.x[i][k] = block[k][i % LANES];
            }
            out.rows.length[i] = out.squares[i].sqrt();
            out.rows.inverse[i] = 1.0 / out.rows.length[i];
        }
    }

    /// `q(u)`, each row's product given.
    pub(super) fn value(&self, z: &[f64]) -> f64 {
        self.r.iter().zip(z).map(|(r, z)| r * z.max(0.0)).sum()
    }

    /// A level that the rounding of any bound lies below.
    pub(super) fn rounding(&self) -> f64 {
        let sizes: f64 = self.r.iter().zip(&self.length).map(|(r, l)| r.abs() * l).sum();
        16.0 * self.g * sizes + 2.0 * self.slack
    }

    /// The rows with the opposite weights.
    pub(super) fn negated(&self) -> Self {
        Self { r: self.r.iter().map(|v| -v).collect(), ..self.clone() }
    }

    /// An upper bound of `|v|` from a vector whose own entries are exact.
    pub(super) fn norm_up(&self, v: &[f64; D]) -> f64 {
        add_up(norm(v) * (1.0 + self.g), TINY)
    }
}

/// The rows in other coordinates, for searches that nothing rests on; `squares` are their squared lengths, padded.
pub(super) struct Moved<const D: usize> {
    pub(super) rows: Rows<D>,
    pub(super) squares: Vec<f64>,
}

impl<const D: usize> Moved<D> {
    pub(super) fn new(rows: &Rows<D>) -> Self {
        Self { rows: rows.clone(), squares: vec![0.0; rows.padded()] }
    }
}

/// Far below every number that matters once rows and weights are of order 1; covers underflow.
pub(super) const TINY: f64 = 1e-290;

fn products_plain<const D: usize>(blocks: &[[[f64; LANES]; D]], v: &[f64; D], out: &mut [f64]) {
    for (b, o) in blocks.iter().zip(out.chunks_exact_mut(LANES)) {
        let mut sum = [0.0; LANES];
        for k in 0..D {
            for t in 0..LANES {
                sum[t] += b[k][t] * v[k];
            }
        }
        o.copy_from_slice(&sum);
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn products_avx2<const D: usize>(blocks: &[[[f64; LANES]; D]], v: &[f64; D], out: &mut [f64]) {
    for (b, o) in blocks.iter().zip(out.chunks_exact_mut(LANES)) {
        let mut sum = [0.0f64; LANES];
        for k in 0..D {
            for t in 0..LANES {
                sum[t] = b[k][t].mul_add(v[k], sum[t]);
            }
        }
        o.copy_from_slice(&sum);
    }
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "one body, compiled once for each set of features")]
fn steepest_body<const D: usize>(
    blocks: &[[[f64; LANES]; D]],
    v: &[f64; D],
    factor: &[f64],
    least: f64,
) -> Option<usize> {
    let (mut most, mut at) = (least, None);
    for (k, (b, f)) in blocks.iter().zip(factor.chunks_exact(LANES)).enumerate() {
        let mut sum = [0.0f64; LANES];
        for k in 0..D {
            for t in 0..LANES {
                sum[t] += b[k][t] * v[k];
            }
        }
        let mut above = false;
        for t in 0..LANES {
            sum[t] *= f[t];
            above |= sum[t] > most;
        }
        if above {
            for t in 0..LANES {
                if sum[t] > most {
                    most = sum[t];
                    at = Some(k * LANES + t);
                }
            }
        }
    }
    at
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn steepest_avx2<const D: usize>(
    blocks: &[[[f64; LANES]; D]],
    v: &[f64; D],
    factor: &[f64],
    least: f64,
) -> Option<usize> {
    steepest_body(blocks, v, factor, least)
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "one body, compiled once for each set of features")]
fn solve_body<const D: usize>(
    blocks: &[[[f64; LANES]; D]],
    l: &[[f64; D]; D],
    out: &mut [[[f64; LANES]; D]],
    squares: &mut [f64],
) {
    for ((b, y), square) in blocks.iter().zip(out).zip(squares.chunks_exact_mut(LANES)) {
        let mut sum = [0.0f64; LANES];
        for k in 0..D {
            let mut v = b[k];
            for j in 0..k {
                for t in 0..LANES {
                    v[t] -= l[k][j] * y[j][t];
                }
            }
            let inverse = 1.0 / l[k][k];
            for t in 0..LANES {
                v[t] *= inverse;
                sum[t] += v[t] * v[t];
            }
            y[k] = v;
        }
        square.copy_from_slice(&sum);
    }
}

fn solve_plain<const D: usize>(
    blocks: &[[[f64; LANES]; D]],
    l: &[[f64; D]; D],
    out: &mut [[[f64; LANES]; D]],
    squares: &mut [f64],
) {
    solve_body(blocks, l, out, squares);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn solve_avx2<const D: usize>(
    blocks: &[[[f64; LANES]; D]],
    l: &[[f64; D]; D],
    out: &mut [[[f64; LANES]; D]],
    squares: &mut [f64],
) {
    solve_body(blocks, l, out, squares);
}

/// `a . b`.
#[inline]
pub(super) fn dot<const D: usize>(a: &[f64; D], b: &[f64; D]) -> f64 {
    let mut s = 0.0;
    for k in 0..D {
        s += a[k] * b[k];
    }
    s
}

/// `a <- a + t b`.
#[inline]
pub(super) fn axpy<const D: usize>(t: f64, b: &[f64; D], a: &mut [f64; D]) {
    for k in 0..D {
        a[k] += t * b[k];
    }
}

/// `|a|`, for entries far from the ends of the range.
#[inline]
pub(super) fn norm<const D: usize>(a: &[f64; D]) -> f64 {
    dot(a, a).sqrt()
}

/// `a / |a|`; 0 stays 0.
#[inline]
pub(super) fn unit<const D: usize>(a: &[f64; D]) -> [f64; D] {
    let n = norm(a);
    if n > 0.0 { a.map(|v| v / n) } else { *a }
}
