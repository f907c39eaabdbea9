//! Gradient descent and gradient flow on the input weights of a ReLU layer with fixed output weights.
//!
//! Half-sum loss throughout this module (other losses rescale the step, see `Loss`):
//!
//! ```text
//! z_j = X w_j,   f = sum_j c_j relu(z_j),   r = y - f,   w_j <- w_j + eta c_j X' D_j r
//! ```

mod limit;
mod observe;

mod start;
mod start_error;

mod engine;

mod close;
mod leap;
mod modes;
mod recurrence;

mod dynamics;
mod kernel;

mod flow;
mod rate;

pub mod explain;
mod history;

pub use crate::problem::{Initial, Problem, Weights};
pub use engine::{DescentOptions, descend, reference};
pub use flow::{FlowOptions, flow};
pub use history::History;
pub use limit::{Divergence, Event, Limit, Move, Reason, Status, Work};
pub use observe::{EventLog, Observer, Unobserved};
pub use rate::settled_spectrum;
pub use start::{Start, disjoint_shares, start};
pub use start_error::StartError;
