//! Exact draws from the stationary law: direction by closed forms of ever smaller cones, then length, then c.

use super::cells::halves;
use super::integral::{form, slopes};
use super::law::Law;
use super::simplex::{Form, MOST, Vector, inner, moments, unit};
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
    let mut cones: Vec<(f64, Vec<Vector>, usize)> = Vec::new();
    let mut forms: Vec<(Form, Vec<Vector>)> = Vec::new();
    let mut sum = 0.0;
    for cell in &law.cells {
        let g = slopes(&law.model.x, &p, &cell.active);
        let e = form(&g, 0, 0);
        for simplex in &cell.simplices {
            sum += moments(simplex, &e).map_or(0.0, |m| m.mass);
            cones.push((sum, simplex.clone(), forms.len()));
        }
        forms.push((e, g));
    }
    let (dim, k) = (law.model.x.cols(), law.model.y.cols());
    let warmth = law.model.beta * law.model.lambda;
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
            let room = 1.0 - q.iter().map(|q| q * q).sum::<f64>();
            let normal = |index: usize| noise.normal(j, HALVINGS + 1 + index as u64);
            let chi: f64 = (0..dim).map(|i| normal(i) * normal(i)).sum();
            let s = (chi / (warmth * room)).sqrt();
            Draw {
                c: (0..k).map(|a| s * q[a] + normal(dim + a) / warmth.sqrt()).collect(),
                u: v[..dim].iter().map(|v| s * v).collect(),
            }
        })
        .collect()
}
