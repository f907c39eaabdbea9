//! Pricing: directions whose gain at the dual point exceeds the penalty, by a pass over the circle or by local search.

use relimit_core::certify::sup::{SupOptions, local_maxima};
use relimit_core::num::Mat;
use relimit_core::num::mat::dot;

use super::line::Line;
use super::objective::gain;
use super::rounding::ON_KINK;
use super::{Objective, Ray};

/// A gain above `lambda (1 + SLACK)` is worth a column: hundreds of terms of a gain round by this share together.
pub(super) const SLACK: f64 = 1e-13;
/// Columns that one round may add.
pub(super) const COLUMNS: usize = 40;
/// Cosine of the angle (1.4e-7) below which two found directions are one column: a maximum is found to the square root of
/// rounding.
const TWIN: f64 = 1.0 - 1e-14;
/// The column of ones when a free bias is searched for as a lightly penalised one.
const LIGHT: f64 = 30.0;
/// Share of the penalty that a gain must reach there: the light penalty takes some of it, about (spread/LIGHT)^2 of a bias.
const UNDER: f64 = 0.9;

/// How directions are looked for, with what does not change between rounds.
pub(super) struct Pricer {
    pub(super) line: Option<Line>,
    /// Rows for local search, and the shift of the features, when the bias is free.
    pub(super) light: Option<(Mat, Vec<f64>)>,
    pub(super) seed: u64,
}

impl Pricer {
    pub(super) fn new(objective: &Objective, seed: u64) -> Self {
        let x = &objective.x;
        let light = objective.free_bias().then(|| {
            let (n, d) = (x.rows(), x.cols() - 1);
            let shift: Vec<f64> = (0..d).map(|k| (0..n).map(|i| x[(i, k)]).sum::<f64>() / n as f64).collect();
            let centred = |i: usize, k: usize| if k < d { x[(i, k)] - shift[k] } else { 0.0 };
            let spread = (0..n).flat_map(|i| (0..d).map(move |k| (i, k))).map(|(i, k)| centred(i, k).abs());
            let ones = LIGHT * spread.fold(0.0, f64::max).max(f64::MIN_POSITIVE);
            (Mat::from_fn(n, d + 1, |i, k| if k < d { centred(i, k) } else { ones }), shift)
        });
        Self { line: Line::new(x), light, seed }
    }

    /// Whether `find` sees every local maximum.
    pub(super) fn complete(&self) -> bool {
        self.line.is_some()
    }

    /// Rays of gain above the penalty at the dual point r, largest gain first, with the largest gain met.
    ///
    /// Starts from `rays` and from `starts` random directions, other ones in every `round`.
    pub(super) fn find(
        &self,
        objective: &Objective,
        r: &[f64],
        rays: &[Ray],
        starts: usize,
        round: u64,
    ) -> (Vec<Ray>, f64) {
        let threshold = objective.lambda * (1.0 + SLACK);
        if let Some(line) = &self.line {
            let mut peaks = if objective.free_bias() {
                Line::free_peaks(objective, r, threshold)
            } else {
                line.peaks(objective, r, threshold)
            };
            let top = peaks.first().map_or(0.0, |p| p.value);
            peaks.truncate(COLUMNS);
            return (peaks.into_iter().map(|p| p.ray).collect(), top);
        }
        let mut found: Vec<(f64, Ray)> = Vec::new();
        for sign in [1.0, -1.0] {
            let signed: Vec<f64> = r.iter().map(|v| sign * v).collect();
            let own: Vec<Vec<f64>> =
                rays.iter().filter(|t| t.c * sign > 0.0).map(|t| self.search_coordinates(&t.u)).collect();
            let options = SupOptions {
                seed: self.seed.wrapping_add(round),
                random_starts: starts,
                starts: &own,
                ..SupOptions::below(if self.light.is_some() { UNDER * threshold } else { threshold })
            };
            let rows = self.light.as_ref().map_or(&objective.x, |t| &t.0);
            for u in local_maxima(rows, &signed, &options) {
                let u = self.out_of_search(&u);
                if let Some(ray) = Ray::near(objective, &u, sign, ON_KINK) {
                    let value = gain(&objective.x, &signed, &ray.u);
                    if value > threshold {
                        found.push((value, ray));
                    }
                }
            }
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        let top = found.first().map_or(0.0, |t| t.0);
        let mut out: Vec<Ray> = Vec::new();
        for (_, ray) in found {
            let twin = |t: &Ray| t.c * ray.c > 0.0 && dot(&t.u, &ray.u) > TWIN * dot(&t.u, &t.u);
            if out.len() < COLUMNS && !out.iter().any(twin) {
                out.push(ray);
            }
        }
        (out, top)
    }

    /// A direction in the coordinates of local search: (w, b) becomes (w, (b + w.shift)/ones).
    pub(super) fn search_coordinates(&self, u: &[f64]) -> Vec<f64> {
        let Some((rows, shift)) = &self.light else { return u.to_vec() };
        let d = shift.len();
        let mut v = u.to_vec();
        v[d] = (u[d] + dot(&u[..d], shift)) / rows[(0, d)];
        v
    }

    pub(super) fn out_of_search(&self, v: &[f64]) -> Vec<f64> {
        let Some((rows, shift)) = &self.light else { return v.to_vec() };
        let d = shift.len();
        let mut u = v.to_vec();
        u[d] = v[d] * rows[(0, d)] - dot(&v[..d], shift);
        u
    }
}
