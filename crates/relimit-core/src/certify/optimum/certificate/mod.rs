//! The certificate of a global optimum, or of a lower bound alone: data, network, dual point and the trees that bound its q.
//!
//! Every number is an f64 and the check uses sums and products alone, so that it is exact without a division or a root.
//!
//! Source: math note on certificates, section 4.

mod claims;
mod geometry;
mod make;
mod search;
mod tree;

pub use claims::Fault;
pub use geometry::Frame;
pub use make::{Unproved, optimum_certificate};
pub use tree::{Leaf, Range, TreeFault, TreeNode};

use serde::{Deserialize, Serialize};

use super::{Bias, Loss, Offset};
use crate::certify::equality::Numbers;

/// `objective` bounds what the network pays, `lower_bound` what every network of every width pays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OptimumCertificate {
    /// [`OptimumCertificate::SCHEMA`].
    pub schema: String,
    /// The claim in words: [`OptimumCertificate::statement_of`].
    pub statement: String,
    /// n x d, as used (scaled), without a column of ones.
    pub x: Vec<Vec<f64>>,
    /// n.
    pub y: Vec<f64>,
    /// [`fingerprint`](crate::certify::fingerprint) of `x` and `y`.
    pub fingerprint: String,
    /// Scaling of the loss.
    pub loss: Loss,
    /// Treatment of hidden biases.
    pub bias: Bias,
    /// Treatment of the output bias.
    pub offset: Offset,
    /// Weight decay, above 0.
    pub lambda: f64,
    /// The network, `None` in a certificate of a lower bound alone.
    pub network: Option<Numbers>,
    /// Claim: named loss + (lambda/2) |theta|^2 of the network is at most this.
    pub objective: Option<f64>,
    /// Claim: no network has an objective below this.
    pub lower_bound: f64,
    /// Claim: `objective - lower_bound` is at most this.
    pub gap: Option<f64>,
    /// r, n.
    pub dual: Vec<f64>,
    /// Factor t of the dual point, `|t| sup <= lambda`.
    pub scale: f64,
    /// Proved by the trees: |q| is at most this.
    pub sup: f64,
    /// Where a free bias is measured from.
    pub frame: Option<Frame>,
    /// Bounds q.
    pub positive: Vec<TreeNode>,
    /// Bounds -q.
    pub negative: Vec<TreeNode>,
}

impl OptimumCertificate {
    /// Name and version of the layout.
    pub const SCHEMA: &'static str = "relimit/certificate/optimum/1";

    /// The claim in words, with or without a network.
    pub fn statement_of(with_network: bool) -> &'static str {
        if with_network {
            "the network has at most this objective, and no network has one below the lower bound"
        } else {
            "no network has an objective below the lower bound"
        }
    }
}
