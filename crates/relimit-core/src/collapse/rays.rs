//! Units grouped by ray: the same hyperplane and the same side, so that their output weights add up.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::certify::equality::{Behaviour, Hyperplane, Move, behaviour, column, row};
use crate::net::{InputBox, Network};
use crate::num::exact::Dyadic;

/// All units on one side of one hyperplane.
#[derive(Clone, Debug)]
pub(super) struct Ray {
    /// Its hyperplane, an index into [`Rays::planes`].
    pub plane: usize,
    /// Whether the units are active where `h.x~ < 0`.
    pub flipped: bool,
    /// `sum c_j |t_j|` over its units, one an output.
    pub sum: Vec<Dyadic>,
    /// (w, b) of the first unit.
    pub row: Vec<f64>,
    /// `|t|` of that row.
    pub size: Dyadic,
}

/// A network on its domain: rays that bend it, and an affine rest.
#[derive(Clone, Debug)]
pub(super) struct Rays {
    pub inputs: usize,
    pub outputs: usize,
    pub planes: Vec<Hyperplane>,
    /// In the order of their first units; sums may be 0.
    pub all: Vec<Ray>,
    /// Affine rest without the bends, outputs x (d + 1).
    pub affine: Vec<Vec<Dyadic>>,
    /// Units that are affine on the domain and not constant: output weights and row.
    pub always_on: Vec<(Vec<f64>, Vec<f64>)>,
}

impl Rays {
    /// Groups the units of a network, those that move at their new rows.
    pub(super) fn of(net: &Network, on: Option<&InputBox>, moves: &[Move]) -> Self {
        let (d, k) = (net.inputs(), net.outputs());
        let mut affine = vec![vec![Dyadic::zero(); d + 1]; k];
        affine.iter_mut().zip(&net.offset).for_each(|(a, v)| a[d] = Dyadic::new(*v));
        let mut out = Self { inputs: d, outputs: k, planes: vec![], all: vec![], affine, always_on: vec![] };
        let mut planes: BTreeMap<Hyperplane, usize> = BTreeMap::new();
        let mut rays: BTreeMap<(usize, bool), usize> = BTreeMap::new();
        for j in 0..net.width() {
            let c = column(net, j);
            if c.iter().all(|v| *v == 0.0) {
                continue;
            }
            let moved = moves.iter().find(|m| m.neuron == j);
            let (row, scale) = moved.map_or_else(|| (row(net, j), 1.0), |m| (m.row.clone(), m.scale));
            let scale = Dyadic::new(scale);
            match behaviour(&row, &scale, on) {
                Behaviour::Off => {}
                Behaviour::On => out.add_affine(&c, &row, &scale),
                Behaviour::Bends(plane, t) => {
                    let plane = *planes.entry(plane.clone()).or_insert_with(|| {
                        out.planes.push(plane);
                        out.planes.len() - 1
                    });
                    let flipped = t.sign() == Ordering::Less;
                    let at = *rays.entry((plane, flipped)).or_insert_with(|| {
                        let turn = if scale.sign() == Ordering::Less { -1.0 } else { 1.0 };
                        let row: Vec<f64> = row.iter().map(|v| turn * v).collect();
                        let size = Hyperplane::of(&row).map_or_else(Dyadic::zero, |(_, t)| t.abs());
                        out.all.push(Ray { plane, flipped, sum: vec![Dyadic::zero(); k], row, size });
                        out.all.len() - 1
                    });
                    let t = t.abs();
                    for (sum, c) in out.all[at].sum.iter_mut().zip(&c) {
                        *sum = sum.add(&Dyadic::new(*c).mul(&t));
                    }
                }
            }
        }
        out.all.retain(|r| r.sum.iter().any(|v| !v.is_zero()));
        out
    }

    fn add_affine(&mut self, c: &[f64], row: &[f64], scale: &Dyadic) {
        for (sums, c) in self.affine.iter_mut().zip(c) {
            let factor = Dyadic::new(*c).mul(scale);
            sums.iter_mut().zip(row).for_each(|(sum, v)| *sum = sum.add(&factor.mul(&Dyadic::new(*v))));
        }
        if row[..self.inputs].iter().any(|v| *v != 0.0) {
            self.always_on.push((c.to_vec(), row.to_vec()));
        }
    }

    /// The sum of both rays of a hyperplane, one an output: the coefficient of its kink.
    pub(super) fn total(&self, plane: usize) -> Vec<Dyadic> {
        let mut total = vec![Dyadic::zero(); self.outputs];
        for ray in self.all.iter().filter(|r| r.plane == plane) {
            total.iter_mut().zip(&ray.sum).for_each(|(a, b)| *a = a.add(b));
        }
        total
    }

    /// Hyperplanes with a kink, in the order of their first units.
    pub(super) fn kinks(&self) -> Vec<usize> {
        let mut seen = vec![];
        for ray in &self.all {
            if !seen.contains(&ray.plane) && self.total(ray.plane).iter().any(|v| !v.is_zero()) {
                seen.push(ray.plane);
            }
        }
        seen
    }
}
