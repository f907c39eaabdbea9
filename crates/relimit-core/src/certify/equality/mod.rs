//! How far apart two networks are, on all inputs or on a box: exact arithmetic, no sampling.
//!
//! ```text
//! |f - g| <= sum_h |C_h - C'_h| max(0, max h.x~) + max |(A - A') x~|      over the box
//! ```
//!
//! Units may first be moved to other rows, which changes `c relu(z)` by at most `|c| |z - z'|`.

mod certificate;
mod form;
mod hyperplane;
mod rows;

pub use certificate::{CheckedEquality, EqualityCertificate, Malformed, Numbers};
pub use form::{Behaviour, Form, behaviour, column, row};
pub use hyperplane::Hyperplane;
pub use rows::{RowsCertificate, RowsEquality, constant_on_rows, equality_on_rows};

use serde::{Deserialize, Serialize};

use crate::certify::Claim;
use crate::net::{InputBox, Network};
use crate::num::exact::Dyadic;
use form::{absolute, largest};

/// Neuron `neuron` of the first network is compared as if its (w, b) were `scale * row`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Move {
    /// Neuron of the first network, from 0.
    pub neuron: usize,
    /// A row (w, b), d + 1 numbers.
    pub row: Vec<f64>,
    /// Its factor; a negative one turns the unit round.
    pub scale: f64,
}

/// How far apart two networks are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Equality {
    /// Where they were compared; `None` for all inputs.
    pub on: Option<InputBox>,
    /// Whether they are the same function there, exactly.
    pub identical: bool,
    /// Largest difference of any output on the box; on all inputs, where every input is within [-1, 1].
    pub max_difference: f64,
    /// With `slope`: `|f - g| <= constant + slope max_k |x_k|` for every x; `None` on a box.
    pub constant: Option<f64>,
    /// See `constant`.
    pub slope: Option<f64>,
}

impl Equality {
    /// `certified` where the difference has a finite bound, `undecided` where a number leaves double precision.
    pub fn claim(&self) -> Claim {
        if self.max_difference.is_finite() { Claim::Certified } else { Claim::Undecided }
    }
}

