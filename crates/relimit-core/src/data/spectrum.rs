//! The spectrum of a data set: tau, effective dimensions of the sample and of the population, and the rank.

use crate::num::Mat;
use crate::num::linalg::{Tridiagonal, gram as gram_of, largest_eigenvalue};
use crate::num::mat::{dot, max_abs};
use crate::num::quantile::normal_quantile;
use crate::num::rank::clearly_nonsingular;

/// Spectral facts about the rows of X (n x D, a bias column included if there is one).
#[derive(Clone, Debug, PartialEq)]
pub struct Spectrum {
    /// Number of examples.
    pub n: usize,
    /// Number of columns D.
    pub dim: usize,
    /// `tr(X X') / n`, the mean squared length of a row (infinite or 0 if that is out of range).
    pub tau: f64,
    /// `tr(G)^2 / tr(G^2)` of the sample's Gram matrix G = X X': at most n, so it never shows that d_2 is far above n.
    /// `None` when X = 0.
    pub d2: Option<f64>,
    /// `tr(G) / mu_max(G)` of the sample: at most n. `None` when X = 0.
    pub d_inf: Option<f64>,
    /// Estimate of `tr(Sigma)^2 / tr(Sigma^2)` of the population. `None` with fewer than two examples or X = 0.
    pub d2_population: Option<Estimate>,
    /// Number of eigenvalues of G above `n eps mu_max`.
    pub rank: usize,
    /// Largest eigenvalue of G (infinite or 0 if it is out of range).
    pub mu_max: f64,
}

/// A number estimated from a sample, with a 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The estimate (infinite when all rows are orthogonal).
    pub value: f64,
    /// Delete-one jackknife interval, 95 %, on the logarithmic scale; `None` with fewer than four examples or where a
    /// deletion leaves no finite estimate.
    pub interval: Option<(f64, f64)>,
}

/// Effective dimensions of a population with a known covariance spectrum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dimensions {
    /// `sum lambda`.
    pub tau: f64,
    /// `(sum lambda)^2 / sum lambda^2`.
    pub d2: f64,
    /// `sum lambda / max lambda`.
    pub d_inf: f64,
}

/// Exact effective dimensions of a covariance with eigenvalues `lambda` (nonnegative); `None` when all are 0.
///
/// Source: Lai and Muthukumar, JMLR 26 (23-1078), section 2 (d_2, d_inf).
pub fn dimensions(lambda: &[f64]) -> Option<Dimensions> {
    let top = max_abs(lambda);
    if top == 0.0 {
        return None;
    }
    let sum: f64 = lambda.iter().map(|l| l / top).sum();
    let squares: f64 = lambda.iter().map(|l| (l / top) * (l / top)).sum();
    Some(Dimensions { tau: sum * top, d2: sum * sum / squares, d_inf: sum })
}

