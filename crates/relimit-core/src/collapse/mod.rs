//! The narrowest network that computes the same function: constants folded, duplicates joined, sides of kinks chosen.

mod affine;
mod kinds;
mod merge;
mod narrow;
mod patterns;
mod pieces;
mod rays;
mod regions;
mod rows;
mod seen;
mod subset;

pub use kinds::{Kind, kinds};
pub use merge::merge;
pub use narrow::{MAX_DECIDED, Width};
pub use patterns::{Patterns, patterns};
pub use pieces::{Pieces, pieces};
pub use regions::{Counted, ray_bound, regions};
pub use rows::{OnRows, collapse_on_rows};
pub use seen::{Seen, seen};

use crate::certify::equality::{Equality, Move, equality};
use crate::net::{InputBox, Network};

/// A network and the narrow one found for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Collapsed {
    /// The narrow network.
    pub network: Network,
    /// What is known about the narrowest equal network (for `tolerance` > 0: equal to the merged one).
    pub width: Width,
    /// What became of each neuron of the given network.
    pub kinds: Vec<Kind>,
    /// Neurons that were moved onto common rays first (`tolerance` > 0).
    pub moves: Vec<Move>,
    /// How far the narrow network is from the given one.
    pub equality: Equality,
}

/// Collapses a network: on all inputs, or on a box, where units that never change sides become affine.
///
/// With `tolerance` > 0 units are merged first whose preactivations, scaled to size 1 on the box (on [-1, 1] where there
/// is none), differ by at most `tolerance`; those whose turn had not come at an interrupt stay as they are. Output biases may be
/// used, also where the given network has none.
///
/// The result is no wider than the given network and collapses to itself.
///
/// # Panics
/// When the box has another number of sides than the network has inputs, or `tolerance` is negative or NaN.
///
/// # Cost
/// O(m d outputs) exact operations; where sides of kinks must be chosen, up to `2^(K/2)` more for at most
/// [`MAX_DECIDED`] kinks K, `2^(K/2) K` on all inputs, until `stop` says true.
///
/// # Source
/// Canonical form of two-layer ReLU networks: K kinks need K units, and at most 2 more for one output.
pub fn collapse(net: &Network, on: Option<&InputBox>, tolerance: f64, stop: &dyn Fn() -> bool) -> Collapsed {
    assert!(tolerance >= 0.0, "tolerance {tolerance}");
    if let Some(on) = on {
        assert_eq!(on.inputs(), net.inputs(), "box of {} sides for {} inputs", on.inputs(), net.inputs());
    }
    let moves = if tolerance > 0.0 { merge(net, on, tolerance, stop) } else { vec![] };
    let rays = rays::Rays::of(net, on, &moves);
    let (network, width) = narrow::narrow(&rays, on, stop);
    let equality = equality(net, &network, on, &moves);
    Collapsed { kinds: kinds(net, on), network, width, moves, equality }
}
