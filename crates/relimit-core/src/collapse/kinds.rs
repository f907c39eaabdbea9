//! What each neuron of a network is on a domain: needed, or one of the kinds that can go.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::certify::equality::{Behaviour, Hyperplane, behaviour, column, row};
use crate::net::{InputBox, Network};
use crate::num::exact::Dyadic;

/// The kind of a neuron.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Kind {
    /// Never active on the domain, or with w = 0 and b <= 0.
    Dead,
    /// w = 0 and b > 0: its output is a constant.
    Constant,
    /// All its output weights are 0.
    Unused,
    /// Active on the whole domain (a box): affine there.
    AlwaysOn,
    /// A positive multiple of an earlier neuron.
    Duplicate {
        /// The first neuron of its ray.
        of: usize,
    },
    /// A negative multiple of an earlier neuron, and of none by a positive factor.
    Opposite {
        /// The first neuron of its hyperplane.
        of: usize,
    },
    /// None of these.
    Plain,
}

/// The kind of every neuron, on all inputs or on a box.
pub fn kinds(net: &Network, on: Option<&InputBox>) -> Vec<Kind> {
    let mut first: BTreeMap<Hyperplane, [Option<usize>; 2]> = BTreeMap::new();
    let one = Dyadic::new(1.0);
    let judge = |j: usize| {
        if column(net, j).iter().all(|c| *c == 0.0) {
            return Kind::Unused;
        }
        match behaviour(&row(net, j), &one, on) {
            Behaviour::Off => Kind::Dead,
            Behaviour::On if net.w.row(j).iter().all(|v| *v == 0.0) => Kind::Constant,
            Behaviour::On => Kind::AlwaysOn,
            Behaviour::Bends(plane, t) => {
                let sides = first.entry(plane).or_default();
                let own = usize::from(t.sign() == Ordering::Less);
                match (sides[own], sides[1 - own]) {
                    (Some(of), _) => Kind::Duplicate { of },
                    (None, other) => {
                        sides[own] = Some(j);
                        other.map_or(Kind::Plain, |of| Kind::Opposite { of })
                    }
                }
            }
        }
    };
    (0..net.width()).map(judge).collect()
}
