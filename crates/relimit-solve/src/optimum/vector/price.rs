//! Pricing for several outputs: directions where |Q| exceeds the penalty.

use relimit_core::certify::sup::ascend;
use relimit_core::num::Mat;
use relimit_core::num::linalg::symmetric_eigen;
use relimit_core::num::mat::{axpy, dot, norm2};
use relimit_core::num::noise::{Purpose, Stream};

use super::super::Ray;
use super::super::objective::products;
use super::super::price::{COLUMNS, Pricer, SLACK};
use super::super::rounding::ON_KINK;
use super::circle::{Peak, free_peaks, peaks};
use super::objective::{VectorObjective, VectorRay};

/// How directions are looked for, with what does not change between rounds.
pub(super) struct VectorPricer(Pricer);

/// Cosine of the angle (1.4e-7) below which two found directions are one column: a maximum of |Q| is found to the square root
/// of rounding.
const TWIN: f64 = 1.0 - 1e-14;
/// Turns of the alternation between direction and output weights.
const TURNS: usize = 60;
/// Rise of |Q| below which the alternation has arrived: some tens of units of rounding, the error of a sum over the rows.
const ARRIVED: f64 = 1e-14;

impl VectorPricer {
    pub(super) fn new(objective: &VectorObjective, seed: u64) -> Self {
        Self(Pricer::new(&objective.one, seed))
    }

    /// Whether `find` sees every local maximum.
    pub(super) fn complete(&self) -> bool {
        self.0.complete()
    }

    /// Neurons of gain above the penalty at the dual point r, of coefficient 0 and largest gain first, with the largest
    /// gain met.
    ///
    /// Starts from `rays` and from `starts` random directions, other ones in every `round`.
    pub(super) fn find(
        &self,
        objective: &VectorObjective,
        r: &Mat,
        rays: &[VectorRay],
        starts: usize,
        round: u64,
    ) -> (Vec<VectorRay>, f64) {
        let one = &objective.one;
        let threshold = one.lambda * (1.0 + SLACK);
        let mut found = match &self.0.line {
            Some(_) if one.free_bias() => free_peaks(one, r, threshold),
            Some(line) => peaks(line, one, r, threshold),
            None => self.climb(objective, r, rays, starts, round, threshold),
        };
        found.sort_by(|a, b| b.value.total_cmp(&a.value));
        let top = found.first().map_or(0.0, |t| t.value);
        let mut out: Vec<VectorRay> = Vec::new();
        for Peak { ray, .. } in found {
            let twin = |t: &VectorRay| dot(&t.ray.u, &ray.u) > TWIN * dot(&ray.u, &ray.u);
            if out.len() < COLUMNS && !out.iter().any(twin) {
                let gain = objective.gain(r, &ray);
                let size = norm2(&gain);
                out.push(VectorRay { ray: Ray { c: 0.0, ..ray }, output: gain.iter().map(|v| v / size).collect() });
            }
        }
        (out, top)
    }

    fn climb(
        &self,
        objective: &VectorObjective,
        r: &Mat,
        rays: &[VectorRay],
        starts: usize,
        round: u64,
        threshold: f64,
    ) -> Vec<Peak> {
        let one = &objective.one;
        let stream = Stream::new(self.0.seed.wrapping_add(round), Purpose::Search);
        let random = (0..starts as u64).map(|s| (0..one.dim()).map(|t| stream.normal(s, t as u64)).collect());
        let own = rays.iter().map(|t| self.0.search_coordinates(&t.ray.u));
        let rows = self.0.light.as_ref().map_or(&one.x, |t| &t.0);
        let all: Vec<Vec<f64>> = own.chain(random).collect();
        all.iter()
            .filter_map(|start| {
                let u = self.0.out_of_search(&alternate(rows, r, start)?);
                let ray = sharpen(objective, r, Ray::near(one, &u, 1.0, ON_KINK)?);
                let value = norm2(&objective.gain(r, &ray));
                (value > threshold).then_some(Peak { ray, value })
            })
            .collect()
    }
}

/// A local maximum of |Q|: the direction that is best for v, and v = Q/|Q| there, in turn; `None` where Q = 0 is met.
fn alternate(rows: &Mat, r: &Mat, start: &[f64]) -> Option<Vec<f64>> {
    let mut u = start.to_vec();
    let mut value = 0.0;
    for _ in 0..TURNS {
        let mut q = vec![0.0; r.cols()];
        for (i, z) in products(rows, &u).into_iter().enumerate() {
            axpy(z.max(0.0), r.row(i), &mut q);
        }
        let size = norm2(&q);
        if size == 0.0 {
            return None;
        }
        let v: Vec<f64> = q.iter().map(|a| a / size).collect();
        let weights: Vec<f64> = (0..r.rows()).map(|i| dot(r.row(i), &v)).collect();
        let (reached, next) = ascend(rows, &weights, &u);
        u = next;
        if reached <= value * (1.0 + ARRIVED) {
            break;
        }
        value = reached;
    }
    Some(u)
}

/// The top direction of the quadratic form |Q|^2 on the ray's face, where it lies in the same cell; else the ray.
fn sharpen(objective: &VectorObjective, r: &Mat, ray: Ray) -> Ray {
    let one = &objective.one;
    if one.free_bias() {
        return ray;
    }
    let face = ray.face(one).0;
    let pattern = one.pattern(&ray);
    let images: Vec<Vec<f64>> = face
        .iter()
        .map(|e| {
            let mut image = vec![0.0; r.cols()];
            for (i, z) in products(&one.x, e).into_iter().enumerate().filter(|t| pattern[t.0] > 0) {
                axpy(z, r.row(i), &mut image);
            }
            image
        })
        .collect();
    let form = Mat::from_fn(face.len(), face.len(), |p, q| dot(&images[p], &images[q]));
    let eigen = symmetric_eigen(&form);
    let top = eigen.vectors.row(face.len() - 1);
    let mut u = vec![0.0; one.dim()];
    for (e, s) in face.iter().zip(top) {
        axpy(*s, e, &mut u);
    }
    if dot(&u, &ray.u) < 0.0 {
        for v in &mut u {
            *v = -*v;
        }
    }
    let mut sharp = Ray { u, ..ray.clone() };
    sharp.settle(one);
    sharp.c = ray.c;
    let better = norm2(&objective.gain(r, &sharp)) > norm2(&objective.gain(r, &ray));
    if better && one.pattern(&sharp) == pattern { sharp } else { ray }
}
