//! Directions in which `|q|` is locally largest: where the law has its mass at low temperatures.

use crate::num::Mat;
use crate::num::mat::{axpy, dot, norm2};
use crate::num::noise::{Purpose, Stream};

/// Random directions that a search starts from.
const STARTS: u64 = 128;
/// Peaks that are kept, the highest first.
const MOST: usize = 32;
/// Steps of one climb.
const STEPS: usize = 60;
/// Shortest step, as a share of the whole one.
const SHORTEST: f64 = 1.0 / 256.0;
/// Peaks whose cosine is above this are one.
const SAME: f64 = 0.98;

/// A local maximum of `|q|^2` on the sphere, as far as climbing finds it.
#[derive(Clone, Debug)]
pub(super) struct Peak {
    /// Unit vector, D.
    pub(super) u: Vec<f64>,
    /// `|q(u)|^2`.
    pub(super) height: f64,
}

/// `q(v)` and `J'q / |J'q|`, with `q = J v` on the cell of v.
fn look(x: &Mat, p: &Mat, v: &[f64]) -> (f64, Vec<f64>) {
    let k = p.cols();
    let mut slopes = vec![vec![0.0; v.len()]; k];
    for i in 0..x.rows() {
        if dot(x.row(i), v) > 0.0 {
            for (a, slope) in slopes.iter_mut().enumerate() {
                axpy(p[(i, a)], x.row(i), slope);
            }
        }
    }
    let q: Vec<f64> = slopes.iter().map(|s| dot(s, v)).collect();
    let mut up = vec![0.0; v.len()];
    for (s, q) in slopes.iter().zip(&q) {
        axpy(*q, s, &mut up);
    }
    (dot(&q, &q), up)
}

fn unit(mut v: Vec<f64>) -> Option<Vec<f64>> {
    let length = norm2(&v);
    if !(length > 0.0) {
        return None;
    }
    for a in &mut v {
        *a /= length;
    }
    Some(v)
}

/// Climbs from `v`: the top direction of the present cell, halved back while `|q|` falls.
fn climb(x: &Mat, p: &Mat, v: &[f64]) -> Peak {
    let mut u = v.to_vec();
    let (mut height, mut up) = look(x, p, &u);
    for _ in 0..STEPS {
        let Some(goal) = unit(up.clone()) else { break };
        let mut step = 1.0;
        let next = loop {
            let mixed = u.iter().zip(&goal).map(|(a, b)| a + step * (b - a)).collect();
            if let Some(w) = unit(mixed) {
                let (there, slope) = look(x, p, &w);
                if there > height * (1.0 + 1e-12) {
                    break Some((w, there, slope));
                }
            }
            step /= 2.0;
            if step < SHORTEST {
                break None;
            }
        };
        let Some((w, there, slope)) = next else { break };
        (u, height, up) = (w, there, slope);
    }
    Peak { u, height }
}

/// The highest peaks found from random directions, the rows and `known` ones.
pub(super) fn peaks(x: &Mat, p: &Mat, known: &[Peak], seed: u64) -> Vec<Peak> {
    let noise = Stream::new(seed, Purpose::Search);
    let random = (0..STARTS).filter_map(|j| {
        let mut v = vec![0.0; x.cols()];
        noise.fill_normal(j, &mut v);
        unit(v)
    });
    let rows = (0..x.rows().min(MOST)).flat_map(|i| {
        let back: Vec<f64> = x.row(i).iter().map(|v| -v).collect();
        [unit(x.row(i).to_vec()), unit(back)]
    });
    let starts = known.iter().map(|k| k.u.clone()).chain(random).chain(rows.flatten());
    let mut found: Vec<Peak> = starts.map(|v| climb(x, p, &v)).filter(|t| t.height > 0.0).collect();
    found.sort_by(|a, b| b.height.total_cmp(&a.height));
    let mut out: Vec<Peak> = vec![];
    for t in found {
        if out.len() < MOST && out.iter().all(|o| dot(&o.u, &t.u) < SAME) {
            out.push(t);
        }
    }
    out
}

/// The largest `|q|^2` that climbing from known peaks finds.
pub(super) fn highest(x: &Mat, p: &Mat, known: &[Peak]) -> f64 {
    known.iter().map(|k| climb(x, p, &k.u).height).fold(0.0, f64::max)
}
