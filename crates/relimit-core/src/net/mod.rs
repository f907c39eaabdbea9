//! Two-layer ReLU networks: the forward map and the one definition of an active unit.

mod input_box;
mod network;

pub use input_box::InputBox;
pub use network::Network;

/// Whether a unit with preactivation `z` is active: `z > 0`, or `z = 0` when relu'(0) is taken as 1.
///
/// This is the only definition of a mask in the product; combinatorics use `sign(z)` with three values.
#[inline]
pub fn mask(z: f64, at_zero: bool) -> bool {
    z > 0.0 || (at_zero && z == 0.0)
}

/// `max(z, 0)`.
#[inline]
pub fn relu(z: f64) -> f64 {
    if z > 0.0 { z } else { 0.0 }
}
