//! The minimum-l2-norm solution: what it is, and the check of a proposed one.
//!
//! ```text
//! minimise sum_j |w_j|^2   over the global minima of   1/2 sum_i (y_i - sum_j c_j relu(x_i.w_j))^2
//! ```
//!
//! A label whose sign no neuron has cannot be fitted; its target is 0 (least loss). With at most one neuron of a sign
//! the problem is a union of convex ones, one for each choice of [`State`] per example; a tree of such choices whose
//! leaves carry multipliers bounds the norm from below. With more neurons the variation norm does.

mod check;
mod lower;
mod statement;
mod variation;

pub use check::{Checked, check};
pub use lower::{Evidence, Node, Refusal};
pub use statement::{Row, Sides, State, rows};
pub use variation::{SupNode, Variation, leaf_bound};
