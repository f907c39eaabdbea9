//! Exact draws from the stationary law: direction by closed forms of ever smaller cones, then length, then c.

use super::cells::halves;
use super::integral::{form, slopes};
use super::law::Law;
use super::points::Points;
use super::simplex::{Form, MOST, Vector, inner, moments, unit};
use super::sphere::Sphere;
use crate::num::Mat;
use crate::num::noise::{Purpose, Stream};

/// Halvings of a cone before its middle is taken: the direction is exact to about 1e-9.
const HALVINGS: u64 = 64;

/// One neuron of the mean-field network: `f(x) = E c relu(u . x)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Draw {
    /// Output weights, k.
    pub c: Vec<f64>,
    /// Input weights, D, bias last.
    pub u: Vec<f64>,
}

/// `count` independent draws; draw j depends on the seed and j alone.
///
/// ```text
/// v ~ (lambda^2 - |q(v)|^2)^(-D/2) / I,   s^2 ~ chi^2_D lambda / (beta (lambda^2 - |q|^2)),   c ~ N(s q/lambda, 1/(beta lambda)),   u = s v
/// ```
pub fn sample(law: &Law, count: usize, seed: u64) -> Vec<Draw> {
    let p = law.scaled();
    let noise = Stream::new(seed, Purpose::Noise);
    let cells = match &law.sphere {
        Sphere::Cells(cells) => cells,
        Sphere::Points(points) => return resampled(law, points, &p, count, noise),
    };
    let mut cones: Vec<(f64, Vec<Vector>, usize)> = Vec::new();
    let mut forms: Vec<(Form, Vec<Vector>)> = Vec::new();
    let mut sum = 0.0;
    for cell in cells {
        let g = slopes(&law.model.x, &p, &cell.active);
        let e = form(&g, 0, 0);
        for simplex in &cell.simplices {
            sum += moments(simplex, &e).map_or(0.0, |m| m.mass);
            cones.push((sum, simplex.clone(), forms.len()));
        }
        forms.push((e, g));
    }
    let dim = law.model.x.cols();
    (0..count as u64)
        .map(|j| {
            let target = sum * noise.uniform(j, 0);
            let at = cones.partition_point(|c| c.0 < target).min(cones.len() - 1);
            let (e, g) = &forms[cones[at].2];
            let mut cone = cones[at].1.clone();
            if dim > 1 {
                for step in 1..=HALVINGS {
                    let [first, second] = [0, 1].map(|h| halves(&cone)[h].clone());
                    let weight = |c: &[Vector]| moments(c, e).map_or(0.0, |m| m.mass);
                    let (a, b) = (weight(&first), weight(&second));
                    cone = if noise.uniform(j, step) * (a + b) < a { first } else { second };
                }
            }
            let mut v = [0.0; MOST];
            for generator in &cone {
                for c in 0..MOST {
                    v[c] += generator[c];
                }
            }
            let v = unit(v);
            let q: Vec<f64> = g.iter().map(|g| inner(g, &v)).collect();
            neuron(law, &v[..dim], &q, &|index| noise.normal(j, HALVINGS + 1 + index))
        })
        .collect()
}

/// Length and output weights given the direction v and q there (in units of lambda); `normal` has k + D numbers.
fn neuron(law: &Law, v: &[f64], q: &[f64], normal: &dyn Fn(u64) -> f64) -> Draw {
    let (dim, warmth) = (v.len() as u64, law.model.beta * law.model.lambda);
    let room = 1.0 - q.iter().map(|q| q * q).sum::<f64>();
    let chi: f64 = (0..dim).map(|i| normal(i) * normal(i)).sum();
    let s = (chi / (warmth * room)).sqrt();
    Draw {
        c: q.iter().zip(dim..).map(|(q, index)| s * q + normal(index) / warmth.sqrt()).collect(),
        u: v.iter().map(|v| s * v).collect(),
    }
}

/// Directions from the weighted points, by their shares: as good as the estimate of the law, and repeated where a share
/// is large.
fn resampled(law: &Law, points: &Points, p: &Mat, count: usize, noise: Stream) -> Vec<Draw> {
    let (share, q) = points.shares(p);
    let mut sum = 0.0;
    let below: Vec<f64> = share
        .iter()
        .map(|s| {
            sum += s;
            sum
        })
        .collect();
    (0..count as u64)
        .map(|j| {
            let target = sum * noise.uniform(j, 0);
            let t = below.partition_point(|b| *b < target).min(below.len() - 1);
            let q: Vec<f64> = q.iter().map(|q| q[t]).collect();
            neuron(law, points.v.row(t), &q, &|index| noise.normal(j, 1 + index))
        })
        .collect()
}