/// Bounds the difference of two networks with as many inputs and outputs, all bounds rounded up.
///
/// # Panics
/// When shapes differ, or a move names no neuron or a row of another length.
///
/// # Cost
/// O((m + m') d outputs) exact operations on integers.
///
/// # Source
/// Canonical form of two-layer ReLU networks: one kink for each hyperplane; see [`Form`].
pub fn equality(f: &Network, g: &Network, on: Option<&InputBox>, moves: &[Move]) -> Equality {
    let shape = |n: &Network| (n.inputs(), n.outputs());
    assert_eq!(shape(f), shape(g), "networks of (inputs, outputs) {:?} and {:?}", shape(f), shape(g));
    let mut form = Form::zero(f.inputs(), f.outputs(), on);
    for (o, v) in f.offset.iter().enumerate() {
        form.add_constant(o, &Dyadic::new(*v));
    }
    let mut moved: Vec<(Dyadic, Dyadic)> = vec![(Dyadic::zero(), Dyadic::zero()); f.outputs()];
    let mut moved_on = vec![Dyadic::zero(); f.outputs()];
    let one = Dyadic::new(1.0);
    for j in 0..f.width() {
        let (c, own) = (column(f, j), row(f, j));
        let Some(to) = moves.iter().find(|m| m.neuron == j) else {
            form.add_unit(&c, &own, &one);
            continue;
        };
        assert_eq!(to.row.len(), own.len(), "neuron {j} moves to a row of another length");
        let scale = Dyadic::new(to.scale);
        form.add_unit(&c, &to.row, &scale);
        let apart: Vec<Dyadic> =
            own.iter().zip(&to.row).map(|(a, b)| Dyadic::new(*a).sub(&scale.mul(&Dyadic::new(*b)))).collect();
        let (constant, slope) = absolute(&apart);
        let far = on.map(|on| largest(on, &apart));
        for (o, c) in c.iter().enumerate() {
            let c = Dyadic::new(*c).abs();
            moved[o] = (moved[o].0.add(&c.mul(&constant)), moved[o].1.add(&c.mul(&slope)));
            if let Some(far) = &far {
                moved_on[o] = moved_on[o].add(&c.mul(far));
            }
        }
    }
    let difference = form.sub(&Form::of(g, on));
    let worst = |all: Vec<Dyadic>| all.into_iter().fold(Dyadic::zero(), Dyadic::max);
    let still = moved.iter().all(|(a, b)| a.is_zero() && b.is_zero());
    let identical = still && difference.is_zero();
    if let Some(on) = on {
        let sums = difference.bound_on(on).iter().zip(&moved_on).map(|(a, b)| a.add(b)).collect();
        let max_difference = worst(sums).up();
        return Equality { on: Some(on.clone()), identical, max_difference, constant: None, slope: None };
    }
    let growth: Vec<_> = difference.growth().iter().zip(&moved).map(|(a, b)| (a.0.add(&b.0), a.1.add(&b.1))).collect();
    let max_difference = worst(growth.iter().map(|(a, b)| a.add(b)).collect()).up();
    let constant = worst(growth.iter().map(|g| g.0.clone()).collect()).up();
    let slope = worst(growth.into_iter().map(|g| g.1).collect()).up();
    Equality { on: None, identical, max_difference, constant: Some(constant), slope: Some(slope) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::Mat;

    fn line(rows: &[(f64, f64, f64)], offset: f64) -> Network {
        let w = Mat::from_vec(rows.len(), 1, rows.iter().map(|r| r.0).collect());
        Network::scalar(w, rows.iter().map(|r| r.1).collect(), rows.iter().map(|r| r.2).collect(), offset)
    }

    #[test]
    fn turned_and_split_units_are_the_same_function() {
        // relu(2x - 1) = 2 relu(x - 1/2), and relu(x) - relu(-x) = x.
        let f = line(&[(2.0, -1.0, 3.0), (1.0, 0.0, 1.0), (-1.0, 0.0, -1.0)], 0.25);
        let g = line(&[(1.0, -0.5, 2.0), (0.5, -0.25, 8.0), (1.0, 9.0, 1.0), (-1.0, -9.0, -1.0)], -8.75);
        let e = equality(&f, &g, None, &[]);
        assert!(e.identical && e.max_difference == 0.0 && e.slope == Some(0.0), "{e:?}");
        // f'' has a kink that only x >= 2 sees: equal on [-1, 1], not everywhere.
        let h = line(&[(1.0, -0.5, 6.0), (1.0, 9.0, 1.0), (-1.0, -9.0, -1.0), (1.0, -2.0, 5.0)], -8.75);
        let near = InputBox::around_zero(1, 1.0);
        assert!(equality(&f, &h, Some(&near), &[]).identical);
        let e = equality(&f, &h, None, &[]);
        // the bound is |C| (|b| + |w| max |x|)
        assert_eq!((e.identical, e.constant, e.slope), (false, Some(10.0), Some(5.0)));
    }

    #[test]
    fn a_move_is_paid_for() {
        let f = line(&[(1.0, 0.0, 2.0)], 0.0);
        let g = line(&[(1.0, 0.125, 2.0)], 0.0);
        let to = Move { neuron: 0, row: vec![1.0, 0.125], scale: 1.0 };
        let on = InputBox::around_zero(1, 3.0);
        let e = equality(&f, &g, Some(&on), std::slice::from_ref(&to));
        assert_eq!((e.identical, e.max_difference), (false, 0.25), "exact here: the units differ by 1/8, weighted 2");
        assert_eq!(equality(&f, &g, None, &[to]).constant, Some(0.25));
        // Unmatched kinks count in full.
        assert!(equality(&f, &g, Some(&on), &[]).max_difference > 6.0);
    }
}
