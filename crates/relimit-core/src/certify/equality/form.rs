//! The canonical form of a network: one relu for each hyperplane on which it bends, and an affine rest, exactly.
//!
//! ```text
//! f(x) = sum_h C_h relu(h . x~) + A x~        x~ = (x, 1)
//! C relu(-t h.x~) = C t (relu(h.x~) - h.x~),  t > 0
//! ```
//!
//! Two networks are equal on all inputs exactly when their forms are. On a box, units that never change sides there
//! join the affine rest.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::Hyperplane;
use crate::net::{InputBox, Network};
use crate::num::exact::Dyadic;

/// The canonical form of a network on all inputs, or on a box.
#[derive(Clone, Debug)]
pub struct Form {
    on: Option<InputBox>,
    inputs: usize,
    /// Coefficients of `relu(h . x~)`, one an output; a hyperplane may be listed with coefficients that are all 0.
    bends: BTreeMap<Hyperplane, Vec<Dyadic>>,
    /// Outputs x (d + 1).
    affine: Vec<Vec<Dyadic>>,
}

/// How a unit behaves on the domain of a form.
#[derive(Clone, Debug, PartialEq)]
pub enum Behaviour {
    /// `relu(z) = z`, or a constant where w = 0.
    On,
    /// `relu(z) = 0`.
    Off,
    /// `z = t h.x~` takes both signs; t is not 0.
    Bends(Hyperplane, Dyadic),
}

/// How the unit with the row (w, b), d + 1 numbers times `scale`, behaves on all inputs or on a box.
pub fn behaviour(row: &[f64], scale: &Dyadic, on: Option<&InputBox>) -> Behaviour {
    let constant = |positive: bool| if positive { Behaviour::On } else { Behaviour::Off };
    let Some((plane, t)) = Hyperplane::of(row).filter(|_| !scale.is_zero()) else {
        let b = row.last().map_or_else(Dyadic::zero, |b| Dyadic::new(*b)).mul(scale);
        return constant(b.sign() == Ordering::Greater);
    };
    let t = t.mul(scale);
    if let Some(on) = on {
        let (least, greatest) = on.range(&plane.row());
        let ascending = t.sign() == Ordering::Greater;
        let (least, greatest) = if ascending { (least, greatest) } else { (greatest.neg(), least.neg()) };
        if greatest.sign() != Ordering::Greater {
            return Behaviour::Off;
        }
        if least.sign() != Ordering::Less {
            return Behaviour::On;
        }
    }
    Behaviour::Bends(plane, t)
}

impl Form {
    /// The form of the zero function.
    pub fn zero(inputs: usize, outputs: usize, on: Option<&InputBox>) -> Self {
        let affine = vec![vec![Dyadic::zero(); inputs + 1]; outputs];
        Self { on: on.cloned(), inputs, bends: BTreeMap::new(), affine }
    }

    /// The form of a network. O(m d outputs) exact operations.
    pub fn of(net: &Network, on: Option<&InputBox>) -> Self {
        let mut form = Self::zero(net.inputs(), net.outputs(), on);
        for (o, v) in net.offset.iter().enumerate() {
            form.add_constant(o, &Dyadic::new(*v));
        }
        let one = Dyadic::new(1.0);
        for j in 0..net.width() {
            form.add_unit(&column(net, j), &row(net, j), &one);
        }
        form
    }

    /// Adds a constant to an output.
    pub fn add_constant(&mut self, output: usize, value: &Dyadic) {
        let d = self.inputs;
        self.affine[output][d] = self.affine[output][d].add(value);
    }

    /// Adds `c relu(scale * row . x~)`; `row` has d + 1 entries, `c` one an output.
    pub fn add_unit(&mut self, c: &[f64], row: &[f64], scale: &Dyadic) {
        assert_eq!(row.len(), self.inputs + 1, "unit of {} entries in {} inputs", row.len(), self.inputs);
        if c.iter().all(|v| *v == 0.0) {
            return;
        }
        let affine = match behaviour(row, scale, self.on.as_ref()) {
            Behaviour::Off => false,
            Behaviour::On => true,
            Behaviour::Bends(plane, t) => {
                let descends = t.sign() == Ordering::Less;
                let t = t.abs();
                let sums = self.bends.entry(plane).or_insert_with(|| vec![Dyadic::zero(); c.len()]);
                for (sum, c) in sums.iter_mut().zip(c) {
                    *sum = sum.add(&Dyadic::new(*c).mul(&t));
                }
                descends
            }
        };
        if affine {
            for (o, c) in c.iter().enumerate().filter(|(_, c)| **c != 0.0) {
                let factor = Dyadic::new(*c).mul(scale);
                for (sum, v) in self.affine[o].iter_mut().zip(row) {
                    *sum = sum.add(&factor.mul(&Dyadic::new(*v)));
                }
            }
        }
    }

