//! The best sigma of a quadratic bound, from the eigenvalues of its matrix.

use super::rows::{dot, norm};

/// Eigenvalues and eigenvectors of a symmetric matrix, by Jacobi rotations: proposals only, nothing rests on them.
pub(super) struct Spectrum<const D: usize> {
    values: [f64; D],
    /// Row k is the eigenvector of value k.
    vectors: [[f64; D]; D],
}

impl<const D: usize> Spectrum<D> {
    pub(super) fn new(m: &[[f64; D]; D]) -> Self {
        let mut a = *m;
        let mut v = [[0.0; D]; D];
        for k in 0..D {
            v[k][k] = 1.0;
        }
        for _ in 0..12 {
            let (mut off, mut diagonal) = (0.0, 0.0);
            for i in 0..D {
                for j in 0..i {
                    off += a[i][j] * a[i][j];
                }
                diagonal += a[i][i] * a[i][i];
            }
            if off <= 1e-18 * diagonal {
                break;
            }
            for p in 0..D {
                for q in p + 1..D {
                    if a[p][q] != 0.0 {
                        rotate(&mut a, &mut v, p, q);
                    }
                }
            }
        }
        let mut values = [0.0; D];
        for k in 0..D {
            values[k] = a[k][k];
        }
        Self { values, vectors: v }
    }

    /// The largest eigenvalue.
    pub(super) fn largest(&self) -> f64 {
        self.values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }

    /// The coordinates of a vector in the eigenbasis.
    pub(super) fn coordinates(&self, g: &[f64; D]) -> [f64; D] {
        let mut out = [0.0; D];
        for k in 0..D {
            out[k] = dot(&self.vectors[k], g);
        }
        out
    }

    /// `sigma + g'(sigma I - M)^-1 g / 4`.
    pub(super) fn value(&self, g: &[f64; D], sigma: f64) -> f64 {
        (0..D).fold(sigma, |s, k| s + g[k] * g[k] / (4.0 * (sigma - self.values[k])))
    }

    /// The minimiser above the spectrum of [`Spectrum::value`] minus `volume log det(sigma I - M)`, to half the digits: the root of
    /// `1 = f(sigma) = sum_k g_k^2 / (4 (sigma - l_k)^2) + volume sum_k 1 / (sigma - l_k)`.
    ///
    /// Newton steps on `1 / sqrt(f)`, nearly linear in sigma, kept within a bracket.
    pub(super) fn sigma(&self, g: &[f64; D], volume: f64) -> f64 {
        let top = self.largest();
        let f = |s: f64| {
            (0..D).fold((0.0, 0.0), |(value, slope), k| {
                let d = 1.0 / (s - self.values[k]);
                let (a, b) = (0.25 * g[k] * g[k] * d * d, volume * d);
                (value + a + b, slope - d * (2.0 * a + b))
            })
        };
        let size = norm(g);
        let margin = 1e-12 * (size + top.abs()) + 1e-280;
        let (mut low, mut high) = (top + margin, top + 0.5 * size + volume * D as f64 + 1e3 * margin);
        if f(low).0 <= 1.0 {
            return low;
        }
        while f(high).0 > 1.0 {
            high = top + 2.0 * (high - top);
        }
        let mut s = high;
        for _ in 0..60 {
            let (value, slope) = f(s);
            if value > 1.0 {
                low = s;
            } else {
                high = s;
            }
            if (value - 1.0).abs() <= 1e-9 || high - low <= 1e-9 * (high - top) {
                break;
            }
            let next = s + 2.0 * value * (1.0 - value.sqrt()) / slope;
            s = if next > low && next < high { next } else { top + ((low - top) * (high - top)).sqrt() };
        }
        s
    }
}

/// One rotation that annuls `a[p][q]`.
fn rotate<const D: usize>(a: &mut [[f64; D]; D], v: &mut [[f64; D]; D], p: usize, q: usize) {
    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    for k in 0..D {
        let (x, y) = (a[k][p], a[k][q]);
        a[k][p] = c * x - s * y;
        a[k][q] = s * x + c * y;
    }
    for k in 0..D {
        let (x, y) = (a[p][k], a[q][k]);
        a[p][k] = c * x - s * y;
        a[q][k] = s * x + c * y;
        let (x, y) = (v[p][k], v[q][k]);
        v[p][k] = c * x - s * y;
        v[q][k] = s * x + c * y;
    }
}