/// The spectrum of the rows of `x`, from its Gram matrix when n <= D (`gram` if given, else formed here), from the
/// D x D matrix X'X otherwise.
///
/// ```text
/// tau = tr G / n     d2 = tr(G)^2 / tr(G^2)     d_inf = tr G / mu_max
/// d2_population = tau^2 / mean over i != j of (x_i . x_j)^2
/// ```
///
/// The last is the ratio of unbiased estimates for features with mean 0; a common mean counts as a direction.
/// Extreme scales are brought to order 1 by a power of two first. O(n D min(n, D)) plus O(min(n, D)^3).
pub fn spectrum(x: &Mat, gram: Option<&Mat>) -> Spectrum {
    let (n, dim) = (x.rows(), x.cols());
    if let Some(g) = gram {
        assert_eq!((g.rows(), g.cols()), (n, n), "Gram matrix {}x{} for {n} rows", g.rows(), g.cols());
    }
    // Lengths of an ordinary size leave nothing to be scaled, and save a pass over X.
    let lengths = gram.filter(|_| n <= dim).map(|g| max_abs(&(0..n).map(|i| g[(i, i)]).collect::<Vec<_>>()));
    let ordinary = lengths.is_some_and(|v| (1e-40..1e50).contains(&v));
    let top = if ordinary { 1.0 } else { x.max_abs() };
    assert!(top.is_finite(), "spectrum of data that are not finite");
    if top == 0.0 {
        let (tau, mu_max) = (0.0, 0.0);
        return Spectrum { n, dim, tau, d2: None, d_inf: None, d2_population: None, rank: 0, mu_max };
    }
    // Products of four entries appear: keep them in range, and leave ordinary data (and the given Gram matrix) alone.
    let exponent = libm::ilogb(top);
    if exponent.abs() > 100 {
        let half = libm::ldexp(1.0, -exponent / 2);
        let rest = libm::ldexp(1.0, -exponent + exponent / 2);
        let scaled = Mat::from_fn(n, dim, |i, k| x[(i, k)] * half * rest);
        let s = spectrum(&scaled, None);
        let back = |v: f64| v / half / half / rest / rest;
        return Spectrum { tau: back(s.tau), mu_max: back(s.mu_max), ..s };
    }

    let own;
    let small = match gram {
        Some(g) if n <= dim => g,
        _ => {
            own = if n <= dim { gram_of(x) } else { gram_of(&x.transpose()) };
            &own
        }
    };
    // Squared length of row i, and the sum over l != i of (x_i . x_l)^2.
    let (length, off): (Vec<f64>, Vec<f64>) = if n <= dim {
        // In two parts, as the length itself would swamp them.
        let others = |row: &[f64], i: usize| dot(&row[..i], &row[..i]) + dot(&row[i + 1..], &row[i + 1..]);
        (0..n).map(|i| (small[(i, i)], others(small.row(i), i))).unzip()
    } else {
        let both = |r: &[f64]| (dot(r, r), dot(&small.mul_vec(r), r));
        (0..n).map(|i| both(x.row(i))).map(|(g, s)| (g, (s - g * g).max(0.0))).unzip()
    };
    let trace: f64 = length.iter().sum();
    let squared = dot(small.as_slice(), small.as_slice());
    let (mu_max, rank) = extent(small, n);
    Spectrum {
        n,
        dim,
        tau: trace / n as f64,
        d2: Some(trace * trace / squared),
        d_inf: Some(trace / mu_max),
        d2_population: population(&length, &off),
        rank,
        mu_max,
    }
}

/// The largest eigenvalue of the n x n or D x D matrix and the number of those above `n eps` of it.
///
/// Large matrices first by the largest one and a proof that none is small.
fn extent(small: &Mat, n: usize) -> (f64, usize) {
    if small.rows() == n && n > REDUCED {
        let mu_max = largest_eigenvalue(small);
        // 1e-9: far more than the error of the largest eigenvalue.
        if clearly_nonsingular(small, mu_max * (1.0 + 1e-9)) {
            return (mu_max, n);
        }
    }
    let reduced = Tridiagonal::of(small);
    let mu_max = reduced.largest();
    (mu_max, reduced.order() - reduced.count_below((n as f64 * f64::EPSILON * mu_max).next_up()))
}

/// Up to this order the reduction to tridiagonal form is the cheaper way.
const REDUCED: usize = 128;

/// `tau^2 / mean_{i != j} g_ij^2` with its jackknife, from the lengths g_ii and the sums of g_ij^2 over j != i.
fn population(length: &[f64], off: &[f64]) -> Option<Estimate> {
    let n = length.len();
    if n < 2 {
        return None;
    }
    let (trace, total): (f64, f64) = (length.iter().sum(), off.iter().sum());
    let ratio = |n: f64, trace: f64, total: f64| (trace / n).powi(2) / (total / (n * (n - 1.0)));
    let value = ratio(n as f64, trace, total);
    let deleted: Vec<f64> =
        (0..n).map(|i| ratio((n - 1) as f64, trace - length[i], (total - 2.0 * off[i]).max(0.0)).ln()).collect();
    let usable = n >= 4 && deleted.iter().all(|v| v.is_finite());
    let interval = usable.then(|| {
        let mean = deleted.iter().sum::<f64>() / n as f64;
        let spread: f64 = deleted.iter().map(|v| (v - mean).powi(2)).sum();
        let half = normal_quantile(0.975) * ((n - 1) as f64 / n as f64 * spread).sqrt();
        (value * (-half).exp(), value * half.exp())
    });
    Some(Estimate { value, interval })
}

#[cfg(test)]
#[path = "spectrum_tests.rs"]
mod tests;