    /// The difference of two forms on the same domain.
    pub fn sub(&self, other: &Self) -> Self {
        assert_eq!(self.on, other.on, "forms on different domains");
        let mut out = self.clone();
        for (plane, c) in &other.bends {
            let sums = out.bends.entry(plane.clone()).or_insert_with(|| vec![Dyadic::zero(); c.len()]);
            for (sum, c) in sums.iter_mut().zip(c) {
                *sum = sum.sub(c);
            }
        }
        for (sums, row) in out.affine.iter_mut().zip(&other.affine) {
            for (sum, v) in sums.iter_mut().zip(row) {
                *sum = sum.sub(v);
            }
        }
        out
    }

    /// Whether it is the zero function.
    pub fn is_zero(&self) -> bool {
        self.bends().next().is_none() && self.affine.iter().flatten().all(Dyadic::is_zero)
    }

    /// Hyperplanes on which the function bends, with the coefficients of their relu.
    pub fn bends(&self) -> impl Iterator<Item = (&Hyperplane, &Vec<Dyadic>)> {
        self.bends.iter().filter(|(_, c)| c.iter().any(|v| !v.is_zero()))
    }

    /// The affine rest, outputs x (d + 1).
    pub fn affine(&self) -> &[Vec<Dyadic>] {
        &self.affine
    }

    /// A bound of `|f_o|` on a box inside the domain, one an output: each bend at its largest, the affine rest at the
    /// centre plus the half-widths.
    pub fn bound_on(&self, on: &InputBox) -> Vec<Dyadic> {
        let mut out: Vec<Dyadic> = self.affine.iter().map(|row| largest(on, row)).collect();
        for (plane, c) in self.bends() {
            let top = on.range(&plane.row()).1;
            if top.sign() == Ordering::Greater {
                for (sum, c) in out.iter_mut().zip(c) {
                    *sum = sum.add(&c.abs().mul(&top));
                }
            }
        }
        out
    }

    /// Numbers with `|f_o(x)| <= constant_o + slope_o max_k |x_k|` for every x, one pair an output.
    pub fn growth(&self) -> Vec<(Dyadic, Dyadic)> {
        let mut out: Vec<(Dyadic, Dyadic)> = self.affine.iter().map(|row| absolute(row)).collect();
        for (plane, c) in self.bends() {
            let (constant, slope) = absolute(&plane.row());
            for (sum, c) in out.iter_mut().zip(c) {
                let c = c.abs();
                *sum = (sum.0.add(&c.mul(&constant)), sum.1.add(&c.mul(&slope)));
            }
        }
        out
    }
}

/// `max |row . x~|` on a box.
pub(super) fn largest(on: &InputBox, row: &[Dyadic]) -> Dyadic {
    let (least, greatest) = on.range(row);
    least.abs().max(greatest.abs())
}

/// `(|b|, |w|_1)`.
pub(super) fn absolute(row: &[Dyadic]) -> (Dyadic, Dyadic) {
    let (b, w) = row.split_last().map_or((Dyadic::zero(), &[][..]), |(b, w)| (b.abs(), w));
    (b, w.iter().fold(Dyadic::zero(), |sum, v| sum.add(&v.abs())))
}

/// (w_j, b_j), d + 1 numbers.
pub fn row(net: &Network, j: usize) -> Vec<f64> {
    net.w.row(j).iter().chain([&net.b[j]]).copied().collect()
}

/// Output weights of neuron j, one an output.
pub fn column(net: &Network, j: usize) -> Vec<f64> {
    (0..net.outputs()).map(|o| net.c[(o, j)]).collect()
}
